"""Two tests of the same arms, whose conclusions follow from how the arms were made."""

from __future__ import annotations

import random

import polars as pl

from tworay.papers.agreeing import conclusions, same_conclusion, share_interval
from tworay.papers.judging import judge_claim
from tworay.papers.library import Claim
from tworay.papers.rule import Verdict

SEEDS = range(1, 21)


def arm(worlds: dict[int, float], factor: float, noise: float, seed: int) -> dict[int, float]:
    draw = random.Random(seed)
    return {number: world * factor * (1 + draw.gauss(0, noise)) for number, world in worlds.items()}


ALIKE = dict.fromkeys(SEEDS, 1000.0)
DIFFERENT = {seed: 1000.0 * 2 ** (seed % 5) for seed in SEEDS}


def test_both_tests_see_a_large_difference_in_equal_worlds_and_none_in_noise() -> None:
    assert same_conclusion(arm(ALIKE, 1.0, 0.01, 1), arm(ALIKE, 1.2, 0.01, 2), 0.9) is True
    even = {seed: 1000.0 + (10.0 if seed % 2 else -10.0) for seed in SEEDS}
    odd = {seed: 1000.0 + (10.0 if seed % 4 > 1 else -10.0) for seed in SEEDS}
    assert same_conclusion(even, odd, 0.9) is True, "as many pairs on either side, by as much"


def test_only_pairs_see_a_small_difference_in_worlds_that_differ_much() -> None:
    assert same_conclusion(arm(DIFFERENT, 1.0, 0.001, 1), arm(DIFFERENT, 1.02, 0.001, 2), 0.9) is False


def test_a_mean_and_a_median_on_opposite_sides_are_no_agreement() -> None:
    # 17 pairs lie 1 below, three 1,000 above: signed ranks see "less", a t test would see "more" or nothing.
    less = {seed: 1000.0 - 1 if seed > 3 else 2000.0 for seed in SEEDS}
    assert same_conclusion(less, ALIKE, 0.8) is False


def test_one_seed_has_no_conclusion() -> None:
    assert same_conclusion({1: 1.0}, {1: 2.0}, 0.9) is None
    assert conclusions([{1: 1.0}, {1: 2.0}], 0.9) == []


def test_the_interval_of_a_share_is_wilsons() -> None:
    # Wilson (1927) for none of ten: z² / (n + z²) = 3.8415 / 13.8415.
    share, low, high = share_interval([False] * 10)
    assert (share, low, round(high, 2)) == (0.0, 0.0, 27.75)


def test_a_claim_of_agreement_is_judged_by_the_share_of_all_comparisons() -> None:
    def judged(worlds: dict[int, float], noise: float) -> Verdict:
        rows = [
            {"cell": 2 * place + number, "tcp": name, "speed": str(place), "seed": seed, "goodput_bps": value}
            for place in range(80)
            for number, (name, factor) in enumerate([("old", 1.0), ("new", 1.02)])
            for seed, value in arm(worlds, factor, noise, 2 * place + number).items()
        ]
        how = {"agree": "goodput_bps", "of": ["old", "new"], "each": ["speed"], "level": 0.9}
        how |= {"band": [95, 100], "basis": "wording", "experiment": "e"}
        return judge_claim(Claim("X", "", "", how), {"e": (pl.DataFrame(rows), ["tcp", "speed"])}).verdict

    assert judged(ALIKE, 0.001) is Verdict.HOLDS, "both see 2 % everywhere"
    assert judged(DIFFERENT, 0.001) is Verdict.FAILS, "only pairs do; a share has no direction"
