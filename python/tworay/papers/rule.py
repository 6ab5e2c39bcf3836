"""The rule that judges a claim from intervals: pure functions of numbers, used by every page and output.

A claim is of one kind (`Sense`). An experiment gives for each cell an estimate m and its 95 % interval
[l, u]: for a difference in percent of the second mean, for a value in the unit of its metric. δ is the margin
of relevance, in percent. `verdict_of` judges one cell, `over_cells` a claim about several.

Equivalence by an interval within ±δ is that of Schuirmann (1987, two one-sided tests), here at 2.5 % a side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tworay.analysis.stats import t_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Margin of relevance, percent: a smaller difference is of no interest, unless the source says otherwise.
MARGIN = 5.0
# Level of the intervals, and probability with which a detectable difference is found.
LEVEL = 0.95
POWER = 0.8


class Verdict(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    DIRECTION = "holds in direction"
    FAILS = "does not hold"
    INCONCLUSIVE = "inconclusive"
    CONTRADICTED = "the source contradicts itself"
    UNTESTED = "not testable here"


class Sense(StrEnum):
    """The kind of a claim."""

    MORE = "more"
    LESS = "less"
    EQUAL = "equal"
    BAND = "band"
    """A difference or a value between two bounds, either of which may be infinite."""


class Across(StrEnum):
    """The cells of which a claim is made."""

    EVERY = "every"
    GENERAL = "general"
    """In general: in most cells."""
    SOME = "some"
    """In at least one cell."""

    @property
    def said(self) -> str:
        """The rule for the cells in words."""
        return {
            Across.EVERY: "claimed of every cell; one refutes it, with intervals widened for their number",
            Across.GENERAL: "claimed in general: of more than half of the cells",
            Across.SOME: "claimed of some cell; one is enough, with intervals widened for their number",
        }[self]


@dataclass(frozen=True)
class Claimed:
    """The claimed difference (percent) or value (unit of the metric).

    For `EQUAL`, ``low`` and ``high`` are −margin and margin; for `MORE` and `LESS` they are unused. ``error``
    is the error with which the bounds are known: half a unit of the last printed digit, or that of reading a
    plot. ``basis`` says where the bounds come from.
    """

    sense: Sense
    low: float = -math.inf
    high: float = math.inf
    error: float = 0.0
    margin: float = MARGIN
    value: bool = False
    """True if it is a value, whose zero has no meaning."""
    median: bool = False
    """True if it is a median, whose interval lies between order statistics and is no t interval."""
    basis: str = ""
    side: int = 0
    """The side of zero of a printed difference: 1, −1; 0 if the ends of the band tell."""
    measured: bool = False
    """True if the intervals have the errors of a measured factor, which more seeds do not reduce."""

    def __str__(self) -> str:
        """Return the claim's band as pages show it."""
        match self.sense:
            case Sense.MORE | Sense.LESS:
                return str(self.sense)
            case Sense.EQUAL:
                return f"equal within {self.margin:g}"
        sign = "" if self.value else "+"
        error = f" (± {self.error:g})" if self.error else ""
        low, high = (_four_digits(end, sign) for end in (self.low, self.high))
        if math.isinf(self.high):
            return f"at least {low}{error}"
        if math.isinf(self.low):
            return f"at most {high}{error}"
        return f"{low} to {high}{error}"


def _four_digits(end: float, sign: str) -> str:
    """Return the end of a band with as many digits as are of use."""
    return f"{end:{sign}.0f}" if 1000 <= abs(end) < math.inf else f"{end:{sign}.4g}"


def verdict_of(estimate: float, low: float, high: float, claimed: Claimed) -> Verdict:
    """Judge an estimate with its interval, low ≤ estimate ≤ high, by what is claimed."""
    match claimed.sense:
        case Sense.MORE:
            return _more(estimate, low, high, claimed.margin)
        case Sense.LESS:
            return _more(-estimate, -high, -low, claimed.margin)
        case Sense.EQUAL:
            return _equal(low, high, claimed.margin)
    return _band(low, high, claimed)


def _more(estimate: float, low: float, high: float, margin: float) -> Verdict:
    if low > 0:
        return Verdict.HOLDS if estimate >= margin else Verdict.DIRECTION
    # An interval below the margin shows that there is no difference worth the claim.
    return Verdict.FAILS if high < margin else Verdict.INCONCLUSIVE


