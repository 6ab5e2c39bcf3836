"""Show the progress of runs on stderr: a bar on a terminal, occasional lines in a log."""

from __future__ import annotations

import math
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from tworay._native import RunControl
    from tworay.running.executing import State, Watcher

LOG_STEP = 0.1
LOG_SECONDS, LOG_LONGEST = 2.0, 60.0
# A single run prints no progress before this time, s.
PATIENCE = 2.0
TICK_SECONDS = 0.2


class Progress:
    """A context manager whose ``watch`` receives the progress of a comparison or a sweep.

    ``cells``: say how many cells are done, too.
    """

    def __init__(self, what: str, *, cells: bool = False) -> None:
        self._reporter: _Bar | _Log = (_Bar if sys.stderr.isatty() else _Log)(what, cells=cells)
        self.watch: Watcher = self._reporter.watch
        self.stage: Callable[[str], None] = self._reporter.stage

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reporter.close()


def in_numbers(state: State, cells: bool) -> str:
    """Return what is done, in numbers."""
    parts = [f"{state.ended}/{state.todo} runs"]
    parts += [f"{state.cells_done} of {state.cells} cells"] if cells else []
    parts += [f"{state.failed} failed"] if state.failed else []
    parts += [rate_of(state.runs_per_second)] if state.ended else []
    return ", ".join(parts)


class _Bar:
    """A bar with runs done, runs per second and time left."""

    def __init__(self, what: str, *, cells: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._cells = cells
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[runs]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(what, total=1.0, runs="")

    def watch(self, state: State) -> None:
        """Move the bar."""
        left = "" if state.seconds_left is None else f", {duration(state.seconds_left)} left"
        self._bar.update(self._task, completed=state.share, runs=in_numbers(state, self._cells) + left)

    def stage(self, text: str) -> None:
        """Show what is done before the runs."""
        self._bar.update(self._task, runs=text)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class _Log:
    """Writes a line after every tenth of the work, and at least every minute."""

    def __init__(self, what: str, *, cells: bool) -> None:
        self._what, self._cells = what, cells
        self._forget()

    def _forget(self) -> None:
        self._next, self._share, self._seconds, self._ended = LOG_STEP, 0.0, 0.0, 0

    def watch(self, state: State) -> None:
        """Write a line if another tenth is done, at most every few seconds."""
        if state.share < self._share or state.seconds < self._seconds:
            # Runs have been added, or those of another sweep begin.
            self._forget()
        self._share = state.share
        waited = state.seconds - self._seconds
        if state.ended == state.todo:
            due = state.ended != self._ended
        else:
            due = waited >= (LOG_SECONDS if state.share >= self._next else LOG_LONGEST)
        if not due:
            return
        self._next = state.share - state.share % LOG_STEP + LOG_STEP
        self._seconds, self._ended = state.seconds, state.ended
        left = "done" if state.ended == state.todo else f"{duration(math.ceil(state.seconds_left or 0))} left"
        _log(f"{self._what}: {in_numbers(state, self._cells)}, {left}")

    def stage(self, text: str) -> None:
        """Show what is done before the runs."""
        _log(f"{self._what}: {text}")

    def close(self) -> None:
        """Write nothing more."""


class RunProgress:
    """A context manager that shows the progress of a single run on stderr if it takes long."""

    def __init__(self, what: str, nodes: int, control: RunControl) -> None:
        self._setup = f"{what}: setting up {nodes:,} nodes"
        self._running = f"{what}: simulating"
        self._control = control
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._report, name="tworay-progress", daemon=True)

    def __enter__(self) -> RunProgress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _text(self) -> str:
        share = self._control.progress()
        return f"{self._running}, {share:.0%} done" if share else self._setup

    def _report(self) -> None:
        if self._over.wait(PATIENCE):
            return
        if not sys.stderr.isatty():
            # In a log the intervals grow.
            wait = LOG_SECONDS
            _log(self._text())
            while not self._over.wait(wait):
                _log(self._text())
                wait *= 1.5
            return
        from rich.console import Console

        with Console(stderr=True).status(self._text()) as status:
            while not self._over.wait(TICK_SECONDS):
                status.update(self._text())


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Write a duration in a unit that suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def rate_of(rate: float) -> str:
    """Return runs per second as a text."""
    return f"{rate:,.0f} runs/s" if rate >= 10 else f"{rate:.2g} runs/s"
