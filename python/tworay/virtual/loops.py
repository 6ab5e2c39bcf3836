"""Programs that wait in a loop in virtual time: they read the clock again and again instead of sleeping.

Computing takes no virtual time. Only reading the clock moves it while a program runs, and the kernel counts
that time as the program's. So a program that has used the processor has waited in a loop.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field

# Ticks in which the kernel counts the processor's time, per second (USER_HZ).
TICKS = 100
# Interval between looks at the processes, and the least time that counts, (virtual) seconds.
EVERY, LEAST = 2.5, 0.1


@dataclass
class Loops:
    """Notes the time that programs spend in loops, as far as it was seen before they ended."""

    proc: str = "/proc"
    own: frozenset[int] = frozenset()
    """Processes that are not the user's."""
    _next: float = 0.0
    _seen: dict[tuple[int, str], float] = field(default_factory=dict)

    def look(self, now: float) -> None:
        """Look at all processes if it is time to; ``now`` is the virtual time, seconds."""
        if now < self._next:
            return
        self._next = now + EVERY
        for name in os.listdir(self.proc):  # noqa: PTH208 (a path for each process takes time)
            if name.isdigit() and int(name) not in self.own:
                # It may have ended meanwhile.
                with suppress(OSError):
                    self._note(int(name), self._stat(name))

    def _stat(self, name: str) -> bytes:
        file = os.open(f"{self.proc}/{name}/stat", os.O_RDONLY)
        try:
            return os.read(file, 4096)
        finally:
            os.close(file)

    def _note(self, process: int, stat: bytes) -> None:
        # proc(5): "pid (comm) state ...", utime and stime are fields 14 and 15.
        head, _, rest = stat.rpartition(b")")
        fields = rest.split()
        seconds = (int(fields[11]) + int(fields[12])) / TICKS
        if seconds >= LEAST:
            program = head.partition(b"(")[2].decode(errors="replace")
            self._seen[process, program] = seconds

    def programs(self) -> list[dict[str, object]]:
        """Return programs with their seconds in loops, those with most first."""
        found: dict[str, float] = {}
        for (_, program), seconds in self._seen.items():
            found[program] = found.get(program, 0.0) + seconds
        ordered = sorted(found.items(), key=lambda one: (-one[1], one[0]))
        return [{"program": program, "seconds": round(seconds, 2)} for program, seconds in ordered]


def words(loops: list[dict[str, object]], duration: float) -> str | None:
    """Return a sentence for the user; ``None`` if no program waited in a loop."""
    if not loops:
        return None
    named = ", ".join(f"{one['program']} ({one['seconds']:.1f} s)" for one in loops)
    return (
        f"programs waited in a loop instead of sleeping, in {duration:.0f} s: {named}; virtual time then is "
        "slow, and packets up to 0.3 ms late (live.lateness)"
    )
