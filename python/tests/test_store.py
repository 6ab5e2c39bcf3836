"""Result directories: whole or absent, whatever happens."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import MadeRun

import tworay
from tworay.errors import InputError, OutputError
from tworay.experiment.comparison import Comparison
from tworay.experiment.store import results as store_module
from tworay.experiment.store.results import Store


def make(path: Path, command: str = "compare", force: bool = False) -> Store:
    return Store(path, command, force=force, scenario=tworay.load("string-2"), details={"seeds": [1]})


def fill(store: Store, seeds: tuple[int, ...] = (1, 2)) -> Comparison:
    result = Comparison("made-up", ["reno", "sack+x(2)"])
    for seed in seeds:
        for variant in result.variants:
            run: Any = MadeRun(variant, seed)
            store.add_run(variant, seed, run)
            result.add(variant, seed, run.summary)
    return result


def hidden(path: Path) -> list[Path]:
    return list(path.parent.rglob(".*"))


def test_nothing_is_written_before_the_first_run_is_done(tmp_path: Path) -> None:
    make(tmp_path / "deep" / "results")
    assert list(tmp_path.iterdir()) == []


def test_each_finished_run_is_readable_at_once(tmp_path: Path) -> None:
    out = tmp_path / "results"
    fill(make(out), seeds=(1,))
    assert sorted(path.name for path in (out / "runs").iterdir()) == [
        "reno-seed-1",
        "sack+x_2_-6a0daf59-seed-1",
    ]
    flows = pl.read_parquet(out / "runs" / "*" / "flows.parquet")
    assert flows["variant"].to_list() == ["reno", "sack+x(2)"]
    assert json.loads((out / "runs" / "reno-seed-1" / "summary.json").read_text())["seed"] == 1


def test_at_the_end_there_is_one_table_a_kind(tmp_path: Path) -> None:
    out = tmp_path / "results"
    store = make(out)
    result = fill(store)
    store.finish(result)
    assert sorted(path.name for path in out.iterdir()) == [
        "flows.parquet",
        "guesses.parquet",
        "ledger.parquet",
        "runs.jsonl",
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


def test_an_empty_directory_is_used(tmp_path: Path) -> None:
    out = tmp_path / "results"
    out.mkdir()
    store = make(out)
    store.finish(fill(store))
    assert (out / "summary.json").is_file()


def test_a_directory_of_someone_else_is_refused_even_with_force(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for force in (False, True):
        with pytest.raises(InputError, match="not made by tworay; name one that is new or empty"):
            make(tmp_path, force=force)


def test_results_of_another_command_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "results"
    store = make(out)
    store.finish(fill(store))
    with pytest.raises(InputError, match="holds results of `tworay compare`"):
        make(out, command="run", force=True)


def test_own_results_are_replaced_only_with_force_and_only_when_there_are_new_ones(tmp_path: Path) -> None:
    out = tmp_path / "results"
    store = make(out)
    store.finish(fill(store))
    with pytest.raises(InputError, match="add --force"):
        make(out)
    store = make(out, force=True)
    assert (out / "summary.json").is_file()
    store.finish(fill(store, seeds=(5,)))
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
    write = store_module._write
    written = []

    def write_until_full(path: Path, data: bytes) -> None:
        if len(written) == 2:
            path.write_bytes(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        write(path, data)

    monkeypatch.setattr(store_module, "_write", write_until_full)
    broken: Any = MadeRun("reno", 2)
    with pytest.raises(OutputError) as error:
        store.add_run("reno", 2, broken)
    assert str(error.value) == (
        f"cannot write results to {out}: No space left on device; the finished runs are in {out / 'runs'}"
    )
    assert pl.read_parquet(out / "runs" / "*" / "flows.parquet").height == 2
    assert hidden(out) == []


def test_when_the_disk_is_full_from_the_start_no_directory_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store_module, "_write", full)
    with pytest.raises(OutputError, match=r"No space left on device$"):
        fill(make(tmp_path / "results"))
    assert list(tmp_path.iterdir()) == []


def test_replacing_keeps_the_old_results_if_the_new_ones_cannot_be_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results"
    store = make(out)
    store.finish(fill(store))
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
