"""Do the runs of an experiment that a directory doesn't hold yet, in threads or on a cluster."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tworay._native import RESULTS, VERSION
from tworay.errors import OutputError
from tworay.experiment.engines import ALL, Shard, Threads
from tworay.experiment.experimentfile import changed
from tworay.experiment.judgeplan import judge_of_cells
from tworay.experiment.onerun import PAIRS
from tworay.experiment.session import Session
from tworay.experiment.store.batches import DONE, FAILED, Batches
from tworay.experiment.store.directory import (
    FAILURES,
    PROGRESS,
    check_directory,
    stored,
    write_head,
    write_runs,
    write_text,
)
from tworay.experiment.store.disk import write_whole
from tworay.experiment.store.manifest import find_manifest
from tworay.experiment.store.tables import parquet, table_file
from tworay.running.executing import State, check_jobs, silent
from tworay.running.spec import LEAST_UNTIL_CI, more_seeds

if TYPE_CHECKING:
    import os

    import polars as pl

    from tworay.experiment.engines import Engine
    from tworay.experiment.options import SweepOptions
    from tworay.experiment.plan import Cell, Plan
    from tworay.experiment.store.batches import Place, Row
    from tworay.running.executing import Watcher

PROGRESS_SECONDS = 2.0


def default_out(plan: Plan, out: str | os.PathLike[str] | None) -> Path:
    """Return the directory of an experiment's runs; the default is NAME.sweep in the working directory."""
    return Path(f"{plan.name}.sweep") if out is None else Path(out)


def sweep_of(plan: Plan, options: SweepOptions) -> tuple[Sweep, Engine]:
    """Return the sweep of an experiment with these options, and the engine that does its runs."""
    plan = changed(plan, options)
    shard, engine = Shard.parse(options.shard), options.engine or Threads(check_jobs(options.jobs))
    place = default_out(plan, options.out)
    return Sweep(plan, place, shard=shard, retry_failed=options.retry_failed), engine


class Sweep(Session):
    """An experiment and its directory. Creating the object only reads and checks."""

    def __init__(self, plan: Plan, out: Path, *, shard: Shard = ALL, retry_failed: bool = False) -> None:
        check_directory(out, plan.name)
        cells = plan.cells()
        plan = replace(plan, judge=judge_of_cells(plan.judge, cells, plan.where))
        super().__init__(plan, cells, shard, retry=retry_failed)
        self.path = out
        self.notes: list[str] = []
        before = find_manifest(out) or {"tworay": VERSION, "results": RESULTS}
        if (before.get("tworay"), before.get("results")) != (VERSION, RESULTS):
            self.notes.append(
                f"{out} holds runs from before the simulator's results changed last; they stay, and are "
                "done again"
            )
        self._batches: Batches | None = None
        self._reported = float("-inf")

    @property
    def runs(self) -> dict[Place, str]:
        """The status of each stored run."""
        return self.open().found.runs

    def keep(self, key: str, seed: int, name: str, table: pl.DataFrame) -> None:
        """Store a table of a run."""
        write_whole(table_file(self.path, name, key, seed), parquet(table))

    def add(self, row: Row) -> None:
        """Store a run that has ended, failed or not."""
        self.open().add(row)

    def lacks_tables(self, place: Place) -> bool:
        """Return whether a finished run has lost a table that the experiment keeps."""
        kept = [name for name in self.plan.keep if self.plan.facts != "only" or name == PAIRS]
        return not all(table_file(self.path, name, *place).is_file() for name in kept)

    def open(self) -> Batches:
        """Read the directory."""
        if self._batches is None:
            self._batches = Batches(self.path)
            self.notes += self._batches.found.broken
        return self._batches

    def run(self, *, engine: Engine | None = None, jobs: int | None = None, watch: Watcher = silent) -> State:
        """Do the missing runs. After an interruption or an error, finished runs are kept."""
        engine = engine or Threads(check_jobs(jobs))
        self.check_memory(engine, (cell.world for cell in self.cells))
        write_head(self.path, self.plan, self.cells)
        batches = self.open()
        missing = self.missing(batches.found.runs, self.start())
        lost = [one for one in missing if batches.found.runs.get((one.cell.key, one.seed)) == DONE]
        if lost:
            first = f"cell {lost[0].number} seed {lost[0].seed}"
            self.notes.append(
                f"{len(lost)} runs ({first} is the first) lack files in {self.path / 'tables'}; done again"
            )
        try:
            seeds = self.execute(engine, watch)
        finally:
            batches.close()
            with suppress(OutputError):  # A full disk has been reported already.
                self._write_progress()
        batches.compact()
        write_runs(self.path, self.plan, seeds)
        self._keep_failures(batches)
        return self.state

    def report(self) -> None:
        """Write the progress now and then."""
        if time.monotonic() - self._reported >= PROGRESS_SECONDS:
            self._reported = time.monotonic()
            self._write_progress()

    def _write_progress(self) -> None:
        write_text(self.path / PROGRESS, json.dumps(self.state.document()) + "\n")

    def more(self, seeds: dict[int, list[int]]) -> bool:
        """Add seeds to the cells whose interval is too wide; depends only on results."""
        from tworay.analysis import stats

        self.open().flush()
        assert self.plan.until_ci is not None
        frame = stored(self.path, [self.plan.ci_metric], self.plan.judge)
        found: dict[str, dict[int, float]] = {}
        for world, seed, value in frame.select("world", "seed", self.plan.ci_metric).iter_rows():
            if value is not None:
                found.setdefault(world, {})[seed] = value
        grew = False
        for cell in self.cells:
            have = seeds[cell.number]
            known = found.get(cell.key, {})
            width = stats.relative_half_width([known[seed] for seed in have if seed in known])
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


def replay(cell: Cell, seed: int) -> str:
    """Return the path of the scenario of a failed run; with other files it has its own folder.

    The runs of a cell share it, except in a mixture, whose flows have other variants with another seed.
    """
    name = f"{cell.key}-{seed}" if cell.mix else cell.key
    return f"{FAILURES}/{name}.toml" if len(cell.files) == 1 else f"{FAILURES}/{name}/scenario.toml"