def _equal(low: float, high: float, margin: float) -> Verdict:
    if equivalent(low, high, margin):
        return Verdict.HOLDS
    return Verdict.FAILS if low > margin or high < -margin else Verdict.INCONCLUSIVE


def _band(low: float, high: float, claimed: Claimed) -> Verdict:
    bottom, top = claimed.low - claimed.error, claimed.high + claimed.error
    if bottom <= low and high <= top:
        return Verdict.HOLDS
    if low <= top and high >= bottom:
        return Verdict.INCONCLUSIVE
    return Verdict.DIRECTION if on_claimed_side(low, high, claimed) else Verdict.FAILS


def on_claimed_side(low: float, high: float, claimed: Claimed) -> bool:
    """Return whether an interval of a difference lies on the claimed side of zero; values have none."""
    match claimed.sense:
        case Sense.MORE:
            return low > 0
        case Sense.LESS:
            return high < 0
        case Sense.EQUAL:
            return False
    if claimed.value:
        return False
    above = claimed.side > 0 or (not claimed.side and claimed.low >= 0)
    below = claimed.side < 0 or (not claimed.side and claimed.high <= 0)
    return (above and low > 0) or (below and high < 0)


def equivalent(low: float, high: float, margin: float = MARGIN) -> bool:
    """Return whether an interval of a difference shows that there is none beyond the margin."""
    return -margin < low and high < margin


def least_cells(n: int, across: Across) -> int:
    """Return of how many of n cells a claim has to hold."""
    return {Across.EVERY: n, Across.GENERAL: n // 2 + 1, Across.SOME: 1}[across]


def over_cells(
    at: Callable[[int], Sequence[Verdict]],
    across: Across,
    sided: Callable[[int], Sequence[bool]] | None = None,
) -> Verdict:
    """Judge a claim about several cells, of which there is at least one.

    ``at(k)`` returns the verdicts of all cells from intervals that hold together for k of them (`widened`),
    ``sided(k)`` which of these intervals lie on the claimed side.
    The claim holds if at least r of the n cells do, and does not if at least n − r + 1 do not. Any k of n
    cells are a partial conjunction (Benjamini and Heller 2008): with intervals for n − k + 1 cells it is
    found wrongly as seldom as in one cell. So a claim about every cell (r = n) needs no correction to hold,
    and intervals for all n cells before a single one refutes it; a claim about some cell has it the other
    way round. A band that cells refute while as many as the claim is about lie on the claimed side holds in
    direction. A cell that holds in direction by itself refutes nothing: widened, its interval may reach zero.
    """
    alone = at(1)
    n = len(alone)
    least = least_cells(n, across)
    verdicts = at(n - least + 1)
    holds, direction = verdicts.count(Verdict.HOLDS), verdicts.count(Verdict.DIRECTION)
    if holds >= least:
        return Verdict.HOLDS
    if holds + direction >= least:
        return Verdict.DIRECTION
    strict = list(at(least))
    both = zip(strict, alone, strict=True)
    failed = sum(one is Verdict.FAILS and own is not Verdict.DIRECTION for one, own in both)
    if failed >= n - least + 1:
        return Verdict.FAILS
    refuted = failed + strict.count(Verdict.DIRECTION) >= n - least + 1
    if refuted and sided is not None and sum(sided(n - least + 1)) >= least:
        return Verdict.DIRECTION
    return Verdict.INCONCLUSIVE


def widened(estimate: float, low: float, high: float, seeds: int, cells: int) -> tuple[float, float]:
    """Return the t interval of level 1 − 0.05 / cells (Bonferroni) from that of 95 %, of this many seeds."""
    if cells < 2 or seeds < 2:
        return low, high
    wanted = t_quantile(1 - (1 - LEVEL) / (2 * cells), seeds - 1)
    factor = wanted / t_quantile((1 + LEVEL) / 2, seeds - 1)
    return estimate - factor * (estimate - low), estimate + factor * (high - estimate)


def detectable(low: float, high: float, seeds: int) -> float | None:
    """Return the true difference that these seeds would find with probability 0.8, in the interval's unit.

    From the standard error in the t interval's half width: (t(0.975) + t(0.8)) times it, the usual
    approximation (Lachin 1981). ``None`` below two seeds.
    """
    if seeds < 2:
        return None
    found, power = t_quantile((1 + LEVEL) / 2, seeds - 1), t_quantile(POWER, seeds - 1)
    return (high - low) / 2 * (found + power) / found
