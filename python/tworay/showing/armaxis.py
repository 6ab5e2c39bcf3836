"""Names of arms along an axis: what tells them apart, on two levels, turned where they don't fit."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tworay.analysis.factors import product
from tworay.showing.pictures import INCHES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

CHARACTER = 0.085
"""Width of a character at 10 points, inches."""
DRAWN = 0.85
"""The share of the picture's width that the axes have."""
TURNED = 40.0
"""Degrees."""
LONGEST = 28
"""Characters of a turned name."""


def short_names(parts: Mapping[str, Mapping[str, str]]) -> tuple[list[str], dict[str, str]]:
    """Return what distinguishes arms, and each arm's name of that; ``parts`` is what each arm chooses."""
    keys = list(dict.fromkeys(key for part in parts.values() for key in part))
    apart = [key for key in keys if len({part.get(key) for part in parts.values()}) > 1]
    if not apart and keys:
        apart = keys[:1]
    short = {name: " ".join(part[key] for key in apart if key in part) for name, part in parts.items()}
    if len(set(short.values())) < len(short):
        short = {name: name for name in parts}
    return apart, short


def label_arms(axes: Axes, arms: Sequence[str], parts: Mapping[str, Mapping[str, str]]) -> None:
    """Write the arms' names below the places 1, 2, …; ``parts`` is what each arm of the comparison chooses.

    Where the arms are every combination of two choices and stand in groups of one of them, the groups are
    named above, and the names below are those of the other.
    """
    apart, short = short_names(parts)
    groups = _groups(
        arms, {arm: {key: parts[arm][key] for key in apart if key in parts[arm]} for arm in arms}
    )
    names = [short[arm] for arm in arms]
    if groups:
        outer, inner, sizes = groups
        names = [parts[arm][inner] for arm in arms]
        _name_groups(axes, outer, sizes)
        axes.set_xlabel(inner)
    _write(axes, names)


def _groups(
    arms: Sequence[str], chosen: Mapping[str, Mapping[str, str]]
) -> tuple[str, str, list[tuple[str, int]]] | None:
    """Return the choice by which arms are grouped, the other one, and each group's name and size."""
    factors = product(chosen)
    if len(factors) != 2:
        return None
    for outer, inner in itertools.permutations(factors):
        runs = [(level, len(list(of))) for level, of in itertools.groupby(chosen[arm][outer] for arm in arms)]
        if len(runs) == len(factors[outer]):
            return outer, inner, runs
    return None


def _name_groups(axes: Axes, outer: str, sizes: list[tuple[str, int]]) -> None:
    ends = list(itertools.accumulate((size for _, size in sizes), initial=0))
    for end in ends[1:-1]:
        axes.axvline(end + 0.5, color="0.8", linewidth=0.8)
    above = axes.secondary_xaxis("top")
    middles = [(begin + 1 + end) / 2 for begin, end in itertools.pairwise(ends)]
    room = INCHES[0] * DRAWN * min(size for _, size in sizes) / ends[-1]
    above.set_xticks(middles, labels=[_shortened(level, max(4, int(room / CHARACTER))) for level, _ in sizes])
    above.tick_params(axis="x", length=0)
    above.spines["top"].set_visible(False)
    above.set_xlabel(outer)


def _write(axes: Axes, names: Sequence[str]) -> None:
    places = range(1, len(names) + 1)
    room = INCHES[0] * DRAWN / len(names)
    longest = max(len(line) for name in names for line in name.split(" "))
    if longest * CHARACTER <= room:
        axes.set_xticks(places, labels=[name.replace(" ", "\n") for name in names])
        return
    labels = [_shortened(name, LONGEST) for name in names]
    axes.set_xticks(places, labels=labels, rotation=TURNED, ha="right", rotation_mode="anchor")


def _shortened(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
