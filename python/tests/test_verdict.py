"""Verdicts: who is best, who doesn't differ, how many seeds it would take."""

from __future__ import annotations

from typing import Any

import pytest

from tworay.analysis import stats, verdict


def cells(metric: str, **means: float) -> dict[str, dict[str, Any]]:
    return {name: {metric: {"mean": mean}} for name, mean in means.items()}


def pair(
    a: str, b: str, difference: float, holm_p: float | None, metric: str = "goodput_bps"
) -> dict[str, Any]:
    half = abs(difference) / 2
    return {
        "a": a,
        "b": b,
        "metric": metric,
        "n": 10,
        "difference": difference,
        "std": 10.0,
        "ci95": [difference - half, difference + half],
        "holm_p": holm_p,
    }


THREE = cells("goodput_bps", reno=100.0, sack=130.0, tahoe=90.0)


def test_one_is_best() -> None:
    pairs = [
        pair("reno", "sack", -30.0, 0.01),
        pair("reno", "tahoe", 10.0, 0.3),
        pair("sack", "tahoe", 40.0, 0.001),
    ]
    found = verdict.judge(THREE, pairs, "goodput_bps")
    assert found["best"] == ["sack"]
    assert found["margin"] == {"over": "reno", "difference": 30.0, "ci95": [15.0, 45.0]}
    assert [(e["arm"], e["group"]) for e in found["ranking"]] == [
        ("sack", "a"),
        ("reno", "b"),
        ("tahoe", "b"),
    ]


def test_not_to_differ_is_no_order() -> None:
    """Sack differs from tahoe; reno, between them, from neither: it shares a letter with each."""
    pairs = [
        pair("reno", "sack", -30.0, 0.2),
        pair("reno", "tahoe", 10.0, 0.3),
        pair("sack", "tahoe", 40.0, 0.01),
    ]
    found = verdict.judge(THREE, pairs, "goodput_bps")
    assert [(e["arm"], e["group"]) for e in found["ranking"]] == [
        ("sack", "a"),
        ("reno", "ab"),
        ("tahoe", "b"),
    ]
    # Nobody is found to be better than reno either.
    assert found["best"] == ["sack", "reno"]
    assert found["margin"] is None


def test_less_is_better_of_losses_and_times() -> None:
    metric = "mean_delay_seconds"
    found = verdict.judge(
        cells(metric, reno=0.3, sack=0.1), [pair("reno", "sack", 0.2, 0.001, metric)], metric
    )
    assert found["best"] == ["sack"]
    assert found["margin"]["difference"] == pytest.approx(-0.2)


def test_where_no_way_is_better_there_is_an_order_and_no_best() -> None:
    metric = "mean_cwnd_segments"
    found = verdict.judge(
        cells(metric, reno=3.0, sack=9.0), [pair("reno", "sack", -6, 0.001, metric)], metric
    )
    assert [entry["arm"] for entry in found["ranking"]] == ["sack", "reno"]
    assert (found["best"], found["better"]) == ([], None)


def test_nothing_differs_and_the_seeds_it_would_take_are_named() -> None:
    pairs = [pair("reno", "sack", -1.0, 0.8)]
    found = verdict.judge(cells("goodput_bps", reno=99.0, sack=100.0), pairs, "goodput_bps")
    assert found["best"] == ["sack", "reno"]
    # 5 % of 100 are half of the standard deviation of the differences, 10: the textbook case of 34 pairs.
    assert found["seeds_to_show"] == 34


def test_too_few_seeds_have_no_best() -> None:
    few = pair("reno", "sack", -1.0, None) | {"n": 4}
    found = verdict.judge(cells("goodput_bps", reno=99.0, sack=100.0), [few], "goodput_bps")
    assert (found["best"], found["margin"]) == ([], None)


def test_differences_that_never_vary_take_as_many_seeds_as_the_exact_test() -> None:
    """In networks of wires every seed may give the same: three pairs then take 7 seeds, 3 × 2 / 2^7 < 5 %."""

    def constant(a: str, b: str, difference: float, seeds: int) -> dict[str, Any]:
        p = 2 / 2**seeds
        return pair(a, b, difference, min(1.0, 3 * p) if seeds > 5 else None) | {"n": seeds, "std": 0.0}

    for seeds, best in ((5, []), (6, []), (7, ["sack"])):
        pairs = [
            constant("reno", "sack", -30.0, seeds),
            constant("reno", "tahoe", 10.0, seeds),
            constant("sack", "tahoe", 40.0, seeds),
        ]
        found = verdict.judge(THREE, pairs, "goodput_bps")
        assert found["best"] == best
        assert found["seeds_to_tell"] == 7
    # Arms that are equal in every seed are no open question.
    same = pair("reno", "sack", 0.0, 1.0) | {"std": 0.0, "n": 5}
    found = verdict.judge(cells("goodput_bps", reno=9.0, sack=9.0), [same], "goodput_bps")
    assert found["best"] == ["reno", "sack"]


@pytest.mark.parametrize(
    ("effect", "pairs"),
    # Cohen 1988, table 2.3.5 and G*Power: paired t test, two-sided 5 %, power 80 %.
    [(0.2, 199), (0.5, 34), (0.8, 15), (1.0, 10)],
)
def test_pairs_needed_are_the_textbooks(effect: float, pairs: int) -> None:
    assert stats.seeds_to_show_by_spread(1.0, effect) == pairs


def test_pairs_needed_go_by_the_spread_of_the_differences() -> None:
    differences = [1.0, -1.0, 3.0, -3.0]
    spread = stats.std(differences)
    assert spread is not None
    assert stats.seeds_to_show(differences, spread / 2) == 34
    assert stats.seeds_to_show([1.0], 1.0) is None
    # Without a spread the exact test decides, which takes six pairs: 2 / 2^5 > 5 % > 2 / 2^6.
    assert stats.seeds_to_show([2.0, 2.0, 2.0], 1.0) == 6
