"""The machine's cores, and the progress of many runs.

Results do not depend on the number of threads or on the order in which runs end: each run has its own
random streams, and results are ordered by (seed, arm), never by time of completion.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from tworay.checks import whole
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_JOBS = 1024


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_jobs(jobs: int | None) -> int:
    """Return the number of threads; ``None`` means all cores."""
    if jobs is None:
        return cores()
    jobs = whole(jobs, "the number of jobs")
    if not 1 <= jobs <= MAX_JOBS:
        raise InputError(
            f"{jobs} jobs asked for; allowed are 1 to {MAX_JOBS} (this machine has {cores()} cores)"
        )
    return jobs


@dataclass
class State:
    """The progress of a sweep or a comparison."""

    cells: int = 0
    """Combinations of settings; of a comparison its arms."""
    cells_done: int = 0
    total: int = 0
    """Planned runs, finished earlier or not."""
    stored: int = 0
    """Finished runs of all sessions."""
    todo: int = 0
    """Runs of this session, done or not, as far as it has come."""
    done: int = 0
    failed: int = 0
    seconds: float = 0.0
    share: float = 0.0
    """Of the runs of this session that is done, those in progress counted in part."""

    @property
    def ended(self) -> int:
        """Runs of this session that have ended."""
        return self.done + self.failed

    @property
    def runs_per_second(self) -> float:
        """Finished runs per second in this session."""
        return self.ended / self.seconds if self.seconds > 0 else 0.0

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


Watch: TypeAlias = "Watcher | bool | None"


def silent(state: State) -> None:
    """Ignore the progress."""


class Effort:
    """Estimates how much of the work is done when kinds of runs (cells, arms) differ in CPU time."""

    def __init__(self) -> None:
        self._number: Counter[str] = Counter()
        self._ended: Counter[str] = Counter()
        self._seconds: dict[str, list[float]] = {}

    def plan(self, kinds: Iterable[str]) -> None:
        """Add runs to do, each by its kind."""
        self._number.update(kinds)

    def ended(self, kind: str, seconds: float | None) -> None:
        """Count a run that has ended, failed or not, with its CPU time if it is known."""
        self._ended[kind] += 1
        if seconds is not None:
            self._seconds.setdefault(kind, []).append(seconds)

    def share(self, active: Iterable[tuple[str, float]]) -> float:
        """Return the share of the work that is done; kinds without finished runs count as the mean.

        ``active``: the kinds of runs in progress, each with the share of it that is done.
        """
        known = {kind: list(seconds) for kind, seconds in list(self._seconds.items())}
        every = [one for seconds in known.values() for one in seconds]
        usual = sum(every) / len(every) if every else 1.0
        cost = {
            kind: max(sum(known[kind]) / len(known[kind]) if known.get(kind) else usual, 1e-9)
            for kind in self._number
        }
        whole = sum(cost[kind] * number for kind, number in self._number.items())
        done = sum(cost[kind] * number for kind, number in self._ended.items())
        done += sum(cost[kind] * part for kind, part in active)
        return min(1.0, done / whole) if whole else 1.0
