"""How a claim is judged: one rule for all numeric claims.

A claim is a band in percent (or in a metric's unit), and a sweep gives an interval. The verdict follows from
their positions relative to each other and to zero. Every page has the rule in words, ``RULE``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

RULE = (
    'A claimed difference is a band in percent: "more" is everything above zero, "5 to 9 % more" is +5 '
    "to +9 %. It is compared with the paired difference over common seeds, in percent of the second mean, "
    "with its 95 % t interval. For a claim about k cells, each interval has level 1 − 0.05/k, and the "
    "verdict is the worst of all cells. The claim *holds* if the interval lies on the claimed side of zero "
    "and overlaps the band; it *holds in direction* if it lies on the claimed side but outside the band; "
    "*no difference found* if it contains zero; it *does not hold* if it lies on the other side. A claim "
    "that two values are equal is a band around zero (±5 % if the source gives none): it holds if the "
    "interval lies within the band, or overlaps it without containing zero; no difference was found if the "
    "interval contains zero and extends beyond the band; it does not hold if they do not overlap. A "
    "claimed value is a band too, a printed figure ±5 %: it holds if the interval of the measured value "
    "overlaps it."
)
LEVEL = 0.95
# Half widths of "alike" (percent) and of a printed figure (share), if the source gives no band.
ALIKE = 5.0
PRINTED = 0.05


class Verdict(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    DIRECTION = "holds in direction"
    NO_DIFFERENCE = "no difference found"
    FAILS = "does not hold"
    CONTRADICTED = "contradicted by its source"
    UNTESTED = "cannot be tested"


# From best to worst.
ORDER = (Verdict.HOLDS, Verdict.DIRECTION, Verdict.NO_DIFFERENCE, Verdict.FAILS, Verdict.UNTESTED)


@dataclass(frozen=True)
class Band:
    """The values that a claim allows, from ``low`` to ``high``; either may be infinite."""

    low: float
    high: float

    @property
    def around_zero(self) -> bool:
        """Whether the claim is equality."""
        return self.low < 0 < self.high

    def overlaps(self, low: float, high: float) -> bool:
        """Return whether an interval overlaps the band."""
        return low <= self.high and high >= self.low

    def __str__(self) -> str:
        """Return the band as pages show it."""
        if math.isinf(self.high):
            return f"above {self.low:+g}" if self.low else "more"
        if math.isinf(self.low):
            return f"below {self.high:+g}" if self.high else "less"
        return f"{self.low:+g} to {self.high:+g}"


MORE = Band(0.0, math.inf)
LESS = Band(-math.inf, 0.0)


def judge(low: float | None, high: float | None, band: Band, *, value: bool = False) -> Verdict:
    """Judge an interval by a band. With ``value`` it is that of a metric itself, and zero has no meaning."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return Verdict.UNTESTED
    overlap = band.overlaps(low, high)
    if value:
        return Verdict.HOLDS if overlap else Verdict.FAILS
    with_zero = low <= 0 <= high
    if band.around_zero:
        if not overlap:
            return Verdict.FAILS
        within = band.low <= low and high <= band.high
        return Verdict.HOLDS if within or not with_zero else Verdict.NO_DIFFERENCE
    if with_zero:
        return Verdict.NO_DIFFERENCE
    claimed_up = band.high > 0
    if (low > 0) != claimed_up:
        return Verdict.FAILS
    return Verdict.HOLDS if overlap else Verdict.DIRECTION


@dataclass(frozen=True)
class Cell:
    """A cell of a claim: its labels, its result and its verdict."""

    place: str
    estimate: float | None
    low: float | None
    high: float | None
    seeds: int
    band: Band
    verdict: Verdict


@dataclass(frozen=True)
class Judgement:
    """The judgement of a claim."""

    verdict: Verdict
    cells: tuple[Cell, ...] = field(default=())
    reason: str = ""
    unit: str = "%"

    @property
    def seeds(self) -> int:
        """The smallest number of seeds of a cell."""
        return min((cell.seeds for cell in self.cells), default=0)

    @property
    def ours(self) -> str:
        """The result in words: of the only cell, or the range over the cells."""
        known = [c for c in self.cells if c.estimate is not None]
        if not known:
            return ""
        if len(known) == 1:
            return f"{number(known[0].estimate, self.unit)} ({interval(known[0], self.unit)})"
        values = [c.estimate for c in known if c.estimate is not None]
        known = [c for c in known if c.verdict != Verdict.UNTESTED]
        good = sum(c.verdict == Verdict.HOLDS for c in known)
        ends = f"{number(min(values), self.unit)} to {number(max(values), self.unit)}"
        return f"{ends}; {good} of {len(known)} cells" if known else ends


def number(value: float | None, unit: str) -> str:
    """Format a number; percentages have a sign."""
    if value is None:
        return "–"
    if unit == "%":
        return f"{value:+.1f} %" if abs(value) < 100 else f"{value:+.0f} %"
    return f"{value:.4g}"


def interval(cell: Cell, unit: str) -> str:
    """Format the interval of a cell."""
    if cell.low is None or cell.high is None:
        return "no interval"
    return f"{number(cell.low, unit)} to {number(cell.high, unit)}"


def together(cells: Sequence[Cell], unit: str = "%") -> Judgement:
    """Combine the verdicts of cells: the worst of them."""
    if not cells:
        return Judgement(Verdict.UNTESTED, reason="no run has finished")
    tested = [cell for cell in cells if cell.verdict != Verdict.UNTESTED]
    if not tested:
        return Judgement(Verdict.UNTESTED, tuple(cells), "too few seeds, or nothing got through", unit)
    worst = max((cell.verdict for cell in tested), key=ORDER.index)
    left = len(cells) - len(tested)
    reason = f"{left} of {len(cells)} cells had too few runs with a value" if left else ""
    return Judgement(worst, tuple(cells), reason, unit)


def level(cells: int) -> float:
    """Return the level of each interval for a claim about this many cells (Bonferroni)."""
    return 1 - (1 - LEVEL) / max(1, cells)
