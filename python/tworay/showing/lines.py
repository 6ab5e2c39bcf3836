"""Lines over time: windows, round-trip times and acknowledged data of the flows of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tworay.naming import Nodes
from tworay.showing.pictures import styles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from tworay.running.run import Run
    from tworay.showing.bins import Bins

    Array: TypeAlias = NDArray[np.float64]


# Goodput over time as far as its sender knows: data that was acknowledged. It is called so where it is shown:
# in a short interval it may exceed any link's rate, since one acknowledgment covers all that waited for a
# repaired loss.
ACKNOWLEDGED = "acknowledged data"
COLUMN = "acknowledged_bps"


@dataclass(frozen=True)
class Line:
    """The series of one flow of one run: times and values."""

    label: str
    seed: int
    flow: int
    frame: pl.DataFrame
    run: Run | None = None
    """The run, if it is not one of a comparison."""


def of_run(run: Run, flow: int | str | None = None) -> Iterator[Line]:
    """Return the series of a run's flows, or of one flow."""
    nodes = Nodes.of(run.summary)
    flow = flow if flow is None else nodes.flow_number(flow, run.summary["flows"])
    for (number,), frame in split(run.series, "flow"):
        if flow in (None, number):
            yield Line(called(run, number, nodes), run.seed, number, frame, run)


def called(run: Run, number: int, nodes: Nodes) -> str:
    """Return what legends call a flow of a run: ``flow 0: alice→bob, reno``."""
    ends = next(one for one in run.summary["flows"] if one["id"] == number)
    return f"flow {number}: {nodes.short(ends['from'])}→{nodes.short(ends['to'])}, {ends['tcp']}"


def split(frame: pl.DataFrame, *keys: str) -> list[tuple[tuple[Any, ...], pl.DataFrame]]:
    """Return the parts of a table with equal keys, in their order."""
    return sorted(frame.partition_by(*keys, as_dict=True).items(), key=lambda item: item[0])


def steps(axes: Axes, what: str, lines: list[Line]) -> None:
    """Draw windows (``cwnd``) or round-trip times (``rtt``)."""
    column, scale = {"cwnd": ("cwnd_segments", 1.0), "rtt": ("srtt_s", 1000.0)}[what]
    for line, style in zip(lines, styles(), strict=False):
        values = line.frame[column].cast(float).to_numpy() * scale
        axes.step(line.frame["t_s"].to_numpy(), values, where="post", label=line.label, **style)


def stairs(axes: Axes, lines: Iterable[Line], seconds: float, bins: Bins) -> None:
    """Draw acknowledged data by interval, kb/s."""
    for line, style in zip(lines, styles(), strict=False):
        edges, found = rates(line.frame, seconds, bins)
        axes.stairs(found / 1000, edges, label=line.label, baseline=None, **style)


def rates(series: pl.DataFrame, seconds: float, bins: Bins) -> tuple[Array, Array]:
    """Return intervals of time and the acknowledged rate in each, bit/s."""
    edges = bins.edges(seconds)
    times, acked = series["t_s"].to_numpy(), series["acked_bytes"].to_numpy()
    # Acknowledged data at each edge.
    place = np.searchsorted(times, edges, side="right")
    total = np.concatenate(([0], acked))[place]
    return edges, np.diff(total) * 8 / np.diff(edges)
