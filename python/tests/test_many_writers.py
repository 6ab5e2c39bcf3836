"""Two or more processes that write to one directory at once: nothing is lost, and nobody is in the way.

Each pauses for a moment before every operation on the disk, so that the operations of all mix.
"""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import children
import polars as pl
import pytest
from faulty_files import layer_over
from test_faulty_disk import compare, outcome, parts, sweep

import tworay
from tworay.errors import TworayError
from tworay.experiment.engines import Shard
from tworay.experiment.store import batches
from tworay.experiment.store.batches import Batches, stored_rows
from tworay.experiment.store.merging import merge

if TYPE_CHECKING:
    from collections.abc import Callable

# `make disk-faults` has eight.
COUNTS = (2, 8 if "TWORAY_DISK_FAULTS" in os.environ else 4)
# Longest pause before an operation, s.
PAUSE = 0.002
MANY: dict[str, Any] = {"scenario": ["string-2", "string-3", "string-4"], "seeds": 6}


def sweep_all(out: Path, index: int, count: int) -> None:
    sweep(out, document=MANY)


def sweep_shard(out: Path, index: int, count: int) -> None:
    sweep(out, document=MANY, shard=Shard(index + 1, count))


def merge_all(out: Path, index: int, count: int) -> None:
    merge([out.parent / f"shard{one}" for one in range(3)], out)


def compare_new(out: Path, index: int, count: int) -> None:
    compare(out=out)


def compare_more(out: Path, index: int, count: int) -> None:
    compare(resume=out, seeds=4)


def child(do: Callable[..., None], out: Path, index: int, count: int, barrier: Any, said: Any) -> None:
    """Write as one of several, and say how it ended."""
    batches.FLUSH_RUNS = 2
    moments = random.Random(index)
    own = os.getpid()
    with pytest.MonkeyPatch.context() as patch, layer_over(out, patch) as layer:
        patch.setattr(os, "getpid", lambda: own)
        layer.pause = lambda: time.sleep(moments.uniform(0, PAUSE))
        barrier.wait()
        try:
            do(out, index, count)
            said.put("")
        except TworayError as error:
            said.put(str(error))
        except BaseException as error:
            said.put(f"raised {type(error).__name__}: {error}")


def at_once(do: Callable[..., None], out: Path, count: int) -> list[str]:
    """Run in so many processes at once; return what each said."""
    context = children.context()
    barrier, said = context.Barrier(count), context.Queue()
    processes = [
        context.Process(target=child, args=(do, out, index, count, barrier, said)) for index in range(count)
    ]
    for one in processes:
        one.start()
    found = [said.get(timeout=120) for _ in processes]
    for one in processes:
        one.join()
    return sorted(found)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Sweep alone; what is there then."""
    place = tmp_path_factory.mktemp("swept")
    sweep(place / "whole", document=MANY)
    return outcome(place / "whole")


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sweep in three shards."""
    place = tmp_path_factory.mktemp("sharded")
    for index in range(3):
        sweep_shard(place / f"shard{index}", index, 3)
    return place


def runs_are_there_once(out: Path) -> None:
    rows = pl.concat([pl.read_parquet(file, columns=["world", "seed"]) for file in parts(out)])
    assert rows.height == rows.unique().height


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("do", [sweep_all, sweep_shard])
def test_sweeps_of_one_directory(
    do: Callable[..., None], count: int, swept: dict[str, str], tmp_path: Path
) -> None:
    assert at_once(do, tmp_path / "out", count) == [""] * count
    assert outcome(tmp_path / "out")["runs.parquet"] == swept["runs.parquet"]
    # Who comes last finds everything, and puts batches together that two wrote at once.
    sweep(tmp_path / "out", document=MANY)
    runs_are_there_once(tmp_path / "out")
    assert outcome(tmp_path / "out") == swept
    assert not list((tmp_path / "out" / "journal").iterdir())


@pytest.mark.parametrize("count", COUNTS)
def test_merges_into_one_directory(count: int, swept: dict[str, str], sharded: Path, tmp_path: Path) -> None:
    shutil.copytree(sharded, tmp_path, dirs_exist_ok=True)
    assert at_once(merge_all, tmp_path / "out", count) == [""] * count
    assert outcome(tmp_path / "out") == swept


@pytest.mark.parametrize("count", COUNTS)
def test_one_comparison_writes_and_the_others_are_refused(count: int, tmp_path: Path) -> None:
    compare(out=tmp_path / "whole")
    said = at_once(compare_new, tmp_path / "out", count)
    assert said[0] == "", said
    for text in said[1:]:
        assert "another tworay is writing" in text or "already holds results" in text, said
    assert outcome(tmp_path / "out") == outcome(tmp_path / "whole")


@pytest.mark.parametrize("count", COUNTS)
def test_one_goes_on_with_a_comparison_at_a_time(count: int, tmp_path: Path) -> None:
    compare(out=tmp_path / "whole", seeds=4)
    compare(out=tmp_path / "out", seeds=1)
    said = at_once(compare_more, tmp_path / "out", count)
    assert said[0] == "", said
    for text in said:
        assert text == "" or "another tworay is writing" in text, said
    assert outcome(tmp_path / "out") == outcome(tmp_path / "whole")
    assert isinstance(tworay.results(tmp_path / "out"), tworay.Comparison)


# Two moments that the above seldom hits


def finished(out: Path) -> tuple[Batches, list[dict[str, Any]]]:
    """Return an open directory with two batches, and its runs."""
    sweep(out)
    rows, _ = stored_rows(out)
    (whole,) = parts(out)
    whole.unlink()
    for one in rows:
        store = Batches(out)
        store.add(one)
        store.close()
    assert len(parts(out)) == len(rows) > 1
    return Batches(out), rows


def test_who_reads_while_batches_are_put_together_sees_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, rows = finished(tmp_path / "out")
    plain, calls = Path.read_bytes, []

    def reading(path: Path) -> bytes:
        calls.append(path)
        if len(calls) == 2:
            # The first batch of the list has been read, the others are about to go.
            other.compact()
        return plain(path)

    monkeypatch.setattr(Path, "read_bytes", reading)
    assert len(stored_rows(tmp_path / "out")[0]) == len(rows)
    assert len(calls) > len(rows)


def test_a_journal_is_not_taken_away_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, rows = finished(tmp_path / "out")
    for file in parts(tmp_path / "out"):
        file.unlink()
    plain, others = fcntl.flock, []

    def locking(handle: Any, operation: int) -> None:
        if not others:
            others.append(None)
            # Another process opens the directory, and takes the new journal for one that was left behind.
            Batches(tmp_path / "out")
        plain(handle, operation)

    monkeypatch.setattr(fcntl, "flock", locking)
    store.add(rows[0])
    assert others
    # What is in the journal outlasts this process.
    assert [one["seed"] for one in stored_rows(tmp_path / "out")[0]] == [rows[0]["seed"]]
    store.close()
