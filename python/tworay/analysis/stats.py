"""Statistics of simulation results: intervals, paired and unpaired tests, corrections, effect sizes.

All functions take plain sequences of numbers and return plain floats. Undefined results (such as an
interval from one value) are ``None``, never NaN, so that results are valid JSON.

Runs with the same seed have the same movement and random draws (common random numbers), so variants are
compared seed by seed: the paired t test and the Wilcoxon signed-rank test are the sensitive ones. Welch's
test, which ignores the pairing, is provided for comparison with published work.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

# Without scipy.stats, which takes longer to import than most comparisons to compute.
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXACT_WILCOXON_MAX_N = 25
# With fewer pairs, a violation of the t test's assumption (normal differences) cannot be detected.
FEWEST_PAIRS = 5
# Level of significance.
SIGNIFICANT = 0.05
# Standard deviations below this fraction of the mean are rounding errors.
NO_SPREAD = 1e-9


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the distance between the ends: the ± of a symmetric interval."""
        return (self.high - self.low) / 2


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; ``None`` without values. Summed exactly, so the order of the values has no effect."""
    return math.fsum(values) / len(values) if len(values) else None


def std(values: Sequence[float]) -> float | None:
    """Sample standard deviation (n - 1); ``None`` below two values."""
    n = len(values)
    if n < 2:
        return None
    centre = math.fsum(values) / n
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (n - 1))


def t_interval(values: Sequence[float], level: float = 0.95) -> Interval | None:
    """Student's t interval of the mean; ``None`` below two values."""
    centre, spread = mean(values), std(values)
    if centre is None or spread is None:
        return None
    n = len(values)
    half = t_quantile((1 + level) / 2, n - 1) * spread / math.sqrt(n)
    return Interval(centre - half, centre + half)


def describe(values: Sequence[float]) -> dict[str, Any]:
    """Mean, standard deviation, 90 and 95 % t intervals and number of values, as in the documents."""
    ends = {level: t_interval(values, level) for level in (0.90, 0.95)}
    return {
        "mean": mean(values),
        "std": std(values),
        "ci90": None if ends[0.90] is None else list(ends[0.90]),
        "ci95": None if ends[0.95] is None else list(ends[0.95]),
        "n": len(values),
    }


@cache
def t_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t, cached because a comparison needs the same ones thousands of times."""
    return float(special.stdtrit(freedom, probability))


def bootstrap_interval(
    values: Sequence[float], level: float = 0.95, *, resamples: int = 9999, seed: int = 1
) -> Interval | None:
    """Bias-corrected and accelerated (BCa) bootstrap interval of the mean; ``None`` below two values.

    For skewed metrics such as timeouts or completion times, where the t interval is inaccurate.
    Deterministic: the resampling has its own seed.
    """
    if len(values) < 2:
        return None
    if len(set(values)) == 1:
        return Interval(values[0], values[0])
    from scipy.stats import bootstrap

    result = bootstrap(
        (np.asarray(values, dtype=float),),
        np.mean,
        confidence_level=level,
        n_resamples=resamples,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(result.low), float(result.high))


def differences(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Differences a - b, pair by pair."""
    if len(a) != len(b):
        raise ValueError(f"paired statistics need equally many values, found {len(a)} and {len(b)}")
    return [x - y for x, y in zip(a, b, strict=True)]


