"""Transfers that had not ended with their run: times of transfers are known of the others only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tworay import metrics
from tworay.experiment.store.tables import table_files

if TYPE_CHECKING:
    from tworay.experiment.comparison import Comparison

# From this share on, the 95th percentile of all transfers lies among those that did not end.
TOO_MANY = 0.05
# Times of the warm-up and of tables are whole nanoseconds, s.
HALF_NANOSECOND = 0.5e-9
TIMES = re.compile(r"(?:flow\.(\d+)\.)?transfer_(?:p95_)?seconds")


def after_warmup(transfers: pl.DataFrame, warmup: float) -> pl.DataFrame:
    """Return the transfers that the metrics have, too: those asked for after the warm-up."""
    return transfers.filter(pl.col("asked_s") > warmup - HALF_NANOSECOND)


def unfinished(result: Comparison, metric: str, names: dict[str, str]) -> list[str]:
    """Say how many transfers a metric of their times leaves out, of arms of which it leaves out many.

    Runs keep each transfer in the directory of a comparison; without one nothing is said.
    """
    of = TIMES.match(metric)
    if of is None or result.directory is None or not table_files(result.directory, "transfers"):
        return []
    rows = result.table_of("transfers")
    judge = metrics.parse_judge(result.judge)
    said = []
    for arm, name in names.items():
        documents = list(result.documents(arm).values())
        flows = (
            [int(of[1])] if of[1] else [one["id"] for run in documents[:1] for one in judge.of(run["flows"])]
        )
        of_arm = (pl.col("variant") == arm) & pl.col("seed").is_in(result.counted(arm))
        mine = after_warmup(rows.filter(of_arm & pl.col("flow").is_in(flows)), result.warmup(arm))
        still_open = mine.filter(pl.col("seconds").is_null() | pl.col("seconds").is_nan()).height
        if still_open >= TOO_MANY * mine.height > 0:
            said.append(f"{still_open:,} of {mine.height:,} with {name}")
    if not said:
        return []
    listed = ", ".join(said)
    return [f"Transfers that had not ended are not in these times: {listed} (completed_transfers)."]
