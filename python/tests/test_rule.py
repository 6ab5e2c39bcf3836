"""The rule of verdicts: expectations are arithmetic on intervals that are written here.

The intervals with a claim's number are those of its page before the rule had a margin.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats as sp

from tworay.papers import library
from tworay.papers.bands import band_in_words, claimed_of, last_digit
from tworay.papers.judging import judge_measured
from tworay.papers.library import Claim
from tworay.papers.rule import (
    Across,
    Claimed,
    Sense,
    Verdict,
    detectable,
    equivalent,
    over_cells,
    verdict_of,
    widened,
)
from tworay.papers.verdicts import Measured

H, D, N, F = Verdict.HOLDS, Verdict.DIRECTION, Verdict.INCONCLUSIVE, Verdict.FAILS
MORE, LESS = Claimed(Sense.MORE), Claimed(Sense.LESS)
EQUAL = Claimed(Sense.EQUAL, -5, 5)


def band(low: float, high: float, error: float = 0.0, *, value: bool = False) -> Claimed:
    return Claimed(Sense.BAND, low, high, error, value=value)


@pytest.mark.parametrize(
    ("estimate", "low", "high", "verdict"),
    [
        (8, 2, 14, H),
        (5, 0.1, 9.9, H),  # m = δ
        (4.99, 0.1, 9.9, D),  # m < δ
        (0.1, 0.05, 0.15, D),  # significant, and irrelevant
        (8, 0, 16, N),  # l = 0
        (2, -1, 5, N),  # u = δ
        (2, -1, 4.99, F),  # u < δ: no difference worth the claim
        (-3, -5, -1, F),
        (-20, -60, 20, N),
    ],
)
def test_more_and_less_are_mirrored(estimate: float, low: float, high: float, verdict: Verdict) -> None:
    assert verdict_of(estimate, low, high, MORE) is verdict
    assert verdict_of(-estimate, -high, -low, LESS) is verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-4.9, 4.9, H),
        (0.5, 4.9, H),  # a significant difference that is irrelevant
        (-5, 4, N),  # l = −δ
        (-4, 5, N),
        (5, 9, N),  # l = δ
        (5.1, 9, F),
        (-9, -5.1, F),
        (-20, 20, N),
    ],
)
def test_equality_is_a_margin(low: float, high: float, verdict: Verdict) -> None:
    assert verdict_of((low + high) / 2, low, high, EQUAL) is verdict


@pytest.mark.parametrize(
    ("low", "high", "claimed", "verdict"),
    [
        (5, 9, band(5, 9), H),
        (4.9, 9, band(5, 9), N),
        (4.5, 9.5, band(5, 9, 0.5), H),
        (4.4, 9, band(5, 9, 0.5), N),
        (9, 12, band(5, 9), N),  # they touch
        (9.1, 12, band(5, 9), D),
        (1, 3, band(5, 9), D),
        (0, 3, band(5, 9), F),  # not above zero
        (-3, -1, band(5, 9), F),
        (-3, -1, band(-9, -5), D),
        (-2, 1, band(-9, -5), F),
        (6, 9, band(-2, 5), F),  # a band around zero claims no side
        (-4, 2, band(-5, math.inf), H),
        (-9, -6, band(-5, math.inf), F),
        (0.9, 1.1, band(0.95, 1.05, value=True), N),
        (1.1, 1.2, band(0.95, 1.05, value=True), F),  # a value's zero has no meaning
        (1.0, 1.0, band(1, 1, value=True), H),
    ],
)
def test_bands(low: float, high: float, claimed: Claimed, verdict: Verdict) -> None:
    assert verdict_of((low + high) / 2, low, high, claimed) is verdict


def test_claims_that_an_earlier_rule_labelled_wrongly() -> None:
    """Intervals as on the pages of 2026-11-22, which have one decimal."""
    # F24: +600 % is claimed; F26: 13 % of the other's goodput. Both read "no difference found".
    assert verdict_of(4.4, -0.5, 9.3, claimed_of({"gain": "", "band": 600.0}, [])) is F
    assert verdict_of(-4.2, -8.9, 0.5, claimed_of({"gain": "", "band": -87.0}, [])) is F
    # T5.78-partial, T5.82-none, T5.84-partial: −20, −21 and −25 % read "no difference found".
    assert verdict_of(1.0, -1.5, 3.6, claimed_of({"gain": "", "band": -19.9}, [])) is F
    assert verdict_of(2.6, -0.0, 5.2, claimed_of({"gain": "", "band": -20.8}, [])) is F
    assert verdict_of(11.5, -0.9, 23.9, claimed_of({"gain": "", "band": -24.9}, [])) is F
    # W63: "significantly more" at +0.1 %; W80: "less" at −0.0 %. Both read "holds".
    for claimed, low, high in ((MORE, 0.01, 0.14), (LESS, -0.04, -0.01)):
        assert verdict_of((low + high) / 2, low, high, claimed) is D
        assert equivalent(low, high)
    # P12 and P34: "less" in ten cells from −0.1 to −0.0 %, of which three were significant.
    cells = [verdict_of(-0.05, -0.09, -0.01, LESS)] * 3 + [verdict_of(-0.02, -0.06, 0.02, LESS)] * 7
    assert cells == [D] * 3 + [F] * 7
    assert over_cells(lambda _: cells, Across.EVERY) is F
    # T3.28b: equality read "holds" for +2.6 to +4.4 % although no interval lay within ±5 %.
    assert verdict_of(4.4, 0.9, 7.9, EQUAL) is N
    # T4.52: −4 % or as much; read "holds" although the interval reaches to −15 %.
    assert verdict_of(-7.6, -15.0, -0.2, claimed_of({"gain": "", "band": -4.0}, [])) is N


def test_bands_come_from_the_source() -> None:
    printed = claimed_of({"gain": "", "band": 4.6}, [])
    assert (printed.low, printed.high) == pytest.approx((-0.4, 9.6))  # ± δ points
    large = claimed_of({"gain": "", "band": 600.0}, [])
    assert (large.low, large.high) == pytest.approx((570, 630))  # ± 5 % of itself
    value = claimed_of({"value": "", "band": 2253.0}, [])
    assert (value.low, value.high) == pytest.approx((2140.35, 2365.65))
    stated = claimed_of({"gain": "", "band": [5, 9], "basis": "stated"}, [])
    assert (stated.low, stated.high, stated.error) == (5, 9, 0.5)
    exact = claimed_of({"gain": "", "band": [5, 9], "basis": "stated", "error": 0}, [])
    assert exact.error == 0
    own = claimed_of({"gain": "", "band": "alike", "margin": 1.0}, [])
    assert (own.low, own.high) == (-1, 1)
    by_cell = claimed_of({"gain": "", "bands": {"2 m/s": 4.0, "5 m/s": 26.0}}, ["5 m/s", "0 s"])
    assert (by_cell.low, by_cell.high) == (21, 31)
    exception = {"gain": "", "bands": {"10 m/s 40 s": 7.0}, "band": "alike"}
    for place in (["10 m/s", "40 s"], ["dynamic-dsr", "10 m/s", "40 s"]):
        one = claimed_of(exception, place)
        assert (one.low, one.high) == (2, 12)
    assert claimed_of(exception, ["10 m/s", "0 s"]).sense is Sense.EQUAL
    said = band_in_words(exception)
    assert said == "10 m/s 40 s: +2 to +12 (a printed difference ±δ points); otherwise: equal within 5"
    alone = {"gain": "", "bands": {"2 m/s": 4.0, "5 m/s": 26.0}}
    assert band_in_words(alone) == "2 m/s: -1 to +9; 5 m/s: +21 to +31: a printed difference ±δ points"
    # 5 % of itself is more than δ from 100 % on.
    assert band_in_words({"gain": "", "band": 600.0}) == "+570 to +630: a printed figure ±5 %"
    assert band_in_words({"value": "", "band": 6.0}) == "5.7 to 6.3: a printed figure ±5 %"
    # Ends that come from arithmetic have four digits, or all before the point.
    assert band_in_words({"value": "", "band": 29.85}) == "28.36 to 31.34: a printed figure ±5 %"
    assert band_in_words({"value": "", "band": 62370.3}) == "59252 to 65489: a printed figure ±5 %"
    with pytest.raises(ValueError, match="basis"):
        claimed_of({"gain": "", "band": [5, 9]}, [])  # where does it come from?


def test_a_figure_with_few_digits_is_as_exact_as_they_are() -> None:
    """A mean window of "6" may be 5.5 to 6.5; "2253" is as exact as 5 % of it, and "0.9, 5" no figure."""
    six = {"value": "", "band": 6.0, "digit": last_digit("6", 6.0)}
    assert band_in_words(six) == "5.5 to 6.5: a printed figure ± half a unit of its last digit"
    assert [last_digit(said, 0.9) for said in ("0.9 s", "0.90", "about 0.9", "0.9, 5")] == [0.1, 0.01, 0, 0]
    exact = {"value": "", "band": 2253.0, "digit": last_digit("2253", 2253.0)}
    assert band_in_words(exact).endswith("±5 %")
    claim = library.find("thesis").claim("T3.04")
    assert claim is not None
    assert verdict_of(6.52, 6.46, 6.59, claimed_of(claim.how, [])) is N


@pytest.mark.parametrize(
    ("cells", "every", "general", "some"),
    [
        ([H, H, H], H, H, H),
        ([H, H, D], D, H, H),
        ([H, H, N], N, H, H),
        ([H, H, F], F, H, H),
        ([H, D, D], D, D, H),
        ([H, F], F, F, H),  # half is not in general
        ([H, N], N, N, H),
        ([D, F, F], F, F, D),
        ([N, N, F], F, N, N),
    ],
)
def test_claims_over_cells(cells: list[Verdict], every: Verdict, general: Verdict, some: Verdict) -> None:
    assert [over_cells(lambda _: cells, across) for across in Across] == [every, general, some]


def test_a_printed_difference_has_a_side_though_its_band_contains_zero() -> None:
    """T5.70-partial prints +4.6 %, and +16.5 % (14.8 to 18.1) is found; it read "does not hold"."""
    assert verdict_of(16.5, 14.8, 18.1, claimed_of({"gain": "", "band": 4.6}, [])) is D
    assert verdict_of(-16.5, -18.1, -14.8, claimed_of({"gain": "", "band": 4.6}, [])) is F
    assert verdict_of(-16.5, -18.1, -14.8, claimed_of({"gain": "", "band": -4.6}, [])) is D
    # No difference has no side, and neither has a range across zero.
    assert verdict_of(16.5, 14.8, 18.1, claimed_of({"gain": "", "band": 0.0}, [])) is F
    around = claimed_of({"gain": "", "band": [-4, 6], "basis": "stated"}, [])
    assert verdict_of(16.5, 14.8, 18.1, around) is F


def test_a_refuted_band_with_all_cells_on_the_claimed_side_holds_in_direction() -> None:
    """T5.41 and T5.88b read "inconclusive", though no outcome could give anything but "in direction"."""
    band = {"gain": "", "band": [3, 6], "basis": "stated"}
    # Below, within and far above the band.
    found = [(1.0, 0.5, 4.0), (4.0, 3.5, 4.5), (16.3, 14.1, 18.6)]

    def verdict(found: list[tuple[float, float, float]], how: dict[str, Any]) -> Verdict:
        cells = [Measured((), *one, seeds=20) for one in found]
        return judge_measured(Claim("", "", "", how), cells).verdict

    assert verdict(found, band) is D
    assert verdict(found[:2], band) is N  # The band is not refuted.
    assert verdict([(1.0, -0.5, 4.0), *found[1:]], band) is N  # A cell may be on the other side.
    # 6.9 is above 6.5 at 95 %, and not at the level for three cells.
    assert verdict([*found[:2], (9.0, 6.9, 11.1)], band) is N
    assert verdict(found, band | {"across": "some"}) is H
    # Less, by 6 to 3 %.
    less = [(-estimate, -high, -low) for estimate, low, high in found]
    assert verdict(less, band | {"band": [-6, -3]}) is D
    # A value has no side.
    assert verdict(found, {"value": "", "band": [3, 6], "basis": "stated"}) is F


@pytest.mark.parametrize(
    ("across", "to_hold", "to_refute"),
    [(Across.EVERY, 1, 5), (Across.GENERAL, 3, 3), (Across.SOME, 5, 1)],
)
def test_intervals_hold_for_as_many_cells_as_can_mislead(
    across: Across, to_hold: int, to_refute: int
) -> None:
    """Of five cells r have to hold, and 6 − r to fail: with intervals for 6 − r, and for r."""
    for wanted, needed in ((H, to_hold), (F, to_refute)):

        def at(k: int, wanted: Verdict = wanted, needed: int = needed) -> list[Verdict]:
            return [wanted if k <= needed else N] * 5

        def narrower(k: int, wanted: Verdict = wanted, needed: int = needed) -> list[Verdict]:
            return [wanted if k < needed else N] * 5

        assert over_cells(at, across) is wanted
        assert over_cells(narrower, across) is N


def test_a_cell_in_direction_refutes_nothing() -> None:
    """+0.3 % (0.1 to 0.5) is in direction; widened for two of three cells, it may be -0.1 to 0.7."""

    def at(k: int) -> list[Verdict]:
        return [D, D, F] if k == 1 else [F, F, F]

    assert over_cells(at, Across.GENERAL) is N
    assert over_cells(lambda k: [D if k == 1 else F, F, F], Across.GENERAL) is F
    assert over_cells(at, Across.EVERY) is F  # the third cell
    assert over_cells(at, Across.SOME) is N


def test_the_best_of_several_cells_needs_wider_intervals() -> None:
    """Twenty seeds: t(0.975, 19) = 2.093024, for five cells t(0.995, 19) = 2.860935."""
    low, high = widened(3.0, 3.0 - 2.093024, 3.0 + 2.093024, 20, 5)
    assert (low, high) == pytest.approx((3.0 - 2.860935, 3.0 + 2.860935), abs=1e-5)
    assert widened(3.0, 2.0, 4.0, 20, 1) == (2.0, 4.0)


def test_the_detectable_difference_is_found_with_probability_0_8() -> None:
    """By the noncentral t distribution; the usual approximation is within 2 points at ten seeds."""
    for seeds in (10, 20, 50):
        half = sp.t.ppf(0.975, seeds - 1) / math.sqrt(seeds)  # of a standard deviation of 1
        size = detectable(-half, half, seeds)
        assert size is not None
        power = sp.nct.sf(sp.t.ppf(0.975, seeds - 1), seeds - 1, size * math.sqrt(seeds))
        assert power == pytest.approx(0.8, abs=0.02)
    assert detectable(0, 0, 1) is None
