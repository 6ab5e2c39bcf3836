"""The data of a run's page as packed tables: per flow, and of the whole network if it was recorded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tworay.naming import Nodes, sent_as
from tworay.report.packing import MICROSECOND, pack
from tworay.report.thinning import Level, bars, levels
from tworay.showing.numbers import SEQUENCE, Numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tworay.running.run import Run

    Array = NDArray[np.float64]

# The most rows of sender series in a page, over all flows; more are thinned out.
SERIES_ROWS = 300_000
# Intervals in which acknowledged data are counted for the strip of the whole run.
INTERVALS = 240
FULL_SIZE = 1460
# An acknowledgment within this time of an expiry can't be distinguished from it, s.
INSTANT = 2e-6

SERIES = {
    "cwnd": ("cwnd_segments", 1e-3),
    "ssthresh": ("ssthresh_segments", 1e-3),
    "srtt": ("srtt_s", MICROSECOND),
    "rto": ("rto_s", MICROSECOND),
    "in_flight": ("in_flight_segments", 1.0),
    "acked": ("acked_bytes", 1.0),
}
SCALES = {
    "t": MICROSECOND,
    **{name: scale for name, (_, scale) in SERIES.items()},
    "low": 1.0,
    "high": 1.0,
    "edge": 1.0,
    "packets": 1.0,
    "mbps": 1e-3,
    "frames": 1.0,
}


class Tables:
    """The packed tables of a page, and notes on what was thinned out."""

    def __init__(self) -> None:
        self.packed: dict[str, str] = {}
        self.thinned: list[str] = []

    def add(self, name: str, columns: Mapping[str, Any]) -> None:
        """Pack a table."""
        self.packed[name] = pack(columns)

    def add_levels(self, name: str, found: list[Level]) -> list[dict[str, Any]]:
        """Pack a table's levels and say what the page needs to choose among them."""
        infos = []
        for place, level in enumerate(found):
            if level.rows:
                key = f"{name}-{place}"
                self.add(key, {column: (values, SCALES[column]) for column, values in level.columns.items()})
                infos.append({"name": key, "rows": level.rows})
        return infos


def column(frame: pl.DataFrame, name: str) -> Array:
    """Return a column as floats, with NaN for no value."""
    values: Array = frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return values


def words(frame: pl.DataFrame, name: str) -> tuple[list[str], NDArray[np.int64]]:
    """Return a column of words: the distinct ones, and the place of each row's, -1 where there is none."""
    known = sorted(frame[name].drop_nulls().unique().to_list())
    places = {word: place for place, word in enumerate(known)}
    mapped = frame[name].replace_strict(places, default=-1, return_dtype=pl.Int64)
    return known, mapped.to_numpy()


