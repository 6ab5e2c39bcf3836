"""Sweeps that survive anything: nine traps of campaign tools, each with the rule that avoids it."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from conftest import Result, command

import tworay
from tworay.cli import main, streams
from tworay.errors import InputError
from tworay.lab import batches, onerun, reading, sweeping
from tworay.lab.batches import DONE, Batches, read_journal
from tworay.lab.experiment import digest, kept, read
from tworay.lab.reading import batch_frame, joined
from tworay.lab.sweeping import Shard, Sweep

if TYPE_CHECKING:
    from collections.abc import Callable

TINY: dict[str, Any] = {
    "name": "tiny",
    "scenario": ["string-2", "string-3"],
    "tcp": ["newreno", "vegas"],
    "seeds": 3,
    "set": {"duration": "3s"},
}
TINY_TOML = """
scenario = ["string-2", "string-3"]
tcp = ["newreno", "vegas"]
seeds = 3
[set]
duration = "3s"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run ``tworay`` within this process, in an empty directory: starting another one takes a second."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(streams, "prepare", lambda: None)

    def run(*arguments: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["tworay", *map(str, arguments)])
        handler = signal.getsignal(signal.SIGTERM)
        code = 0
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            try:
                main()
            except SystemExit as leaving:
                code = int(leaving.code or 0)
            finally:
                signal.signal(signal.SIGTERM, handler)
        return Result(subprocess.CompletedProcess([], code, out.getvalue(), err.getvalue()))

    return run


def sweep(out: Path, document: dict[str, Any] | None = None, **options: Any) -> Sweep:
    found = Sweep(read(document or TINY), out, **options)
    found.run(jobs=2)
    return found


def parts(out: Path) -> list[Path]:
    return sorted((out / "parts").glob("*.parquet"))


def child(document: dict[str, Any], out: str) -> None:
    """Sweep in a process that is going to be killed; batches are small, so that many are written."""
    batches.FLUSH_RUNS = 7
    Sweep(read(document), Path(out)).run(jobs=2)


def test_killed_at_twenty_random_moments_the_tables_are_the_same(tmp_path: Path) -> None:
    def document(seeds: int) -> dict[str, Any]:
        return TINY | {"seeds": seeds, "set": {"duration": "8s"}}

    undisturbed = sweep(tmp_path / "undisturbed", document(100))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
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
    rows = pl.read_parquet(file).select(["world", "seed", "status", "message", "tworay", "cpu_seconds"])
    rows = rows.with_columns(path_hops=None, partitioned=None, document=pl.read_parquet(file)["document"])
    file.unlink()
    # The journal of a process that was killed before its first batch, with a line torn in two.
    store = Batches(done.path)
    for one in rows.to_dicts()[:5]:
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


EVERY_SETTING = (
    "duration=4s",
    "warmup=1s",
    "topology.spacing=190m",
    "topology.hops=3",
    "radio.propagation=range",
    "mac.rts_threshold=3000B",
    "mac.short_retry_limit=4",
    "mac.arp=false",
    "errors.frame_err.bernoulli.rate=0.01",
    "station.clock_offset=5ms",
    "routing.protocol=dsr",
    "routing.aodv.dialect=ns2",
    "tcp.window=8",
    "tcp.rto.min=1s",
    "tcp.receiver.acks=delayed",
    "tcp.sack.dsack=true",
    "energy.model=states",
    "flow.0.start=2s",
)


def key_of(*settings: str, **extras: Any) -> str:
    return digest(kept(tworay.load("string-2", set=["flow.0.to=2", *settings])), extras)


def test_trap_6_the_hash_forgets_no_setting_and_remembers_no_formatting(tmp_path: Path) -> None:
    base = key_of()
    others = [key_of(setting) for setting in EVERY_SETTING]
    assert len({base, *others}) == len(EVERY_SETTING) + 1
    text = tworay.load("string-2", set="flow.0.to=2").to_toml()
    assert digest({"scenario.toml": text}, {}) == base
    assert digest({"scenario.toml": text}, {}, "0.0.1") != base, "another engine gives other results"
    assert digest({"scenario.toml": text}, {"keep": ["series"], "facts": False}) != base
    # Another file, name, comment and order of keys, and a default that is said aloud.
    mine = tmp_path / "mine.toml"
    lines = (
        tworay.scenario_text("string-2")
        .replace('name = "string-2"', 'name = "mine"  # a comment')
        .splitlines()
    )
    mine.write_text(
        "\n".join(line.replace(" = ", "   =   ") for line in lines) + "\n\n[mac]\nshort_retry_limit = 7\n"
    )
    assert digest(kept(tworay.load(mine)), {}) == base


