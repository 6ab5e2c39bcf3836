"""Draw sweeps: lines or dots with intervals, ECDFs, heat maps.

The same results give the same bytes of SVG.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tworay import metrics
from tworay.errors import InputError
from tworay.showing.plotting import COLOURS, FORMATS, INCHES, SETTINGS, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tworay.histograms import Histogram

KINDS = ("lines", "dots", "ecdf", "heat")
MARKERS = "os^Dv<>P"
# Up to this many values of an axis of numbers, each has a tick of its own.
MOST_TICKS = 12
# A number with a unit, as in `2m/s`.
UNIT = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?\s*([A-Za-zµ%][A-Za-z/%]*)")


def number(label: str) -> float | None:
    """Return the number in a label such as ``2m/s`` or ``string-4``; ``None`` if there is not exactly one."""
    found = re.findall(r"(?<![\d.])-?\d+(?:\.\d+)?(?:e-?\d+)?", label.replace("-", " "))
    return float(found[0]) if len(found) == 1 else None


def with_unit(axis: str, labels: Sequence[str]) -> str:
    """Return an axis's name with the unit that all its labels have: ``olsr.tc_interval (s)``."""
    units = {_unit(label) for label in labels}
    (unit,) = units if len(units) == 1 else (None,)
    return f"{axis} ({unit})" if unit else axis


def _unit(label: str) -> str | None:
    match = UNIT.fullmatch(label)
    return match[1] if match else None


def _without_unit(label: str) -> str:
    match = UNIT.fullmatch(label)
    return label[: match.start(1)].strip() if match else label


