"""Engines that do runs, of comparisons and of sweeps: threads, or a cluster (``cluster``); and shards."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tworay._native import RunControl
from tworay.errors import Cancelled, InputError
from tworay.experiment.onerun import do, keeper
from tworay.running.executing import execute
from tworay.running.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tworay.experiment.plan import Cell
    from tworay.experiment.store.batches import Row
    from tworay.experiment.sweeping import Sweep
    from tworay.running.executing import Failure, Task, Watcher
    from tworay.running.run import Run


@dataclass(frozen=True, order=True)
class Todo:
    """A run to do."""

    seed: int
    number: int
    cell: Cell = field(compare=False)


@dataclass(frozen=True)
class Shard:
    """A part of the runs: number ``index`` of ``count``, from 1."""

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str | None) -> Shard:
        """Read I/N; without a text all runs."""
        if text is None:
            return cls()
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise InputError(f"--shard {text}: write I/N, the I-th of N parts: --shard 1/4 to --shard 4/4")
        return cls(int(match[1]), int(match[2]))

    def refuse_growth(self, until_ci: float | None) -> None:
        """Refuse a rule of stopping that needs the runs of all shards."""
        if until_ci is not None and self.count > 1:
            raise InputError(
                "until_ci needs all runs of a cell, but a shard has only a part of them; give fixed seeds"
            )

    def has(self, key: str, seed: int) -> bool:
        """Return whether a run is in the shard; its hash decides, so new runs don't move others."""
        if self.count == 1:
            return True
        return (
            int(hashlib.sha256(f"{key} {seed}".encode()).hexdigest()[:12], 16) % self.count == self.index - 1
        )


ALL = Shard()


class Engine(Protocol):
    """An engine that does runs, those of sweeps and those of comparisons."""

    def execute(
        self, tasks: list[Task], *, series: bool, finished: Callable[[Task, Run], None], watch: Watcher
    ) -> list[Failure]:
        """Do the runs of a comparison with their tables, and return those that failed."""

    def work(
        self, sweep: Sweep, todo: list[Todo], finished: Callable[[Sequence[Row], bytes | None], None]
    ) -> Iterable[float]:
        """Do runs; yield from time to time the amount of work in progress, in runs."""


@dataclass(frozen=True)
class Threads:
    """Threads on the cores of this machine: the simulator computes without the interpreter's lock."""

    jobs: int

    def execute(
        self, tasks: list[Task], *, series: bool, finished: Callable[[Task, Run], None], watch: Watcher
    ) -> list[Failure]:
        """Do the runs of a comparison in threads."""
        return execute(tasks, jobs=self.jobs, series=series, finished=finished, watch=watch)

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
                    store = keeper(sweep.path, task.cell.key, task.seed)
                    finished([do(task.cell, task.seed, plan, control, store)], None)
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
