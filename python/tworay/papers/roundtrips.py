"""Round-trip times before losses and around a link failure (Ghaleb-Seddik et al. 2012, §IV.A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tworay.papers.kept import file_of
from tworay.papers.timelines import round_trips

if TYPE_CHECKING:
    from pathlib import Path

# When the relay is switched off (scenario `link-failure`), s, and from when a route has been found.
BREAK, FOUND = 20.0, 2.0
# Table I: RTT_THRESHOLD, RTT_SAMPLE_COUNT and RTT_G_COUNT_THRESHOLD, the fewest round trips that grow.
THRESHOLD, SAMPLES, FEWEST = 0.10, 10, 5


def round_trips_told(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add what round trips show of losses: shares of 0 to 1, and a step in percent.

    ``rtt.rising``: of the data segments that full queues lost, the share before which round trips rose (slope
    over time since the flow's previous loss; a loss with fewer than five round trips since then is left out).
    ``rtt.within``: the share of round trips from 2 to 20 s that are within 10 % of their mean. ``rtt.step``:
    by how much the mean of the first ten round trips after 20 s differs from that of the last ten before,
    percent of the latter; null if no node that was off has cost a segment.
    """
    columns: dict[str, list[float | None]] = {"rtt.rising": [], "rtt.within": [], "rtt.step": []}
    for world, seed in frame.select("world", "seed").iter_rows():
        segments = pl.read_parquet(file_of(where, "segments", world, seed))
        lost = pl.read_parquet(file_of(where, "ledger", world, seed)).filter(kind="data")
        flows = {
            flow: (round_trips(segments.filter(flow=flow)), lost.filter(flow=flow))
            for flow in sorted(segments["flow"].unique().to_list())
        }
        rose = [one for trips, losses in flows.values() for one in _rose(trips, losses)]
        columns["rtt.rising"].append(float(np.mean(rose)) if rose else None)
        trips, losses = flows[0]
        columns["rtt.within"].append(_within(trips))
        failed = not losses.filter(cause="node-down").is_empty()
        columns["rtt.step"].append(_step(trips) if failed else None)
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in columns.items()])


def _rose(trips: pl.DataFrame, losses: pl.DataFrame) -> list[bool]:
    """Return for each loss by a full queue whether the flow's round trips rose since its previous loss."""
    times, lengths = trips["t_s"].to_numpy(), trips["rtt_s"].to_numpy()
    found, since = [], 0.0
    for time, cause in losses.sort("t_s").select("t_s", "cause").iter_rows():
        between = (times > since) & (times <= time)
        since = time
        if cause == "congestion" and int(between.sum()) >= FEWEST:
            slope, _ = np.polyfit(times[between], lengths[between], 1)
            found.append(bool(slope > 0))
    return found


def _within(trips: pl.DataFrame) -> float | None:
    steady = trips.filter(pl.col("t_s").is_between(FOUND, BREAK, closed="left"))["rtt_s"].to_numpy()
    if not len(steady):
        return None
    return float((np.abs(steady / steady.mean() - 1) <= THRESHOLD).mean())


def _step(trips: pl.DataFrame) -> float | None:
    """Return by how much round trips of segments sent after the break differ from those before, percent."""
    sent = trips["t_s"] - trips["rtt_s"]
    before = trips.filter(pl.col("t_s") < BREAK)["rtt_s"].tail(SAMPLES).to_numpy()
    after = trips.filter(sent > BREAK)["rtt_s"].head(SAMPLES).to_numpy()
    if len(before) < SAMPLES or len(after) < SAMPLES:
        return None
    return float(100 * abs(after.mean() / before.mean() - 1))
