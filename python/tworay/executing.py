"""Many runs on all cores: threads around the core, which computes without the GIL.

Results do not depend on the number of threads or on the order in which runs end: each run has its own
seeded world, and what is made of the results goes by (seed, variant), never by time of arrival.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tworay._native import RunControl
from tworay.errors import Cancelled, InputError, RunError
from tworay.running import Run, run
from tworay.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tworay.scenarios import Scenario

MAX_JOBS = 1024


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_jobs(jobs: int | None) -> int:
    """Return the number of threads: all cores unless told."""
    if jobs is None:
        return cores()
    if not 1 <= jobs <= MAX_JOBS:
        raise InputError(
            f"{jobs} jobs asked for; allowed are 1 to {MAX_JOBS} (this machine has {cores()} cores)"
        )
    return jobs


@dataclass(frozen=True, order=True)
class Task:
    """One run to do: which variant of which scenario, with which seed."""

    seed: int
    variant: str
    scenario: Scenario = field(compare=False)


@dataclass(frozen=True)
class Failure:
    """A run that could not be finished."""

    task: Task
    message: str


class Watcher(Protocol):
    """Is told how far the runs are, a few times a second, in the calling thread."""

    def __call__(self, done: int, total: int, fraction: float) -> None:
        """Take ``done`` finished runs out of ``total``; ``fraction`` counts unfinished runs in part."""


def silent(done: int, total: int, fraction: float) -> None:
    """Watch nothing."""


def execute(
    tasks: Iterable[Task],
    *,
    jobs: int,
    series: bool,
    finished: Callable[[Task, Run], None],
    watch: Watcher = silent,
) -> list[Failure]:
    """Do every task, ``jobs`` at a time, and return those that failed.

    ``finished`` is called in the worker's thread with each result: a run that has ended is safe before
    anything can interrupt it. A run that fails does not disturb the others. If ``finished`` raises, or
    on Ctrl-C, the runs under way are stopped and the exception comes out when all threads are quiet.
    """
    active: dict[Task, RunControl] = {}
    failures: list[Failure] = []

    def work(task: Task) -> None:
        control = RunControl()
        active[task] = control
        try:
            if workers.stopped:
                return
            finished(task, run(task.scenario, seed=task.seed, series=series, control=control))
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
            done += ended is not None
            under_way = workers.waiting + sum(control.progress() for control in list(active.values()))
            watch(done, workers.total, min(1.0, (done + under_way) / workers.total))
    return sorted(failures, key=lambda failure: failure.task)
