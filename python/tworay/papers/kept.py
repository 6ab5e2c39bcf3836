"""The kept tables of an arm's runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.library import Figure

# Bytes of a segment of Papanastasiou 2006, and when D and E of its route break lose contact (§3.2), s.
MSS, BREAK = 1460, 35.0
# Its source A, the nodes D and E, and the hops of the way round.
A, D, E, ROUND = 0, 3, 4, 5
# An increase of the timeout by more than this factor is a doubling: the timer has expired.
DOUBLED = 1.9
# Titles of columns, with units.
TITLES = {
    "cwnd_segments": "congestion window (segments)",
    "in_flight_segments": "data in flight as the sender sees it (segments)",
    "data_segments": "data in flight (segments)",
    "ack_segments": "ACKs in flight (segments)",
    "total_segments": "data and ACKs in flight (segments)",
    "excess_segments": "window − data in flight (segments)",
    "rtt_s": "round-trip time (s)",
    "srtt_s": "smoothed round-trip time (s)",
    "acked_segments": "acknowledged (segments)",
    "hops": "mean shortest path of a pair (hops)",
}


@dataclass(frozen=True)
class Arm:
    """An arm of the experiment with its runs: label, and place of their tables by seed."""

    label: str
    where: Path
    runs: tuple[tuple[str, int], ...]
    colour: str = ""
    """The colour of its line; empty if its place among the arms decides."""

    def table(self, name: str, run: int = 0) -> pl.DataFrame | None:
        """Return a kept table of a run (default: of the first seed); ``None`` if it was not kept."""
        file = file_of(self.where, name, *self.runs[run])
        return pl.read_parquet(file) if file.is_file() else None

    @property
    def seed(self) -> int:
        """The first seed, whose run is drawn."""
        return self.runs[0][1]


def file_of(where: Path, name: str, world: str, seed: int) -> Path:
    """Return the file of a kept table of a run in a sweep's directory."""
    return where / "tables" / name / f"{world}-{seed}.parquet"


def notices(routing: pl.DataFrame) -> pl.Series:
    """Return when D notices that its link to E is broken, s, from a table of routing after the route break.

    Other nodes give up links that still work at any time, because HELLOs or acknowledgments are lost.
    """
    of_link = (pl.col("node") == D) & (pl.col("neighbour") == E)
    return routing.filter((pl.col("event") == "link-broken") & of_link & (pl.col("t_s") > BREAK))["t_s"]


def found_again(routing: pl.DataFrame) -> float | None:
    """Return when the source learns of the way round after D's notice, s, or ``None`` if it never does."""
    noticed = notices(routing)
    if noticed.is_empty():
        return None
    learnt = pl.col("event").is_in(["route-found", "route-changed"]) & (pl.col("hops") == ROUND)
    later = routing.filter(learnt & (pl.col("node") == A) & (pl.col("dst") == E))
    return next((time for time in later["t_s"].to_list() if time > noticed[0]), None)


def doublings(series: pl.DataFrame) -> list[float]:
    """Return when the timeout doubled, s, from a table of a flow's state: its timer has expired."""
    grown = pl.col("rto_s") > DOUBLED * pl.col("rto_s").shift(1)
    return [float(time) for time in series.filter(grown)["t_s"]]


def within(figure: Figure, series: pl.DataFrame) -> pl.DataFrame:
    """Return the part of a table that lies in the figure's window of time."""
    if figure.window is None:
        return series
    return series.filter(pl.col("t_s").is_between(*figure.window))
