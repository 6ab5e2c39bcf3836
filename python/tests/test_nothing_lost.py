"""No result is lost and no file of the user's: replaced, shared, damaged and misnamed directories."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from conftest import Result, command

import tworay
from tworay.errors import InputError
from tworay.experiment.experimentfile import read
from tworay.experiment.store.batches import stored_rows
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    Cli = Callable[..., Result]

SHORT = {"duration": "3s"}


def compare(**options: Any) -> tworay.Comparison:
    return tworay.compare("string-2", set=SHORT, **({"tcp": "reno,vegas", "seeds": 2} | options))


def digests(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


# --force


@pytest.mark.parametrize("kind", ["run", "compare"])
def test_force_removes_only_what_tworay_wrote(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"

    def make(**options: Any) -> None:
        if kind == "run":
            tworay.run("string-2", set=SHORT, out=out, **options)
        else:
            compare(out=out, **options)
        tworay.write_report(out)

    make()
    mine = {
        "mynotes.txt": b"years of work",
        "plot.svg": b"<svg/>",
        "measured.parquet": b"not tworay's",
        "report-for-my-professor.html": b"<html>mine</html>",
        "own.py": b"print()",
        "deep/er/notes.txt": b"more",
        "runs-of-2019/a": b"a",
        ".hidden": b"x",
        ".mine.7z.tmp": b"y",
    }
    for name, content in mine.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)
    theirs = set(digests(out)) - set(mine)
    make(force=True)
    assert {name: (out / name).read_bytes() for name in mine} == mine
    assert set(digests(out)) == theirs | set(mine)
    # Nor are they taken for results.
    assert "measured" not in getattr(tworay.results(out), "tables", {})


def test_force_removes_what_the_new_results_do_not_have(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("import tworay\nclass Mine(tworay.CongestionControl):\n    pass\n")
    compare(tcp="mine.py:Mine", out="out")
    tworay.write_report("out")
    assert Path("out/mine.py").is_file()
    compare(tcp="reno", out="out", force=True)
    assert not Path("out/mine.py").exists()
    assert not Path("out/report.html").exists()
    Path("out/mine.py").write_text("mine alone")
    with pytest.raises(InputError, match=r"out/mine\.py is not a file of tworay's"):
        compare(tcp="mine.py:Mine", out="out", force=True)
    assert Path("out/mine.py").read_text() == "mine alone"


def test_a_file_with_the_name_of_what_holds_runs_is_not_replaced(tmp_path: Path) -> None:
    """In a directory of format 3 ``tables`` can only be the user's."""
    out = tmp_path / "out"
    compare(out=out)
    shutil.rmtree(out / "parts")
    manifest = json.loads((out / "tworay.json").read_text())
    (out / "tworay.json").write_text(json.dumps(manifest | {"format": 3}))
    (out / "tables").mkdir()
    (out / "tables" / "mine.csv").write_text("years of work")
    before = digests(out)
    with pytest.raises(InputError, match=r"tables is not a file of tworay's"):
        compare(out=out, force=True)
    assert digests(out) == before


# Two writers


def test_a_second_writer_is_refused_before_the_first_run_has_ended(tmp_path: Path) -> None:
    out = tmp_path / "k"
    # Its first run takes longer than the test.
    words = ("--tcp", "reno", "--seeds", "2", "--jobs", "1", "--out", out, "--set", "duration=500000s")
    first = subprocess.Popen(command("compare", "string-3", *words), stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not out.is_dir():
            assert first.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.5)
        for force in (False, True):
            with pytest.raises(InputError, match="another tworay is writing"):
                compare(out=out, force=force)
        with pytest.raises(InputError, match="another tworay is writing"):
            tworay.run("string-2", set=SHORT, out=out)
        assert list(out.iterdir()) == []
    finally:
        first.kill()
        first.wait()
    # What a killed process leaves behind is empty, and so is free.
    compare(out=out)
    with pytest.raises(InputError, match="add force=True"):
        compare(out=out)


# Tables that are gone


@pytest.mark.parametrize("name", ["flows", "series", "ledger"])
def test_runs_whose_tables_are_gone_are_done_again(cli: Cli, tmp_path: Path, name: str) -> None:
    compare(seeds=4, out=tmp_path / "whole")
    compare(out=tmp_path / "parts")
    table = tmp_path / "parts" / f"{name}.parquet"
    table.unlink()
    resumed = cli("compare", "--resume", "parts", "--seeds", "4", "--json")
    assert resumed.code == 0, resumed.err
    assert f"parts/{name}.parquet has no rows of reno seed 1, reno seed 2, vegas seed 1" in resumed.err
    whole, parts = digests(tmp_path / "whole"), digests(tmp_path / "parts")
    parts.pop("report.html")
    assert {key for key in whole if whole[key] != parts.get(key)} <= {"tworay.json"}


def test_runs_that_lack_some_rows_are_done_again(tmp_path: Path) -> None:
    compare(out=tmp_path / "whole")
    compare(out=tmp_path / "parts")
    for name, content in (("series", None), ("flows", b"PAR1 garbage PAR1")):
        table = tmp_path / "parts" / f"{name}.parquet"
        if content is None:
            pl.read_parquet(table).filter(~(pl.col("variant") == "reno")).write_parquet(table)
        else:
            table.write_bytes(content)
        tworay.compare(resume=tmp_path / "parts")
        assert digests(tmp_path / "parts") == digests(tmp_path / "whole")