class FlowData:
    """One flow's tables; ``key`` distinguishes them in the page, the flow's number if it has one run only."""

    def __init__(
        self, run: Run, about: dict[str, Any], settings: dict[str, Any], key: str | None = None
    ) -> None:
        self.run, self.about = run, about
        self.id: int = about["id"]
        self.key = str(self.id) if key is None else key
        self.is_tcp = about["tcp"] is not None
        tcp = settings.get("tcp", {})
        self.numbers = Numbers(run, about, settings)
        self.mss = _bytes(tcp.get("mss", FULL_SIZE)) if self.is_tcp else 1
        self.series = self.rows("series").sort("t_s")
        self.times, self.acked = column(self.series, "t_s"), column(self.series, "acked_bytes")

    def rows(self, table: str) -> pl.DataFrame:
        """Return the flow's rows of a table."""
        frame = self.run.tables.get(table)
        return pl.DataFrame() if frame is None else frame.filter(pl.col("flow") == self.id)

    def resent(self) -> pl.DataFrame:
        """Return the retransmissions of the flow's data."""
        rows = self.rows("retransmissions")
        return rows.filter(~pl.Series(self.numbers.all_against(rows), dtype=pl.Boolean))

    def bytes_of(self, seq: Array, at: Array) -> Array:
        """Return the payload before sequence numbers seen at given times; -1 for a SYN's."""
        if not self.is_tcp:
            return seq
        first = np.mod(seq - self.numbers.initial - 1, SEQUENCE)
        near = np.zeros(len(seq))
        if len(self.times):
            place = np.searchsorted(self.times, at, side="right") - 1
            near = np.where(place >= 0, self.acked[np.maximum(place, 0)], 0)
        found: Array = first + SEQUENCE * np.rint((near - first) / SEQUENCE)
        return found

    def write(self, tables: Tables, most: int) -> dict[str, Any]:
        """Pack the flow's tables; return its description for the page."""
        info = self._describe()
        info["series"] = self.write_series(tables, most)
        segments = self.rows("segments")
        if segments.height:
            self._write_segments(tables, info, segments)
        elif self.is_tcp:
            self.write_resent(tables)
        self._write_phases(tables)
        self._write_rate(tables)
        return info

    def write_series(self, tables: Tables, most: int) -> list[dict[str, Any]]:
        """Pack the sender's series, with about ``most`` rows at most; return its levels."""
        if not len(self.times):
            return []
        columns = {"t": self.times} | {
            name: column(self.series, source) for name, (source, _) in SERIES.items()
        }
        found = levels(columns, most)
        if found[0].rows < len(self.times):
            tables.thinned.append(
                f"State of flow {self.id}: {found[0].rows:,} of {len(self.times):,} changes are "
                "kept: the first, the last and the extremes of each group."
            )
        return tables.add_levels(f"series-{self.key}", found)

    def write_resent(self, tables: Tables) -> None:
        """Pack what was sent again, as the sender counted it."""
        again = self.resent()
        at = column(again, "t_s") if again.height else np.zeros(0)
        byte = self.bytes_of(column(again, "seq"), at) if again.height else np.zeros(0)
        self._write_again(tables, at, byte, np.full(len(at), float(self.mss)))

    def write_lost(self, tables: Tables) -> None:
        """Pack when and why data was lost."""
        lost = self.rows("ledger").filter(pl.col("kind") == "data").sort("since_s")
        at = column(lost, "since_s")
        byte = _by_flow(lost, {self.id: self}, at)
        tables.add(
            f"lost-{self.key}",
            {"t": (at, MICROSECOND), "byte": (byte, 1.0), "cause": words(lost, "cause")},
        )

    def _describe(self) -> dict[str, Any]:
        about, nodes = self.about, Nodes.of(self.run.summary)
        ends = f"{nodes.short(about['from'])} → {nodes.short(about['to'])}"
        return {
            "id": self.id,
            "from": about["from"],
            "to": about["to"],
            "tcp": about["tcp"],
            "label": f"flow {self.id}: {ends}, {sent_as(about)}",
            "mss": self.mss,
            "lost": self.rows("ledger").height,
            "series": [],
            "sent": [],
            "window": [],
        }

    def _write_segments(self, tables: Tables, info: dict[str, Any], segments: pl.DataFrame) -> None:
        mine = segments.filter((pl.col("kind") == "data") & (pl.col("bytes") > 0))
        new, again = mine.filter(pl.col("again") == 0), mine.filter(pl.col("again") == 1)
        at = column(new, "t_s")
        low = self.bytes_of(column(new, "seq"), at)
        size = column(new, "bytes") if self.is_tcp else np.ones(len(at))
        info["sent"] = tables.add_levels(f"sent-{self.key}", bars(at, low, low + size))
        at = column(again, "t_s")
        self._write_again(tables, at, self.bytes_of(column(again, "seq"), at), column(again, "bytes"))
        if not self.is_tcp:
            return
        acks = segments.filter((pl.col("to") == self.about["from"]) & pl.col("arrived_s").is_not_null()).sort(
            "arrived_s"
        )
        at = column(acks, "arrived_s")
        edge = np.maximum.accumulate(self.bytes_of(column(acks, "ack"), at) + column(acks, "window"))
        info["window"] = tables.add_levels(
            f"receiver-{self.key}", levels({"t": at, "edge": edge}, SERIES_ROWS)
        )
        blocks = self.run.tables["sacks"].join(acks.select("uid", "arrived_s"), on="uid").sort("arrived_s")
        if blocks.height:
            at = column(blocks, "arrived_s")
            left, right = (self.bytes_of(column(blocks, name), at) for name in ("left", "right"))
            tables.add(
                f"sacks-{self.key}", {"t": (at, MICROSECOND), "left": (left, 1.0), "right": (right, 1.0)}
            )

    def _write_again(self, tables: Tables, at: Array, byte: Array, size: Array) -> None:
        tables.add(f"again-{self.key}", {"t": (at, MICROSECOND), "byte": (byte, 1.0), "bytes": (size, 1.0)})

    def _write_phases(self, tables: Tables) -> None:
        """Pack the sender's phases, and the times in which it only waited for its timer."""
        phases = self.rows("phases")
        end = self.about["completion_seconds"]
        begins = column(phases, "t_s") if phases.height else np.zeros(0)
        until = self.run.summary["sim_seconds"]
        if end is not None and len(begins):
            until = min(until, float(begins[0]) + end)
        ends = np.append(begins[1:], until) if len(begins) else begins
        known, places = words(phases, "phase") if phases.height else ([], np.zeros(0, dtype=np.int64))
        waits, late = self.waits(), late_spans(self.run)
        tables.add(
            f"phases-{self.key}",
            {
                "t": (np.concatenate([begins, waits[:, 0], late[:, 0]]), MICROSECOND),
                "until": (np.concatenate([ends, waits[:, 1], late[:, 1]]), MICROSECOND),
                "phase": (
                    [*known, "waiting", "late"],
                    np.concatenate(
                        [places, np.full(len(waits), len(known)), np.full(len(late), len(known) + 1)]
                    ),
                ),
            },
        )

    def waits(self) -> Array:
        """Return begin and end of each wait for a timer that then expired."""
        again = self.resent()
        if not again.height or not len(self.times):
            return np.zeros((0, 2))
        again = again.filter(pl.col("phase") == "rto_recovery")
        at = column(again, "t_s")
        byte = self.bytes_of(column(again, "seq"), at)
        advanced = self.times[np.flatnonzero(np.diff(self.acked, prepend=-1) > 0)]
        place = np.searchsorted(self.times, at, side="right") - 1
        oldest = byte == self.acked[np.maximum(place, 0)]
        # Reactions to an acknowledgment happen at its time; an expiry follows silence.
        last = np.searchsorted(advanced, at, side="right") - 1
        silent = at - advanced[np.maximum(last, 0)] > INSTANT
        expiries = at[oldest & silent]
        before = np.union1d(self.times, column(self.resent(), "t_s"))
        begins = before[np.maximum(np.searchsorted(before, expiries - INSTANT) - 1, 0)]
        return np.stack([begins, expiries], axis=1)

    def _write_rate(self, tables: Tables) -> None:
        seconds = self.run.summary["sim_seconds"]
        edges = np.linspace(0.0, seconds, INTERVALS + 1)
        if len(self.times):
            place = np.searchsorted(self.times, edges, side="right")
            total = np.concatenate(([0], self.acked))[place]
        else:
            segments = self.rows("segments")
            if not segments.height:
                tables.add(f"rate-{self.key}", {"t": (np.zeros(0), MICROSECOND), "kbps": (np.zeros(0), 0.1)})
                return
            arrived = segments.filter(pl.col("arrived_s").is_not_null()).sort("arrived_s")
            place = np.searchsorted(column(arrived, "arrived_s"), edges, side="right")
            total = np.concatenate(([0], np.cumsum(column(arrived, "bytes"))))[place]
        rate = np.diff(total) * 8 / np.diff(edges) / 1000
        tables.add(f"rate-{self.key}", {"t": (edges[:-1], MICROSECOND), "kbps": (rate, 0.1)})


