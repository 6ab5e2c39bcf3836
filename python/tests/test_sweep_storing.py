"""Sweeps on the disk: a killed process or a full disk loses no finished run and stores none twice.

Traps 1 to 5 and 7 of campaign tools, each with the rule that avoids it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import children
import polars as pl
from conftest import command
from tiny_sweep import TINY, TINY_TOML, parts, sweep

from tworay.experiment.experimentfile import read
from tworay.experiment.store import batches
from tworay.experiment.store.batches import Batches, stored_rows
from tworay.experiment.store.journals import read_journal
from tworay.experiment.store.sweeps import batch_frame
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    import pytest


def child(document: dict[str, Any], out: str) -> None:
    """Sweep in a process that is going to be killed; batches are small, so that many are written."""
    batches.FLUSH_RUNS = 7
    Sweep(read(document), Path(out)).run(jobs=2)


def test_killed_at_twenty_random_moments_the_tables_are_the_same(tmp_path: Path) -> None:
    def document(seeds: int) -> dict[str, Any]:
        return TINY | {"seeds": seeds, "set": {"duration": "8s"}}

    undisturbed = sweep(tmp_path / "undisturbed", document(100))
    context = children.context()
    moments = random.Random(2006)
    out = tmp_path / "killed"
    stored, in_the_midst = 0, 0
    for kill in range(1, 21):
        # Seeds are added each time, so that there is something to do when the blow falls.
        process = context.Process(target=child, args=(document(5 * kill), str(out)))
        process.start()
        assert process.pid is not None
        # Until its first run has ended, so that no kill is wasted on the start; then a random moment more.
        while process.is_alive() and not list((out / "journal").glob(f"*-{process.pid}-*")):
            time.sleep(0.002)
        time.sleep(moments.uniform(0.0, 0.08))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        frame = batch_frame(out, [])
        assert frame.height >= stored, "a run that had ended is gone"
        stored = frame.height
        in_the_midst += stored < 4 * 5 * kill
    assert in_the_midst >= 5
    resumed = sweep(out, document(100))
    assert resumed.state.stored == resumed.state.total == 400
    assert (out / "runs.parquet").read_bytes() == (undisturbed.path / "runs.parquet").read_bytes()
    rows = pl.concat([pl.read_parquet(file, columns=["world", "seed"]) for file in parts(out)])
    assert rows.height == rows.unique().height == 400, "a run is there twice"


def test_trap_1_what_is_half_written_is_not_taken_for_done(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s")
    whole = (done.path / "runs.parquet").read_bytes()
    (file,) = parts(done.path)
    (done.path / "parts" / f".{file.name}.123.tmp").write_bytes(file.read_bytes()[:500])
    again = sweep(done.path)
    assert again.state.done == 0
    file.write_bytes(file.read_bytes()[:-100])
    again = sweep(done.path)
    assert again.state.done == 12
    assert (done.path / "runs.parquet").read_bytes() == whole


def test_trap_2_nothing_of_a_dead_process_is_in_the_way(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s")
    (file,) = parts(done.path)
    rows, _ = stored_rows(done.path)
    file.unlink()
    # The journal of a process that was killed before its first batch, with a line torn in two.
    store = Batches(done.path)
    for one in rows[:5]:
        store.add(one)
    (journal,) = (done.path / "journal").glob("*.jsonl")
    left = journal.read_bytes()
    assert not list(done.path.rglob("*lock*"))
    store._journal.close()  # type: ignore[union-attr]
    journal.write_bytes(left + b'0123abcd {"world": "torn')
    again = Sweep(read(TINY), done.path)
    again.run(jobs=2)
    assert again.state.done == 12 - 5
    assert not list((done.path / "journal").iterdir())
    assert not again.notes


def test_trap_3_there_is_no_shared_database_only_batches(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s")
    whole = (done.path / "runs.parquet").read_bytes()
    kinds = {file.suffix for file in done.path.rglob("*") if file.is_file()}
    assert kinds == {".parquet", ".toml", ".json"}
    for file in done.path.iterdir():
        if file.is_file():
            file.unlink()
    again = sweep(done.path)
    assert again.state.done == 0, "everything but the batches is rebuilt from them"
    assert (done.path / "runs.parquet").read_bytes() == whole


def test_trap_4_there_is_no_file_a_run(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s", TINY | {"seeds": 60, "set": {"duration": "2s"}})
    assert done.state.stored == 240
    assert len([file for file in done.path.rglob("*") if file.is_file()]) < 10


def test_trap_5_nothing_is_held_back_until_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    add = Batches.add

    def adding(self: Batches, one: batches.Row) -> None:
        add(self, one)
        in_journals = sum(len(read_journal(f)[0]) for f in (self.path / "journal").glob("*.jsonl"))
        in_parts = sum(pl.read_parquet(f).height for f in parts(self.path))
        seen.append((in_journals + in_parts, in_parts))

    monkeypatch.setattr(Batches, "add", adding)
    monkeypatch.setattr(batches, "FLUSH_RUNS", 5)
    sweep(tmp_path / "s")
    assert [kept for kept, _ in seen] == list(range(1, 13)), "each run is on the disk when it has ended"
    assert max(in_parts for _, in_parts in seen) == 10


def test_trap_7_a_damaged_batch_is_named_and_put_aside(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s")
    whole = (done.path / "runs.parquet").read_bytes()
    (file,) = parts(done.path)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    again = sweep(done.path)
    (note,) = again.notes
    assert str(file) in note
    assert "checksum" in note
    assert (done.path / "corrupt" / file.name).read_bytes() == content
    assert again.state.done == 12
    assert (done.path / "runs.parquet").read_bytes() == whole


def test_a_full_disk_ends_with_a_message_and_resumes(tmp_path: Path) -> None:
    """A tmpfs in a namespace of its own fills up; with room made, the sweep ends as if nothing had been."""
    (tmp_path / "x.toml").write_text(TINY_TOML.replace("seeds = 3", "seeds = 40"))
    place = tmp_path / "small"
    place.mkdir()
    tworay_ = " ".join(command())
    script = f"""
        mount -t tmpfs -o size=160k tmpfs {place} || exit 77
        {tworay_} sweep {tmp_path}/x.toml --out {place}/d >{tmp_path}/out 2>{tmp_path}/err
        echo $? >{tmp_path}/code
        mount -o remount,size=2M {place}
        {tworay_} sweep {tmp_path}/x.toml --out {place}/d --json >{tmp_path}/second
        cp {place}/d/runs.parquet {tmp_path}/runs.parquet
    """
    ended = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "code").read_text().strip() == "1"
    message = (tmp_path / "err").read_text()
    assert "No space left on device" in message
    assert "run the same command again" in message
    assert "Traceback" not in message
    second = json.loads((tmp_path / "second").read_text())
    assert second["stored"] == second["runs"] == 160
    assert 0 < second["done"] < 160
    undisturbed = sweep(tmp_path / "fresh", TINY | {"name": "x", "seeds": 40})
    assert (tmp_path / "runs.parquet").read_bytes() == (undisturbed.path / "runs.parquet").read_bytes()


def test_other_programs_read_the_directory_as_it_stands(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s")
    cells = pl.scan_parquet(done.path / "cells.parquet")
    runs = pl.scan_parquet(done.path / "parts" / "*.parquet").join(cells, on="world")
    means = runs.group_by("scenario", "tcp").agg(pl.col("goodput_bps").mean()).collect()
    assert means.height == 4
