"""Draw sweeps: lines, dots or stacked bars with intervals, ECDFs, heat maps.

The same results give the same bytes of SVG.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tworay import metrics
from tworay.errors import InputError
from tworay.showing.labels import places, seeds_in_words, with_unit
from tworay.showing.pictures import COLOURS, FORMATS, INCHES, SETTINGS, new_figure, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("lines", "dots", "ecdf", "heat")
MARKERS = "os^Dv<>P"
# Up to this many values of an axis of numbers, each has a tick of its own.
MOST_TICKS = 12
# Characters below an axis that fit beside each other.
LEVEL_LABELS = 85
# With more lines, the bars of their intervals would hide them.
MOST_BARS = 8
# Markers on a line of more points, about: the others would hide it.
MOST_MARKERS = 4
# More dots of single seeds at a place lie upon each other, and make a figure large.
MOST_DOTS = 20
BARS = "{middle} of {seeds}; bars: its {level:g} % interval"


@dataclass(frozen=True)
class Look:
    """The words of a drawing, and what stands in it besides the means.

    ``x``, ``y`` and ``legend`` are titles (default: from the axes and the metric). ``factor`` leads from
    values to the unit of ``y`` (default: the metric's). ``log`` names the logarithmic axis, ``x`` or ``y``.
    ``at`` has the places of labels without a number. ``printed`` holds the values of the source by row and
    line, in the unit of ``y``. ``level`` is that of the intervals. With ``singles`` every seed has a dot, or
    the first ``MOST_DOTS`` have one. ``most`` is the largest possible value, such as 1 of a share. ``middle``
    says what the points are: means, or medians, whose intervals need not be symmetric. ``reference`` is a
    value with which the source compares, drawn as a dashed line; above ``top`` single seeds are only counted.
    ``colours`` are those of lines by their names; the others have one by their order.
    """

    title: str = ""
    x: str = ""
    y: str = ""
    legend: str = ""
    factor: float | None = None
    log: str = ""
    at: Mapping[str, float] = field(default_factory=dict)
    printed: Mapping[tuple[str, str], float] = field(default_factory=dict)
    level: float = 0.95
    singles: bool = False
    most: float | None = None
    middle: str = "mean"
    reference: float | None = None
    top: float | None = None
    colours: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Chart:
    """A table of means to draw: ``rows`` along the axis, a line or colour for each value of ``lines``."""

    means: pl.DataFrame
    metric: str
    rows: str
    lines: str | None
    look: Look

    @property
    def labels(self) -> list[str]:
        """The labels along the axis, in order."""
        return list(dict.fromkeys(self.means[self.rows].to_list()))

    @property
    def names(self) -> list[str]:
        """The names of the lines; a single empty one without ``lines``."""
        return list(dict.fromkeys(self.means[self.lines].to_list())) if self.lines else [""]

    @property
    def places(self) -> list[float] | None:
        """The places of the labels on an axis of numbers; ``None`` if they are categories."""
        return places(self.labels, self.look.at) if len(self.labels) > 1 else None

    @property
    def scale(self) -> float:
        """The factor from values to the unit shown."""
        return scaled(self.metric)[1] if self.look.factor is None else self.look.factor

    @property
    def heading(self) -> str:
        """The title of the axis of values."""
        return self.look.y or axis_title(self.metric)

    @property
    def along(self) -> str:
        """The title of the axis of labels."""
        return self.look.x or (with_unit(self.rows, self.labels) if self.places else self.rows)

    def cell(self, label: str, name: str) -> dict[str, Any] | None:
        """Return the row of a label and line; ``None`` if it has no value."""
        for row in self.means.iter_rows(named=True):
            if row[self.rows] == label and (self.lines is None or row[self.lines] == name):
                return row if row["mean"] is not None else None
        return None

    def reach(self, row: Mapping[str, Any], end: str) -> float:
        """Return how far the interval of a cell reaches to its end, in the unit shown; 0 if it has none.

        Without a column ``high`` intervals are symmetric.
        """
        if row["low"] is None:
            return 0.0
        reach: float = abs(row.get(end, row["low"]) - row["mean"]) * self.scale
        return reach

    @property
    def seeds(self) -> list[int]:
        """The number of seeds of each cell that has a value."""
        return [row["n"] for row in self.means.iter_rows(named=True) if row["mean"] is not None]

    @property
    def above(self) -> list[float]:
        """The values of single seeds above the axis, in the unit shown."""
        top = self.look.top
        values = [value for row in self.means.iter_rows(named=True) for value in row["values"] or ()]
        return [value * self.scale for value in values if top is not None and value * self.scale > top]

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest of the means and the source's values, in the unit shown."""
        means = [
            row["mean"] * self.scale for row in self.means.iter_rows(named=True) if row["mean"] is not None
        ]
        values = [*means, *self.look.printed.values()] or [0.0]
        return min(values), max(values)


def note_of(charts: Sequence[Chart]) -> str:
    """Return a sentence about the points and bars of all panels."""
    look, seeds = charts[0].look, [number for chart in charts for number in chart.seeds]
    least, most = min(seeds, default=0), max(seeds, default=0)
    said = seeds_in_words(least, most)
    note = BARS.format(middle=look.middle, seeds=said, level=100 * look.level) if most > 1 else "one seed"
    if most > 1 and max(len(chart.names) for chart in charts) > MOST_BARS:
        note = f"{look.middle} of {said}"
    if look.singles:
        above = [value for chart in charts for value in chart.above]
        note += f"; dots: {f'the first {MOST_DOTS}' if most > MOST_DOTS else 'single'} seeds"
        note += f", {len(above)} above the axis (up to {max(above):.3g})" if above else ""
    return note if look.reference is None else f"{note}; dashed: {look.reference:g}"


def draw(
    means: pl.DataFrame,
    metric: str,
    *,
    rows: str,
    lines: str | None = None,
    output: str | PathLike[str] | None = None,
    kind: str | None = None,
    look: Look | None = None,
) -> Figure:
    """Draw a table of means: ``rows`` along the axis, a line or colour for each value of ``lines``."""
    return panels({"": means}, metric, rows=rows, lines=lines, output=output, kind=kind, look=look)


def panels(
    parts: Mapping[str, pl.DataFrame],
    metric: str,
    *,
    rows: str,
    lines: str | None = None,
    output: str | PathLike[str] | None = None,
    kind: str | None = None,
    look: Look | None = None,
) -> Figure:
    """Draw tables of means beside each other, with the same axis of values; their names are above them.

    Raises:
        InputError: the kind of drawing or the format of ``output`` is unknown.

    """
    from matplotlib import rc_context

    look = look or Look()
    if output is not None and Path(output).suffix.lower() not in FORMATS:
        raise InputError(f"{output}: plots are written as {', '.join(FORMATS)}; name such a file")
    charts = {
        name: Chart(part, metric, rows, None if lines == rows else lines, _of_panel(look, name))
        for name, part in parts.items()
    }
    first = next(iter(charts.values()))
    kind = kind or ("lines" if first.places else "dots")
    if kind not in KINDS:
        raise InputError(f"there is no plot `{kind}`; there are {', '.join(KINDS)}")
    width, height = INCHES
    with rc_context(SETTINGS):
        figure = new_figure((width * (1 if len(charts) < 3 else 1.3), height))
        every = figure.subplots(1, len(charts), sharey=kind != "heat", squeeze=False)[0]
        for axes, (name, chart) in zip(every, charts.items(), strict=True):
            _chart(figure, axes, chart, kind)
            axes.set_title(name, fontsize=10)
            axes.spines[["top", "right"]].set_visible(kind == "heat")
            if axes is not every[0] and kind in ("lines", "dots"):
                axes.set_ylabel("")
        handles, names = every[0].get_legend_handles_labels()
        if kind != "heat" and (len(names) > 1 or kind == "ecdf"):
            figure.legend(
                handles,
                names,
                title=look.legend or None,
                loc="outside right center",
                frameon=False,
                fontsize=9,
            )
        if look.title:
            figure.suptitle(look.title, fontsize=10)
        if kind in ("lines", "dots"):
            _limits(every[0], list(charts.values()))
            note = note_of(list(charts.values()))
            note += "; ×: value of the source" * bool(look.printed)
            figure.supxlabel(note, fontsize=8, x=0.99, ha="right")
        if output is not None:
            write(figure, Path(output), Path(output).suffix)
    return figure


def _of_panel(look: Look, name: str) -> Look:
    """Leave the source's values of one panel: theirs have its name before that of the row."""
    if not name:
        return look
    return replace(
        look,
        printed={
            (row.removeprefix(f"{name}/"), line): value
            for (row, line), value in look.printed.items()
            if row.startswith(f"{name}/")
        },
    )


def scaled(metric: str) -> tuple[str, float]:
    """Return a metric's heading in tables and the factor it is shown with."""
    known = metrics.find(metric)
    head, unit = metrics.words(metric)
    return (f"{head} ({unit})" if unit else head), (known.scale if known else 1.0)


def axis_title(metric: str) -> str:
    """Return a metric's title of an axis: its heading, with the unit of counted things as well."""
    heading, factor = scaled(metric)
    known = metrics.find(metric)
    if known is None or heading.endswith(")") or factor != 1 or known.unit == "count" or "1" in known.unit:
        return heading
    return f"{heading} ({known.unit})"


def shades(names: Sequence[str]) -> list[Any]:
    """Return a colour for each line: of a scale for many numbers in order, else those of Okabe and Ito."""
    if len(names) > len(COLOURS) and places(names):
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        return [to_hex(colormaps["viridis"](0.92 * i / (len(names) - 1))) for i in range(len(names))]
    return [COLOURS[i % len(COLOURS)] for i in range(len(names))]


def _chart(figure: Figure, axes: Axes, chart: Chart, kind: str) -> None:
    if kind == "heat":
        _heat(figure, axes, chart)
    elif kind == "ecdf":
        _ecdf(axes, chart)
    else:
        _points(axes, chart, joined=kind == "lines")


def _ticks(axes: Axes, chart: Chart, xs: Sequence[float]) -> None:
    axes.set_xlabel(chart.along)
    if chart.places is None:
        long = max(map(len, chart.labels)) * len(xs) > LEVEL_LABELS
        axes.set_xticks(xs, chart.labels, rotation=30 if long else 0, ha="right" if long else "center")
        axes.set_xlim(-0.5, len(xs) - 0.5)
    elif chart.look.log == "x":
        from matplotlib.ticker import NullLocator

        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        if len(xs) <= MOST_TICKS and _apart(np.log(xs)):
            axes.set_xticks(xs, [f"{x:g}" for x in xs])
            axes.xaxis.set_minor_locator(NullLocator())
    elif len(xs) <= MOST_TICKS and _apart(np.asarray(xs)):
        axes.set_xticks(xs, [f"{x:g}" for x in xs])


def _apart(places_: np.ndarray[Any, Any]) -> bool:
    """Return whether each place on an axis has room for a label."""
    return bool(min(np.diff(np.sort(places_)), default=1) > np.ptp(places_) / 30)


def _points(axes: Axes, chart: Chart, *, joined: bool) -> None:
    labels, names = chart.labels, chart.names
    xs = chart.places or [float(i) for i in range(len(labels))]
    span = (max(xs) - min(xs)) or 1.0
    shown = _short(names) if chart.look.legend else names
    for i, (name, shade) in enumerate(zip(names, shades(names), strict=True)):
        colour = chart.look.colours.get(name, shade)
        apart = 0.006 if joined else 0.08 / max(1, len(names) / 3)
        # Many lines, or points on a logarithmic axis, stand where they belong.
        beside = not joined or (len(names) <= MOST_BARS and chart.look.log != "x")
        shift = (i - (len(names) - 1) / 2) * apart * span if beside else 0.0
        found = [(x + shift, chart.cell(label, name)) for x, label in zip(xs, labels, strict=True)]
        there = sorted(((x, row) for x, row in found if row), key=lambda one: one[0])
        low, high = ([chart.reach(row, end) for _, row in there] for end in ("low", "high"))
        down = low
        if chart.look.log == "y":
            # A logarithmic axis has no zero: such a bar ends at the least seed.
            down = [
                half if row["mean"] * chart.scale > half else (row["mean"] - min(row["values"])) * chart.scale
                for half, (_, row) in zip(low, there, strict=True)
            ]
        if chart.look.singles:
            every = [(x, value * chart.scale) for x, row in there for value in row["values"][:MOST_DOTS]]
            axes.plot(*zip(*every, strict=True), "o", color=colour, markersize=2.5, alpha=0.35, linewidth=0)
        axes.errorbar(
            [x for x, _ in there],
            [row["mean"] * chart.scale for _, row in there],
            yerr=[down, high] if any(low) and len(names) <= MOST_BARS else None,
            fmt=MARKERS[i % len(MARKERS)] + ("-" if joined else ""),
            color=colour,
            label=shown[i],
            markersize=4,
            markevery=max(1, len(there) // MOST_MARKERS) if joined else 1,
            linewidth=1.2,
        )
        printed = [
            (x + shift, chart.look.printed.get((label, name))) for x, label in zip(xs, labels, strict=True)
        ]
        marks = [(x, value) for x, value in printed if value is not None]
        axes.plot(*zip(*marks, strict=True), "x", color=colour, markersize=7) if marks else None
    if chart.look.log == "y":
        _decades(axes)
    if chart.look.reference is not None:
        axes.axhline(chart.look.reference, color="0.35", linestyle="--", linewidth=0.9, zorder=0)
    axes.set_ylabel(chart.heading)
    axes.grid(axis="y", linewidth=0.3, alpha=0.6)
    _ticks(axes, chart, xs)


def _limits(axes: Axes, charts: Sequence[Chart]) -> None:
    """Let the axis of values, which all panels share, end where values can.

    Limits end the scaling to what is drawn, so they follow when all panels have been drawn. The value with
    which the source compares stays within them.
    """
    look = charts[0].look
    low, high = min(one.ends[0] for one in charts), max(one.ends[1] for one in charts)
    if look.log != "y" and axes.get_ylim()[0] < 0 <= low:
        axes.set_ylim(bottom=0)  # An interval below zero says nothing about what can't be negative.
    if look.most is not None and axes.get_ylim()[1] > look.most >= high:
        axes.set_ylim(top=look.most)
    if look.reference is not None:
        low, high = axes.get_ylim()
        axes.set_ylim(min(low, 0.9 * look.reference), max(high, 1.1 * look.reference))
    if look.top is not None:
        axes.set_ylim(top=look.top)


def _decades(axes: Axes) -> None:
    """Make the axis of values logarithmic, with plain numbers."""
    from matplotlib.ticker import LogLocator, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(NullLocator())


def _short(names: Sequence[str]) -> list[str]:
    """Return the numbers that differ instead of names, if there are such: ``4`` for ``string-4``."""
    found = places(names)
    return [f"{one:g}" for one in found] if found else list(names)


def _ecdf(axes: Axes, chart: Chart) -> None:
    series = [
        (f"{name} {label}".strip(), chart.cell(label, name)) for label in chart.labels for name in chart.names
    ]
    for i, (label, row) in enumerate(series):
        if row and row["values"]:
            colour, dashes = COLOURS[i % len(COLOURS)], ("-", "--", ":", "-.")[i // len(COLOURS) % 4]
            values = [value * chart.scale for value in row["values"]]
            axes.ecdf(values, label=label, color=colour, linestyle=dashes)
    axes.set_xlabel(chart.heading)
    axes.set_ylabel("share of runs at or below")


def _ink(colour: Any) -> str:
    """Return black or white, whichever contrasts more with a colour (WCAG 2, relative luminance)."""
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3])
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # A cell without a value is transparent, on white.
    return "black" if colour[3] == 0 or (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def _heat(figure: Figure, axes: Axes, chart: Chart) -> None:
    labels, names = chart.labels, chart.names
    cells = [[chart.cell(label, name) for name in names] for label in labels]
    grid = [[row["mean"] * chart.scale if row else float("nan") for row in line] for line in cells]
    image = axes.imshow(grid, aspect="auto", cmap="cividis")
    for y, line in enumerate(grid):
        for x, value in enumerate(line):
            said = "–" if math.isnan(value) else f"{value:.3g}"
            ink = _ink(image.to_rgba(np.asarray(value)))
            axes.text(x, y, said, ha="center", va="center", color=ink, fontsize=8)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylabel(chart.look.x or chart.rows)
    axes.set_xlabel(chart.look.legend or chart.lines or "")
    figure.colorbar(image, label=chart.heading)
