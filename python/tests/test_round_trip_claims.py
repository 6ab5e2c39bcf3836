"""Losses judged by round trips and guesses: columns for the claims of Ghaleb-Seddik et al. (2012)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tworay.papers.derived import apart_from_vegas, called_within_rto
from tworay.papers.roundtrips import round_trips_told

if TYPE_CHECKING:
    from pathlib import Path


def kept(where: Path, trips: list[tuple[float, float]], losses: list[tuple[float, str]]) -> pl.DataFrame:
    """Keep the tables of a run whose segments are acknowledged at these times after these round trips."""
    segments: list[dict[str, Any]] = []
    for number, (time, length) in enumerate(trips):
        first = 1 + 512 * number
        segments += [
            {"t_s": time - length, "kind": "data", "seq": first, "bytes": 512, "ack": 1, "arrived_s": time},
            {"t_s": time, "kind": "ack", "seq": 1, "bytes": 0, "ack": first + 512, "arrived_s": time},
        ]
    ledger = {"t_s": [t for t, _ in losses], "cause": [cause for _, cause in losses]}
    tables = {
        "segments": pl.DataFrame(segments).with_columns(flow=pl.lit(0)),
        "ledger": pl.DataFrame(ledger).with_columns(flow=pl.lit(0), kind=pl.lit("data")),
    }
    for name, table in tables.items():
        file = where / "tables" / name / "w-1.parquet"
        file.parent.mkdir(parents=True)
        table.write_parquet(file)
    return pl.DataFrame({"world": ["w"], "seed": [1]})


def test_round_trips_before_losses_and_around_a_failure(tmp_path: Path) -> None:
    """Round trips grow before the first loss, fall before the second, and are half as long from 20 s on."""
    growing = [(3.0 + i, 0.10 + 0.01 * i) for i in range(6)]
    falling = [(9.5 + i, 0.20 - 0.01 * i) for i in range(6)]
    level = [(16.0 + 0.3 * i, 0.2) for i in range(10)]
    after = [(21.0 + i, 0.1) for i in range(10)]
    losses = [(9.0, "congestion"), (15.5, "congestion"), (15.6, "congestion"), (20.0, "node-down")]
    frame = kept(tmp_path, growing + falling + level + after, losses)
    row = round_trips_told(frame, tmp_path).row(0, named=True)
    assert row["rtt.rising"] == 0.5
    assert row["rtt.step"] == pytest.approx(50)
    lengths = [length for _, length in growing + falling + level]
    mean = sum(lengths) / len(lengths)
    assert row["rtt.within"] == sum(abs(one / mean - 1) <= 0.1 for one in lengths) / len(lengths)


def test_without_a_failure_there_is_no_step(tmp_path: Path) -> None:
    trips = [(3.0 + i, 0.1) for i in range(30)]
    row = round_trips_told(kept(tmp_path, trips, [(4.0, "channel")]), tmp_path).row(0, named=True)
    assert (row["rtt.rising"], row["rtt.step"], row["rtt.within"]) == (None, None, 1.0)


def test_guesses_count_where_routing_was_quicker_than_the_timer(tmp_path: Path) -> None:
    told = {"channel": {"node-down": 3, "none": 5}, "congestion": {"node-down": 1}}
    documents = [
        json.dumps({"diagnosis": guesses, "flows": [{"timeouts": timeouts}]})
        for guesses, timeouts in ((told, 0), (told, 1), ({}, 0))
    ]
    found = called_within_rto(pl.DataFrame({"document": documents}), tmp_path)
    assert found["called.within-rto"].to_list() == [0.75, None, None]


def test_goodput_is_compared_with_that_of_vegas_by_seed(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "tcp": ["vegas", "welcome", "vegas", "welcome", "welcome"],
            "seed": [1, 1, 2, 2, 3],
            "goodput_bps": [100.0, 90.0, 200.0, 220.0, 1.0],
        }
    )
    found = apart_from_vegas(frame, tmp_path)["apart.vegas"].to_list()
    assert found == [0.0, pytest.approx(10), 0.0, pytest.approx(10), None]