def test_trap_6_of_a_movement_file_the_moves_count_not_the_place(tmp_path: Path) -> None:
    moves = tworay.moves(tworay.load("strip-50", set=["duration=5s", "topology.nodes=4"]))
    keys = []
    for folder, text in (("a", moves), ("b", moves), ("c", moves.replace("X_ ", "X_ 1", 1))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "walk.mov").write_text(text)
        scenario = tmp_path / folder / "walk.toml"
        scenario.write_text(
            tworay.convert(tmp_path / folder / "walk.mov", flows=["0:1:ftp"], output=scenario)
        )
        keys.append(digest(kept(tworay.load(scenario)), {}))
    assert keys[0] == keys[1] != keys[2]


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


def test_trap_8_a_value_more_computes_only_its_cells(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s")
    keys = {cell.key for cell in done.cells}
    grown = sweep(done.path, TINY | {"scenario": ["string-4", "string-2", "string-3"]})
    assert grown.state.done == 2 * 3
    assert keys < {cell.key for cell in grown.cells}
    seeds = sweep(done.path, TINY | {"seeds": 5})
    assert seeds.state.done == 4 * 2
    frame = pl.read_parquet(done.path / "runs.parquet")
    assert frame.height == 20, "the table is of the experiment as it is now"


RAISES = """
import tworay

class Fragile(tworay.CongestionControl):
    def on_rto(self, state, rto):
        raise ValueError("no timeouts, please")
"""


def test_trap_9_failures_are_rows_and_hide_nothing(tmp_path: Path, here: Callable[..., Result]) -> None:
    (tmp_path / "fragile.py").write_text(RAISES)
    (tmp_path / "x.toml").write_text(
        'scenario = "string-2"\ntcp = ["newreno", "fragile.py:Fragile"]\nseeds = 2\n'
        '[set]\nduration = "20s"\n"errors.frame_err.bernoulli.rate" = 0.6\n'
    )
    result = here("sweep", "x.toml", "--json")
    assert result.code == 1
    assert result.document["stored"] == 2
    assert [one["seed"] for one in result.document["failures"]] == [1, 2]
    assert "no timeouts, please" in result.document["failures"][0]["message"]
    (replay,) = re.findall(r"tworay run (\S+) --seed 1", result.err)
    assert "no timeouts, please" in here("run", replay, "--seed", "1").err
    again = here("sweep", "x.toml", "--json")
    assert (again.code, again.document["done"]) == (1, 0), "a failed run is not done again unasked"
    (tmp_path / "fragile.py").write_text(
        RAISES.replace('raise ValueError("no timeouts, please")', "return None")
    )
    mended = here("sweep", "x.toml", "--json", "--retry-failed")
    assert mended.code == 0, "a class that is mended is another variant: its runs are new"
    assert mended.document["done"] == 2


def test_retry_failed_does_failed_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = onerun.do
    broken = {2}

    def do(cell: Any, seed: int, *rest: Any) -> batches.Row:
        return (
            batches.row(cell.key, seed, None, message="broken") if seed in broken else real(cell, seed, *rest)
        )

    monkeypatch.setattr(sweeping, "do", do)
    failed = sweep(tmp_path / "s")
    assert (failed.state.done, failed.state.failed) == (8, 4)
    assert joined(failed.path).height == 8
    broken.clear()
    assert sweep(failed.path).state.done == 0
    mended = sweep(failed.path, retry_failed=True)
    assert (mended.state.done, mended.state.failed) == (4, 0)
    assert mended.open().found.runs == dict.fromkeys(mended.open().found.runs, DONE)
    assert joined(failed.path).height == 12


def test_shards_together_are_the_whole(tmp_path: Path, here: Callable[..., Result]) -> None:
    whole = sweep(tmp_path / "whole")
    expected = (whole.path / "runs.parquet").read_bytes()
    counts = [sweep(tmp_path / f"part{i}", shard=Shard(i, 3)).state.done for i in (1, 2, 3)]
    assert sum(counts) == 12
    assert max(counts) < 12
    for i in (1, 2, 3):
        sweep(tmp_path / "shared", shard=Shard(i, 3))
    assert (tmp_path / "shared" / "runs.parquet").read_bytes() == expected
    places = [tmp_path / f"part{i}" for i in (1, 2, 3)]
    result = here("merge", *places, "--out", "merged", "--json")
    assert result.document == {"directory": "merged", "runs": 12}
    assert (tmp_path / "merged" / "runs.parquet").read_bytes() == expected
    again = here("merge", "merged", *places, places[0])
    assert again.code == 0
    assert (tmp_path / "merged" / "runs.parquet").read_bytes() == expected
    sweep(tmp_path / "else", TINY | {"name": "else", "seeds": 1})
    refused = here("merge", "merged", "else")
    assert refused.code == 2
    assert "only parts of the same sweep" in refused.err


def test_until_ci_adds_seeds_where_they_are_needed(tmp_path: Path) -> None:
    document = TINY | {"seeds": 2, "until_ci": "3%", "max_seeds": 12, "scenario": ["string-2", "string-6"]}
    done = sweep(tmp_path / "s", document | {"set": {"duration": "10s"}})
    seeds = {name: frame["seed"].to_list() for (name,), frame in joined(done.path).group_by("scenario")}
    assert len(set(seeds["string-2"])) == 5
    assert len(set(seeds["string-6"])) > 5
    again = sweep(tmp_path / "s", document | {"set": {"duration": "10s"}})
    assert again.state.done == 0
    with pytest.raises(InputError, match="until_ci"):
        Sweep(read(document), tmp_path / "t", shard=Shard(1, 2))


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


def test_dry_run_writes_nothing(tmp_path: Path, here: Callable[..., Result]) -> None:
    (tmp_path / "x.toml").write_text(TINY_TOML)
    result = here("sweep", "x.toml", "--dry-run", "--json", "--jobs", "1")
    assert result.document["missing"]["runs"] == 12
    assert result.document["cells"] == 4
    assert result.document["missing"]["seconds"] > 0
    assert [file.name for file in tmp_path.iterdir()] == ["x.toml"]
    script = here("sweep", "x.toml", "--slurm").out
    assert "#SBATCH --array=1-1" in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    here("sweep", "x.toml", "--out", "done")
    took = reading.batch_frame(tmp_path / "done", ["cpu_seconds"])["cpu_seconds"].sum()
    assert took / 3 < result.document["missing"]["seconds"] < 10 * took + 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('scenari = "string-2"', "did you mean scenario?"),
        ('scenario = "string-2"\n[vary]\n"topology.hops" = []', "give a list of values"),
        ('scenario = "string-2"\n[vary]\nx = { from = 3, to = 1, step = 1 }', "runs upwards"),
        ('scenario = "string-2"\n[[zip]]\na = [1, 2]\nb = [1]', "a has 2, b has 1"),
        ('scenario = "string-2"\nkeep = ["flight"]', "there is no table `flight`"),
        ('scenario = "string-2"\nseeds = 0', "0 seeds asked for"),
        ('scenario = "strng-2"', "strng-2"),
        ('scenario = "string-2"\n[vary]\n"mac.retry" = [1]', "mac.retry"),
        ("seeds = 3", "nothing to run"),
        ("scenario = ", "x.toml"),
    ],
)
def test_a_wrong_experiment_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(tworay.TworayError, match=re.escape(says)) as refusal:
        read(tmp_path / "x.toml").cells()
    assert isinstance(refusal.value, InputError | tworay.ScenarioError)


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path, here: Callable[..., Result]) -> None:
    (tmp_path / "x.toml").write_text(TINY_TOML)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    result = here("sweep", "x.toml", "--out", "mine")
    assert result.code == 2
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    assert here("table", "mine").code == 2
