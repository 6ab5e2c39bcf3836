"""Progress and estimated time left, on stderr."""

from __future__ import annotations

import sys
import time


class Progress:
    """A line that is rewritten on a terminal; in a log, a line every ``LOG_SECONDS``."""

    LOG_SECONDS = 20.0

    def __init__(self, total_weight: float) -> None:
        self._total = total_weight
        self._done = 0.0
        self._began = time.monotonic()
        self._said = self._began
        self._live = sys.stderr.isatty()

    def advance(self, weight: float, what: str) -> None:
        """Add finished work. Weights are estimated seconds; only their share of the total matters."""
        self._done += weight
        now = time.monotonic()
        finished = self._done >= self._total - 1e-9
        if not self._live and not finished and now - self._said < self.LOG_SECONDS:
            return
        self._said = now
        share = self._done / self._total if self._total else 1.0
        left = (now - self._began) * (1 - share) / share if share else 0.0
        line = f"{share:4.0%}, {clock(left)} left: {what}"
        if self._live:
            print(f"\r\033[K{line[:100]}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Clear the progress line."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Format seconds as ``4 s``, ``3 min`` or ``1 h 05 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def say(text: str) -> None:
    """Print a message on stderr."""
    print(text, file=sys.stderr, flush=True)
