"""Descriptions of arms, and comparisons of each pair of them, from the metrics of their runs by seed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from tworay.analysis import stats

if TYPE_CHECKING:
    from tworay.metrics import Values


def column(runs: dict[int, Values], metric: str) -> list[float]:
    """Return a metric's values, in the order of the seeds."""
    return [value for values in runs.values() if (value := values.get(metric)) is not None]


def first(runs: dict[int, Values]) -> dict[int, Values]:
    """Return the first run alone."""
    return dict(itertools.islice(runs.items(), 1))


def describe(runs: dict[int, Values]) -> dict[str, Any]:
    """Return mean, deviation and intervals of every metric."""
    names = dict.fromkeys(name for values in runs.values() for name in values)
    return {name: stats.describe(column(runs, name)) for name in names}


def _listed(interval: stats.Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def pairs(by_variant: dict[str, dict[int, Values]], still_arms: list[str]) -> list[dict[str, Any]]:
    """Compare each pair of variants seed by seed; Holm's correction covers the pairs of one metric.

    Two arms whose runs are equal with all seeds are compared by one seed, and so without a test.
    """
    result = []
    everything = [values for runs in by_variant.values() for values in runs.values()]
    known = dict.fromkeys(
        name for values in everything for name, value in values.items() if value is not None
    )
    for metric in known:
        family = [
            _pair(
                a,
                b,
                metric,
                {
                    one: first(by_variant[one]) if {a, b} <= set(still_arms) else by_variant[one]
                    for one in (a, b)
                },
            )
            for a, b in itertools.combinations(by_variant, 2)
        ]
        for pair, p in zip(family, stats.holm([pair["p"] for pair in family]), strict=True):
            pair["holm_p"] = p
        result += family
    return result


def _pair(a: str, b: str, metric: str, by_variant: dict[str, dict[int, Values]]) -> dict[str, Any]:
    left: list[float] = []
    right: list[float] = []
    for seed, values in by_variant[a].items():
        x, y = values.get(metric), by_variant[b].get(seed, {}).get(metric)
        if x is not None and y is not None:
            left.append(x)
            right.append(y)
    difference = stats.differences(left, right)
    return {
        "a": a,
        "b": b,
        "metric": metric,
        "n": len(difference),
        "difference": stats.mean(difference),
        "std": stats.std(difference),
        "ci95": _listed(stats.t_interval(difference)),
        "p": stats.paired_p(left, right),
        "welch_p": stats.welch_p(left, right),
        "paired_t_p": stats.paired_t_p(left, right),
        "wilcoxon_p": stats.wilcoxon_p(left, right),
        "effect_size": stats.cohens_dz(left, right),
    }
