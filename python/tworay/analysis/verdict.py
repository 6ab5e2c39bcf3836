"""The verdict of a comparison: which arm is best, and which don't differ.

Two arms differ if Holm's p of their pair is below the level of significance (``tworay.analysis.stats``). This
is not an order: a may differ from c while b differs from neither. So arms get letters, and those that share a
letter don't differ (compact letter display, Piepho 2004).
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from tworay import metrics
from tworay.analysis import stats
from tworay.metrics.declared import Better

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Pair: TypeAlias = "dict[str, Any]"

# The difference that ``seeds_to_show`` is about, relative to the best mean.
WORTH_SHOWING = 0.05


def differs(pair: Pair) -> bool:
    """Return whether a difference is significant."""
    p, difference = pair["holm_p"], pair["difference"]
    return p is not None and p < stats.SIGNIFICANT and bool(difference)


def undecided(pair: Pair, tests: int) -> bool:
    """Return whether a pair has too few seeds: its differences don't vary, and so few can't be significant.

    ``tests`` is the number of pairs that Holm corrects for.
    """
    if pair["holm_p"] is None:
        return True
    needed = stats.fewest_pairs_without_spread(stats.SIGNIFICANT / tests)
    return _constant(pair) and not differs(pair) and pair["n"] < needed


def _constant(pair: Pair) -> bool:
    """Return whether the difference is the same in every seed, and not zero."""
    difference, spread = pair["difference"], pair["std"]
    return bool(difference and spread is not None and spread <= stats.NO_SPREAD * abs(difference))


def _equal(pair: Pair) -> bool:
    """Return whether every seed gave both the same value."""
    return bool(pair["difference"] == 0 and pair["std"] == 0)


def letters(names: list[str], pairs: Iterable[Pair]) -> dict[str, str]:
    """Return letters by arm: arms that share one don't differ. Letters go by the order of ``names``."""
    columns: list[set[str]] = [set(names)]
    for pair in pairs:
        if not differs(pair):
            continue
        ends = {pair["a"], pair["b"]}
        split = [column for column in columns if ends <= column]
        columns = [column for column in columns if column not in split]
        for column in (column - {end} for column in split for end in sorted(ends)):
            if not any(column <= other for other in columns):
                columns = [other for other in columns if not other <= column] + [column]
    places = {name: place for place, name in enumerate(names)}
    columns.sort(key=lambda column: sorted(places[name] for name in column))
    return {name: "".join(_letter(i) for i, column in enumerate(columns) if name in column) for name in names}


