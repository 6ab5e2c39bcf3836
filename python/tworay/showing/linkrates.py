"""Rates and aggregates of links over time, as a recorded run of 802.11a/g/n/ac has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.errors import InputError
from tworay.naming import Nodes
from tworay.showing.curves import thinned
from tworay.showing.pictures import styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from matplotlib.axes import Axes

    from tworay.running.run import Run

# Links that are drawn: those with the most frames.
MOST = 6
# By plot: the column of the table `rates`, the factor to the unit of the axis, and the axis.
COLUMNS = {
    "rate": ("rate_bps", 1e-6, "rate of frames, Mb/s"),
    "aggregates": ("packets", 1.0, "frames in a transmission"),
}


def busiest(rates: pl.DataFrame, most: int) -> tuple[list[tuple[int, int]], int]:
    """Return the links (sender, receiver) with the most transmissions, in order, and the number of all."""
    links = rates.group_by("from", "to").len().sort("len", "from", "to", descending=[True, False, False])
    return sorted(links.head(most).select("from", "to").rows()), links.height


def of_link(rates: pl.DataFrame, sender: int, receiver: int) -> pl.DataFrame:
    """Return the rows of a link."""
    import polars as pl

    return rates.filter((pl.col("from") == sender) & (pl.col("to") == receiver))


def draw(axes: Axes, what: str, runs: Sequence[Run], names: Sequence[str]) -> None:
    """Draw the links of runs over time; ``names`` distinguish several runs."""
    column, scale, title = COLUMNS[what]
    lines = []
    for name, run in zip(names, runs, strict=True):
        rates = run.tables.get("rates")
        if rates is None or rates.is_empty():
            continue
        nodes = Nodes.of(run.summary)
        for sender, receiver in busiest(rates, MOST)[0]:
            label = f"{nodes.short(sender)}→{nodes.short(receiver)}"
            frame = of_link(rates, sender, receiver)
            values = frame[column].cast(float).to_numpy() * scale
            lines.append((label if len(runs) == 1 else f"{name}: {label}", frame["t_s"].to_numpy(), values))
    if not lines:
        raise InputError("no rates to draw: runs with radio.preset or radio.standard keep them with --record")
    for (label, times, values), style in zip(lines, styles(), strict=False):
        axes.step(*thinned(times, values), where="post", label=label, **style)
    axes.set_ylabel(title)
    axes.set_xlabel("time, s")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.legend(frameon=False, fontsize="small")
