"""Many runs on all cores: threads around the core, which computes without the GIL.

Results do not depend on the number of threads or on the order in which runs end: each run has its own
seeded world, and what is made of the results goes by (seed, variant), never by time of arrival.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from tworay._native import RunControl
from tworay.errors import Cancelled, InputError, RunError
from tworay.running import Run, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tworay.scenarios import Scenario

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_JOBS = 1024
TICK_SECONDS = 0.2


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


def each(function: Callable[[Item], Result], items: Iterable[Item], *, jobs: int) -> list[Result]:
    """Apply a quick function that lets go of the GIL to every item, in order."""
    with ThreadPoolExecutor(jobs, thread_name_prefix="tworay") as pool:
        return list(pool.map(function, items))


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
    tasks = list(tasks)
    active: dict[Task, RunControl] = {}
    failures: list[Failure] = []
    lock = threading.Lock()
    stop = threading.Event()

    def work(task: Task) -> None:
        control = RunControl()
        with lock:
            active[task] = control
        try:
            if stop.is_set():
                return
            finished(task, run(task.scenario, seed=task.seed, series=series, control=control))
        except Cancelled:
            return
        except RunError as error:
            with lock:
                failures.append(Failure(task, str(error)))
        finally:
            with lock:
                del active[task]

    def halt() -> None:
        stop.set()
        with lock:
            for control in active.values():
                control.cancel()

    with ThreadPoolExecutor(jobs, thread_name_prefix="tworay") as pool:
        try:
            pending: set[Future[None]] = {pool.submit(work, task) for task in tasks}
            total = len(pending)
            while pending:
                ended, pending = wait(pending, timeout=TICK_SECONDS, return_when=FIRST_COMPLETED)
                for future in ended:
                    future.result()
                with lock:
                    under_way = sum(control.progress() for control in active.values())
                done = total - len(pending)
                watch(done, total, min(1.0, (done + under_way) / total))
        except BaseException:
            halt()
            pool.shutdown(cancel_futures=True)
            raise
    return sorted(failures, key=lambda failure: failure.task)
