"""Draws the figures of papers from the runs of their experiments."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from tworay.analysis.contrasts import groups, means, select
from tworay.analysis.stats import mean, t_interval
from tworay.errors import InputError
from tworay.papers import answers, timelines
from tworay.papers.medians import with_medians
from tworay.papers.quantities import heading, sum_of, with_quantity
from tworay.papers.shown import comparable, panel, row, seeds_of, words
from tworay.showing.curves import Stack, Words, stacks
from tworay.showing.drawing import Look, panels
from tworay.showing.labels import seeds_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tworay.papers.library import Figure
    from tworay.papers.tables import Table


def draw_figure(
    figure: Figure,
    frame: pl.DataFrame,
    axes: list[str],
    out: Path,
    place_: Path,
    colours: Mapping[str, str] | None = None,
) -> tuple[Path | None, Table | None] | None:
    """Draw a figure; return its path, and the numbers of one that shows kept tables.

    ``colours`` are those of its lines by the names shown (default: by their order).
    """
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"figure-{re.sub(r'[^A-Za-z0-9.]+', '-', figure.id)}.svg"
    if figure.kind in timelines.KINDS:
        return timelines.draw(figure, frame, axes, place_, file, colours)
    if figure.kind == "table" or figure.kind in answers.KINDS:
        return None
    try:
        chosen = comparable(figure, select(frame, figure.where, axes))
        if figure.kind == "stack":
            return _stack(figure, chosen, file)
        return None if figure.columns else _points(figure, chosen, file, colours)
    except InputError:
        return None  # --quick leaves some cells out.


def seeds_shown(figure: Figure, frame: pl.DataFrame, axes: list[str]) -> tuple[int, int] | None:
    """Return the least and the largest number of seeds of what a figure shows; ``None`` if it isn't drawn."""
    try:
        chosen = select(frame, figure.where, axes)
    except InputError:
        return None
    return seeds_of(chosen if figure.kind in timelines.KINDS else comparable(figure, chosen))


def look(figure: Figure, named: dict[str, str], rows: dict[str, str]) -> Look:
    """Return the words of a figure, and the paper's values in it.

    ``named`` are the names of its lines as shown, ``rows`` those of its rows.
    """
    title, factor = heading(figure.metric)
    printed = {
        (row(figure, label, rows), shown): value
        for label in figure.printed
        for name, shown in named.items()
        if (value := figure.value(label, name)) is not None
    }
    return Look(
        figure.title,
        figure.x,
        figure.y or title,
        figure.legend,
        factor,
        log=figure.log,
        at=figure.at,
        printed=printed,
        level=figure.level,
        singles=figure.singles,
        middle="median" if figure.median else "mean",
        most=1.0 if title.endswith("0 to 1)") else None,
        reference=figure.reference,
        top=figure.top,
    )


def _points(
    figure: Figure, frame: pl.DataFrame, file: Path, colours: Mapping[str, str] | None
) -> tuple[Path, None] | None:
    frame = with_quantity(frame, figure.metric)
    keys = [axis for axis in (figure.rows, figure.cols) if axis]
    parts = {"": frame}
    if figure.panels:
        labels = dict.fromkeys(frame[figure.panels].to_list())
        parts = {panel(figure, label): frame.filter(frame[figure.panels] == label) for label in labels}
    rows = words(figure, figure.rows, frame[figure.rows].to_list())
    named = words(figure, figure.cols, frame[figure.cols].to_list()) if figure.cols else {"": ""}
    renamed = [
        pl.col(axis).replace(known) for axis, known in ((figure.cols, named), (figure.rows, rows)) if axis
    ]
    tables = {
        label: with_medians(figure, means(part, keys, figure.metric, level=figure.level))
        for label, part in parts.items()
    }
    if all(table["mean"].drop_nulls().is_empty() for table in tables.values()):
        return None
    panels(
        {label: table.with_columns(renamed) for label, table in tables.items()},
        figure.metric,
        rows=figure.rows,
        lines=figure.cols,
        output=file,
        kind=figure.kind,
        look=replace(look(figure, named, rows), colours=colours or {}),
    )
    return file, None


def _stack(figure: Figure, frame: pl.DataFrame, file: Path) -> tuple[Path, None]:
    """Draw the figure's columns on top of each other, with the interval of their sum."""
    shown = []
    for name in dict.fromkeys(frame[figure.panels].to_list()) if figure.panels else [""]:
        part = frame.filter(frame[figure.panels] == name) if figure.panels else frame
        title = panel(figure, name) if name else heading(sum_of(figure.columns))[0] if figure.apart else ""
        shown.append(_stacked(figure, part, figure.columns, title))
    of = "the sum" if len(figure.columns) > 1 and not figure.apart else "a bar's height"
    note = f"mean of {seeds_in_words(*seeds_of(frame))}; lines on the bars: 95 % interval of {of}"
    note += ", with the error of the measured cost" * bool(figure.errors)
    alone = [_stacked(figure, frame, (figure.apart,), heading(figure.apart)[0])] if figure.apart else []
    stacks(shown, Words(figure.title, figure.y, note, x=figure.x), alone, output=file)
    return file, None


def _part(figure: Figure, title: str) -> str:
    """Return the name of a layer, without its unit where parts of one total have different ones."""
    return title.rpartition(" (")[0] if figure.apart else title


def _stacked(figure: Figure, frame: pl.DataFrame, columns: tuple[str, ...], name: str) -> Stack:
    """Return a panel of stacked columns; the errors of a measured factor belong to the last of them."""
    total = sum_of(columns)
    for quantity in (*columns, total):
        frame = with_quantity(frame, quantity)
    _, factor = heading(columns[0])
    labels = list(dict.fromkeys(frame[figure.rows].to_list()))
    values = {quantity: groups(frame, [figure.rows], quantity) for quantity in (*columns, total)}

    def all_of(quantity: str, label: str) -> list[float]:
        return [factor * value for value in values[quantity].get((label,), {}).values()]

    layers = [
        (_part(figure, heading(quantity)[0]), [mean(all_of(quantity, label)) or 0.0 for label in labels])
        for quantity in columns
    ]
    intervals = [t_interval(all_of(total, label)) for label in labels]
    chance = [(one.high - one.low) / 2 if one else 0.0 for one in intervals]
    measured = [
        figure.errors.get(label, 0.0) * value for label, value in zip(labels, layers[-1][1], strict=True)
    ]
    low = [math.hypot(a, b) for a, b in zip(chance, measured, strict=True)]
    known = words(figure, figure.rows, labels)
    return Stack(name, [known[label] for label in labels], layers, low)
