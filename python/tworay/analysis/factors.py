"""Verdicts by factor, where the arms of a comparison are every combination of several choices.

The effect of a factor is its main effect: each level is averaged over the other factors' levels, seed by
seed, and levels are compared in pairs as arms are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tworay.analysis import pairs as pairing
from tworay.analysis import verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tworay.metrics import Values

    Levels = dict[str, list[str]]


def variant_of(about: Mapping[str, Any]) -> str | None:
    """Return the variant of an arm, or its mixture; ``None``: the scenario's."""
    shares = about.get("mix")
    if shares:
        return ",".join(f"{name}:{share:g}" for name, share in shares.items())
    found: str | None = about["tcp"]
    return found


def sender_of(about: Mapping[str, Any]) -> str | None:
    """Return the label of an arm's variant if it has one, else as ``variant_of``."""
    return about.get("label") or variant_of(about)


def choices(about: Mapping[str, Any]) -> dict[str, str]:
    """Return what a described arm chooses: its variant, and each varied setting's label or value."""
    tcp, settings = sender_of(about), about["set"] | about.get("labels", {})
    return dict(settings) if tcp is None else {"tcp": tcp, **settings}


def product(arms: Mapping[str, Mapping[str, str]]) -> dict[str, Levels]:
    """Return the arms of each level of each factor; empty if the arms are no product of several factors.

    ``arms`` has what each arm chooses: a level by factor.
    """
    keys = list(dict.fromkeys(key for chosen in arms.values() for key in chosen))
    levels: dict[str, Levels] = {key: {} for key in keys}
    for arm, chosen in arms.items():
        if set(chosen) != set(keys):
            return {}
        for key, level in chosen.items():
            levels[key].setdefault(level, []).append(arm)
    several = {key: of for key, of in levels.items() if len(of) > 1}
    combinations = {tuple(chosen[key] for key in several) for chosen in arms.values()}
    whole = math.prod(len(of) for of in several.values())
    return several if len(several) > 1 and len(arms) == len(combinations) == whole else {}


def by_factor(
    by_arm: Mapping[str, Mapping[int, Values]], factors: Mapping[str, Levels], metric: str
) -> list[dict[str, Any]]:
    """Return a verdict for each factor about its levels, as `verdict.judge` does for arms.

    ``otherwise`` has the combinations of the others in which a single best level hasn't the best mean.
    """
    found = []
    for factor, levels in factors.items():
        of_levels = {
            level: _averaged([by_arm[arm] for arm in arms], metric) for level, arms in levels.items()
        }
        cells = {level: pairing.describe(runs) for level, runs in of_levels.items()}
        if any(cell.get(metric, {}).get("mean") is None for cell in cells.values()):
            continue
        judged = verdict.judge(cells, pairing.pairs(of_levels, []), metric)
        judged |= {"factor": factor, "over": [name for name in factors if name != factor]}
        best = judged["best"]
        judged["otherwise"] = _otherwise(by_arm, factors, factor, best[0], metric) if len(best) == 1 else []
        found.append(judged)
    return found


def _averaged(arms: list[Mapping[int, Values]], metric: str) -> dict[int, Values]:
    """Return the mean over the arms of each seed that all of them have."""
    seeds = [seed for seed in arms[0] if all(runs.get(seed, {}).get(metric) is not None for runs in arms)]
    return {
        seed: {metric: math.fsum(_value(runs, seed, metric) for runs in arms) / len(arms)} for seed in seeds
    }


def _value(runs: Mapping[int, Values], seed: int, metric: str) -> float:
    value = runs[seed][metric]
    assert value is not None
    return float(value)


def _otherwise(
    by_arm: Mapping[str, Mapping[int, Values]],
    factors: Mapping[str, Levels],
    factor: str,
    best: str,
    metric: str,
) -> list[str]:
    """Return the combinations of the other factors in which another level has the better mean."""
    others = [levels for name, levels in factors.items() if name != factor]
    groups: dict[str, list[str]] = {}
    for arm in by_arm:
        key = " ".join(level for levels in others for level, arms in levels.items() if arm in arms)
        groups.setdefault(key, []).append(arm)
    own = set(factors[factor][best])
    found = []
    for key, arms in groups.items():
        cells = {arm: pairing.describe(dict(by_arm[arm])) for arm in arms}
        ordered: Iterable[str] = verdict.ordered(cells, metric)
        if next(iter(ordered), None) not in own:
            found.append(key)
    return found
