"""Shared by drawings and tables: runs that can be compared, and words for the labels of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.analysis.contrasts import on_common_seeds
from tworay.showing.labels import places

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from tworay.papers.library import Figure

# The axis of built-in scenarios that differ in one number, such as `string-4` to `string-15`.
SCENARIO = "scenario"
# The axis of variants.
VARIANTS = "tcp"


def comparable(figure: Figure, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the runs of a figure in which what it compares has the same seeds.

    A plan of seeds gives each cell its own number. A figure compares variants or, if it has none, its lines.
    Cells of other labels, such as of another number of hops, keep their own seeds.
    """
    axes = [axis for axis in (figure.panels, figure.rows, figure.cols) if axis]
    compared = VARIANTS if VARIANTS in axes else figure.cols
    return on_common_seeds(frame, [axis for axis in axes if axis != compared]) if compared else frame


def seeds_of(frame: pl.DataFrame) -> tuple[int, int]:
    """Return the least and the largest number of seeds of the cells."""
    counts = frame.group_by("cell").n_unique()["seed"].to_list()
    return min(counts, default=0), max(counts, default=0)


def words(figure: Figure, axis: str | None, labels: Iterable[str]) -> dict[str, str]:
    """Return what a figure shows for labels of an axis: its names, numbers of scenarios, or the labels."""
    known = list(dict.fromkeys(labels))
    found = places(known) if axis == SCENARIO and len(known) > 1 else None
    numbers = {} if found is None else dict(zip(known, found, strict=True))
    named = {label: f"{number + figure.more:g}" for label, number in numbers.items()}
    return {label: figure.named.get(label, named.get(label, label)) for label in known}


def panel(figure: Figure, label: str) -> str:
    """Return the name of a panel: numbers say of what they are."""
    return figure.named.get(label) or (f"{figure.panels} {label}" if label[0].isdigit() else label)


def row(figure: Figure, label: str, rows: dict[str, str]) -> str:
    """Return the row of a value of the source as drawn: with the name of its panel, and that of its label."""
    place, slash, rest = label.partition("/")
    if figure.panels and slash:
        return f"{panel(figure, place)}/{rows.get(rest, rest)}"
    return rows.get(label, label)
