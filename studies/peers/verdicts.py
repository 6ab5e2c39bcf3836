"""Compares numbers with bounds: samples, verdicts, Markdown tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from tworay.analysis.stats import Interval, mean, std, t_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MINUS = "−"


class Judging(Enum):
    """The rule by which a bound counts as missed."""

    MEANS = "means"
    """The means differ by more than the bound: for enough seeds that the means are precise."""
    INTERVALS = "intervals"
    """The 95 % interval of the difference of the means lies outside the bound: for few seeds, whose means
    may miss a bound by chance."""


class Sample:
    """A number for each of several seeds."""

    def __init__(self, values: Iterable[float]) -> None:
        self.values = list(values)
        self.n = len(self.values)
        self.mean = mean(self.values) or 0.0
        self.sd = std(self.values) or 0.0

    @property
    def interval(self) -> Interval | None:
        """Student's 95 % interval of the mean."""
        return t_interval(self.values)

    def show(self, decimals: int = 0) -> str:
        """Format mean and standard deviation over the seeds."""
        text = f"{self.mean:.{decimals}f}"
        return f"{text} ± {self.sd:.{decimals}f}" if self.n > 1 else text


def deviation(ours: Sample, theirs: Sample) -> float | None:
    """Return the relative difference of the means, or ``None`` if theirs is zero."""
    return ours.mean / theirs.mean - 1 if theirs.mean else None


def within(ours: Sample, theirs: Sample, share: float, judging: Judging = Judging.MEANS) -> bool:
    """Return whether the means agree within a share of theirs."""
    return _apart(ours, theirs, judging) <= share * theirs.mean


def within_share_or_spread(
    ours: Sample, theirs: Sample, share: float, judging: Judging = Judging.MEANS
) -> bool:
    """Return whether the means agree within a share, or within one standard deviation, of theirs."""
    return _apart(ours, theirs, judging) <= max(share * theirs.mean, theirs.sd)


def _apart(ours: Sample, theirs: Sample, judging: Judging) -> float:
    """Return the distance of the means; of an interval, its end closer to zero."""
    apart = abs(ours.mean - theirs.mean)
    return max(0.0, apart - _half_width(ours, theirs)) if judging is Judging.INTERVALS else apart


def _half_width(ours: Sample, theirs: Sample) -> float:
    """Return half the 95 % interval of the difference of two means (Welch's t); infinite for single runs."""
    from scipy.stats import t

    if min(ours.n, theirs.n) < 2:
        return math.inf
    parts = [each.sd**2 / each.n for each in (ours, theirs)]
    if not sum(parts):
        return 0.0
    freedom = sum(parts) ** 2 / sum(
        part**2 / (each.n - 1) for part, each in zip(parts, (ours, theirs), strict=True)
    )
    return float(t.ppf(0.975, freedom)) * math.sqrt(sum(parts))


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Spearman's rank correlation of two lists of equal length; ties share their mean rank."""
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)


def percent(share: float | None, decimals: int = 1) -> str:
    """Format a signed percentage."""
    if share is None:
        return "–"
    text = f"{share * 100:+.{decimals}f} %"
    return text.replace("-", MINUS)


def seconds(value: float) -> str:
    """Format seconds with three significant digits."""
    return f"{value:.0f} s" if value >= 100 else f"{value:.3g} s"


@dataclass(frozen=True)
class Check:
    """One comparison with a bound."""

    what: str
    ok: bool


@dataclass
class Section:
    """A chapter of the document, and its comparisons with bounds."""

    title: str
    bound: str
    """The bound, in words."""
    simulators: tuple[str, ...] = ("ns-2", "ns-3")
    """The other simulators whose versions the page names."""
    checks: list[Check] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)

    def text(self, *paragraphs: str) -> None:
        """Append paragraphs."""
        for paragraph in paragraphs:
            self._lines += [paragraph, ""]

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Append a table; all columns but the first are aligned right."""
        body = list(rows)
        self._lines.append(_row(header))
        self._lines.append(_row([":--", *["--:"] * (len(header) - 1)]))
        self._lines += [_row(row) for row in body]
        self._lines.append("")

    def commands(self, *lines: str) -> None:
        """Append commands as a user would type them in the root of the checkout."""
        self._lines += ["```sh", *lines, "```", ""]

    def judge(self, where: str, verdicts: dict[str, bool]) -> str:
        """Add comparisons; return the cell with their verdict."""
        self.checks += [Check(f"{where}: {what}", ok) for what, ok in verdicts.items()]
        missed = [what for what, ok in verdicts.items() if not ok]
        return f"**off: {', '.join(missed)}**" if missed else "ok"

    @property
    def verdict(self) -> str:
        """The number of comparisons that hold."""
        held = sum(check.ok for check in self.checks)
        if not self.checks:
            return "not judged"
        return f"{'ok' if held == len(self.checks) else '**off**'}: {held} of {len(self.checks)}"

    def markdown(self) -> str:
        """Return the whole chapter."""
        return "\n".join([f"## {self.title}", "", self.body()])

    def body(self) -> str:
        """Return the chapter without its title."""
        return "\n".join(self._lines).rstrip() + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
