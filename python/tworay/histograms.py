"""Histograms of samples such as path lengths, with rules for the bin width."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Rule: TypeAlias = Literal["freedman-diaconis", "sturges"]


class Histogram(NamedTuple):
    """Counts between edges: ``counts[i]`` values in ``edges[i]``..``edges[i + 1]`` (the last one closed)."""

    edges: list[float]
    counts: list[int]


def sturges_bins(values: Sequence[float]) -> int:
    """Return the number of bins by Sturges (1926): ``ceil(log2 n) + 1``; for nearly normal samples."""
    return math.ceil(math.log2(len(values))) + 1 if len(values) else 1


def freedman_diaconis_width(values: Sequence[float]) -> float | None:
    """Width of a bin by Freedman and Diaconis (1981): twice the interquartile range by the cube root of n.

    ``None`` if the middle half of the values are equal: the rule is then undefined.
    """
    if not len(values):
        return None
    low, high = np.percentile(values, [25, 75])
    width = float(2 * (high - low) / len(values) ** (1 / 3))
    return width if width > 0 else None


def histogram(values: Sequence[float], rule: Rule = "freedman-diaconis") -> Histogram:
    """Count values in bins of equal width between the smallest and the largest value.

    If the rule of Freedman and Diaconis is undefined, Sturges' number of bins is used.
    """
    if not len(values):
        return Histogram([], [])
    low, high = float(min(values)), float(max(values))
    width = freedman_diaconis_width(values) if rule == "freedman-diaconis" else None
    bins = math.ceil((high - low) / width) if width else sturges_bins(values)
    counts, edges = np.histogram(values, bins=max(1, bins), range=(low, high))
    return Histogram([float(edge) for edge in edges], [int(count) for count in counts])
