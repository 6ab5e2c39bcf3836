"""Do the runs of an experiment that a directory doesn't hold yet, in threads or on a cluster."""

from __future__ import annotations

import hashlib
import io
import json
import random
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from tworay._native import RESULTS, VERSION, RunControl, Scenario
from tworay.errors import Cancelled, InputError, OutputError, RunError
from tworay.lab.batches import DONE, FAILED, MANIFEST, Batches, Row, read_manifest, row, write_whole
from tworay.running.executing import check_jobs
from tworay.running.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from tworay.lab.experiment import Cell, Plan

EXPERIMENT, CELLS, RUNS, PROGRESS, FAILURES = (
    "experiment.toml",
    "cells.parquet",
    "runs.parquet",
    "progress.json",
    "failures",
)
FORMAT = 2
# The table of every two nodes' shortest paths: from the scenario, not from a run.
PAIRS = "pairs"
LEAST_UNTIL_CI = 5
PROGRESS_SECONDS = 2.0


@dataclass(frozen=True, order=True)
class Todo:
    """A run to do."""

    seed: int
    number: int
    cell: Cell = field(compare=False)


@dataclass
class State:
    """The progress of a sweep, for watchers and ``progress.json``."""

    cells: int = 0
    cells_done: int = 0
    total: int = 0
    stored: int = 0
    done: int = 0
    failed: int = 0
    seconds: float = 0.0
    share: float = 0.0
    """Of the runs of this session that is done, those under way counted in part."""

    @property
    def runs_per_second(self) -> float:
        """Finished runs per second in this session."""
        return (self.done + self.failed) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the share that is done."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0 else None

    def document(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "cells": self.cells,
            "cells_done": self.cells_done,
            "runs": self.total,
            "stored": self.stored,
            "done": self.done,
            "failed": self.failed,
            "runs_per_second": round(self.runs_per_second, 3),
            "seconds_left": None if self.seconds_left is None else round(self.seconds_left, 1),
        }


class Watcher(Protocol):
    """A callback that gets the state a few times per second, in the calling thread."""

    def __call__(self, state: State) -> None:
        """Receive the state."""


def silent(state: State) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class Shard:
    """A part of the runs: number ``index`` of ``count``, from 1."""

    index: int = 1
    count: int = 1

    def has(self, key: str, seed: int) -> bool:
        """Return whether a run is in the shard; its hash decides, so new runs don't move others."""
        if self.count == 1:
            return True
        return (
            int(hashlib.sha256(f"{key} {seed}".encode()).hexdigest()[:12], 16) % self.count == self.index - 1
        )