def test_a_sweep_does_runs_again_whose_kept_tables_are_gone(tmp_path: Path) -> None:
    document = {"scenario": "string-2", "seeds": 4, "set": SHORT, "keep": ["flows", "pairs"]}
    out = tmp_path / "swept"
    whole = tworay.Experiment(document).run(out, jobs=2).runs
    before = digests(out / "tables")
    assert len(before) == 8
    gone = sorted(before)[::3]
    for name in gone:
        (out / "tables" / name).unlink()
    sweep = Sweep(read(document), out)
    state = sweep.run(jobs=2)
    runs = len({name.rpartition("/")[2] for name in gone})
    assert (state.done, state.stored) == (runs, 4)
    assert any(f"{runs} runs (cell 0 seed " in text and "lack files in" in text for text in sweep.notes)
    assert digests(out / "tables") == before
    assert tworay.Results(out).runs.equals(whole)
    again = Sweep(read(document), out)
    assert (again.run(jobs=2).done, again.notes) == (0, [])


# Damaged and edited runs


def edit(file: Path) -> None:
    """Multiply the goodputs of a batch by ten."""
    frame = pl.read_parquet(file).with_columns(pl.col("goodput_bps") * 10)
    content = io.BytesIO()
    frame.write_parquet(content)
    file.write_bytes(content.getvalue())


def batch_of(out: Path, arm: str) -> Path:
    (found,) = (f for f in (out / "parts").iterdir() if set(pl.read_parquet(f)["world"]) == {arm})
    return found


def test_an_edited_figure_is_found_and_its_runs_done_again(cli: Cli, tmp_path: Path) -> None:
    compare(out=tmp_path / "whole")
    compare(out=tmp_path / "parts")
    file = batch_of(tmp_path / "parts", "reno")
    edit(file)
    before = digests(tmp_path / "parts")
    shown = cli("show", "parts", "--json")
    assert digests(tmp_path / "parts") == before, "showing changes nothing"
    assert shown.document["variants"]["reno"] == {}
    assert shown.document["variants"]["vegas"]["goodput_bps"]["n"] == 2
    assert any(f"parts/{file.name} can't be read" in text for text in shown.document["warnings"])
    resumed = cli("compare", "--resume", "parts", "--json")
    assert f"parts/parts/{file.name}: its checksum is wrong" in resumed.err
    assert "parts has 2 finished runs" in resumed.err
    (tmp_path / "parts" / "report.html").unlink()
    assert (tmp_path / "parts" / "corrupt" / file.name).read_bytes() != b""
    shutil.rmtree(tmp_path / "parts" / "corrupt")
    assert digests(tmp_path / "parts") == digests(tmp_path / "whole")


def test_an_edited_run_that_is_not_merged_yet_is_found(tmp_path: Path, monkeypatch: Any) -> None:
    compare(out=tmp_path / "whole")
    from tworay.experiment.store.results import Store

    with monkeypatch.context() as patch:
        patch.setattr(Store, "finish", lambda *_: None)
        compare(out=tmp_path / "parts", jobs=1)
    # As a killed process leaves it: in the journal, with the last line half written.
    rows, _ = stored_rows(tmp_path / "parts")
    for file in (tmp_path / "parts" / "parts").iterdir():
        file.unlink()
    bodies = [json.dumps(one).encode() for one in rows]
    lines = [b"%08x %s" % (zlib.crc32(body), body) for body in bodies]
    lines[1] = lines[1].replace(b'timeouts\\":', b'timeouts\\":1')
    journal = tmp_path / "parts" / "journal" / "here-1.jsonl"
    journal.parent.mkdir(exist_ok=True)
    journal.write_bytes(b"\n".join(lines) + b"\n" + lines[0][:50])
    shown = tworay.results(tmp_path / "parts")
    assert isinstance(shown, tworay.Comparison)
    assert len(shown) == 3
    assert any("journal/here-1.jsonl has 1 damaged line" in text for text in shown.warnings)
    tworay.compare(resume=tmp_path / "parts")
    assert digests(tmp_path / "parts") == digests(tmp_path / "whole")


# Names of sweeps


@pytest.mark.parametrize("name", ["../evil", "/abs/x", "", " ", "..", ".x", "a\\b", "a\0b", "a\nb", "C:x"])
def test_a_sweep_is_not_called_like_a_path(tmp_path: Path, monkeypatch: Any, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="name = "):
        tworay.Experiment({"name": name, "scenario": "string-2", "seeds": 1, "set": SHORT})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", ["metrics", "ci_metric"])
def test_an_unknown_metric_is_refused_before_any_run(key: str) -> None:
    document: dict[str, Any] = {"scenario": "string-2", "seeds": 1, "set": SHORT}
    with pytest.raises(InputError, match=f"experiment: {key}: there is no metric `nosuch`"):
        tworay.Experiment(document | {key: ["nosuch"] if key == "metrics" else "nosuch"})
    known = ["goodput_bps", "jain_fairness", "path_hops", "ledger.collision.data", "counted.freezes"]
    assert read(document | {"metrics": known}).metrics == tuple(known)
