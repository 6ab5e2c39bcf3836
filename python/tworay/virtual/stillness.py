"""Measures how long a machine's virtual time has stood still, by what its processes have computed since.

On a host with other work a machine may wait for a processor for half a minute, and nothing is wrong.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

# A machine whose time stands still while it computes for so long is ended, and named before that, seconds of
# processor time; the same of real time if it computes nothing, since then it waits for nobody's processor.
STUCK, SLOW = 300.0, 30.0
# Reading the times of all processes takes milliseconds: not at every look.
PAUSE = 1.0
# What a machine that hangs may compute all the same, seconds.
NOTHING = 0.5
# Fields of /proc/PID/stat behind the name (proc_pid_stat(5)): session, user and system time.
SESSION, TIMES = 3, slice(11, 13)


class Stillness:
    """Watches the machine whose processes form a session of the host."""

    def __init__(self, session: int) -> None:
        self._session = session
        self.moved()

    def moved(self) -> None:
        """Note that virtual time has moved, or that it rests on purpose."""
        self._since = self._looked = time.monotonic()
        self._before: float | None = None
        self._computed = 0.0

    def seconds(self) -> float:
        """Return how long time has stood still with the machine at work, or with nothing that computes."""
        now = time.monotonic()
        if now - self._looked >= PAUSE:
            self._looked = now
            spent = processor_seconds(self._session)
            if self._before is None:
                self._before = spent
            self._computed = spent - self._before
        real = now - self._since
        return real if self._computed < min(NOTHING, real) else self._computed


def processor_seconds(session: int) -> float:
    """Return what the living processes of a session have computed."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        # Processes end while one reads.
        with suppress(OSError, ValueError, IndexError):
            fields = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[SESSION]) == session:
                ticks += sum(map(int, fields[TIMES]))
    return ticks / os.sysconf("SC_CLK_TCK")
