"""Draw what happens over time in single runs, and histograms of values.

The same tables give the same bytes of SVG. Marks closer than ``JOINED`` of the axis become one bar, which
keeps a drawing of thousands of segments small.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tworay.showing.pictures import COLOURS, SETTINGS, new_figure, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tworay.histograms import Histogram

# Share of the axis of time that marks may be apart to be drawn as one: less than two pixels.
JOINED = 0.002
# Points of a line: more than a drawing of this width shows.
MOST_POINTS = 450
# Ticks of a logarithmic axis of times, s.
SECONDS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
STEPS: dict[str, Any] = {"drawstyle": "steps-post", "linewidth": 0.8}


@dataclass(frozen=True)
class Words:
    """Title of a drawing, titles of its axes with units, and a note below it."""

    title: str
    y: str
    note: str
    x: str = "time (s)"
    legend: str = ""


@dataclass(frozen=True)
class Exchange:
    """A transfer around a break: what is sent and acknowledged, and the sender's state.

    ``sent`` holds times of data segments, ``acked`` times of ACKs with the number of segments that each
    acknowledges; ``state`` has the columns ``t_s``, ``srtt_s``, ``rto_s`` and ``cwnd_segments``; ``span`` is
    the time without a route (start and end, s).
    """

    sent: Sequence[float]
    acked: Sequence[tuple[float, int]]
    state: pl.DataFrame
    span: tuple[float, float] | None
    seconds: float
    lost: Sequence[float] = ()
    """Times at which routing notices the break and has repaired it, s."""
    printed: Sequence[float] = ()
    """Times that the source gives, s."""


@dataclass(frozen=True)
class Stack:
    """A panel of stacked bars: by label one value for each part, in the unit of the axis."""

    name: str
    labels: Sequence[str]
    parts: Sequence[tuple[str, Sequence[float]]]
    low: Sequence[float]
    """Half the 95 % interval of the sum of all parts."""


class _Drawing:
    """A figure with panels, written when the block ends."""

    def __init__(self, words: Words, output: str | PathLike[str], *shape: int, **options: Any) -> None:
        self.words, self.output, self.shape, self.options = words, Path(output), shape or (1, 1), options

    def __enter__(self) -> tuple[Figure, NDArray[Any]]:
        from matplotlib import rc_context

        self._settings = rc_context(SETTINGS)
        self._settings.__enter__()
        self.figure = new_figure()
        panels = self.figure.subplots(*self.shape, squeeze=False, **self.options)
        return self.figure, panels

    def __exit__(self, failed: object, *rest: object) -> None:
        if failed is None:
            for axes in self.figure.axes:
                axes.spines["top"].set_visible(False)
                axes.spines["right"].set_visible(axes.yaxis.get_ticks_position() == "right")
            self.figure.suptitle(self.words.title, fontsize=10)
            self.figure.supxlabel(self.words.note, fontsize=8, x=0.99, ha="right")
            write(self.figure, self.output, self.output.suffix)
        self._settings.__exit__(None, None, None)


def thinned(times: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[Any, Any]:
    """Leave out points of a step line that a drawing cannot show; no short peak is lost.

    The last, least and most of each of 150 spans of time remain.
    """
    if len(times) <= MOST_POINTS:
        return times, values
    spans = np.floor((times - times[0]) / (times[-1] - times[0] or 1.0) * (MOST_POINTS / 3)).astype(int)
    kept = {0}
    starts = np.flatnonzero(np.diff(spans, prepend=-1))
    for low, high in pairwise([*map(int, starts), len(times)]):
        part = values[low:high]
        kept.add(high - 1)
        if not np.all(np.isnan(part)):
            kept |= {low + int(np.nanargmin(part)), low + int(np.nanargmax(part))}
    chosen = sorted(kept)
    return times[chosen], values[chosen]


def step(axes: Axes, frame: pl.DataFrame, column: str, **style: Any) -> None:
    """Draw a column over ``t_s`` as a step line."""
    values = frame[column].cast(float).to_numpy()
    axes.plot(*thinned(frame["t_s"].to_numpy(), values), **(STEPS | style))


def marks(times: Sequence[float], seconds: float) -> tuple[list[float], list[float]]:
    """Return starts and ends of bars that cover marks, joined where they are close."""
    near = JOINED * seconds
    starts: list[float] = []
    ends: list[float] = []
    for time in sorted(times):
        if ends and time - ends[-1] <= near:
            ends[-1] = time
        else:
            starts.append(time)
            ends.append(time)
    return starts, [max(end, start + near / 2) for start, end in zip(starts, ends, strict=True)]


def _bar(axes: Axes, times: Sequence[float], level: float, seconds: float, colour: str, **style: Any) -> None:
    starts, ends = marks(times, seconds)
    xs = [x for start, end in zip(starts, ends, strict=True) for x in (start, end, float("nan"))]
    axes.plot(xs, [level] * len(xs), color=colour, solid_capstyle="butt", **({"linewidth": 7} | style))


def trace(
    lines: Sequence[tuple[str, pl.DataFrame]],
    column: str,
    words: Words,
    *,
    output: str | PathLike[str],
    steps: bool = True,
    colours: Mapping[str, str] | None = None,
) -> None:
    """Draw a column of several time series as step lines, or as lines from point to point.

    ``colours`` are those of lines by their labels; the others have one by their order.
    """
    style = {} if steps else {"drawstyle": "default"}
    with _Drawing(words, output) as (figure, ((axes,),)):
        for i, (label, frame) in enumerate(lines):
            colour = (colours or {}).get(label, COLOURS[i % len(COLOURS)])
            step(axes, frame, column, label=label, color=colour, **style)
        axes.set_xlabel(words.x)
        axes.set_ylabel(words.y)
        axes.margins(x=0.01)
        if len(lines) > 1:
            figure.legend(title=words.legend or None, loc="outside right center", frameon=False, fontsize=9)


def round_trips(
    lines: Sequence[tuple[str, pl.DataFrame]],
    lost: Sequence[Sequence[float]],
    events: Mapping[str, float],
    words: Words,
    *,
    output: str | PathLike[str],
) -> None:
    """Draw the round-trip times of each flow in a panel, crosses for losses and dotted lines for events."""
    with _Drawing(words, output, len(lines), 1, sharex=True, sharey=True) as (figure, panels):
        top = 1.08 * max(float(frame["rtt_s"].to_numpy().max()) for _, frame in lines)
        for i, (axes, (label, frame), times) in enumerate(zip(panels[:, 0], lines, lost, strict=True)):
            step(axes, frame, "rtt_s", color=COLOURS[i % len(COLOURS)], drawstyle="default")
            axes.plot(times, [top] * len(times), "x", color="black", markersize=4)
            for time in events.values():
                axes.axvline(time, color="black", linestyle=":", linewidth=0.9)
            if len(lines) > 1:
                axes.set_title(label, fontsize=9, loc="left")
            axes.margins(x=0.01)
        panels[-1, 0].set_xlabel(words.x)
        panels[-1, 0].set_ylim(bottom=0)
        figure.supylabel(words.y, fontsize=10)


def areas(
    lines: Sequence[tuple[str, pl.DataFrame]], column: str, words: Words, *, output: str | PathLike[str]
) -> None:
    """Draw a column of several series that only grow, on top of each other, as areas."""
    with _Drawing(words, output) as (figure, ((axes,),)):
        end = max(float(frame["t_s"].to_numpy()[-1]) for _, frame in lines)
        times = np.linspace(0.0, end, 200)
        heights = []
        for _, frame in lines:
            known, values = frame["t_s"].to_numpy(), frame[column].to_numpy()
            place = np.searchsorted(known, times, side="right") - 1
            heights.append(np.where(place < 0, 0.0, values[np.maximum(place, 0)]))
        axes.stackplot(times, heights, labels=[label for label, _ in lines], colors=COLOURS, alpha=0.8)
        axes.set_xlabel(words.x)
        axes.set_ylabel(words.y)
        axes.margins(x=0.0)
        figure.legend(title=words.legend or None, loc="outside right center", frameon=False, fontsize=9)


def exchange(found: Exchange, words: Words, *, output: str | PathLike[str]) -> None:
    """Draw the segments sent and acknowledged above the sender's round-trip time, timer and window."""
    from matplotlib.ticker import MaxNLocator, NullLocator

    with _Drawing(words, output, 2, 1, sharex=True) as (figure, panels):
        above, below = panels[:, 0]
        levels = sorted({segments for _, segments in found.acked})
        top = (levels[-1] if levels else 1) + 2
        _bar(above, found.sent, top, found.seconds, COLOURS[0])
        for level in levels:
            _bar(above, [t for t, n in found.acked if n == level], level, found.seconds, COLOURS[1])
        ticks = _few(levels, top)
        above.set_yticks([*ticks, top], [*map(str, ticks), "data"])
        above.set_ylabel("segments that an\nACK acknowledges")
        step(below, found.state, "rto_s", label="timeout", color=COLOURS[4])
        step(below, found.state, "srtt_s", label="smoothed\nround-trip time", color=COLOURS[0])
        below.set_ylabel("round-trip time, timeout (s)")
        below.set_yscale("log")
        low, high = below.get_ylim()
        below.set_yticks([tick for tick in SECONDS if low <= tick <= high], minor=False)
        below.yaxis.set_major_formatter("{x:g}")
        below.yaxis.set_minor_locator(NullLocator())
        window = below.twinx()
        step(window, found.state, "cwnd_segments", label="window\n(right axis)", color=COLOURS[1])
        window.set_ylabel("window (segments)")
        window.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        below.set_xlabel(words.x)
        below.set_xlim(0, found.seconds)
        handles = [*below.get_lines(), *window.get_lines()]
        for axes in (above, below):
            if found.span:
                axes.axvspan(*found.span, color="0.85", linewidth=0, zorder=0)
            for time in found.lost:
                axes.axvline(time, color="black", linewidth=0.8)
            for time in found.printed:
                axes.axvline(time, color="black", linestyle=":", linewidth=0.9)
        figure.legend(handles=handles, loc="outside right center", frameon=False, fontsize=9)


