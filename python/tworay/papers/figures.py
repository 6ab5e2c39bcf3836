"""Draws the figures of papers from the runs of their experiments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tworay.analysis.contrasts import means, select
from tworay.errors import InputError
from tworay.histograms import histogram
from tworay.papers.quantities import with_quantity
from tworay.showing.drawing import bars, draw, trace

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.library import Figure
    from tworay.papers.tables import Table

# Kinds that show kept tables of runs; the others show metrics.
FROM_TABLES = ("trace", "histogram")
# Maximum number of rows per line in the table of a figure over time.
TRACED = 200


def draw_figure(
    figure: Figure, frame: pl.DataFrame, axes: list[str], out: Path, place_: Path
) -> tuple[Path, Table | None] | None:
    """Draw a figure; return its path, and the numbers of one that shows kept tables."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"figure-{re.sub(r'[^A-Za-z0-9.]+', '-', figure.id)}.svg"
    if figure.kind == "table" or figure.columns:
        return None
    if figure.kind == "trace":
        return _trace(figure, frame, axes, place_, file)
    if figure.kind == "histogram":
        return _histogram(figure, frame, axes, place_, file)
    try:
        frame = with_quantity(select(frame, figure.where, axes), figure.metric)
        keys = [axis for axis in (figure.rows, figure.cols) if axis]
        table = means(frame, keys, figure.metric)
    except InputError:
        return None  # --quick leaves some cells out.
    if table["mean"].drop_nulls().is_empty():
        return None
    draw(
        table,
        figure.metric,
        rows=figure.rows,
        lines=figure.cols,
        output=file,
        kind=figure.kind,
        title=figure.title,
    )
    return file, None


def _trace(
    figure: Figure, frame: pl.DataFrame, axes: list[str], where: Path, file: Path
) -> tuple[Path, Table] | None:
    """Draw a column of a kept table over time, for the first seed of each arm."""
    found = (
        select(frame, figure.where, axes).sort("seed").unique(figure.rows, keep="first", maintain_order=True)
    )
    lines = []
    for label, world, seed in found.select(figure.rows, "world", "seed").iter_rows():
        file_ = where / "tables" / figure.table / f"{world}-{seed}.parquet"
        if file_.is_file():
            series = pl.read_parquet(file_, columns=["t_s", figure.metric])
            if figure.mean_of > 1:
                series = series.with_columns(pl.col(figure.metric).rolling_mean(figure.mean_of)).drop_nulls()
            lines.append((f"{label}, seed {seed}", series))
    if not lines:
        return None
    trace(lines, figure.metric, output=file, title=figure.title)
    rows = []
    for label, series in lines:
        kept = series.gather_every(max(1, -(-series.height // TRACED)))
        rows += [
            [label, f"{time:.6f}", "–" if value is None else f"{value:.4g}"]
            for time, value in kept.iter_rows()
        ]
    return file, (["line", "t, s", figure.metric.replace("_", " ")], rows)


def _histogram(
    figure: Figure, frame: pl.DataFrame, axes: list[str], where: Path, file: Path
) -> tuple[Path, Table] | None:
    """Draw how often the values of a column in the kept tables are, over all seeds of each arm."""
    found = select(frame, figure.where, axes).sort("seed")
    shown, rows = [], []
    for (label,), part in found.group_by(figure.rows, maintain_order=True):
        files = [
            where / "tables" / figure.table / f"{world}-{seed}.parquet"
            for world, seed in part.select("world", "seed").iter_rows()
        ]
        values = [pl.read_parquet(one)[figure.metric].drop_nulls() for one in files if one.is_file()]
        counted = histogram(pl.concat(values).to_list() if values else [], figure.bins)
        if not counted.counts:
            continue
        shown.append((str(label), counted))
        total = sum(counted.counts)
        for low, high, count in zip(counted.edges, counted.edges[1:], counted.counts, strict=False):
            rows.append([str(label), f"{low:.3g} to {high:.3g}", str(count), f"{100 * count / total:.2g}"])
    if not shown:
        return None
    bars(shown, figure.metric, output=file, title=figure.title)
    return file, ([figure.rows, figure.metric.replace("_", " "), "values", "% of them"], rows)
