"""Compares the conclusions of two tests: Welch's t test and Wilcoxon's signed-rank test."""

from __future__ import annotations

import itertools
import statistics
from typing import TYPE_CHECKING

from tworay.analysis import stats
from tworay.papers.rule import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def same_conclusion(a: Mapping[int, float], b: Mapping[int, float], level: float) -> bool | None:
    """Return whether both tests say the same of two arms: a is larger, b is larger, or neither.

    Welch's t test compares the arms' means, the signed-rank test the arms seed by seed. ``level`` is the
    level of confidence, 0 to 1. ``None`` if there is no test, as with fewer than two common seeds.
    """
    seeds = sorted(a.keys() & b.keys())
    one, other = [a[seed] for seed in seeds], [b[seed] for seed in seeds]
    welch, ranks = stats.welch_p(one, other), stats.wilcoxon_p(one, other)
    if welch is None or ranks is None:
        return None
    found = [p < 1 - level for p in (welch, ranks)]
    apart = stats.differences(one, other)
    opposite = all(found) and statistics.fmean(apart) * statistics.median(apart) < 0
    return found[0] == found[1] and not opposite


def conclusions(arms: Iterable[Mapping[int, float]], level: float) -> list[bool]:
    """Return for each pair of arms whether both tests say the same of it, if there are tests of it."""
    pairs = itertools.combinations(arms, 2)
    return [same for a, b in pairs if (same := same_conclusion(a, b, level)) is not None]


def share_interval(same: Sequence[bool]) -> tuple[float, float, float]:
    """Return the share that is true and its 95 % interval (Wilson), in percent. ``same`` is not empty."""
    from scipy.stats import binomtest

    true = sum(same)
    interval = binomtest(true, len(same)).proportion_ci(LEVEL, method="wilson")
    return 100 * true / len(same), 100 * float(interval.low), 100 * float(interval.high)
