"""Engines that do runs, of comparisons and of sweeps: threads, or a cluster (``cluster``); and shards."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tworay._native import RunControl
from tworay.errors import Cancelled, InputError
from tworay.experiment.onerun import do
from tworay.running.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tworay.experiment.plan import Cell
    from tworay.experiment.session import Session
    from tworay.experiment.store.batches import Row


@dataclass(frozen=True, order=True)
class Todo:
    """A run to do."""

    seed: int
    number: int
    cell: Cell = field(compare=False)


Finished: TypeAlias = "Callable[[Sequence[Row]], None]"
# Runs in progress, with the share of each that is done.
Underway: TypeAlias = "list[tuple[Todo, float]]"


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
    """An engine that does runs, of sweeps and of comparisons."""

    def work(self, session: Session, todo: list[Todo], finished: Finished) -> Iterable[Underway]:
        """Do runs, and hand over those that have ended; yield from time to time those in progress."""


@dataclass(frozen=True)
class Threads:
    """Threads on the cores of this machine: the simulator computes without the interpreter's lock."""

    jobs: int

    def work(self, session: Session, todo: list[Todo], finished: Finished) -> Iterable[Underway]:
        """Do runs in threads; each thread stores its run before anything can interrupt it."""
        active: dict[Todo, RunControl] = {}

        def one(task: Todo) -> None:
            control = active[task] = RunControl()
            try:
                if not workers.stopped:
                    keep = partial(session.keep, task.cell.key, task.seed)
                    stopped = partial(getattr, workers, "stopped")
                    finished([do(task.cell, task.seed, session.plan, control, keep, stopped)])
            except Cancelled:
                return
            finally:
                del active[task]

        # The dictionary is changed and copied in single steps of the interpreter; no lock is needed.
        def halt() -> None:
            for control in list(active.values()):
                control.cancel()

        with Workers(one, todo, jobs=self.jobs, halt=halt) as workers:
            for _ in workers.results():
                yield [(task, control.progress()) for task, control in list(active.items())]