def late_spans(run: Run) -> Array:
    """Return begin and end of each time in which the machine was too slow for a live network."""
    spans = run.tables.get("late")
    if spans is None or spans.is_empty():
        return np.zeros((0, 2))
    return np.stack([column(spans, "from_s"), column(spans, "to_s")], axis=1)


def _bytes(value: object) -> int:
    found = re.match(r"\d+", str(value))
    return int(found[0]) if found else FULL_SIZE


def write_losses(run: Run, flows: dict[int, FlowData], tables: Tables) -> None:
    """Pack the losses of all flows in order of time, and the senders' guesses."""
    ledger = run.tables["ledger"]
    segments = run.tables.get("segments")
    if segments is not None:
        lost = segments.filter(pl.col("lost_s").is_not_null()).select(
            "uid",
            "flow",
            "kind",
            sent=pl.col("t_s"),
            t_s=pl.col("lost_s"),
            seq=pl.when(pl.col("kind") == "ack").then(pl.col("ack")).otherwise(pl.col("seq")),
        )
        keys = ["flow", "kind", "t_s", "seq"]
        # Copies lost at the same instant are matched in their order.
        order = pl.int_range(pl.len()).over(keys).alias("copy")
        ledger = ledger.with_columns(order).join(lost.with_columns(order), on=[*keys, "copy"], how="left")
    else:
        ledger = ledger.with_columns(uid=pl.lit(None, pl.Int64), sent=pl.lit(None, pl.Float64))
    ledger = ledger.sort("since_s", maintain_order=True)
    since = column(ledger, "since_s")
    byte = _by_flow(ledger, flows, since)
    plain = {"flow": 1.0, "node": 1.0, "root_node": 1.0, "next_hop": 1.0, "attempts": 1.0, "interferer": 1.0}
    tables.add(
        "losses",
        {
            "t": (column(ledger, "t_s"), MICROSECOND),
            "since": (since, MICROSECOND),
            "sent": (column(ledger, "sent"), MICROSECOND),
            "byte": (byte, 1.0),
            "uid": (column(ledger, "uid"), 1.0),
            **{name: (column(ledger, name), scale) for name, scale in plain.items()},
            **{name: words(ledger, name) for name in ("kind", "cause", "died")},
        },
    )
    guesses = run.tables["guesses"].sort("t_s")
    at = column(guesses, "t_s")
    tables.add(
        "guesses",
        {
            "t": (at, MICROSECOND),
            "flow": (column(guesses, "flow"), 1.0),
            "byte": (_by_flow(guesses, flows, at), 1.0),
            **{name: words(guesses, name) for name in ("guess", "cause")},
        },
    )


def _by_flow(frame: pl.DataFrame, flows: dict[int, FlowData], at: Array) -> Array:
    result = np.zeros(frame.height)
    of, seq = column(frame, "flow"), column(frame, "seq")
    for number, flow in flows.items():
        mine = of == number
        result[mine] = flow.bytes_of(seq[mine], at[mine])
        if flow.numbers.known:
            result[mine] = _against_apart(frame.filter(pl.Series(mine)), flow.numbers, result[mine])
    return result


def _against_apart(frame: pl.DataFrame, numbers: Numbers, byte: Array) -> Array:
    """Return -1 for the answer to the SYN, and no place for what else flows against the flow's direction."""
    against = numbers.all_against(frame)
    for place in np.flatnonzero(against):
        row = frame.row(int(place), named=True)
        is_syn = row["kind"] == "data" and numbers.relative(row) == 0
        byte[place] = -1.0 if is_syn else np.nan
    return byte
