"""The rule on simulated experiments with a known truth: how often a verdict says what is not so."""

from __future__ import annotations

import pytest

from tworay.papers.rule import Verdict
from tworay.papers.testbed import CASES, Case, coverage, tally

N = 400


def case(kind: str, *truths: float) -> Case:
    return next(one for one in CASES if (one.kind, one.truths) == (kind, truths))


@pytest.mark.parametrize("one", [one for one in CASES if len(one.truths) == 1 and one.truths != (2.5,)])
def test_a_verdict_on_one_cell_is_seldom_wrong(one: Case) -> None:
    """A 95 % interval errs at 2.5 % a side; of 400 experiments, 5 % is 3.2 standard errors above that."""
    assert tally(one, 5.0, 20, N).wrong <= 0.05


def test_enough_seeds_find_what_is_so() -> None:
    for kind, truth, verdict in (
        ("more", 20.0, Verdict.HOLDS),
        ("more", -5.0, Verdict.FAILS),
        ("equal", 0.0, Verdict.HOLDS),
        ("equal", 15.0, Verdict.FAILS),
        ("5 to 15 % more", 10.0, Verdict.HOLDS),
        ("5 to 15 % more", 20.0, Verdict.DIRECTION),
    ):
        assert tally(case(kind, truth), 5.0, 50, N).share(verdict) > 0.9, (kind, truth)


def test_too_few_seeds_are_inconclusive() -> None:
    assert tally(case("more", 10.0), 60.0, 5, N).share(Verdict.INCONCLUSIVE) > 0.9
    assert tally(case("equal", 0.0), 60.0, 5, N).share(Verdict.INCONCLUSIVE) > 0.9


def test_claims_over_five_cells() -> None:
    equal = (0.0,) * 5
    # Without widened intervals 1 − 0.975⁵ = 12 % would be wrong.
    assert tally(case("more in some of 5 cells", *equal), 5.0, 10, N).wrong <= 0.05
    assert tally(case("more in each of 5 cells", *equal), 5.0, 10, N).wrong == 0
    below = tally(case("more in each of 5 cells", 10.0, 10.0, 10.0, 10.0, 0.0), 5.0, 10, N)
    assert below.wrong <= 0.05


@pytest.mark.parametrize("noise", [5.0, 20.0])
@pytest.mark.parametrize("one", [one for one in CASES if len(one.truths) > 1], ids=str)
def test_a_verdict_on_several_cells_is_as_seldom_wrong(one: Case, noise: float) -> None:
    """Without intervals for all cells 1 − 0.975⁵ = 12 % of those about every cell would be refuted."""
    assert tally(one, noise, 20, N).wrong <= 0.05


def test_it_is_the_same_each_time() -> None:
    one = case("more", 5.0)
    assert tally(one, 5.0, 10, 50).counts == tally(one, 5.0, 10, 50).counts


def test_intervals_contain_the_truth() -> None:
    """95 % ± 3.3 standard errors of 400 experiments (1.1 %)."""
    assert coverage(5.0, 20, N) == pytest.approx(0.95, abs=0.036)
