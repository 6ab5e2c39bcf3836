"""Do the runs of a plan that its store doesn't hold yet, with any engine, and add seeds by its rule."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tworay.experiment.engines import ALL, Shard, Threads, Todo
from tworay.experiment.store.batches import DONE, FAILED
from tworay.running.executing import Effort, State
from tworay.running.memory import Kept, check_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from tworay._native import Scenario
    from tworay.experiment.engines import Engine
    from tworay.experiment.plan import Cell, Plan
    from tworay.experiment.store.batches import Place, Row
    from tworay.running.executing import Watcher

# Counting the finished cells takes a while in large sweeps.
COUNT_SECONDS = 1.0


class Session:
    """The runs of a plan. Sweeps and comparisons say where runs are stored and when seeds are added."""

    def __init__(self, plan: Plan, cells: list[Cell], shard: Shard = ALL, *, retry: bool = False) -> None:
        shard.refuse_growth(plan.until_ci)
        self.plan, self.cells, self.shard = plan, cells, shard
        self.state = State(cells=len(cells))
        self._wanted = (None, FAILED) if retry else (None,)
        self._mutex = threading.Lock()
        self._effort = Effort()
        self._tried: set[Place] = set()

    # A kind of experiment adds these.

    @property
    def runs(self) -> dict[Place, str]:
        """The status of each stored run."""
        raise NotImplementedError

    def keep(self, key: str, seed: int, name: str, table: pl.DataFrame) -> None:
        """Store a table of a run; called from several threads."""
        raise NotImplementedError

    def add(self, row: Row) -> None:
        """Store a run that has ended; one caller at a time."""
        raise NotImplementedError

    def begin(self, seeds: dict[int, list[int]]) -> None:
        """Prepare for the runs of these seeds, by the cells' numbers."""

    def more(self, seeds: dict[int, list[int]]) -> bool:
        """Add seeds by the plan's rule, and return whether there are any."""
        raise NotImplementedError

    def report(self) -> None:
        """Store the progress, several times per second."""

    def lacks_tables(self, place: Place) -> bool:
        """Return whether a finished run has lost a table that the plan keeps."""
        return False

    # Common to all.

    def start(self) -> dict[int, list[int]]:
        """Return every cell's first seeds."""
        return {cell.number: list(self.plan.seeds) for cell in self.cells}

    def missing(self, runs: dict[Place, str], seeds: dict[int, list[int]]) -> list[Todo]:
        """Return the missing runs, seed by seed, so that an interruption leaves pairs; equal runs once."""
        found: dict[Place, tuple[int, Todo]] = {}
        for cell in self.cells:
            for turn, seed in enumerate(seeds[cell.number]):
                place = (cell.key, seed)
                if place in found or not self.shard.has(*place):
                    continue
                status = runs.get(place)
                if status in self._wanted or (status == DONE and self.lacks_tables(place)):
                    found[place] = turn, Todo(seed, cell.number, cell)
        return [task for _, task in sorted(found.values(), key=lambda one: (one[0], one[1].number))]

    @property
    def memory(self) -> Kept:
        """The tables that a run holds in memory."""
        return Kept(series=self.plan.series, record=self.plan.record)

    def check_memory(self, engine: Engine, worlds: Iterable[Scenario]) -> None:
        """Refuse runs that don't fit this machine's memory side by side."""
        if isinstance(engine, Threads) and self.plan.facts != "only":
            runs = len(self.cells) * len(self.plan.seeds)
            check_memory(worlds, self.plan.seeds[0], min(engine.jobs, runs), self.memory)

    def execute(self, engine: Engine, watch: Watcher) -> dict[int, list[int]]:
        """Do the missing runs, and return every cell's seeds."""
        began = time.monotonic()
        seeds = self.start()
        try:
            while True:
                self.begin(seeds)
                missing = self.missing(self.runs, seeds)
                todo = [one for one in missing if (one.cell.key, one.seed) not in self._tried]
                self._count(seeds)
                if todo:
                    self._round(engine, todo, seeds, began, watch)
                if self.plan.until_ci is None or not self.more(seeds):
                    return seeds
        finally:
            self._count(seeds)
            self.state.seconds = time.monotonic() - began

    def _round(
        self, engine: Engine, todo: list[Todo], seeds: dict[int, list[int]], began: float, watch: Watcher
    ) -> None:
        self._effort.plan(one.cell.key for one in todo)
        self.state.todo += len(todo)

        def finished(rows: Sequence[Row]) -> None:
            with self._mutex:
                for one in rows:
                    self.add(one)
                    self._tried.add((one["world"], one["seed"]))
                    self._effort.ended(one["world"], one.get("cpu_seconds"))
                    if one["status"] == DONE:
                        self.state.done += 1
                    else:
                        self.state.failed += 1

        counted = 0.0
        for active in engine.work(self, todo, finished):
            state = self.state
            state.seconds = time.monotonic() - began
            with self._mutex:
                # A run that has just ended is not in progress, too.
                left = [(t.cell.key, share) for t, share in active if (t.cell.key, t.seed) not in self._tried]
                state.share = self._effort.share(left)
            if state.ended == state.todo or state.seconds - counted >= COUNT_SECONDS:
                counted = state.seconds
                self._count(seeds)
            self.report()
            watch(state)

    def _count(self, seeds: dict[int, list[int]]) -> None:
        """Count the stored runs of the cells."""
        runs = self.runs
        self.state.total = sum(map(len, seeds.values()))
        self.state.stored = self.state.cells_done = 0
        for cell in self.cells:
            have = sum(runs.get((cell.key, seed)) == DONE for seed in seeds[cell.number])
            self.state.stored += have
            self.state.cells_done += have == len(seeds[cell.number])
