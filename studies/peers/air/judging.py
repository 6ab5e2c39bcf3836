"""Medians of two simulators beside a bound."""

from __future__ import annotations

import random
import statistics
from typing import TYPE_CHECKING

from studies.peers.verdicts import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.peers.verdicts import Section

STUCK = 0.1
"""A TCP run below this share of what datagrams carry is stuck."""
RESAMPLES = 2000


def apart(ours: float, theirs: float) -> float | None:
    """Return the relative difference; ``None`` without theirs."""
    return ours / theirs - 1 if theirs else None


def moving(values: Sequence[float], most: float) -> tuple[list[float], int]:
    """Return the runs that move, and the number of those that are stuck; ``most``: of datagrams."""
    found = [value for value in values if value >= STUCK * most]
    return found, len(values) - len(found)


def difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the difference of the medians, the same each time."""
    draw = random.Random(1)
    found = sorted(
        statistics.median(draw.choices(ours, k=len(ours)))
        - statistics.median(draw.choices(theirs, k=len(theirs)))
        for _ in range(RESAMPLES)
    )
    return found[round(0.025 * RESAMPLES)], found[round(0.975 * RESAMPLES) - 1]


def cells(
    section: Section,
    where: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    share: float,
    what: str = "goodput",
) -> list[str]:
    """Return the cells of their median, ours, the difference and the verdict; judge the medians."""
    mine = f"{statistics.median(ours):.3f}"
    if not theirs:
        return ["–", mine, "–", "not judged"]
    middle = statistics.median(theirs)
    off = apart(statistics.median(ours), middle)
    verdict = section.judge(where, {what: off is not None and abs(off) <= share})
    return [f"{middle:.3f}", mine, percent(off, 2), verdict]
