"""Tables of every run of a comparison together, and goodput over time of runs and comparisons.

Goodput over time is what senders know of it: the rate of acknowledged data (``tworay.showing.lines``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tworay.errors import InputError
from tworay.experiment.exporting import with_axes
from tworay.experiment.store.tables import kept_tables, read_table, table_files
from tworay.running.frames import Table
from tworay.showing.lines import COLUMN, rates, split

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tworay.experiment.comparison import Comparison
    from tworay.running.run import Run
    from tworay.showing.bins import Bins

GOODPUT = "goodput"
"""The name of goodput over time among the tables that `tworay show --table` prints."""
RECORDED = ("frames", "moves", "packets", "queues", "ranges", "routes", "routing", "sacks", "segments")
"""Tables that only a record has."""
ONLY_RECORDED = "comparisons keep no records; `tworay run SCENARIO --record --out DIR` keeps that of one run"


def table_of(result: Comparison, name: str) -> pl.DataFrame:
    """Return a table of all runs of a comparison: arm, what it varies, seed, then the table's columns.

    Raises:
        InputError: the comparison has no directory, or keeps no such table there.

    """
    place = result.directory
    if place is None:
        raise InputError(
            f"`{name}`: a comparison keeps the tables of its runs in its directory only; write "
            "tworay.compare(..., out=DIR), or read it with tworay.results(DIR)"
        )
    parts = table_files(place, name)
    if not parts:
        if name in RECORDED:
            raise InputError(f"{place} has no table `{name}`: {ONLY_RECORDED}")
        found = sorted(kept_tables(place))
        there = f"; it has {', '.join(found)}" if found else ""
        raise InputError(f"{place} has no table `{name}` of its runs{there}")
    frame = pl.concat([read_table(part) for part in parts], how="diagonal_relaxed")
    return _in_order(result.nodes.columns(frame), result)


def _in_order(frame: pl.DataFrame, result: Comparison) -> pl.DataFrame:
    """Sort rows by arm, in the order of the comparison, and by seed; add what the arms vary."""
    order = {arm: number for number, arm in enumerate(result.variants)}
    rank = pl.col("variant").replace_strict(order, default=len(order))
    return Table(with_axes(frame.sort(rank, "seed", maintain_order=True), result))


def of_comparison(result: Comparison, bins: Bins) -> pl.DataFrame:
    """Return goodput over time of every arm, seed and flow, a row per interval."""
    frames = []
    lasting = {
        (arm, seed): one["sim_seconds"]
        for arm in result.variants
        for seed, one in result.documents(arm).items()
    }
    for (arm, seed), frame in split(table_of(result, "series"), "variant", "seed"):
        if (arm, seed) in lasting:
            found = _of_flows(frame, lasting[arm, seed], bins)
            ids = [pl.lit(arm).alias("variant"), pl.lit(seed, dtype=pl.UInt64).alias("seed")]
            frames.append(found.select(*ids, pl.all()))
    if not frames:
        raise InputError("no series to add up: no run of a TCP flow has finished, or none kept its series")
    return _in_order(pl.concat(frames), result)


def of_run(run: Run, bins: Bins) -> pl.DataFrame:
    """Return goodput over time of every flow of a run, a row per interval."""
    if run.series.is_empty():
        raise InputError("no series to add up: no flow uses TCP, or the run kept none (series=True)")
    return Table(_of_flows(run.series, run.summary["sim_seconds"], bins))


def _of_flows(series: pl.DataFrame, seconds: float, bins: Bins) -> pl.DataFrame:
    frames = []
    for (flow,), frame in split(series, "flow"):
        edges, found = rates(frame, seconds, bins)
        rows = len(found)
        named = {"flow_name": frame["flow_name"][:1].to_list() * rows} if "flow_name" in frame else {}
        columns: Mapping[str, object] = {
            "flow": [flow] * rows,
            **named,
            "from_s": edges[:-1],
            "to_s": edges[1:],
            COLUMN: found,
        }
        frames.append(pl.DataFrame(columns))
    return pl.concat(frames)