def paired_t_p(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Two-sided p of the paired t test; ``None`` below two pairs, or if all differences are equal."""
    d = differences(a, b)
    centre, spread = mean(d), std(d)
    if centre is None or spread is None:
        return None
    if spread <= NO_SPREAD * abs(centre):
        return _p_without_spread(centre)
    return _two_sided(abs(centre) / (spread / math.sqrt(len(d))), len(d) - 1)


def _two_sided(t: float, freedom: float) -> float:
    """Probability that Student's t is farther from 0 than ``t``."""
    return float(2 * special.stdtr(freedom, -t))


def welch_p(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Two-sided p of Welch's t test (unpaired, unequal variances).

    ``None`` with fewer than two values on a side, or if neither side varies but the two differ.
    """
    if len(a) < 2 or len(b) < 2:
        return None
    spread_a, spread_b = std(a) or 0.0, std(b) or 0.0
    difference = math.fsum(a) / len(a) - math.fsum(b) / len(b)
    # Squared standard errors of the two means.
    error_a, error_b = spread_a**2 / len(a), spread_b**2 / len(b)
    if math.sqrt(error_a + error_b) <= NO_SPREAD * abs(difference):
        return _p_without_spread(difference)
    # Welch-Satterthwaite degrees of freedom.
    freedom = (error_a + error_b) ** 2 / (error_a**2 / (len(a) - 1) + error_b**2 / (len(b) - 1))
    return _two_sided(abs(difference) / math.sqrt(error_a + error_b), freedom)


def _p_without_spread(difference: float) -> float | None:
    """Without variation t is 0/0 or infinite, which is no evidence; only an exact test is meaningful."""
    return 1.0 if difference == 0 else None


def paired_p(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Two-sided p used to judge pairs; ``None`` with too few pairs.

    The paired t test from five pairs on. If it is undefined because all differences are equal, the exact
    signed-rank test, which needs six pairs to fall below 5 %: n pairs cannot give less than 2 / 2^n.
    """
    n = len(a)
    if n < FEWEST_PAIRS:
        return None
    p = paired_t_p(a, b)
    if p is not None:
        return p
    exact = wilcoxon_p(a, b)
    return None if 2 / 2**n > SIGNIFICANT else exact


def wilcoxon_p(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Two-sided p of the Wilcoxon signed-rank test; ``None`` without pairs.

    Pairs with equal values are left out (Wilcoxon's treatment); equal absolute differences share their
    mean rank. Up to 25 pairs the distribution is exact, including ties; above, it is normal with the tie
    correction.
    """
    all_differences = differences(a, b)
    if not all_differences:
        return None
    d = [x for x in all_differences if x != 0]
    if not d:
        return 1.0
    # Doubled ranks are whole numbers even where ties share a rank of n + 1/2.
    doubled = _doubled_ranks([abs(x) for x in d])
    positive = sum(rank for rank, x in zip(doubled, d, strict=True) if x > 0)
    if len(d) <= EXACT_WILCOXON_MAX_N:
        return _signed_rank_exact_p(doubled, positive)
    total = sum(doubled)
    # Under the null hypothesis each rank counts with probability one half.
    sigma = math.sqrt(sum(rank * rank for rank in doubled)) / 2
    return float(min(1.0, 2 * special.ndtr(-abs(positive - total / 2) / sigma)))


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Return twice the rank of each value, from 2 up; equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [bisect_left(ordered, value) + bisect_right(ordered, value) + 1 for value in values]


def _signed_rank_exact_p(ranks: list[int], statistic: int) -> float:
    """Two-sided p over all 2^n combinations of signs, counted by sum."""
    total = sum(ranks)
    # At most 2^25 combinations, which fit into 64 bits.
    ways = np.zeros(total + 1, dtype=np.int64)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    tail = min(int(ways[: statistic + 1].sum()), int(ways[statistic:].sum()))
    return min(1.0, 2 * tail / 2.0 ** len(ranks))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction; ``None`` stays ``None`` and does not count as a test."""
    tested = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, index) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - step)))
        adjusted[index] = highest
    return adjusted


