"""Draws the figures of papers from the runs of their experiments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tworay.analysis.contrasts import groups, means, select
from tworay.analysis.stats import mean, t_interval
from tworay.errors import InputError
from tworay.papers import answers, timelines
from tworay.papers.quantities import heading, with_quantity
from tworay.showing.curves import Stack, Words, stacks
from tworay.showing.drawing import Look, panels

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.library import Figure
    from tworay.papers.tables import Table


def draw_figure(
    figure: Figure, frame: pl.DataFrame, axes: list[str], out: Path, place_: Path
) -> tuple[Path | None, Table | None] | None:
    """Draw a figure; return its path, and the numbers of one that shows kept tables."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"figure-{re.sub(r'[^A-Za-z0-9.]+', '-', figure.id)}.svg"
    if figure.kind in timelines.KINDS:
        return timelines.draw(figure, frame, axes, place_, file)
    if figure.kind == "table" or figure.kind in answers.KINDS:
        return None
    try:
        chosen = select(frame, figure.where, axes)
        if figure.kind == "stack":
            return _stack(figure, chosen, file)
        return None if figure.columns else _points(figure, chosen, file)
    except InputError:
        return None  # --quick leaves some cells out.


def panel(figure: Figure, label: str) -> str:
    """Return the name of a panel: numbers say of what they are."""
    return figure.named.get(label) or (f"{figure.panels} {label}" if label[0].isdigit() else label)


def look(figure: Figure, named: list[str]) -> Look:
    """Return the words of a figure, and the paper's values in it; ``named`` are the names of its lines."""
    title, factor = heading(figure.metric)
    printed = {
        (figure.named.get(row) or _of_panel(figure, row), name): value
        for row in figure.printed
        for name in named
        if (value := figure.value(row, name)) is not None
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
    )


def _of_panel(figure: Figure, row: str) -> str:
    """Return the row of a value with the name of its panel as drawn."""
    label, slash, rest = row.partition("/")
    return f"{panel(figure, label)}/{rest}" if figure.panels and slash else row


def _points(figure: Figure, frame: pl.DataFrame, file: Path) -> tuple[Path, None] | None:
    frame = with_quantity(frame, figure.metric)
    keys = [axis for axis in (figure.rows, figure.cols) if axis]
    parts = {"": frame}
    if figure.panels:
        labels = dict.fromkeys(frame[figure.panels].to_list())
        parts = {panel(figure, label): frame.filter(frame[figure.panels] == label) for label in labels}
    tables = {
        label: means(part, keys, figure.metric).with_columns(pl.col(figure.rows).replace(figure.named))
        for label, part in parts.items()
    }
    if all(table["mean"].drop_nulls().is_empty() for table in tables.values()):
        return None
    named = list(dict.fromkeys(frame[figure.cols].to_list())) if figure.cols else [""]
    panels(
        tables,
        figure.metric,
        rows=figure.rows,
        lines=figure.cols,
        output=file,
        kind=figure.kind,
        look=look(figure, named),
    )
    return file, None


def _stack(figure: Figure, frame: pl.DataFrame, file: Path) -> tuple[Path, None]:
    """Draw the figure's columns on top of each other, with the interval of their sum."""
    total = " + ".join(figure.columns)
    for quantity in (*figure.columns, total):
        frame = with_quantity(frame, quantity)
    _, factor = heading(figure.columns[0])
    shown, seeds = [], 0
    for name in dict.fromkeys(frame[figure.panels].to_list()) if figure.panels else [""]:
        part = frame.filter(frame[figure.panels] == name) if figure.panels else frame
        labels = list(dict.fromkeys(part[figure.rows].to_list()))
        values = {quantity: groups(part, [figure.rows], quantity) for quantity in (*figure.columns, total)}

        def all_of(quantity: str, label: str, values: dict = values) -> list[float]:  # type: ignore[type-arg]
            return [factor * value for value in values[quantity].get((label,), {}).values()]

        layers = [
            (heading(quantity)[0], [mean(all_of(quantity, label)) or 0.0 for label in labels])
            for quantity in figure.columns
        ]
        intervals = [t_interval(all_of(total, label)) for label in labels]
        low = [(one.high - one.low) / 2 if one else 0.0 for one in intervals]
        seeds = max(seeds, *(len(all_of(total, label)) for label in labels))
        shown.append(Stack(panel(figure, name) if name else "", labels, layers, low))
    note = f"mean of {seeds} seeds; lines on the bars: 95 % interval of the sum"
    stacks(shown, Words(figure.title, figure.y, note, x=figure.x), output=file)
    return file, None
