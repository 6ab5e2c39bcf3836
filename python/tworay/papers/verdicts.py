"""Measured cells and the judgement of a claim in words; the rule itself is in `tworay.papers.rule`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tworay.papers.rule import (
    Across,
    Claimed,
    Sense,
    Verdict,
    detectable,
    equivalent,
    least_cells,
    on_claimed_side,
    over_cells,
    verdict_of,
    widened,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# Percent: rounding of the arithmetic leaves less.
NOISE = 1e-9

RULE = (
    "Each cell of a claim has an estimate m and a 95 % interval [l, u]: for a claimed difference, the "
    "paired difference over common seeds in percent of the second mean (t interval); for a claimed value, "
    'the value itself. δ is the margin of relevance, 5 % unless the source gives another. "More" *holds* '
    "if l > 0 and m ≥ δ, *holds in direction* if l > 0 and m < δ, *does not hold* if l ≤ 0 and u < δ, and "
    'is *inconclusive* otherwise; "less" is the same with the sign reversed. "Equal" *holds* if −δ < l '
    "and u < δ, *does not hold* if l > δ or u < −δ, and is *inconclusive* otherwise. A figure or a range "
    "is a band. It *holds* if [l, u] lies within the band, widened by the error with which its ends are "
    "known, and *does not hold* if they are disjoint (*in direction* if the interval of a difference lies "
    "on that side of zero on which the printed figure or the whole range lies); otherwise it is "
    "*inconclusive*. A printed figure allows ±5 % of itself, or half a unit of its last digit if that is "
    "more; a printed difference of p % allows p ± δ points (± 5 % of p above 100 %). A range that the "
    "source states in whole percent has an error of half a point. Beside an inconclusive verdict is the "
    "true difference that these seeds would have found with probability 0.8; *equivalent within δ* beside "
    "a verdict says that [l, u] lies within ±δ. A claim about several cells is one about every cell; the "
    "page gives the number of cells in which it holds. It holds if it does in each cell, without a "
    "correction. One cell refutes it, so that cell's interval then has level 1 − 0.05/k for k cells "
    "(Bonferroni, which for the first of several tests is the same as Holm); otherwise it is "
    'inconclusive. Said "in general", it is a claim about more than half of the cells; said of some cell, '
    "one is enough. Both are treated alike: r of k cells count with intervals of level 1 − 0.05/(k − r + "
    "1). A claim about several cells *holds in direction* if the cells that count hold or do so in "
    "direction, or if cells refute a band while all that count lie on the claimed side of zero; a cell "
    'that holds in direction by itself, without a correction, refutes nothing. "At least" and "at most" '
    'are bands with one end; "no less" and "no more" are such bands that end at −δ and δ. Cells without '
    "an interval, because too little arrived, are left out and counted beside the verdict."
)


@dataclass(frozen=True)
class Measured:
    """The result in a cell: labels, estimate, ends of the 95 % interval (percent or unit), and seeds."""

    labels: tuple[str, ...]
    estimate: float | None
    low: float | None
    high: float | None
    seeds: int


@dataclass(frozen=True)
class Cell:
    """A cell of a claim: its result, what is claimed of it, and the verdict."""

    measured: Measured
    claimed: Claimed
    verdict: Verdict

    @property
    def place(self) -> str:
        """The labels in words."""
        return " ".join(self.measured.labels)

    def among(self, cells: int) -> Verdict:
        """Return the verdict from an interval that holds for this many cells together."""
        estimate, ends = self.measured.estimate, self._ends(cells)
        if estimate is None or ends is None or self.claimed.median or cells < 2:
            return self.verdict
        return verdict_of(estimate, *ends, self.claimed)

    def sided(self, cells: int) -> bool:
        """Return whether an interval that holds for this many cells together lies on the claimed side."""
        ends = self._ends(cells)
        return ends is not None and on_claimed_side(*ends, self.claimed)

    def _ends(self, cells: int) -> tuple[float, float] | None:
        one = self.measured
        if one.low is None or one.high is None or one.estimate is None:
            return None
        if self.claimed.median:
            return one.low, one.high
        return widened(one.estimate, one.low, one.high, one.seeds, cells)

    @property
    def equivalent(self) -> bool:
        """True if a difference is shown to be below the margin."""
        low, high = self.measured.low, self.measured.high
        if self.claimed.value or low is None or high is None:
            return False
        return equivalent(low, high, self.claimed.margin)

    @property
    def detectable(self) -> float | None:
        """The true difference that its seeds would have found with probability 0.8.

        None for a median, and where more seeds would not find less.
        """
        low, high = self.measured.low, self.measured.high
        if self.claimed.median or self.claimed.measured or low is None or high is None:
            return None
        return detectable(low, high, self.measured.seeds)


@dataclass(frozen=True)
class Judgement:
    """The judgement of a claim."""

    verdict: Verdict
    cells: tuple[Cell, ...] = field(default=())
    reason: str = ""
    unit: str = "%"
    across: Across = Across.EVERY

    @property
    def seeds(self) -> int:
        """The smallest number of seeds of a cell."""
        return min((cell.measured.seeds for cell in self.cells), default=0)

    @property
    def tested(self) -> list[Cell]:
        """The cells with a verdict."""
        return [cell for cell in self.cells if cell.verdict != Verdict.UNTESTED]

    @property
    def ours(self) -> str:
        """The result in words: of the only cell, or the range over the cells and the number that hold."""
        known = [cell for cell in self.cells if cell.measured.estimate is not None]
        if not known:
            return ""
        if len(known) == 1:
            one = known[0].measured
            return ", ".join(
                [f"{number(one.estimate, self.unit)} ({interval(one, self.unit)})", *self.beside]
            )
        values = [cell.measured.estimate for cell in known if cell.measured.estimate is not None]
        ends = f"{number(min(values), self.unit)} to {number(max(values), self.unit)}"
        return "; ".join([ends, *([self.share] if self.tested else []), *self.beside])

    @property
    def span(self) -> str:
        """The range of the estimates, and in parentheses the outermost ends of the intervals."""
        known = [cell.measured for cell in self.cells if cell.measured.estimate is not None]
        values = [one.estimate for one in known if one.estimate is not None]
        if not values:
            return self.reason
        lows = [one.low for one in known if one.low is not None]
        highs = [one.high for one in known if one.high is not None]
        said = (
            between(min(values), max(values), self.unit) if len(values) > 1 else number(values[0], self.unit)
        )
        if not lows or not highs:
            return f"{said} (no interval)"
        return f"{said} ({between(min(lows), max(highs), self.unit).removesuffix(' %')})"

    @property
    def share(self) -> str:
        """The number of cells by verdict, in words."""
        tested = self.tested
        good = sum(cell.verdict is Verdict.HOLDS for cell in tested)
        parts = [f"holds in {good} of {len(tested)} cells"]
        for verdict, said in (
            (Verdict.DIRECTION, "in direction in"),
            (Verdict.INCONCLUSIVE, "inconclusive in"),
            (Verdict.FAILS, "does not in"),
        ):
            count = sum(cell.verdict is verdict for cell in tested)
            parts += [f"{said} {count}"] if count else []
        return ", ".join(parts)

    @property
    def beside(self) -> list[str]:
        """Reasons beside the verdict: equivalence, and the difference that could have been found."""
        tested = self.tested
        found = []
        if tested and all(cell.equivalent for cell in tested):
            found.append(f"equivalent within {tested[0].claimed.margin:g} %")
        if self.verdict is Verdict.INCONCLUSIVE:
            known = [c.detectable for c in tested if c.verdict is Verdict.INCONCLUSIVE]
            sizes = [size for size in known if size is not None]
            if sizes:
                most = number(max(sizes), self.unit).removeprefix("+")
                found.append(f"these seeds would find {most}")
        return found


def number(value: float | None, unit: str) -> str:
    """Format a number; percentages have a sign, and one that rounds to zero keeps two digits."""
    if value is None:
        return "–"
    if unit == "%":
        value = 0.0 if abs(value) < NOISE else value
        if 0 < abs(value) < 0.05:
            return f"{value:+.2g} %"
        return f"{value:+.1f} %" if abs(value) < 100 else f"{value:+.0f} %"
    return f"{value:.4g}"


def between(low: float, high: float, unit: str) -> str:
    """Format a range, with its unit once."""
    return f"{number(low, unit).removesuffix(' %')} to {number(high, unit)}"


def interval(one: Measured, unit: str) -> str:
    """Format the interval of a cell."""
    if one.low is None or one.high is None:
        return "no interval"
    return f"{number(one.low, unit)} to {number(one.high, unit)}"


def together(cells: Sequence[Cell], across: Across, unit: str = "%") -> Judgement:
    """Combine the verdicts of cells."""
    if not cells:
        return Judgement(Verdict.UNTESTED, reason="no run has finished")
    tested = [cell for cell in cells if cell.verdict != Verdict.UNTESTED]
    if not tested:
        return Judgement(
            Verdict.UNTESTED, tuple(cells), "too few seeds, or nothing got through", unit, across
        )
    left = len(cells) - len(tested)
    reasons = [f"{left} of {len(cells)} cells had too few runs with a value"] if left else []
    verdict = over_cells(
        lambda k: [cell.among(k) for cell in tested], across, lambda k: [cell.sided(k) for cell in tested]
    )
    reasons += _beyond_counts(tested, verdict, least_cells(len(tested), across))
    return Judgement(verdict, tuple(cells), "; ".join(reasons), unit, across)


def _beyond_counts(tested: Sequence[Cell], verdict: Verdict, least: int) -> list[str]:
    """Return why the verdict over all cells is not the one that the numbers of cells by verdict suggest."""
    good = (Verdict.HOLDS, Verdict.DIRECTION)
    failed = sum(cell.verdict is Verdict.FAILS for cell in tested)
    supporting = sum(cell.verdict in good for cell in tested)
    together_for = len(tested) - least + 1
    if verdict is Verdict.DIRECTION and sum(cell.among(together_for) in good for cell in tested) < least:
        return ["cells refute the band, on the claimed side of zero"]
    if verdict in (Verdict.INCONCLUSIVE, Verdict.FAILS) and supporting >= least:
        return [f"too few cells support it with intervals for {together_for} cells together"]
    if verdict is Verdict.INCONCLUSIVE and failed >= together_for:
        return [f"too few cells refute it with intervals for {least} cells together"]
    return []


def explained(cell: Cell, unit: str) -> str:
    """Return in words how the cell's verdict follows from the rule."""
    one, claimed = cell.measured, cell.claimed
    where = f"{cell.place}: " if cell.place else ""
    if cell.verdict is Verdict.UNTESTED or one.low is None or one.high is None or one.estimate is None:
        return f"{where}{cell.verdict}: no interval from {one.seeds} seeds"
    found = f"m = {number(one.estimate, unit)}, [l, u] = [{number(one.low, unit)}, {number(one.high, unit)}]"
    said = f"{where}{cell.verdict}: claimed {claimed}; {found}, {one.seeds} seeds: {because(cell, unit)}"
    if cell.equivalent:
        said += f"; equivalent within {claimed.margin:g} %"
    if cell.verdict is Verdict.INCONCLUSIVE and cell.detectable is not None:
        said += f"; these seeds would find {number(cell.detectable, unit).removeprefix('+')}"
    return said


