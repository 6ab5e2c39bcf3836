"""Replays of traced networks over a SEDLANE's pipes, compared with the networks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.analysis import stats

if TYPE_CHECKING:
    from pathlib import Path

    from tworay._native import Scenario
    from tworay.sedlane.traces import Trace

# Replays of each trace over each access link.
REPLAYS = 3
# Access links by their name in a column.
LINKS = {"none": "none", "hop": "802.11b", "traced": "traced"}
WHAT = ("goodput", "rtt", "loss", "alike")
# The replays' results beside the runs: they take longer than the runs themselves.
KEPT = "replays.json"


def replayed(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add how a replay compares with its network.

    By access link: goodput and median round trip by the traced ones, the difference of the shares that are
    lost of data and ACKs (the larger of both, points of percent without sign), and measures as traced (of 5).
    The profile of the first flow is fitted to the run, and compared with the run of the next seed.
    """
    texts = dict(pl.read_parquet(where / "cells.parquet").select("world", "toml").iter_rows())
    file = where / KEPT
    kept: dict[str, dict[str, float | None]] = (
        json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    )
    rows = []
    for world, seed in frame.select("world", "seed").iter_rows():
        key = f"{world}-{seed}"
        if key not in kept:
            kept[key] = _compared(texts[world], seed)
        rows.append(kept[key])
    file.write_text(json.dumps(kept), encoding="utf-8")
    names = [f"replay.{what}.{link}" for what in WHAT for link in LINKS]
    return frame.with_columns(
        [pl.Series(name, [row.get(name) for row in rows], dtype=pl.Float64) for name in names]
    )


def _compared(text: str, seed: int) -> dict[str, float | None]:
    from tworay._native import Scenario
    from tworay.sedlane.access import Access
    from tworay.sedlane.checking import MEASURES, compare, settings_of

    (median,) = (one for one in MEASURES if one.name == "rtt_median_seconds")

    world = Scenario.from_toml(text, "traced.toml", "")
    fitted, other = _traced(world, seed), _traced(world, seed + 1)
    settings = settings_of(text)
    if other.data.times is not None and len(other.data.times):
        settings["flow.0.start"] = f"{other.data.times[0]:.6f}s"
    links = [Access(LINKS[name]) for name in LINKS]
    found = compare(fitted, other, settings, access=links, seeds=REPLAYS)
    row: dict[str, float | None] = {}
    for name, replay in zip(LINKS, found.replays, strict=True):
        mean = stats.mean(replay.values["goodput_bps"])
        row[f"replay.goodput.{name}"] = None if mean is None or not other.goodput else mean / other.goodput
        trip = found.compared(replay, median)["ratio"]
        row[f"replay.rtt.{name}"] = trip
        losses = [found.compared(replay, one)["difference"] for one in MEASURES if one.in_points]
        known = [100 * abs(one) for one in losses if one is not None]
        row[f"replay.loss.{name}"] = max(known, default=None)
        row[f"replay.alike.{name}"] = float(sum(found.alike(replay).values()))
    return row


def _traced(world: Scenario, seed: int) -> Trace:
    import tworay
    from tworay.sedlane.reading import of_run

    run: Any = tworay.run(world, seed=seed, record=True)
    return of_run(run, 0)
