"""The processes of machines in virtual time: whether some run, and whether they end."""

from __future__ import annotations

import time
from pathlib import Path

from tworay.virtual import cache


def processes_of(*scratch: Path) -> list[int]:
    """Return the processes of the machines that have their files in these directories."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if line.startswith(str(cache.kernels_home())) and any(str(one) in line for one in scratch):
            found.append(int(place.name))
    return found


def ended(*scratch: Path) -> bool:
    """Wait until these machines have ended, a minute at most; return whether they have.

    Their processes end with the one that started them, on a busy host a moment later.
    """
    until = time.monotonic() + 60
    while processes_of(*scratch) and time.monotonic() < until:
        time.sleep(0.1)
    return not processes_of(*scratch)
