"""Several runs on one axis: what was acknowledged and lost, transfers by size, and where to look first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tworay.errors import InputError
from tworay.showing.pictures import styles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from tworay.running.run import Run
    from tworay.showing.lines import Line

TROUBLE = "trouble"
# Around the first trouble this share of it is shown on each side, and at least so many seconds.
MARGIN, LEAST = 0.5, 0.25
# Upper ends of the classes of sizes for which a median is drawn, B: three in a decade.
EDGES = tuple(round(10 ** (exponent / 3)) for exponent in range(6, 31))
# Sizes within this factor get an axis that is wider by it on each side: one size has no width of its own.
CLOSE = 2.0


def sequences(axes: Axes, lines: Sequence[Line], lost: Mapping[str, pl.DataFrame]) -> None:
    """Draw what was acknowledged over time, kB, with a cross for each loss; ``lost`` has them by label.

    Without any, losses aren't kept, and the legend has no cross.
    """
    for line, style in zip(lines, styles(), strict=False):
        times = line.frame["t_s"].to_numpy()
        acked = line.frame["acked_bytes"].to_numpy() / 1000
        axes.step(times, acked, where="post", label=line.label, **style)
        losses = lost.get(line.label)
        if losses is None or losses.is_empty() or not len(times):
            continue
        at = losses["since_s"].to_numpy()
        place = np.maximum(np.searchsorted(times, at, side="right") - 1, 0)
        axes.plot(at, acked[place], "x", color=style["color"], markersize=6, linestyle="none")
    if lost:
        axes.plot([], [], "x", color="0.3", linestyle="none", label="a segment was lost")


def transfers(axes: Axes, groups: Mapping[str, pl.DataFrame]) -> None:
    """Draw completion times of transfers by size: a point for each, and the median of each class of sizes."""
    sizes: list[int] = []
    for (label, frame), style in zip(groups.items(), styles(), strict=False):
        done = frame.filter(frame["seconds"].is_not_nan())
        size, seconds = done["bytes"].to_numpy(), done["seconds"].to_numpy()
        sizes += size.tolist()
        axes.plot(size, seconds, ".", color=style["color"], alpha=0.25, markersize=4, linestyle="none")
        classes = np.searchsorted(EDGES, size)
        found = [classes == one for one in np.unique(classes)]
        axes.plot(
            [_middle(size[mine]) for mine in found],
            [float(np.median(seconds[mine])) for mine in found],
            "o",
            label=f"{label}: {len(size)} transfer{'s' * (len(size) != 1)}",
            **style,
        )
    axes.plot([], [], "o", color="0.3", linestyle="none", label="median of a class of sizes")
    axes.set_xscale("log")
    axes.set_yscale("log")
    if sizes and max(sizes) <= CLOSE * min(sizes):
        axes.set_xlim(min(sizes) / CLOSE, max(sizes) * CLOSE)


def _middle(sizes: NDArray[np.int64]) -> float:
    """Return the geometric mean of sizes, B: of equal ones exactly that size, which the logarithm misses."""
    return float(np.clip(np.exp(np.log(sizes).mean()), sizes.min(), sizes.max()))


def span(
    zoom: str | tuple[float, float] | None, drawn: Sequence[tuple[Run, int]], seconds: float
) -> tuple[float, float] | None:
    """Return the stretch of time to show, s: given as a pair or ``10:20``, or around the first trouble.

    ``drawn`` has the runs with the numbers of the flows that are drawn, none for a comparison.

    Raises:
        InputError: the text is neither, it begins after the runs, or nothing went wrong in them.

    """
    if zoom is None:
        return None
    if zoom == TROUBLE:
        return _first_trouble(drawn)
    try:
        begin, end = map(float, zoom.split(":")) if isinstance(zoom, str) else zoom
    except (TypeError, ValueError):
        raise InputError(f'--zoom {zoom}: write two times in s such as 10:20, or "{TROUBLE}"') from None
    if begin < 0 or not (math.isfinite(begin) and math.isfinite(end)):
        raise InputError(f"--zoom {begin:g}:{end:g}: write two times from 0 to {seconds:g} s")
    if begin >= end:
        raise InputError(f"--zoom {begin:g}:{end:g}: the second time must be after the first")
    if begin >= seconds:
        raise InputError(
            f"--zoom {begin:g}:{end:g}: the run ends at {seconds:g} s; choose times from 0 to that"
        )
    return begin, end


def _first_trouble(drawn: Sequence[tuple[Run, int]]) -> tuple[float, float]:
    """Return the stretch around the first of the longest pauses that a loss began in these flows."""
    if not drawn:
        raise InputError(
            "--zoom trouble: the mean of runs has no single one; write two times, or draw cwnd, rtt or "
            "sequence of a seed"
        )
    found: list[tuple[float, float]] = []
    for run, flow in drawn:
        moments: list[dict[str, Any]] = run.explain(flow=flow).document["moments"]
        found += [
            (min(one["pause"]["begin_s"], one["loss"]["since_s"]), one["pause"]["end_s"])
            for one in moments
            if one["pause"] and one["loss"]
        ]
    if not found:
        raise InputError("--zoom trouble: no loss made a sender of these flows wait; leave it out")
    begin, end = min(found)
    margin = max(LEAST, MARGIN * (end - begin))
    return max(0.0, begin - margin), end + margin
