"""Do the runs of an experiment that a directory doesn't hold yet, in threads or on a cluster."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tworay._native import RESULTS, VERSION
from tworay.errors import OutputError
from tworay.experiment.engines import ALL, Shard, Threads, Todo
from tworay.experiment.onerun import PAIRS, SERIES, table_file
from tworay.experiment.store.batches import DONE, FAILED, Batches, Row
from tworay.experiment.store.directory import (
    FAILURES,
    PROGRESS,
    check_directory,
    stored,
    write_head,
    write_runs,
    write_text,
)
from tworay.experiment.store.manifest import find_manifest
from tworay.running.executing import check_jobs
from tworay.running.memory import Kept, check_memory
from tworay.running.spec import LEAST_UNTIL_CI, more_seeds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tworay.experiment.engines import Engine
    from tworay.experiment.plan import Cell, Plan

PROGRESS_SECONDS = 2.0


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


class Sweep:
    """An experiment and its directory. Creating the object only reads and checks."""

    def __init__(self, plan: Plan, out: Path, *, shard: Shard = ALL, retry_failed: bool = False) -> None:
        self.plan, self.path, self.shard = plan, out, shard
        self._retry = retry_failed
        shard.refuse_growth(plan.until_ci)
        check_directory(out, plan.name)
        self.cells = plan.cells()
        self.state = State(cells=len(self.cells))
        self.notes: list[str] = []
        before = find_manifest(out) or {"tworay": VERSION, "results": RESULTS}
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
                undone = runs.get(place) in wanted or self._lacks_tables(runs, place)
                if undone and place not in found and self.shard.has(*place):
                    found[place] = Todo(seed, cell.number, cell)
        return sorted(found.values())

    def _lacks_tables(self, runs: dict[tuple[str, int], str], place: tuple[str, int]) -> bool:
        """Return whether a finished run of this shard has lost a table that the experiment keeps."""
        kept = [name for name in self.plan.keep if self.plan.facts != "only" or name == PAIRS]
        return (
            bool(kept)
            and runs.get(place) == DONE
            and not all(table_file(self.path, name, *place).is_file() for name in kept)
        )

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
        if isinstance(engine, Threads) and self.plan.facts != "only":
            runs = len(self.cells) * len(self.plan.seeds)
            worlds, kept = (
                (cell.world for cell in self.cells),
                Kept(series=bool(SERIES & set(self.plan.keep))),
            )
            check_memory(worlds, self.plan.seeds[0], min(engine.jobs, runs), kept)
        write_head(self.path, self.plan, self.cells)
        batches = self.open()
        seeds = self.start()
        lost = [one for one in self.missing(batches.found.runs, seeds) if _is_done(batches, one)]
        if lost:
            first = f"cell {lost[0].number} seed {lost[0].seed}"
            self.notes.append(
                f"{len(lost)} runs ({first} is the first) lack files in {self.path / 'tables'}; done again"
            )
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
        from tworay.analysis import stats

        batches = self.open()
        batches.flush()
        assert self.plan.until_ci is not None
        frame = stored(self.path, [self.plan.ci_metric], self.plan.judge)
        found: dict[str, list[float]] = {}
        for world, value in frame.select("world", self.plan.ci_metric).iter_rows():
            if value is not None:
                found.setdefault(world, []).append(value)
        grew = False
        for cell in self.cells:
            have = seeds[cell.number]
            width = stats.relative_half_width(found.get(cell.key, []))
            narrow = len(have) >= LEAST_UNTIL_CI and width is not None and width <= self.plan.until_ci
            fresh = [] if narrow else more_seeds(have, self.plan.max_seeds)
            have += fresh
            grew |= bool(fresh)
        return grew

    def _keep_failures(self, batches: Batches) -> None:
        """Write the scenario of every cell with a failed run, so that `tworay run` repeats it."""
        failed = [place for place, status in batches.found.runs.items() if status == FAILED]
        cells = {cell.key: cell for cell in self.cells}
        for key, seed in failed:
            if key in cells:
                files = cells[key].files_at(seed)
                first = self.path / replay(cells[key], seed)
                for name, content in files.items():
                    write_text(first if len(files) == 1 else first.parent / name, content)


def _is_done(batches: Batches, task: Todo) -> bool:
    return batches.found.runs.get((task.cell.key, task.seed)) == DONE


def replay(cell: Cell, seed: int) -> str:
    """Return the path of the scenario of a failed run; with other files it has its own folder.

    The runs of a cell share it, except in a mixture, whose flows have other variants with another seed.
    """
    name = f"{cell.key}-{seed}" if cell.mix else cell.key
    return f"{FAILURES}/{name}.toml" if len(cell.files) == 1 else f"{FAILURES}/{name}/scenario.toml"
