"""Result directories: whole or absent, whatever happens."""

from __future__ import annotations

import errno
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from conftest import MadeRun

import tworay
from tworay.errors import InputError, OutputError
from tworay.experiment.comparison import Comparison
from tworay.experiment.store import batches
from tworay.experiment.store import results as store_module
from tworay.experiment.store.batches import row, stored_rows
from tworay.experiment.store.results import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN: list[Store] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the stores of a test at its end."""
    yield
    while OPEN:
        with suppress(OutputError):
            OPEN.pop().release()


def make(path: Path, command: str = "compare", force: bool = False) -> Store:
    store = Store(path, command, force=force, scenario=tworay.load("string-2"), details={"seeds": [1]})
    OPEN.append(store)
    return store


def fill(store: Store, seeds: tuple[int, ...] = (1, 2)) -> Comparison:
    result = Comparison("made-up", ["reno", "sack+x(2)"])
    for seed in seeds:
        for variant in result.variants:
            add(store, variant, seed)
            result.add(variant, seed, MadeRun(variant, seed).summary)
    return result


def add(store: Store, variant: str, seed: int) -> None:
    run = MadeRun(variant, seed)
    for name, table in run.tables.items():
        store.keep(variant, seed, name, table)
    heights = {name: table.height for name, table in run.tables.items()}
    store.add(row(variant, seed, run.summary, tables=heights))


def finish(store: Store, result: Comparison) -> None:
    rows, _ = stored_rows(store.path)
    store.finish(result, {(one["world"], one["seed"]): json.loads(one["tables"]) for one in rows})


def hidden(path: Path) -> list[Path]:
    return list(path.parent.rglob(".*"))


def test_nothing_is_written_before_the_first_run_is_done(tmp_path: Path) -> None:
    make(tmp_path / "deep" / "results")
    assert list(tmp_path.iterdir()) == []


def test_each_finished_run_is_readable_at_once(tmp_path: Path) -> None:
    out = tmp_path / "results"
    fill(make(out), seeds=(1,))
    assert sorted(path.name for path in (out / "tables" / "flows").iterdir()) == [
        "reno-1.parquet",
        "sack+x_2_-6a0daf59-1.parquet",
    ]
    flows = pl.read_parquet(out / "tables" / "flows" / "*.parquet")
    assert flows["variant"].to_list() == ["reno", "sack+x(2)"]
    rows, problems = stored_rows(out)
    assert [(one["world"], one["seed"]) for one in rows] == [("reno", 1), ("sack+x(2)", 1)]
    assert json.loads(rows[0]["document"])["flows"][0]["goodput_bps"] == 100_000
    assert problems == []


def test_at_the_end_there_is_one_table_a_kind(tmp_path: Path) -> None:
    out = tmp_path / "results"
    store = make(out)
    result = fill(store)
    finish(store, result)
    assert sorted(path.name for path in out.iterdir()) == [
        "flows.parquet",
        "guesses.parquet",
        "ledger.parquet",
        "parts",
        "runs.parquet",
        "scenario.toml",
        "series.parquet",
        "summary.json",
        "tworay.json",
    ]
    series = pl.read_parquet(out / "series.parquet")
    assert series.columns == ["variant", "seed", "t_s", "flow", "cwnd_segments"]
    assert series.height == 2 * 2 * 2
    assert json.loads((out / "summary.json").read_text()) == result.summary
    assert json.loads((out / "tworay.json").read_text())["command"] == "compare"
    assert hidden(out) == []


def test_an_interrupted_run_leaves_no_rows(tmp_path: Path) -> None:
    store = make(tmp_path / "results")
    result = fill(store)
    # The run of another variant ended after its first table.
    store.keep("reno+y(1)", 2, "flows", MadeRun("reno+y(1)", 2).tables["flows"])
    result.variants.append("reno+y(1)")
    finish(store, result)
    flows = pl.read_parquet(tmp_path / "results" / "flows.parquet")
    assert set(flows["variant"]) == {"reno", "sack+x(2)"}


def test_an_empty_directory_is_used(tmp_path: Path) -> None:
    out = tmp_path / "results"
    out.mkdir()
    store = make(out)
    finish(store, fill(store))
    assert (out / "summary.json").is_file()


def test_a_directory_of_someone_else_is_refused_even_with_force(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for force in (False, True):
        with pytest.raises(InputError, match="not made by tworay; name one that is new or empty"):
            make(tmp_path, force=force)


def test_results_of_another_command_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "results"
    store = make(out)
    finish(store, fill(store))
    with pytest.raises(InputError, match="holds results of `tworay compare`"):
        make(out, command="run", force=True)


def test_own_results_are_replaced_only_with_force_and_only_when_there_are_new_ones(tmp_path: Path) -> None:
    out = tmp_path / "results"
    store = make(out)
    finish(store, fill(store))
    with pytest.raises(InputError, match="add force=True"):
        make(out)
    store = make(out, force=True)
    assert (out / "summary.json").is_file()
    finish(store, fill(store, seeds=(5,)))
    assert json.loads((out / "summary.json").read_text())["seeds"] == [5]
    assert hidden(out) == []


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(InputError, match="this is a file"):
        make(tmp_path / "results")
    with pytest.raises(InputError, match="is not a directory"):
        make(tmp_path / "results" / "deeper")


def test_when_the_disk_fills_up_finished_runs_stay_and_nothing_half_written_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results"
    store = make(out)
    fill(store, seeds=(1,))
    write = Path.write_bytes
    written = []

    def write_until_full(path: Path, data: bytes) -> int:
        if len(written) == 2:
            write(path, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_until_full)
    with pytest.raises(OutputError) as error:
        add(store, "reno", 2)
    assert "No space left on device; finished runs are kept: make room" in str(error.value)
    assert [(one["world"], one["seed"]) for one in stored_rows(out)[0]] == [("reno", 1), ("sack+x(2)", 1)]
    assert hidden(out) == []


def test_when_the_disk_is_full_from_the_start_no_directory_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store_module, "_write", full)
    with pytest.raises(
        OutputError, match=r"No space left on device; make room and run the same command again$"
    ):
        fill(make(tmp_path / "results"))
    assert list(tmp_path.iterdir()) == []


def test_replacing_keeps_the_old_results_if_the_new_ones_cannot_be_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results"
    store = make(out)
    finish(store, fill(store))
    rename = Path.rename

    def fail_for_new(self: Path, target: Path) -> Path:
        # The old results are out of the way already when the new ones move in, one by one.
        if self.parent.name.endswith(".tmp") and target == out / "tworay.json":
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_new)
    with pytest.raises(OutputError):
        fill(make(out, force=True))
    assert json.loads((out / "summary.json").read_text())["seeds"] == [1, 2]


def test_a_disk_that_is_full_when_runs_are_put_together_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / batches.PARTS).mkdir()
    first = batches.Batches(tmp_path)
    monkeypatch.setattr(batches, "FLUSH_RUNS", 3)

    def full(path: Path, content: bytes) -> None:
        raise OutputError(f"cannot write {path}: no space left")

    for seed in (1, 2):
        first.add(row("made-up", seed, None, message="of no matter"))
    with monkeypatch.context() as patch:
        patch.setattr(batches, "write_whole", full)
        with pytest.raises(OutputError):
            first.add(row("made-up", 3, None, message="of no matter"))
    # Killed: nothing is tidied up, and its lock is gone.
    assert first._journal is not None
    first._journal.close()
    assert set(batches.Batches(tmp_path).found.runs) == {("made-up", seed) for seed in (1, 2, 3)}


def test_results_repeat_their_run_from_anywhere_though_it_reads_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for place in (here, there):
        place.mkdir()
    monkeypatch.chdir(here)
    # Two stations 100 m apart, one of which walks away (BonnMotion: time, x, y).
    Path("walk.movements").write_text("0 0 0\n0 100 0 20 100 0 40 900 0\n", encoding="ascii")
    Path("walk.toml").write_text(
        'name = "walk"\nduration = "40s"\n'
        '[mobility]\nkind = "bonnmotion-file"\nfile = "walk.movements"\n'
        '[[flow]]\napp = "ftp"\nfrom = 0\nto = 1\n',
        encoding="ascii",
    )
    first = tworay.run("walk.toml", seed=1)
    first.save("out")
    monkeypatch.chdir(there)
    again = tworay.run("../here/out/scenario.toml", seed=1)
    documents = [run.summary | {"cpu_seconds": None} for run in (first, again)]
    assert documents[0] == documents[1]