class Sweep:
    """An experiment and its directory. Creating the object only reads and checks."""

    def __init__(self, plan: Plan, out: Path, *, shard: Shard = Shard(), retry_failed: bool = False) -> None:
        self.plan, self.path, self.shard = plan, out, shard
        self._retry = retry_failed
        if plan.until_ci is not None and shard.count > 1:
            raise InputError(
                "until_ci needs all runs of a cell, but a shard has only a part of them; give fixed seeds"
            )
        check_directory(out, plan.name)
        self.cells = plan.cells()
        self.state = State(cells=len(self.cells))
        self.notes: list[str] = []
        before = read_manifest(out) or {"tworay": VERSION, "results": RESULTS}
        if (before.get("tworay"), before.get("results")) != (VERSION, RESULTS):
            self.notes.append(
                f"{out} holds runs from before the simulator's results changed last; they stay, and are "
                "done again"
            )
        self._batches: Batches | None = None
        self._mutex = threading.Lock()

    def missing(self, runs: dict[tuple[str, int], str], seeds: dict[int, list[int]]) -> list[Todo]:
        """Return the missing runs, seed by seed, so that an interruption leaves pairs; equal runs once."""
        found: dict[tuple[str, int], Todo] = {}
        wanted = (None, FAILED) if self._retry else (None,)
        for cell in self.cells:
            for seed in seeds[cell.number]:
                place = (cell.key, seed)
                if runs.get(place) in wanted and place not in found and self.shard.has(*place):
                    found[place] = Todo(seed, cell.number, cell)
        return sorted(found.values())

    def open(self) -> Batches:
        """Read the directory."""
        if self._batches is None:
            self._batches = Batches(self.path)
            self.notes += self._batches.found.broken
        return self._batches

    def start(self) -> dict[int, list[int]]:
        """Return every cell's first seeds."""
        return {cell.number: list(self.plan.seeds) for cell in self.cells}

    def run(self, *, engine: Engine | None = None, jobs: int | None = None, watch: Watcher = silent) -> State:
        """Do the missing runs. After an interruption or an error, finished runs are kept."""
        engine = engine or Threads(check_jobs(jobs))
        write_head(self.path, self.plan, self.cells)
        batches = self.open()
        seeds = self.start()
        began = time.monotonic()
        self._retried: set[tuple[str, int]] = set()
        try:
            while True:
                todo = [
                    t
                    for t in self.missing(batches.found.runs, seeds)
                    if (t.cell.key, t.seed) not in self._retried
                ]
                self._count(batches, seeds)
                if todo:
                    self._round(engine, todo, batches, seeds, began, watch)
                if self.plan.until_ci is None or not self._more(seeds):
                    break
        finally:
            batches.close()
            self._count(batches, seeds)
            self._report(began, force=True)
        batches.compact()
        write_runs(self.path, self.plan, self.cells, seeds)
        self._keep_failures(batches)
        return self.state

    def _round(
        self,
        engine: Engine,
        todo: list[Todo],
        batches: Batches,
        seeds: dict[int, list[int]],
        began: float,
        watch: Watcher,
    ) -> None:
        done = 0

        def finished(rows: Sequence[Row], content: bytes | None) -> None:
            nonlocal done
            with self._mutex:
                if content is None:
                    for one in rows:
                        batches.add(one)
                else:
                    batches.add_batch(content)
                for one in rows:
                    done += 1
                    self._retried.add((one["world"], one["seed"]))
                    if one["status"] == DONE:
                        self.state.done += 1
                    else:
                        self.state.failed += 1

        for under_way in engine.work(self, todo, finished):
            self.state.seconds = time.monotonic() - began
            self.state.share = min(1.0, (done + under_way) / len(todo))
            self._report(began)
            watch(self.state)
        self._count(batches, seeds)
        watch(self.state)

    def _count(self, batches: Batches, seeds: dict[int, list[int]]) -> None:
        runs = batches.found.runs
        states = [[runs.get((cell.key, seed)) for seed in seeds[cell.number]] for cell in self.cells]
        self.state.cells_done = sum(all(one == DONE for one in cell) for cell in states)
        self.state.total = sum(map(len, states))
        self.state.stored = sum(one == DONE for cell in states for one in cell)

    def _report(self, began: float, *, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - getattr(self, "_reported", -1e9) < PROGRESS_SECONDS:
            return
        self._reported = now
        self.state.seconds = now - began
        try:
            write_text(self.path / PROGRESS, json.dumps(self.state.document()) + "\n")
        except OutputError:
            if force:
                return  # A full disk has been reported already.
            raise

    def _more(self, seeds: dict[int, list[int]]) -> bool:
        """Add seeds to the cells whose interval is too wide; depends only on results."""
        from tworay import stats

        batches = self.open()
        batches.flush()
        assert self.plan.until_ci is not None
        frame = stored(self.path, [self.plan.ci_metric])
        found: dict[str, list[float]] = {}
        for world, value in frame.select("world", self.plan.ci_metric).iter_rows():
            if value is not None:
                found.setdefault(world, []).append(value)
        grew = False
        for cell in self.cells:
            have = seeds[cell.number]
            width = stats.relative_half_width(found.get(cell.key, []))
            narrow = len(have) >= LEAST_UNTIL_CI and width is not None and width <= self.plan.until_ci
            wanted = min(self.plan.max_seeds, max(LEAST_UNTIL_CI, len(have) + (len(have) + 1) // 2))
            if narrow or wanted <= len(have):
                continue
            have += range(max(have) + 1, max(have) + 1 + wanted - len(have))
            grew = True
        return grew

    def _keep_failures(self, batches: Batches) -> None:
        """Write the scenario of every cell with a failed run, so that `tworay run` repeats it."""
        failed = {world for (world, _), status in batches.found.runs.items() if status == FAILED}
        for cell in self.cells:
            if cell.key in failed:
                first = self.path / replay(cell)
                for name, content in cell.files.items():
                    write_text(first if len(cell.files) == 1 else first.parent / name, content)


def replay(cell: Cell) -> str:
    """Return the path of the scenario of a cell with failures; with other files it has its own folder."""
    return f"{FAILURES}/{cell.key}.toml" if len(cell.files) == 1 else f"{FAILURES}/{cell.key}/scenario.toml"


class Engine(Protocol):
    """An engine that does runs."""

    def work(
        self, sweep: Sweep, todo: list[Todo], finished: Callable[[Sequence[Row], bytes | None], None]
    ) -> Iterable[float]:
        """Do runs; yield from time to time the amount of work in progress, in runs."""


@dataclass(frozen=True)
class Threads:
    """Threads on the cores of this machine: the simulator computes without the interpreter's lock."""

    jobs: int

    def work(
        self, sweep: Sweep, todo: list[Todo], finished: Callable[[Sequence[Row], bytes | None], None]
    ) -> Iterable[float]:
        """Do runs in threads; each thread stores its run before anything can interrupt it."""
        active: dict[Todo, RunControl] = {}
        plan = sweep.plan

        def one(task: Todo) -> None:
            control = active[task] = RunControl()
            try:
                if not workers.stopped:
                    finished([do(task.cell, task.seed, plan, control, sweep.path)], None)
            except Cancelled:
                return
            finally:
                del active[task]

        def halt() -> None:
            for control in list(active.values()):
                control.cancel()

        with Workers(one, todo, jobs=self.jobs, halt=halt) as workers:
            for _ in workers.results():
                yield sum(control.progress() for control in list(active.values()))


def do(cell: Cell, seed: int, plan: Plan, control: RunControl | None, out: Path | None) -> Row:
    """Do one run and return its row; a failure gives a row, too."""
    from tworay.running.run import run

    try:
        if plan.facts == "only":
            nothing = {"scenario": cell.world.name, "seed": seed, "flows": []}
            if out is not None and PAIRS in plan.keep:
                keep_table(out, PAIRS, cell.key, seed, pair_table(cell.world, seed))
            return row(cell.key, seed, nothing, facts=cell.world.facts(seed))
        keep = set(plan.keep)
        world = entered(cell, seed, plan.entries) if plan.entries else cell.world
        result = run(
            world,
            seed=seed,
            series=bool(keep & {"series", "alive"}),
            control=control,
        )
        document = result.summary
        if plan.resources:
            from tworay.running.resources import with_resources
            from tworay.running.run import throughput_max

            document = with_resources(document, throughput_max(world, seed))
        facts = cell.world.facts(seed) if plan.facts else (None, None)
        if out is not None:
            for name in plan.keep:
                if name == PAIRS:
                    keep_table(out, name, cell.key, seed, pair_table(world, seed))
                elif name in result.tables:
                    keep_table(out, name, cell.key, seed, result.tables[name])
        return row(cell.key, seed, document, facts=facts)
    except (Cancelled, OutputError):
        raise
    except RunError as error:
        return row(cell.key, seed, None, message=str(error))
    except Exception as error:
        return row(cell.key, seed, None, message=f"{type(error).__name__}: {error}")


def entered(cell: Cell, seed: int, within: str) -> Scenario:
    """Return the scenario with random start times of flows, from 0 on, drawn from the seed.

    A wired network has no other randomness: without this, all seeds would give the same result.
    """
    draw = random.Random(seed)
    limit = max(1, round(float(within.removesuffix("s")) * 1000))
    text = cell.files["scenario.toml"]
    flows = text.count("[[flow]]")
    starts = [f"flow.{i}.start={draw.randrange(limit)}ms" for i in range(flows)]
    return Scenario.from_toml(text, "scenario.toml", "", starts)


def keep_table(out: Path, name: str, key: str, seed: int, table: pl.DataFrame) -> None:
    """Write a table of a run that the experiment keeps."""
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd")
    write_whole(out / "tables" / name / f"{key}-{seed}.parquet", buffer.getvalue())


def pair_table(world: Scenario, seed: int) -> pl.DataFrame:
    """Return the table ``pairs``: the shortest path of every two nodes over the run.

    ``hops`` is its mean length while there is a path (null if there never is), ``partitioned`` the fraction
    of time without one.
    """
    schema = {"node": pl.Int64, "other": pl.Int64, "hops": pl.Float64, "partitioned": pl.Float64}
    return pl.DataFrame(world.pair_paths(seed), schema=schema, orient="row")


def write_text(path: Path, content: str) -> None:
    """Write a small file in one step."""
    write_whole(path, content.encode())


def check_directory(out: Path, name: str) -> None:
    """Reject a directory with other contents, before hours of work are done."""
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"--out {out}: this is a file; name a directory")
    manifest = read_manifest(out)
    if manifest is None:
        if any(
            entry.name not in ("parts", "journal", "tables", "corrupt") and not entry.name.startswith(".")
            for entry in out.iterdir()
        ):
            raise InputError(f"--out {out}: the directory is not empty and holds no sweep; name another one")
    elif manifest.get("command") != "sweep":
        raise InputError(
            f"--out {out}: it holds results of `tworay {manifest.get('command')}`; name another one"
        )
    elif manifest.get("name") != name:
        raise InputError(
            f"--out {out}: it holds the sweep `{manifest.get('name')}`, and this is `{name}`; "
            "name another directory"
        )


def write_head(out: Path, plan: Plan, cells: list[Cell]) -> None:
    """Write manifest, experiment and cells."""
    write_whole(out / CELLS, cells_parquet(cells))
    write_text(out / EXPERIMENT, plan.text)
    manifest = {
        "format": FORMAT,
        "command": "sweep",
        "tworay": VERSION,
        "results": RESULTS,
        "name": plan.name,
        "about": plan.about,
        "axes": [{"name": axis.name, "labels": list(axis.labels)} for axis in plan.axes],
        "seeds": list(plan.seeds),
        "until_ci": plan.until_ci,
        "max_seeds": plan.max_seeds if plan.until_ci else None,
        "metrics": list(plan.metrics),
        "cells": len(cells),
    }
    write_text(out / MANIFEST, json.dumps(manifest, indent=1) + "\n")


def cells_parquet(cells: list[Cell]) -> bytes:
    """Return the table of cells: number, hash, a column per axis, the complete scenario."""
    axes = list(cells[0].place)
    frame = pl.DataFrame(
        {
            "cell": pl.Series([cell.number for cell in cells], dtype=pl.UInt32),
            "world": [cell.key for cell in cells],
            **{axis: [cell.place[axis] for cell in cells] for axis in axes},
            "toml": [cell.files["scenario.toml"] for cell in cells],
        }
    )
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def stored(out: Path, columns: Iterable[str] | None = None) -> pl.DataFrame:
    """Return the finished runs of a directory, one row per run, also those of other experiments."""
    from tworay.lab.reading import batch_frame

    return batch_frame(out, columns).filter(pl.col("status") == DONE)


def write_runs(out: Path, plan: Plan, cells: list[Cell], seeds: dict[int, list[int]]) -> None:
    """Write the table of all runs, joined with the axes, independent of the order of work."""
    from tworay.lab.reading import joined

    while True:
        before = sorted((out / "parts").glob("*"))
        frame = joined(out, only=seeds)
        buffer = io.BytesIO()
        frame.write_parquet(buffer, compression="zstd", statistics=False)
        write_whole(out / RUNS, buffer.getvalue())
        # Another shard may have finished meanwhile; the last one writes the runs of all.
        if before == sorted((out / "parts").glob("*")):
            return
