"""Going on with a comparison: whatever ended it, the result is that of one that was never interrupted."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import QUICK, Result, command, finished_runs

import tworay
from tworay.errors import InputError
from tworay.experiment import onerun

if TYPE_CHECKING:
    from collections.abc import Callable

    Cli = Callable[..., Result]

SETTINGS = {"duration": "10s"}


def digests(directory: Path) -> dict[str, str]:
    """Return a digest of every file."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def compare(**options: Any) -> tworay.Comparison:
    return tworay.compare("string-3", set=SETTINGS, **({"tcp": "reno,sack"} | options))


def stopped(monkeypatch: pytest.MonkeyPatch, after: int, work: Callable[[], object]) -> None:
    """Do work with a Ctrl-C when so many runs have been begun."""
    run, begun = onerun.run, []

    def counted(*arguments: Any, **options: Any) -> tworay.Run:
        begun.append(1)
        if len(begun) > after:
            raise KeyboardInterrupt
        return run(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(onerun, "run", counted)
        with pytest.raises(KeyboardInterrupt):
            work()


def interrupted(monkeypatch: pytest.MonkeyPatch, after: int, **options: Any) -> None:
    """Compare, with a Ctrl-C when so many runs have been begun."""
    stopped(monkeypatch, after, lambda: tworay.compare(jobs=1, **options))


def test_interrupted_and_resumed_gives_the_bytes_of_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = compare(seeds=4, resources=True, out=tmp_path / "whole")
    begin: dict[str, Any] = {"scenario": "string-3", "tcp": "reno,sack", "set": SETTINGS, "resources": True}
    interrupted(monkeypatch, 5, **begin, seeds=4, out=tmp_path / "parts")
    interrupted(monkeypatch, 2, resume=tmp_path / "parts")
    resumed = tworay.compare(resume=tmp_path / "parts")
    assert resumed.summary == whole.summary
    assert digests(tmp_path / "parts") == digests(tmp_path / "whole")


def test_more_seeds_and_arms_give_the_bytes_of_one_go(tmp_path: Path) -> None:
    compare(seeds=6, tcp="reno,sack,tahoe", out=tmp_path / "whole")
    compare(seeds=2, tcp="reno", out=tmp_path / "parts")
    compare(seeds=4, tcp="sack", resume=tmp_path / "parts")
    compare(seeds=6, tcp="reno,tahoe", resume=tmp_path / "parts")
    assert digests(tmp_path / "parts") == digests(tmp_path / "whole")


def test_fewer_seeds_end_a_comparison_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    """Of 200 planned seeds two have runs when it is interrupted; four are enough now."""
    begin: dict[str, Any] = {"scenario": "string-3", "tcp": "reno,sack", "set": SETTINGS}
    interrupted(monkeypatch, 3, **begin, seeds="1,9,2-8,10-200", out=tmp_path / "parts")
    done = cli("compare", "--resume", "parts", "--seeds", "3", "--json")
    assert done.code == 0
    # What is begun is finished, not thrown away.
    assert done.document["seeds"] == [1, 2, 3, 9]
    assert all(cells["goodput_bps"]["n"] == 4 for cells in done.document["variants"].values())
    assert "left out 196 seeds that were planned but not started (4-8,10-200)" in done.err
    # The plan is changed for good.
    assert "runs are finished" not in cli("show", "parts").err
    again = cli("compare", "--resume", "parts", "--json")
    assert again.document == done.document


def test_a_rule_of_stopping_stops_where_it_would_have_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule: dict[str, Any] = {"seeds": 2, "until_ci": 0.3, "max_seeds": 12, "tcp": "newreno"}
    compare(**rule, out=tmp_path / "whole")
    interrupted(monkeypatch, 4, scenario="string-3", set=SETTINGS, **rule, out=tmp_path / "parts")
    tworay.compare(resume=tmp_path / "parts")
    assert digests(tmp_path / "parts") == digests(tmp_path / "whole")


def test_killed_and_resumed_gives_the_bytes_of_one_go(cli: Cli, tmp_path: Path) -> None:
    arms = ("--tcp", "reno,sack", "--vary", "mac.rts_threshold=0B,3000B", "--set", "duration=40s")
    base = ("compare", "string-3", *arms, "--seeds", "6")
    assert cli(*base, "--out", "whole").code == 0
    process = subprocess.Popen(
        command(*base, "--out", "parts", "--jobs", "1"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while finished_runs(tmp_path / "parts") < 3:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "parts" / "summary.json").exists()
    # What a kill in the middle of writing leaves behind.
    (tmp_path / "parts" / "tables" / "flows" / f".reno-1.parquet.{os.getpid()}.tmp").write_bytes(b"PAR1")
    shown = cli("show", "parts")
    assert shown.code == 0
    assert "reno" in shown.out
    assert "continue with `tworay compare --resume parts`" in shown.err
    resumed = cli("compare", "--resume", "parts", "--json")
    assert resumed.code == 0
    assert "parts has" in resumed.err
    assert digests(tmp_path / "parts") == digests(tmp_path / "whole")
    assert resumed.document == json.loads((tmp_path / "whole" / "summary.json").read_text())


def test_killed_while_runs_are_merged_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies after each write of the merging in turn; every time, resuming repairs all."""
    from tworay.experiment.store import disk, tables

    compare(seeds=2, out=tmp_path / "whole")
    compare(seeds=1, out=tmp_path / "begun")
    replacing, reached = disk.replacing, 0
    for survive in range(0, 100, 3):
        out = shutil.copytree(tmp_path / "begun", tmp_path / f"parts-{survive}")
        written: list[Path] = []

        def fragile(
            path: Path, *, durable: bool = False, survive: int = survive, written: list[Path] = written
        ) -> Any:
            if len(written) > survive:
                raise MemoryError
            written.append(path)
            return replacing(path, durable=durable)

        with monkeypatch.context() as patch:
            for module in (disk, tables):
                patch.setattr(module, "replacing", fragile)
            try:
                compare(seeds=2, resume=out)
            except MemoryError:
                reached += 1
        compare(seeds=2, resume=out)
        assert digests(out) == digests(tmp_path / "whole"), survive
        if len(written) <= survive:
            break
    # Manifest twice, batches, summary, runs.parquet; tables of two runs: new, taken apart, and merged.
    assert reached >= 10


def test_what_differs_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "results"
    compare(seeds=1, out=out)
    before = digests(out)
    with pytest.raises(InputError, match="duration is 10s there and 20s here"):
        tworay.compare("string-3", tcp="reno", set={"duration": "20s"}, resume=out)
    with pytest.raises(InputError, match="it was made with another scenario"):
        tworay.compare("string-4", tcp="reno", set=SETTINGS, resume=out)
    with pytest.raises(InputError, match="settings and costs can't change"):
        tworay.compare(set={"duration": "20s"}, resume=out)
    with pytest.raises(InputError, match="can't be used together"):
        compare(out=tmp_path / "other", resume=out)
    with pytest.raises(InputError, match="there is no such directory"):
        compare(resume=tmp_path / "nowhere")
    manifest = json.loads((out / "tworay.json").read_text())
    (out / "tworay.json").write_text(json.dumps(manifest | {"tworay": "0.0.1"}))
    with pytest.raises(InputError, match=r"its runs are of tworay 0\.0\.1"):
        compare(resume=out)
    (out / "tworay.json").write_text(json.dumps(manifest | {"format": 99}))
    with pytest.raises(InputError, match="a newer one"):
        compare(resume=out)
    (out / "tworay.json").write_text(json.dumps(manifest, indent=2) + "\n")
    assert digests(out) == before


def test_another_variant_in_python_brings_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("import tworay\nclass Mine(tworay.CongestionControl):\n    pass\n")
    compare(tcp="reno,mine.py:Mine", seeds=2, out="whole")
    compare(tcp="reno", seeds=1, out="parts")
    compare(tcp="mine.py:Mine", seeds=2, resume="parts")
    assert Path("parts/mine.py").is_file()
    assert digests(Path("parts")) == digests(Path("whole"))


def test_a_variant_whose_source_has_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import tworay\nclass Mine(tworay.CongestionControl):\n    pass\n"
    Path("mine.py").write_text(text)
    compare(tcp="mine.py:Mine", seeds=1, out="results")
    compare(tcp="mine.py:Mine", seeds=2, resume="results")
    Path("mine.py").write_text(text + "    recovery = 'sack'\n")
    with pytest.raises(InputError, match=r"the source of mine\.py:Mine has changed"):
        tworay.compare(seeds=3, resume="results")


def test_two_processes_do_not_write_to_one_directory(tmp_path: Path) -> None:
    compare(seeds=1, out=tmp_path / "results")
    code = (
        "import sys\nfrom tworay.experiment.store.place import Lock\nfrom pathlib import Path\n"
        "handle = Lock(Path(sys.argv[1]))\nprint('locked', flush=True)\ninput()\n"
    )
    holder = subprocess.Popen(
        [*command()[:1], "-c", code, tmp_path / "results"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    with pytest.raises(InputError, match="another tworay is writing"):
        compare(seeds=2, resume=tmp_path / "results")
    holder.communicate("\n")
    assert compare(seeds=2, resume=tmp_path / "results").seeds == [1, 2]


# Shown again, saved, pickled


def test_show_prints_what_compare_and_run_printed(cli: Cli) -> None:
    compared = cli("compare", "string-3", "--tcp", "reno,sack", "--seeds", "3", *QUICK, "--out", "c")
    shown = cli("show", "c")
    assert (shown.code, shown.out, shown.err) == (0, compared.out, "")
    ran = cli("run", "string-3", *QUICK, "--out", "r")
    assert cli("show", "r").out == ran.out


def test_a_directory_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results of tworay"):
        tworay.results(tmp_path)


def test_results_are_what_was_written(tmp_path: Path) -> None:
    written = compare(seeds=2, resources=True, out=tmp_path / "results")
    found = tworay.results(tmp_path / "results")
    assert isinstance(found, tworay.Comparison)
    assert found.summary == written.summary


def test_a_run_can_be_saved_read_and_pickled(tmp_path: Path) -> None:
    result = tworay.run("string-3", set=SETTINGS, seed=2, out=tmp_path / "out")
    result.save(tmp_path / "saved")
    assert digests(tmp_path / "out") == digests(tmp_path / "saved")
    copy = pickle.loads(pickle.dumps(result))
    assert copy.summary == result.summary
    assert copy.json == result.json
    copy.save(tmp_path / "copy")
    assert digests(tmp_path / "copy") == digests(tmp_path / "out")
    found = tworay.results(tmp_path / "out")
    assert isinstance(found, tworay.Run)
    assert found.summary == result.summary
    assert set(found.tables) == set(result.tables)
    for name, table in result.tables.items():
        assert found.tables[name].equals(table), name
    with pytest.raises(InputError, match="add force=True"):
        tworay.run("string-3", set=SETTINGS, out=tmp_path / "out")
