"""Paired differences of two arms over the same seeds, and whether they are within a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tworay.analysis import stats

if TYPE_CHECKING:
    from collections.abc import Mapping

BOUND = 0.05
"""Relative difference up to which two arms count as equal."""


class Difference(NamedTuple):
    """Two arms over the seeds that both have: means, difference of the means, its 95 % interval."""

    seeds: int
    ours: float
    theirs: float
    difference: float
    low: float | None
    high: float | None

    @property
    def relative(self) -> tuple[float, float | None, float | None]:
        """The difference and its interval as shares of ``ours``."""
        low, high = ((one / self.ours if one is not None else None) for one in (self.low, self.high))
        return self.difference / self.ours, low, high

    def verdict(self, bound: float) -> str:
        """Return ``within``, ``differs`` or ``undecided``: the interval beside ± ``bound`` (absolute)."""
        if self.low is None or self.high is None:
            return "undecided"
        if -bound <= self.low and self.high <= bound:
            return "within"
        return "differs" if self.low > bound or self.high < -bound else "undecided"


def difference(theirs: Mapping[int, float | None], ours: Mapping[int, float | None]) -> Difference | None:
    """Compare ``theirs`` with ``ours`` seed by seed; ``None`` without a seed that both have."""
    pairs = [(a, b) for seed, a in theirs.items() if a is not None and (b := ours.get(seed)) is not None]
    if not pairs:
        return None
    found = stats.describe([a - b for a, b in pairs])
    low, high = found["ci95"] or (None, None)
    means = [sum(values) / len(pairs) for values in zip(*pairs, strict=True)]
    return Difference(len(pairs), means[1], means[0], found["mean"], low, high)
