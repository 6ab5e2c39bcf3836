"""Refuse runs that need more memory than is free, before they start and the system ends the process."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tworay.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tworay._native import Scenario

# Smaller networks need less than 100 MB.
MANY_NODES = 500
# A page of a recorded run reads its tables again, while those of the run are still there: measured with
# four runs, 1.0 to 1.9 times the tables alone, by what the allocator has kept.
PAGE = 1.75


class Kept(NamedTuple):
    """Memory of a run besides its document: ``series`` and ``record`` as for ``run``, and then a page."""

    series: bool = False
    record: bool = False
    page: bool = False

    def memory(self, world: Scenario, seed: int) -> int:
        """Return the estimated memory of a run's tables at their peak, bytes."""
        if not (self.series or self.record):
            return 0
        return int(world.memory_of_tables(seed, self.series, self.record) * (PAGE if self.page else 1))


NOTHING = Kept()


def check_memory(worlds: Iterable[Scenario], seed: int, at_once: int = 1, kept: Kept = NOTHING) -> None:
    """Raise ``RunError`` if ``at_once`` runs of a scenario need more memory than is free."""
    for world in worlds:
        state = world.memory(seed) if world.nodes >= MANY_NODES else 0
        needed, free = state + kept.memory(world, seed), available()
        if free is None or needed * at_once <= free:
            continue
        together = f", and {at_once} run at a time" if at_once > 1 else ""
        jobs = f"run fewer at a time (--jobs {max(1, free // needed)}), " if needed <= free else ""
        raise RunError(
            f"{world.name}: a run with {world.nodes} nodes needs about {_size(needed)} of memory{together}; "
            f"{_size(free)} are free: {jobs}{_remedy(state, needed - state, kept)}"
        )


def _remedy(state: int, tables: int, kept: Kept) -> str:
    if state >= tables:
        return "take fewer nodes, or place them so that fewer hear each other"
    what = "its record (--record)" if kept.record else "its time series (--out)"
    return f"shorten the run (--set duration=...), or do without {what}, which takes {_size(tables)}"


def available() -> int | None:
    """Return the memory that this process can still get, bytes: of the system, its cgroup, and its limits."""
    found = [size for size in (_of_system(), _of_cgroup(), _of_limit()) if size is not None]
    return min(found) if found else None


def _of_system() -> int | None:
    for line in _lines("/proc/meminfo"):
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return None


def _of_cgroup() -> int | None:
    groups = [line.partition("::")[2] for line in _lines("/proc/self/cgroup") if line.startswith("0::")]
    for group in groups:
        place = Path("/sys/fs/cgroup") / group.lstrip("/")
        most, used = _lines(str(place / "memory.max")), _lines(str(place / "memory.current"))
        if most and used and most[0].isdigit():
            # Files that the system keeps in memory make room when it is needed.
            kept = [
                line.split()[1]
                for line in _lines(str(place / "memory.stat"))
                if line.startswith("inactive_file ")
            ]
            return max(0, int(most[0]) - int(used[0]) + sum(map(int, kept)))
    return None


def _of_limit() -> int | None:
    """Return the rest of a limit of address space (``ulimit -v``)."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _lines("/proc/self/statm")
    if soft == resource.RLIM_INFINITY or not pages:
        return None
    return max(0, soft - int(pages[0].split()[0]) * resource.getpagesize())


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