def _few(levels: Sequence[int], top: int) -> list[int]:
    """Return levels far enough apart for labels, also from the one at ``top``: nine at most."""
    most = levels[-1] if levels else 0
    apart = max(1, -(-most // 8))
    return [level for level in range(0, most + 1, apart) if top - level > apart / 2]


def layers(
    arms: Sequence[tuple[str, Sequence[tuple[str, pl.DataFrame, str]]]],
    words: Words,
    *,
    output: str | PathLike[str],
) -> None:
    """Draw a panel for each arm with several lines, each a column of a frame."""
    with _Drawing(words, output, len(arms), 1, sharex=True, sharey=True) as (figure, panels):
        for axes, (name, lines) in zip(panels[:, 0], arms, strict=True):
            for i, (label, frame, column) in enumerate(lines):
                style = {"drawstyle": "default", "color": COLOURS[i]}
                step(axes, frame, column, label=label if axes is panels[0, 0] else None, **style)
            axes.set_title(name, fontsize=9, loc="left")
        panels[-1, 0].set_xlabel(words.x)
        figure.supylabel(words.y, fontsize=10)
        figure.legend(loc="outside right center", frameon=False, fontsize=9)


def windows(
    arms: Sequence[tuple[str, pl.DataFrame, Sequence[float]]],
    words: Words,
    *,
    output: str | PathLike[str],
    colours: Mapping[str, str] | None = None,
) -> None:
    """Draw the windows of all arms together, and below that of each with crosses where the MAC gave up.

    ``colours`` are those of arms by their labels; the others have one by their order.
    """
    with _Drawing(words, output, len(arms) + 1, 1, sharex=True, sharey=True) as (figure, panels):
        together, *each = panels[:, 0]
        for i, (axes, (label, frame, lost)) in enumerate(zip(each, arms, strict=True)):
            colour = (colours or {}).get(label, COLOURS[i % len(COLOURS)])
            for one in (together, axes):
                name = label if one is axes else None
                step(one, frame, "cwnd_segments", color=colour, label=name)
            top = max(float(frame["cwnd_segments"].to_numpy().max()) for _, frame, _ in arms) + 1
            axes.plot(lost, [top] * len(lost), "x", color="black", markersize=5)
        each[-1].set_xlabel(words.x)
        figure.supylabel(words.y, fontsize=10)
        figure.legend(loc="outside right center", frameon=False, fontsize=9)


def acknowledgments(
    acks: Sequence[tuple[float, int]],
    ticks: Sequence[float],
    words: Words,
    *,
    output: str | PathLike[str],
) -> None:
    """Draw a point for each ACK by the number of segments that it covers, and dotted lines at ``ticks``."""
    with _Drawing(words, output) as (_, ((axes,),)):
        for tick in ticks:
            axes.axvline(tick, color="0.6", linestyle=":", linewidth=0.8)
        axes.plot(*zip(*acks, strict=True), "o", color=COLOURS[0], markersize=4)
        axes.set_yticks(range(max((n for _, n in acks), default=0) + 1))
        axes.set_xlabel(words.x)
        axes.set_ylabel(words.y)


def stacks(
    panels_: Sequence[Stack],
    words: Words,
    alone: Sequence[Stack] = (),
    *,
    output: str | PathLike[str],
) -> None:
    """Draw panels of stacked bars with the interval of their sum.

    The panels ``alone`` have axes of their own, for parts that are too small to be seen in the others.
    """
    every = [*panels_, *alone]
    colours = {name: COLOURS[i] for i, (name, _) in enumerate(panels_[0].parts)}
    with _Drawing(words, output, 1, len(every), sharey=not alone) as (figure, panels):
        for axes, found in zip(panels[0], every, strict=True):
            base = np.zeros(len(found.labels))
            xs = range(len(found.labels))
            for name, values in found.parts:
                label = name if axes is panels[0][0] else None
                axes.bar(xs, values, bottom=base, color=colours[name], label=label, width=0.7)
                base = base + np.asarray(values)
            axes.errorbar(xs, base, yerr=list(found.low), fmt="none", ecolor="black", linewidth=1.0)
            slanted = len(every) > 1 or sum(map(len, found.labels)) > 60
            turn: dict[str, Any] = {"rotation": 35, "ha": "right"} if slanted else {}
            axes.set_xticks(xs, found.labels, **turn)
            axes.set_title(found.name, fontsize=10)
            axes.set_xlabel(words.x)
        panels[0][0].set_ylabel(words.y)
        if len(panels_[0].parts) > 1:
            figure.legend(title=words.legend or None, loc="outside right center", frameon=False, fontsize=9)


def bars(arms: Sequence[tuple[str, Histogram]], words: Words, *, output: str | PathLike[str]) -> None:
    """Draw histograms below each other, with the same axis: the share of values in each bin."""
    with _Drawing(words, output, len(arms), 1, sharex=True, sharey=True) as (_, panels):
        for i, (axes, (label, found)) in enumerate(_with(panels[:, 0], arms)):
            shares = [100 * count / sum(found.counts) for count in found.counts]
            axes.stairs(shares, found.edges, fill=True, color=COLOURS[i])
            axes.set_ylabel("% of values")
            axes.set_title(label, fontsize=9, loc="right")
        panels[-1, 0].set_xlabel(words.x)


def _with(panels: NDArray[Any], arms: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(panels, arms, strict=True)
