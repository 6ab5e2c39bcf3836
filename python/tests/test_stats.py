"""Every statistic against scipy's own answer, a textbook, or a sum done by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as sp

from tworay.analysis import stats

A = [12.1, 11.4, 13.0, 12.7, 11.9, 12.3, 13.3, 12.0]
B = [11.0, 11.6, 12.1, 11.8, 11.1, 12.4, 12.0, 11.2]


def test_mean_and_standard_deviation_by_hand() -> None:
    # 2 4 4 4 5 5 7 9: mean 5, squared deviations 9+1+1+1+0+0+4+16 = 32, over n - 1 = 7.
    values = [2, 4, 4, 4, 5, 5, 7, 9]
    assert stats.mean(values) == 5
    assert stats.std(values) == pytest.approx(math.sqrt(32 / 7))


def test_mean_does_not_depend_on_the_order() -> None:
    values = [1e16, 1.0, -1e16, 3.0]
    assert {stats.mean(order) for order in itertools.permutations(values)} == {1.0}


def test_one_value_has_a_mean_and_nothing_else() -> None:
    assert stats.mean([3.0]) == 3.0
    assert stats.std([3.0]) is None
    assert stats.t_interval([3.0]) is None
    assert stats.bootstrap_interval([3.0]) is None
    assert stats.paired_t_p([3.0], [2.0]) is None
    assert stats.welch_p([3.0], [2.0]) is None
    assert stats.cohens_d([3.0], [2.0]) is None
    assert stats.cohens_dz([3.0], [2.0]) is None
    assert stats.relative_half_width([3.0]) is None
    assert stats.seeds_needed([3.0], 0.05) is None


def test_nothing_has_no_statistic() -> None:
    assert stats.mean([]) is None
    assert stats.t_interval([]) is None
    assert stats.wilcoxon_p([], []) is None


@pytest.mark.parametrize("level", [0.90, 0.95, 0.99])
def test_t_interval_is_scipys(level: float) -> None:
    expected = sp.t.interval(level, len(A) - 1, loc=np.mean(A), scale=sp.sem(A))
    assert stats.t_interval(A, level) == pytest.approx(expected)


def test_t_interval_by_the_table() -> None:
    # t(0.975, 4 degrees of freedom) = 2.776 in every textbook; the standard error here is sqrt(2.5/5).
    interval = stats.t_interval([1, 2, 3, 4, 5])
    assert interval is not None
    assert interval.half_width == pytest.approx(2.776 * math.sqrt(0.5), rel=2e-4)


def test_bootstrap_interval_repeats_and_lies_near_the_t_interval() -> None:
    first, second = stats.bootstrap_interval(A), stats.bootstrap_interval(A)
    assert first == second
    t = stats.t_interval(A)
    assert first is not None
    assert t is not None
    # The t interval is wider by about t/z * sqrt(n/(n-1)) = 1.29 at n = 8.
    assert 0.6 < first.half_width / t.half_width < 1.0
    assert first.low < float(np.mean(A)) < first.high


@pytest.mark.parametrize("level", [0.90, 0.95])
def test_bootstrap_interval_is_scipys_bca(level: float) -> None:
    skewed = [0.0, 0.0, 1.0, 0.0, 2.0, 9.0, 1.0, 0.0, 3.0, 1.0]
    rng = np.random.default_rng(1)
    expected = sp.bootstrap(
        (skewed,), np.mean, confidence_level=level, n_resamples=9999, method="BCa", rng=rng
    ).confidence_interval
    found = stats.bootstrap_interval(skewed, level)
    assert found == pytest.approx((expected.low, expected.high))
    # Skewed to the right: the interval reaches further up than down, as a t interval cannot.
    assert found is not None
    assert found.high - np.mean(skewed) > np.mean(skewed) - found.low


def test_bootstrap_interval_of_equal_values_has_no_width() -> None:
    assert stats.bootstrap_interval([2.0, 2.0, 2.0]) == (2.0, 2.0)


def test_paired_t_is_scipys() -> None:
    assert stats.paired_t_p(A, B) == pytest.approx(sp.ttest_rel(A, B).pvalue)


def test_welch_is_scipys() -> None:
    assert stats.welch_p(A, B[:5]) == pytest.approx(sp.ttest_ind(A, B[:5], equal_var=False).pvalue)


@pytest.mark.parametrize(("shift", "p"), [(0.0, 1.0), (1.0, None)])
def test_values_that_never_vary_are_no_evidence_for_a_t_test(shift: float, p: float | None) -> None:
    a, b = [5.0, 5.0, 5.0], [5.0 - shift] * 3
    assert stats.paired_t_p(a, b) == p
    assert stats.welch_p(a, b) == p


def test_differences_that_vary_by_rounding_only_do_not_vary() -> None:
    # 0.1 + 0.2 - 0.2 is not 0.1 exactly: the spread of these differences is rounding.
    a, b = [0.1 + x for x in (0.2, 0.3, 0.7)], [0.2, 0.3, 0.7]
    assert stats.std(stats.differences(a, b))
    assert stats.paired_t_p(a, b) is None


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        # Two seeds that agree to the last digit prove nothing, nor do four that agree nearly.
        ([1.0, 1.0], None),
        ([1.0, 1.1, 0.9, 1.05], None),
        # From five on the t test decides.
        ([1.0, 1.1, 0.9, 1.05, 0.95], sp.ttest_1samp([1.0, 1.1, 0.9, 1.05, 0.95], 0).pvalue),
        ([0.0] * 5, 1.0),
        # It has no answer where all differences are the same. The exact test can't get below 5 % with five
        # pairs (2 of 32 ways of signs), and with six it can.
        ([1.0] * 5, None),
        ([1.0] * 6, 2 / 2**6),
    ],
)
def test_what_pairs_are_judged_by(differences: list[float], p: float | None) -> None:
    judged = stats.paired_p([5 + d for d in differences], [5.0] * len(differences))
    assert judged == (p if p is None else pytest.approx(p))


def test_wilcoxon_exact_is_scipys() -> None:
    rng = np.random.default_rng(7)
    for n in (3, 5, 10, 25):
        a, b = rng.normal(0.3, 1, n).tolist(), rng.normal(0, 1, n).tolist()
        assert stats.wilcoxon_p(a, b) == pytest.approx(sp.wilcoxon(a, b, method="exact").pvalue)


def test_wilcoxon_smallest_p_of_five_pairs_is_one_sixteenth() -> None:
    # All five differences positive: 2 of the 2^5 ways of signs are as extreme.
    assert stats.wilcoxon_p([2, 3, 4, 5, 6], [1, 1, 1, 1, 1]) == 2 / 2**5


def test_wilcoxon_with_ties_counts_every_way_of_signs() -> None:
    a, b = [3, 1, 4, 1, 5, 9, 2, 6], [1, 3, 1, 4, 3, 5, 1, 2]
    d = [x - y for x, y in zip(a, b, strict=True)]
    ranks = sp.rankdata(np.abs(d))
    observed = abs(sum(r * np.sign(x) for r, x in zip(ranks, d, strict=True)))
    ways = [
        abs(sum(r * s for r, s in zip(ranks, signs, strict=True)))
        for signs in itertools.product((1, -1), repeat=8)
    ]
    assert stats.wilcoxon_p(a, b) == pytest.approx(sum(way >= observed - 1e-9 for way in ways) / len(ways))


def test_wilcoxon_leaves_out_pairs_that_agree() -> None:
    assert stats.wilcoxon_p([1, 2, 3, 7], [0, 0, 0, 7]) == stats.wilcoxon_p([1, 2, 3], [0, 0, 0])
    assert stats.wilcoxon_p([1, 2], [1, 2]) == 1.0


def test_wilcoxon_of_many_pairs_is_scipys_normal_approximation() -> None:
    rng = np.random.default_rng(11)
    a = np.round(rng.normal(0.2, 1, 60), 1)
    b = np.round(rng.normal(0, 1, 60), 1)
    expected = sp.wilcoxon(a, b, method="asymptotic", zero_method="wilcox").pvalue
    assert stats.wilcoxon_p(a.tolist(), b.tolist()) == pytest.approx(expected)


def test_holm_by_hand() -> None:
    # Holm (1979): the smallest of four p values × 4, the next × 3, ...; never below the one before.
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.6, 0.9]) == [1.0, 1.0]


def test_holm_leaves_tests_that_were_not_made_out_of_the_count() -> None:
    assert stats.holm([None, 0.01, None]) == [None, 0.01, None]
    assert stats.holm([]) == []


def test_effect_sizes_by_hand() -> None:
    # Means 2 and 4, both variances 1: d = -2; with 6 values Hedges' factor is 1 - 3/15 = 0.8.
    a, b = [1, 2, 3], [3, 4, 5]
    assert stats.cohens_d(a, b) == pytest.approx(-2.0)
    assert stats.hedges_g(a, b) == pytest.approx(-1.6)
    # Differences 1 2 3: mean 2, deviation 1.
    assert stats.cohens_dz([2, 4, 6], [1, 2, 3]) == pytest.approx(2.0)
    assert stats.cohens_dz(a, b) is None


@pytest.mark.parametrize("relative", [0.2, 0.05, 0.01])
def test_seeds_needed_is_the_first_number_that_is_enough(relative: float) -> None:
    centre, spread = np.mean(A), np.std(A, ddof=1)

    def half(n: int) -> float:
        return float(sp.t.ppf(0.975, n - 1) * spread / math.sqrt(n))

    n = stats.seeds_needed(A, relative)
    assert n is not None
    assert half(n) <= relative * centre
    assert n == 2 or half(n - 1) > relative * centre


def test_seeds_needed_when_nothing_varies_or_nothing_is_enough() -> None:
    assert stats.seeds_needed([4.0, 4.0], 0.01) == 2
    assert stats.seeds_needed([1.0, -1.0], 0.05) is None
    assert stats.seeds_needed([0.001, 1000.0], 1e-6, limit=1000) is None


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="found 2 and 1"):
        stats.paired_t_p([1, 2], [1])


def test_relative_half_width_by_hand() -> None:
    interval = stats.t_interval([9.0, 11.0])
    assert interval is not None
    assert stats.relative_half_width([9.0, 11.0]) == pytest.approx(interval.half_width / 10)
    assert stats.relative_half_width([-1.0, 1.0]) is None