def _letter(index: int) -> str:
    """Letters of the alphabet, then with a number: a, b, …, z, a1, …."""
    return chr(ord("a") + index % 26) + (str(index // 26) if index >= 26 else "")


def ordered(cells: dict[str, dict[str, Any]], metric: str) -> list[str]:
    """Return the arms that have the metric, best first; largest first if neither more nor less is better."""
    found = {name: of.get(metric, {}).get("mean") for name, of in cells.items()}
    known = {name: mean for name, mean in found.items() if mean is not None}
    declared = metrics.find(metric)
    sign = 1 if declared is not None and declared.better is Better.LESS else -1
    return sorted(known, key=lambda name: sign * known[name])


def has_direction(metric: str) -> bool:
    """Return whether more or less of a metric is better."""
    declared = metrics.find(metric)
    return declared is not None and declared.better is not Better.NEITHER


def judge(cells: dict[str, dict[str, Any]], pairs: list[Pair], metric: str) -> dict[str, Any]:
    """Return the verdict about one metric.

    ``ranking`` has the arms best first with their letters. ``best`` are the arms that no other
    is significantly better than; it is empty if a pair has too few seeds. ``seeds_to_tell`` is the number of
    seeds that a verdict needs: five, or more if differences are equal in every seed, which only an exact test
    can judge. ``margin`` is the difference between a single best arm and the next. ``seeds_to_show`` is the
    number of seeds that would show a difference of 5 % between the best with probability 0.8, estimated from
    the spread so far. ``same`` says that every seed gave the best the same value; then that number is null.
    """
    names = ordered(cells, metric)
    family = [pair for pair in pairs if pair["metric"] == metric]
    grouped = letters(names, family)
    declared = metrics.find(metric)
    better = declared.better if declared else Better.NEITHER
    best = [] if better is Better.NEITHER else _unbeaten(names, family, better)
    enough = bool(family) and not any(undecided(pair, len(family)) for pair in family)
    same = enough and len(best) > 1 and all(map(_equal, _among(family, best)))
    return {
        "metric": metric,
        "better": None if better is Better.NEITHER else better.value,
        "ranking": [
            {"arm": name, "mean": cells[name][metric]["mean"], "group": grouped[name]} for name in names
        ],
        "best": best if enough else [],
        "margin": _margin(names, family, best) if enough else None,
        "seeds_to_tell": _seeds_to_tell(family),
        "seeds_to_show": None if same else _seeds_to_show(cells, family, best, metric),
        "same": same,
    }


class Unfit(Enum):
    """Why runs say nothing about arms, however many seeds there are."""

    NOTHING_ARRIVED = "nothing arrived in any run"
    ALL_THE_SAME = "several arms gave the same run with every seed"


def unfit(document: dict[str, Any], metric: str) -> Unfit | None:
    """Return why the arms of a comparison's document can't be judged by a metric, if they can't."""
    cells = document["variants"].values()
    if metric == "goodput_bps" and not any((of.get(metric) or {}).get("mean") for of in cells):
        return Unfit.NOTHING_ARRIVED
    return Unfit.ALL_THE_SAME if len(document["still_arms"]) > 1 else None


def _seeds_to_tell(family: list[Pair]) -> int:
    if any(map(_constant, family)):
        return stats.fewest_pairs_without_spread(stats.SIGNIFICANT / len(family))
    return stats.FEWEST_PAIRS


def _unbeaten(names: list[str], family: list[Pair], better: Better) -> list[str]:
    beaten = set()
    for pair in filter(differs, family):
        more, less = (pair["a"], pair["b"]) if pair["difference"] > 0 else (pair["b"], pair["a"])
        beaten.add(less if better is Better.MORE else more)
    return [name for name in names if name not in beaten]


def _margin(names: list[str], family: list[Pair], best: list[str]) -> dict[str, Any] | None:
    if len(best) != 1 or len(names) < 2:
        return None
    first, second = best[0], next(name for name in names if name != best[0])
    pair = next(pair for pair in family if {pair["a"], pair["b"]} == {first, second})
    sign = 1 if pair["a"] == first else -1
    ends = pair["ci95"] and sorted(sign * end for end in pair["ci95"])
    return {"over": second, "difference": sign * pair["difference"], "ci95": ends}


def _among(family: list[Pair], names: Collection[str]) -> list[Pair]:
    return [pair for pair in family if {pair["a"], pair["b"]} <= set(names)]


def _seeds_to_show(
    cells: dict[str, dict[str, Any]], family: list[Pair], best: Collection[str], metric: str
) -> int | None:
    """Return the seeds for the pair that needs most, at the first step of Holm's correction."""
    asked = _among(family, best)
    largest = max((abs(cells[name][metric]["mean"]) for name in best), default=0.0)
    if not asked or not largest:
        return None
    needed = [
        stats.seeds_to_show_by_spread(
            pair["std"], WORTH_SHOWING * largest, level=stats.SIGNIFICANT / len(family)
        )
        for pair in asked
    ]
    known = [number for number in needed if number is not None]
    return _round_up(max(known)) if len(known) == len(needed) else None


def _round_up(number: int) -> int:
    """Two digits are enough for an estimate."""
    step = int(10 ** max(0, int(math.log10(number)) - 1))
    return math.ceil(number / step) * step
