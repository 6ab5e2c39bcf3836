"""Progress of many runs, on stderr: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from tworay.executing import Watcher

LOG_STEP = 0.1
LOG_SECONDS = 2.0


class Progress:
    """A context whose ``watch`` is handed to ``compare``."""

    def __init__(self, what: str) -> None:
        self._reporter: _Bar | _Log = _Bar(what) if sys.stderr.isatty() else _Log(what)
        self.watch: Watcher = self._reporter.watch

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reporter.close()


class _Bar:
    """Bar with runs done, runs a second and time left."""

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

    def watch(self, done: int, total: int, fraction: float) -> None:
        """Move the bar."""
        elapsed = time.monotonic() - self._began
        runs = f"{done}/{total} runs  {_rate(fraction * total, elapsed)}"
        self._bar.update(self._task, completed=fraction, runs=runs)

    def close(self) -> None:
        """Take the bar away."""
        self._bar.stop()


class _Log:
    """A line at every tenth of the work."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self._next = LOG_STEP
        self._quiet_until = 0.0

    def watch(self, done: int, total: int, fraction: float) -> None:
        """Write a line if another tenth is done, but not more often than every few seconds."""
        elapsed = time.monotonic() - self._began
        if not done or (done < total and (fraction < self._next or elapsed < self._quiet_until)):
            return
        self._next = fraction - fraction % LOG_STEP + LOG_STEP
        self._quiet_until = elapsed + LOG_SECONDS
        left = elapsed * (1 - fraction) / fraction if fraction else 0.0
        rest = f"{math.ceil(left)} s left" if done < total else "done"
        print(
            f"{self._what}: {done}/{total} runs, {_rate(done, elapsed)}, {rest}",
            file=sys.stderr,
            flush=True,
        )

    def close(self) -> None:
        """Write nothing more."""


def _rate(runs: float, seconds: float) -> str:
    return f"{runs / seconds:.2g} runs/s" if seconds > 0 else ""
