"""Show the progress of runs on stderr: a bar on a terminal, occasional lines in a log."""

from __future__ import annotations

import math
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from tworay._native import RunControl
    from tworay.running.executing import State, Watcher

LOG_STEP = 0.1
LOG_SECONDS = 2.0
# A single run prints no progress before this time, s.
PATIENCE = 2.0
TICK_SECONDS = 0.2


class Progress:
    """A context manager whose ``watch`` receives the progress of ``compare``."""

    def __init__(self, what: str) -> None:
        self._reporter: _Bar | _Log = _Bar(what) if sys.stderr.isatty() else _Log(what)
        self.watch: Watcher = self._reporter.watch
        self.stage: Callable[[str], None] = self._reporter.stage

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reporter.close()


class _Bar:
    """A bar with runs done, runs per second and time left."""

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[runs]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
        )
        self._began = time.monotonic()
        self._bar.start()
        self._task = self._bar.add_task(what, total=1.0, runs="")

    def watch(self, state: State) -> None:
        """Move the bar."""
        elapsed = time.monotonic() - self._began
        runs = f"{state.ended}/{state.todo} runs  {_rate(state.share * state.todo, elapsed)}"
        self._bar.update(self._task, completed=state.share, runs=runs)

    def stage(self, text: str) -> None:
        """Show what is done before the runs."""
        self._bar.update(self._task, runs=text)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class _Log:
    """Writes a line after every tenth of the work."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self._next = LOG_STEP
        self._quiet_until = 0.0

    def watch(self, state: State) -> None:
        """Write a line if another tenth is done, at most every few seconds."""
        done, total, fraction = state.ended, state.todo, state.share
        elapsed = time.monotonic() - self._began
        if done < total and (fraction < self._next or elapsed < self._quiet_until):
            return
        self._next = fraction - fraction % LOG_STEP + LOG_STEP
        self._quiet_until = elapsed + LOG_SECONDS
        left = elapsed * (1 - fraction) / fraction if fraction else 0.0
        rest = f"{math.ceil(left)} s left" if done < total else "done"
        rate = f"{_rate(done, elapsed)}, " if done else ""
        _log(f"{self._what}: {done}/{total} runs, {rate}{rest}")

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


def _rate(runs: float, seconds: float) -> str:
    if seconds <= 0:
        return ""
    return rate_of(runs / seconds)


def rate_of(rate: float) -> str:
    """Return runs per second as a text."""
    return f"{rate:,.0f} runs/s" if rate >= 10 else f"{rate:.2g} runs/s"