def because(cell: Cell, unit: str) -> str:
    """Return the part of the rule that gave the cell's verdict."""
    claimed, verdict = cell.claimed, cell.verdict
    margin = number(claimed.margin, "%").removeprefix("+")
    if claimed.sense is Sense.BAND:
        low, high = claimed.low - claimed.error, claimed.high + claimed.error
        ends = " to ".join("∞" if math.isinf(end) else number(end, unit) for end in (low, high))
        band = f"the band {ends}"
        return {
            Verdict.HOLDS: f"[l, u] lies within {band}",
            Verdict.DIRECTION: f"[l, u] is outside {band}, on the claimed side of zero",
            Verdict.FAILS: f"[l, u] is outside {band}",
            Verdict.INCONCLUSIVE: f"[l, u] overlaps {band} and extends beyond it",
        }[verdict]
    if claimed.sense is Sense.EQUAL:
        return {
            Verdict.HOLDS: f"[l, u] lies within ±{margin}",
            Verdict.FAILS: f"[l, u] lies beyond ±{margin}",
            Verdict.INCONCLUSIVE: f"[l, u] reaches beyond ±{margin}, and not only",
        }[verdict]
    side, least = ("above", f"m ≥ {margin}") if claimed.sense is Sense.MORE else ("below", f"m ≤ −{margin}")
    far = f"u < {margin}" if claimed.sense is Sense.MORE else f"l > −{margin}"
    return {
        Verdict.HOLDS: f"[l, u] lies {side} zero, and {least}",
        Verdict.DIRECTION: f"[l, u] lies {side} zero, but not {least}",
        Verdict.FAILS: f"[l, u] does not lie {side} zero, and {far}",
        Verdict.INCONCLUSIVE: f"[l, u] does not lie {side} zero, nor is {far}",
    }[verdict]