def cohens_d(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Difference of means in pooled standard deviations (Cohen's d); ``None`` without variation."""
    spread_a, spread_b = std(a), std(b)
    if spread_a is None or spread_b is None:
        return None
    pooled = math.sqrt(((len(a) - 1) * spread_a**2 + (len(b) - 1) * spread_b**2) / (len(a) + len(b) - 2))
    return (math.fsum(a) / len(a) - math.fsum(b) / len(b)) / pooled if pooled else None


def hedges_g(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Cohen's d corrected for small samples (Hedges)."""
    d = cohens_d(a, b)
    return None if d is None else d * (1 - 3 / (4 * (len(a) + len(b)) - 9))


def cohens_dz(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Mean difference of the pairs in standard deviations of the differences (Cohen's d_z)."""
    d = differences(a, b)
    centre, spread = mean(d), std(d)
    return centre / spread if centre is not None and spread else None


def mser_warmup(series: Sequence[float], batch: int = 5) -> int:
    """Return how many values to remove from the start so that the rest is steady (White's MSER-5, 1997).

    The series is averaged in batches of ``batch`` values. Among cuts in the first half, the result is the
    one that minimises the standard error of the mean of the rest. A multiple of ``batch``; 0 for short
    series.
    """
    means = [math.fsum(series[i : i + batch]) / batch for i in range(0, len(series) - batch + 1, batch)]
    best, least = 0, math.inf
    for cut in range(len(means) // 2 + 1):
        rest = means[cut:]
        if len(rest) < 2:
            break
        centre = math.fsum(rest) / len(rest)
        error = math.fsum((value - centre) ** 2 for value in rest) / len(rest) ** 2
        if error < least:
            best, least = cut, error
    return best * batch


def relative_half_width(values: Sequence[float], level: float = 0.95) -> float | None:
    """Half the width of the t interval, relative to the mean; ``None`` if undefined or around zero."""
    interval, centre = t_interval(values, level), mean(values)
    return interval.half_width / abs(centre) if interval and centre else None


def seeds_needed(
    values: Sequence[float], relative: float, level: float = 0.95, *, limit: int = 1_000_000
) -> int | None:
    """Return the number of seeds for a t interval of at most ± ``relative`` × mean, by the values so far.

    ``None`` if this cannot be estimated: fewer than two values, a mean of zero, or more than ``limit``
    seeds.
    """
    centre, spread = mean(values), std(values)
    if not centre or spread is None:
        return None
    if spread == 0:
        return 2

    def wide(n: int) -> bool:
        half = t_quantile((1 + level) / 2, n - 1) * spread / math.sqrt(n)
        return bool(half > relative * abs(centre))

    return _first(wide, limit)


def seeds_to_show(
    differences: Sequence[float],
    difference: float,
    *,
    level: float = SIGNIFICANT,
    power: float = 0.8,
    limit: int = 1_000_000,
) -> int | None:
    """Return the number of pairs for detecting a true ``difference`` with probability ``power``.

    Estimated from the spread of the ``differences`` so far; ``level`` is the probability of a false
    detection. ``None`` if this cannot be estimated: fewer than two differences, or more than ``limit``
    pairs.
    """
    return seeds_to_show_by_spread(std(differences), difference, level=level, power=power, limit=limit)


def seeds_to_show_by_spread(
    spread: float | None,
    difference: float,
    *,
    level: float = SIGNIFICANT,
    power: float = 0.8,
    limit: int = 1_000_000,
) -> int | None:
    """As ``seeds_to_show``, from the standard deviation of the differences."""
    if spread is None or difference == 0:
        return None
    if spread <= NO_SPREAD * abs(difference):
        return fewest_pairs_without_spread(level)

    def weak(n: int) -> bool:
        critical = t_quantile(1 - level / 2, n - 1)
        shift = abs(difference) / spread * math.sqrt(n)
        # The probability in the far tail is negligible.
        return bool(1 - special.nctdtr(n - 1, shift, critical) < power)

    found = _first(weak, limit)
    return None if found is None else max(found, FEWEST_PAIRS)


def fewest_pairs_without_spread(level: float = SIGNIFICANT) -> int:
    """Return the pairs from which equal differences are significant: n pairs have an exact p of 2 / 2^n."""
    return max(FEWEST_PAIRS, math.floor(1 - math.log2(level)) + 1)


def _first(short: Callable[[int], bool], limit: int) -> int | None:
    """Return the first number from two on for which ``short`` is false; ``None`` above ``limit``."""
    low, high = 1, 2
    while short(high):
        if high >= limit:
            return None
        low, high = high, min(2 * high, limit)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return high
