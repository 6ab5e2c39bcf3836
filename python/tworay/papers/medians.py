"""Medians with their intervals, where single runs lie so far out that a mean shows nothing else."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from tworay.papers.library import Figure


def median_interval(ordered: list[float], confidence: float) -> tuple[float | None, float | None]:
    """Return the interval of the median between two order statistics (sign test)."""
    from scipy.stats import binom

    n = len(ordered)
    place = int(binom.ppf((1 - confidence) / 2, n, 0.5)) if n else 0
    return (ordered[place - 1], ordered[n - place]) if place >= 1 else (None, None)


def with_medians(figure: Figure, table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of means with medians and their intervals instead, if the figure shows medians."""
    if not figure.median:
        return table
    rows = [sorted(values) for values in table["values"].to_list()]
    intervals = [median_interval(values, figure.level) for values in rows]
    return table.with_columns(
        mean=pl.Series([statistics.median(values) if values else None for values in rows], dtype=pl.Float64),
        low=pl.Series([low for low, _ in intervals], dtype=pl.Float64),
        high=pl.Series([high for _, high in intervals], dtype=pl.Float64),
    )
