"""Verdicts by factor, where the arms are every combination of several choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tworay.analysis import factors

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

GOODPUT = "goodput_bps"
TCP = ("newreno", "vegas")
ROUTING = ("aodv", "dsr")
# What an arm of these has, kb/s, before the seed's own share.
ADDED = {"newreno": 0.0, "vegas": 10.0, "aodv": 0.0, "dsr": 50.0}
JITTER = (-1.0, 2.0, 0.5, -2.5, 1.5, -0.5)


def arms() -> dict[str, dict[str, str]]:
    return {f"{t} {r}": {"tcp": t, "routing.protocol": r} for t in TCP for r in ROUTING}


def runs(extra: dict[str, float] | None = None, seeds: int = 6) -> dict[str, dict[int, dict[str, float]]]:
    """Return runs whose seeds differ much more than their arms."""
    found = {}
    for place, (arm, chosen) in enumerate(arms().items()):
        mean = sum(ADDED[level] for level in chosen.values()) + (extra or {}).get(arm, 0.0)
        found[arm] = {
            seed: {GOODPUT: 1e3 * (1000 * seed + mean + JITTER[(seed + place) % 6])} for seed in range(seeds)
        }
    return found


def test_only_whole_products_of_several_factors_have_them() -> None:
    whole = arms()
    found = factors.product(whole)
    assert found["tcp"] == {"newreno": ["newreno aodv", "newreno dsr"], "vegas": ["vegas aodv", "vegas dsr"]}
    assert set(found) == {"tcp", "routing.protocol"}
    # What all arms have in common is no factor.
    assert set(factors.product({arm: of | {"mac.queue_limit": "10"} for arm, of in whole.items()})) == set(
        found
    )
    del whole["vegas dsr"]
    assert factors.product(whole) == {}
    assert factors.product({level: {"tcp": level} for level in TCP}) == {}
    # An arm of a mixture beside others that have another key.
    assert factors.product(arms() | {"odd": {"tcp": "newreno"}}) == {}


def test_levels_are_compared_seed_by_seed_over_the_others() -> None:
    by_tcp, by_routing = factors.by_factor(runs(), factors.product(arms()), GOODPUT)
    assert (by_tcp["factor"], by_tcp["over"]) == ("tcp", ["routing.protocol"])
    assert (by_tcp["best"], by_routing["best"]) == (["vegas"], ["dsr"])
    # Each arm has every jitter once, so they cancel in the mean over six seeds.
    assert by_tcp["margin"]["difference"] == pytest.approx(10e3)
    assert by_routing["margin"]["difference"] == pytest.approx(50e3)
    # Seeds differ by a thousand kb/s, and the pairs by a few: the interval is that of the pairs. Their
    # jitters are J(s+2)+J(s+3) less J(s)+J(s+1), halved.
    halves = [
        (JITTER[(s + 2) % 6] + JITTER[(s + 3) % 6] - JITTER[s] - JITTER[(s + 1) % 6]) / 2 for s in range(6)
    ]
    deviation = (sum(one**2 for one in halves) / 5) ** 0.5
    low, high = by_tcp["margin"]["ci95"]
    # 2.571 is Student's quantile for five degrees of freedom.
    assert (high - low) / 2 == pytest.approx(1e3 * 2.571 * deviation / 6**0.5, rel=1e-3)
    assert by_tcp["otherwise"] == []


def test_a_seed_that_one_arm_lacks_counts_for_none() -> None:
    found = runs()
    del found["vegas dsr"][3]
    (by_tcp, _) = factors.by_factor(found, factors.product(arms()), GOODPUT)
    means = {entry["arm"]: entry["mean"] for entry in by_tcp["ranking"]}
    five = [seed for seed in range(6) if seed != 3]
    by_hand = sum(found[arm][seed][GOODPUT] for arm in ("vegas aodv",) for seed in five) / 5
    by_hand = (by_hand + sum(found["vegas dsr"][seed][GOODPUT] for seed in five) / 5) / 2
    assert means["vegas"] == pytest.approx(by_hand)


def test_a_combination_in_which_another_level_leads_is_named() -> None:
    (by_tcp, by_routing) = factors.by_factor(
        runs({"vegas aodv": 40.0, "vegas dsr": -20.0}), factors.product(arms()), GOODPUT
    )
    # 50 more with aodv, 10 less with dsr: 20 more on average.
    assert by_tcp["margin"]["difference"] == pytest.approx(20e3)
    assert by_tcp["otherwise"] == ["dsr"]
    # And dsr has 50 more with newreno, 10 less with vegas.
    assert (by_routing["best"], by_routing["otherwise"]) == (["dsr"], ["vegas"])


def test_few_seeds_tell_nothing() -> None:
    found = factors.by_factor(runs(seeds=3), factors.product(arms()), GOODPUT)
    assert [one["best"] for one in found] == [[], []]


def test_a_line_for_each_factor_follows_the_arms(cli: Cli) -> None:
    words = ("compare", "string-4", "--tcp", "newreno,vegas", "--set", "duration=20s")
    product = cli(*words, "--vary", "routing.protocol=static,aodv", "--seeds", "6")
    said = " ".join(product.out.split())
    assert "By tcp, averaged over routing.protocol: " in said
    assert "By routing.protocol, averaged over tcp: " in said
    few = cli(*words, "--vary", "routing.protocol=static,aodv", "--seeds", "2")
    assert "By tcp, averaged over routing.protocol: can't be told with so few seeds." in " ".join(
        few.out.split()
    )
    document = cli(*words, "--vary", "routing.protocol=static,aodv", "--seeds", "6", "--json").document
    assert [one["factor"] for one in document["factors"]] == ["tcp", "routing.protocol"]
    assert "By tcp" not in cli(*words, "--seeds", "2").out
    # About another metric than goodput as well.
    other = cli(*words, "--vary", "routing.protocol=static,aodv", "--seeds", "6", "--metrics", "timeouts")
    assert "By tcp, averaged over routing.protocol: " in " ".join(other.out.split())
