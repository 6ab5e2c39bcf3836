"""Many runs on all cores: threads around the core, which computes without the GIL.

Results do not depend on the number of threads or on the order in which runs end: each run has its own
random streams, and results are ordered by (seed, variant), never by time of completion.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tworay._native import RunControl
from tworay.checks import whole
from tworay.errors import Cancelled, InputError, RunError
from tworay.running.run import Run, run
from tworay.running.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tworay.running.scenarios import Scenario

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


@dataclass(frozen=True, order=True)
class Task:
    """A run to do: scenario, variant and seed."""

    seed: int
    variant: str
    scenario: Scenario = field(compare=False)
    totals_only: bool = field(default=False, compare=False)
    """Neither time series nor single losses are wanted of it."""


@dataclass(frozen=True)
class Failure:
    """A run that failed."""

    task: Task
    message: str


class Watcher(Protocol):
    """A callback that gets the progress, a few times per second, in the calling thread."""

    def __call__(self, done: int, total: int, fraction: float) -> None:
        """Receive the progress: ``done`` of ``total`` runs; ``fraction`` includes unfinished runs."""


class Effort:
    """Estimates how much of the work is done when kinds of runs differ in CPU time."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._number = Counter(task.variant for task in tasks)
        self._ended: Counter[str] = Counter()
        self._seconds: dict[str, list[float]] = {kind: [] for kind in self._number}

    def took(self, task: Task, seconds: float) -> None:
        """Record the CPU time of a run."""
        self._seconds[task.variant].append(seconds)

    def ended(self, task: Task) -> None:
        """Count a run that has ended, failed or not."""
        self._ended[task.variant] += 1

    def share(self, active: Iterable[tuple[Task, RunControl]]) -> float:
        """Return the share of the work that is done; kinds without finished runs count as the mean."""
        known = [seconds for kind in self._seconds.values() for seconds in list(kind)]
        usual = sum(known) / len(known) if known else 1.0
        cost = {kind: max(sum(s) / len(s) if s else usual, 1e-9) for kind, s in self._seconds.items()}
        whole = sum(cost[kind] * number for kind, number in self._number.items())
        done = sum(cost[kind] * number for kind, number in self._ended.items())
        done += sum(cost[task.variant] * control.progress() for task, control in active)
        return min(1.0, done / whole) if whole else 1.0


def silent(done: int, total: int, fraction: float) -> None:
    """Ignore the progress."""


def execute(
    tasks: Iterable[Task],
    *,
    jobs: int,
    series: bool,
    finished: Callable[[Task, Run], None],
    watch: Watcher = silent,
) -> list[Failure]:
    """Do every task, ``jobs`` at a time, and return those that failed.

    ``finished`` is called in the worker's thread with each result, so a finished run is stored before
    anything can interrupt it. A failed run does not affect the others. If ``finished`` raises, or on
    Ctrl-C, running simulations are stopped, and the exception is raised once all threads have ended.
    """
    tasks = list(tasks)
    active: dict[Task, RunControl] = {}
    failures: list[Failure] = []
    effort = Effort(tasks)

    def work(task: Task) -> None:
        control = RunControl()
        active[task] = control
        try:
            if workers.stopped:
                return
            keep = not task.totals_only
            outcome = run(task.scenario, seed=task.seed, series=series and keep, losses=keep, control=control)
            effort.took(task, outcome.summary["cpu_seconds"])
            finished(task, outcome)
        except Cancelled:
            return
        except RunError as error:
            failures.append(Failure(task, str(error)))
        finally:
            del active[task]

    # The dictionary is changed and copied in single steps of the interpreter; no lock is needed.
    def halt() -> None:
        for control in list(active.values()):
            control.cancel()

    done = 0
    with Workers(work, tasks, jobs=jobs, halt=halt) as workers:
        for ended in workers.results():
            if ended is not None:
                done += 1
                effort.ended(ended[0])
            watch(done, workers.total, effort.share(list(active.items())))
    return sorted(failures, key=lambda failure: failure.task)