def draw(
    means: pl.DataFrame,
    metric: str,
    *,
    rows: str,
    lines: str | None = None,
    output: str | PathLike[str] | None = None,
    kind: str | None = None,
    title: str = "",
) -> Figure:
    """Draw a table of means: ``rows`` along the axis, a line or colour for each value of ``lines``."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    if output is not None and Path(output).suffix.lower() not in FORMATS:
        raise InputError(f"{output}: plots are written as {', '.join(FORMATS)}; name such a file")
    if lines == rows:
        lines = None
    labels = list(dict.fromkeys(means[rows].to_list()))
    places = [number(label) for label in labels]
    # 500ms and 1s are 500 and 1 in different units.
    alike = len({_unit(label) for label in labels}) == 1
    numeric = alike and None not in places and len(set(places)) == len(places) > 1
    kind = kind or ("lines" if numeric else "dots")
    if kind not in KINDS:
        raise InputError(f"there is no plot `{kind}`; there are {', '.join(KINDS)}")
    with rc_context(SETTINGS):
        figure = Figure(figsize=INCHES, layout="constrained")
        axes = figure.add_subplot()
        names = list(dict.fromkeys(means[lines].to_list())) if lines else [""]
        if kind == "heat":
            _heat(figure, axes, means, metric, rows, lines, labels, names)
        elif kind == "ecdf":
            _ecdf(axes, means, metric, rows, lines, labels, names)
        else:
            xs = (
                [float(p) for p in places if p is not None]
                if numeric
                else [float(i) for i in range(len(labels))]
            )
            _points(axes, means, metric, rows, lines, labels, names, xs, joined=kind == "lines")
            if not numeric or len(labels) <= MOST_TICKS:
                axes.set_xticks(xs, [_without_unit(label) if numeric else label for label in labels])
            axes.set_xlabel(with_unit(rows, labels) if numeric else rows)
        if kind in ("lines", "dots", "ecdf") and (len(names) > 1 or kind == "ecdf"):
            axes.legend(frameon=False, fontsize=9)
        if title:
            axes.set_title(title, fontsize=10)
        axes.spines[["top", "right"]].set_visible(kind == "heat")
        if output is not None:
            write(figure, Path(output), Path(output).suffix)
    return figure


def trace(
    lines: Sequence[tuple[str, pl.DataFrame]], column: str, *, output: str | PathLike[str], title: str = ""
) -> Figure:
    """Draw a column of several time series as step lines."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=INCHES, layout="constrained")
        axes = figure.add_subplot()
        for i, (label, frame) in enumerate(lines):
            axes.step(frame["t_s"], frame[column], where="post", label=label, color=COLOURS[i], linewidth=0.8)
        axes.set_xlabel("time (s)")
        axes.set_ylabel(column.replace("_", " "))
        axes.legend(frameon=False, fontsize=9)
        axes.set_title(title, fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        write(figure, Path(output), Path(output).suffix)
    return figure


def bars(
    arms: Sequence[tuple[str, Histogram]], column: str, *, output: str | PathLike[str], title: str = ""
) -> Figure:
    """Draw histograms below each other, with the same axis: the share of values in each bin."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=INCHES, layout="constrained")
        rows = figure.subplots(len(arms), sharex=True, sharey=True, squeeze=False)[:, 0]
        for i, (axes, (label, found)) in enumerate(zip(rows, arms, strict=True)):
            shares = [100 * count / sum(found.counts) for count in found.counts]
            axes.stairs(shares, found.edges, fill=True, color=COLOURS[i], label=label)
            axes.set_ylabel("% of values")
            axes.legend(frameon=False, fontsize=9)
            axes.spines[["top", "right"]].set_visible(False)
        rows[0].set_title(title, fontsize=10)
        rows[-1].set_xlabel(column.replace("_", " "))
        write(figure, Path(output), Path(output).suffix)
    return figure


def scaled(metric: str) -> tuple[str, float]:
    """Return a metric's axis title and the factor it is shown with."""
    known = metrics.find(metric)
    head, unit = metrics.words(metric)
    return (f"{head} ({unit})" if unit else head), (known.scale if known else 1.0)


def _cell(means: pl.DataFrame, rows: str, label: str, lines: str | None, name: str) -> dict[str, Any] | None:
    for row in means.iter_rows(named=True):
        if row[rows] == label and (lines is None or row[lines] == name):
            return row
    return None


def _points(
    axes: Axes,
    means: pl.DataFrame,
    metric: str,
    rows: str,
    lines: str | None,
    labels: Sequence[str],
    names: Sequence[str],
    xs: Sequence[float],
    *,
    joined: bool,
) -> None:
    heading, scale = scaled(metric)
    span = (max(xs) - min(xs)) or 1.0
    for i, name in enumerate(names):
        shift = (i - (len(names) - 1) / 2) * (0.006 if joined else 0.08 / max(1, len(names) / 3)) * span
        found = [(x, _cell(means, rows, label, lines, name)) for x, label in zip(xs, labels, strict=True)]
        there = [(x, row) for x, row in found if row and row["mean"] is not None]
        ys = [row["mean"] * scale for _, row in there]
        low = [
            max(0.0, (row["mean"] - (row["low"] if row["low"] is not None else row["mean"])) * scale)
            for _, row in there
        ]
        axes.errorbar(
            [x + shift for x, _ in there],
            ys,
            yerr=[low, low],
            fmt=MARKERS[i % len(MARKERS)] + ("-" if joined else ""),
            color=COLOURS[i % len(COLOURS)],
            label=name,
            markersize=4,
            capsize=2,
            linewidth=1.2,
        )
    axes.set_ylabel(heading)
    axes.grid(axis="y", linewidth=0.3, alpha=0.6)


def _ecdf(
    axes: Axes,
    means: pl.DataFrame,
    metric: str,
    rows: str,
    lines: str | None,
    labels: Sequence[str],
    names: Sequence[str],
) -> None:
    heading, scale = scaled(metric)
    series = [
        (f"{name} {label}".strip(), _cell(means, rows, label, lines, name))
        for label in labels
        for name in names
    ]
    for i, (label, row) in enumerate(series):
        if row and row["values"]:
            colour, dashes = COLOURS[i % len(COLOURS)], ("-", "--", ":", "-.")[i // len(COLOURS) % 4]
            axes.ecdf([value * scale for value in row["values"]], label=label, color=colour, linestyle=dashes)
    axes.set_xlabel(heading)
    axes.set_ylabel("share of runs at or below")


def _ink(colour: Any) -> str:
    """Return black or white, whichever contrasts more with a colour (WCAG 2, relative luminance)."""
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3])
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # A cell without a value is transparent, on white.
    return "black" if colour[3] == 0 or (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def _heat(
    figure: Figure,
    axes: Axes,
    means: pl.DataFrame,
    metric: str,
    rows: str,
    lines: str | None,
    labels: Sequence[str],
    names: Sequence[str],
) -> None:
    heading, scale = scaled(metric)
    cells = [[_cell(means, rows, label, lines, name) for name in names] for label in labels]
    grid = [
        [row["mean"] * scale if row and row["mean"] is not None else float("nan") for row in line]
        for line in cells
    ]
    image = axes.imshow(grid, aspect="auto", cmap="cividis")
    for y, line in enumerate(grid):
        for x, value in enumerate(line):
            said = "–" if math.isnan(value) else f"{value:.3g}"
            ink = _ink(image.to_rgba(np.asarray(value)))
            axes.text(x, y, said, ha="center", va="center", color=ink, fontsize=8)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylabel(rows)
    axes.set_xlabel(lines or "")
    figure.colorbar(image, label=heading)
