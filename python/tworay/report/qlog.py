"""A flow of a recorded run as qlog, for the viewers of that format: qvis, qlog-dancer.

The format is JSON-SEQ (RFC 7464) with events of qlog 0.3, the version that those viewers read, in QUIC's
terms: a TCP segment is a packet of type ``1RTT`` whose number is the ordinal of the transmission, so that
each retransmission is a separate packet. An ACK acknowledges, of all transmissions of the same bytes, the one
that arrived first. Events in the namespace ``tworay`` contain what no trace of a real network has: the true
cause of each loss, where and how it ended, and what the sender guessed. Times are in ms.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from tworay._native import VERSION
from tworay.errors import InputError
from tworay.naming import Nodes
from tworay.report.rundata import FlowData, column
from tworay.report.runpage import settings_of
from tworay.report.writing import write_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from tworay.running.run import Run

Event: TypeAlias = tuple[float, int, str, dict[str, Any]]

RECORD_SEPARATOR = "\x1e"
# The viewers load whole files into memory and become slow at about this size, bytes.
LARGE = 50_000_000
# qlog's names for phases of a sender.
STATES = {
    "handshake": "handshake",
    "slow_start": "slow_start",
    "congestion_avoidance": "congestion_avoidance",
    "recovery": "recovery",
    "rto_recovery": "recovery",
    "frozen": "application_limited",
}


def write_qlog(directory: str | os.PathLike[str], flow: int) -> Path:
    """Write ``flow-N.sqlog`` into the directory of a recorded run; return where it is."""
    from tworay.running.run import Run

    place = Path(directory)
    return write_text(place / f"flow-{flow}.sqlog", qlog(Run.read(place), flow))


def qlog(run: Run, flow: int) -> str:
    """Return a TCP flow of a recorded run as qlog."""
    about = next((one for one in run.summary["flows"] if one["id"] == flow), None)
    if about is None:
        there = ", ".join(str(one["id"]) for one in run.summary["flows"])
        raise InputError(f"there is no flow {flow}; there are {there}")
    if about["tcp"] is None:
        raise InputError(f"flow {flow} sends datagrams; qlog is written of TCP flows")
    if "segments" not in run.tables:
        raise InputError("qlog needs every segment; run it again with --record --out DIR")
    data, nodes = FlowData(run, about, settings_of(run)), Nodes.of(run.summary)
    events = sorted(_events(run, data), key=lambda event: event[:2])
    head = {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "title": f"{run.scenario}, seed {run.seed}, flow {flow}: {about['tcp']}",
        "description": f"TCP of tworay {VERSION}, simulated; a packet is a transmission of a TCP segment",
        "trace": {
            "vantage_point": {"name": nodes(about["from"]), "type": "client"},
            "title": f"flow {flow}: {nodes(about['from'])} to {nodes(about['to'])}, {about['tcp']}",
            "common_fields": {
                "ODCID": f"{flow:016x}",
                "time_format": "relative",
                "reference_time": 0,
                "protocol_type": ["TCP"],
            },
            "configuration": {"time_offset": 0, "original_uris": []},
        },
    }
    lines = [head, *({"time": round(t, 6), "name": name, "data": body} for t, _, name, body in events)]
    return "".join(f"{RECORD_SEPARATOR}{json.dumps(one, separators=(',', ':'))}\n" for one in lines)


def _events(run: Run, data: FlowData) -> Iterator[Event]:
    """Yield events with their times in ms, and an order for those at the same time."""
    segments = data.rows("segments").with_columns(number=pl.int_range(pl.len()))
    mine = segments.filter((pl.col("from") == data.about["from"]) & (pl.col("kind") == "data"))
    mine = mine.with_columns(number=pl.int_range(pl.len()))
    at = column(mine, "t_s")
    first = data.bytes_of(column(mine, "seq"), at)
    after = first + column(mine, "bytes")
    start = float(at[0]) * 1000 if len(at) else 0.0
    parameters = {
        "owner": "remote",
        "initial_max_data": _window(data, segments),
        "max_udp_payload_size": data.mss,
    }
    yield start, 0, "transport:parameters_set", parameters
    yield start, 1, "recovery:parameters_set", {"max_datagram_size": data.mss}
    ledger = data.rows("ledger").filter(pl.col("kind") == "data").to_dicts()
    ends = {(row["t_s"], row["seq"]): row for row in ledger}
    for row, byte in zip(mine.to_dicts(), first.tolist(), strict=True):
        frame = {"frame_type": "stream", "stream_id": 0, "offset": max(0, int(byte)), "length": row["bytes"]}
        yield (
            row["t_s"] * 1000,
            4,
            "transport:packet_sent",
            {
                "header": {"packet_type": "1RTT", "packet_number": row["number"]},
                "raw": {"length": max(1, row["bytes"] + 40), "payload_length": max(1, row["bytes"])},
                "frames": [frame] if row["bytes"] else [{"frame_type": "ping"}],
                "is_retransmission": bool(row["again"]),
            },
        )
        if row["lost_s"] is not None:
            yield from _loss(row, ends.get((row["lost_s"], row["seq"]), {}))
    yield from _acks(data, mine, segments, after)
    yield from _metrics(data)
    for row in run.tables["guesses"].filter(pl.col("flow") == data.id).to_dicts():
        body = {"guess": row["guess"], "cause": row["cause"], "seq": row["seq"]}
        yield row["t_s"] * 1000, 6, "tworay:guessed", body


def _window(data: FlowData, segments: pl.DataFrame) -> int:
    """Return the window that the receiver offers first, in bytes."""
    answers = segments.filter((pl.col("to") == data.about["from"]) & pl.col("arrived_s").is_not_null())
    return int(answers.sort("arrived_s")["window"][0]) if answers.height else 0


def _loss(row: dict[str, Any], booked: dict[str, Any]) -> Iterator[Event]:
    header = {"packet_type": "1RTT", "packet_number": row["number"]}
    lost = row["lost_s"] * 1000
    yield lost, 2, "recovery:packet_lost", {"header": header}
    body = {"header": header, "cause": row["cause"], "died": row["died"], "seq": row["seq"]}
    body |= {"node": booked.get("root_node"), "hop": booked.get("next_hop")}
    yield lost, 3, "tworay:died", body


def _acks(data: FlowData, mine: pl.DataFrame, segments: pl.DataFrame, after: Any) -> Iterator[Event]:
    """Yield the ACKs that reached the sender, each with the transmissions that it acknowledges anew."""
    arrived = np.where(np.isnan(column(mine, "arrived_s")), np.inf, column(mine, "arrived_s"))
    # Of several transmissions of the same bytes the first that arrived is what the ACK is about.
    order = np.lexsort((arrived, after))
    numbers, ends = column(mine, "number")[order], after[order]
    known = np.isfinite(arrived[order])
    numbers, ends, when = numbers[known], ends[known], arrived[order][known]
    acks = segments.filter((pl.col("to") == data.about["from"]) & pl.col("arrived_s").is_not_null()).sort(
        "arrived_s"
    )
    at = column(acks, "arrived_s")
    upto = data.bytes_of(column(acks, "ack"), at)
    size = column(acks, "bytes")
    sent = column(mine, "t_s")
    done, least = 0, float("inf")
    for place, (time, byte) in enumerate(zip(at.tolist(), upto.tolist(), strict=True)):
        until = int(np.searchsorted(ends, byte, side="right"))
        fresh = sorted(
            {int(n) for n, t in zip(numbers[done:until], when[done:until], strict=True) if t <= time}
        )
        done = max(done, until)
        frames = [{"frame_type": "ack", "acked_ranges": ranges(fresh)}] if fresh else []
        yield (
            time * 1000,
            5,
            "transport:packet_received",
            {
                "header": {"packet_type": "1RTT", "packet_number": place},
                "raw": {"length": int(size[place]) + 40},
                "frames": frames or [{"frame_type": "padding"}],
            },
        )
        if fresh:
            latest = (time - float(sent[fresh[-1]])) * 1000
            least = min(least, latest)
            yield time * 1000, 6, "recovery:metrics_updated", {"latest_rtt": latest, "min_rtt": least}


def ranges(numbers: list[int]) -> list[list[int]]:
    """Return ascending numbers as ranges, both ends included: ``[[1, 3], [5, 5]]``."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def _metrics(data: FlowData) -> Iterator[Event]:
    for row in data.series.to_dicts():
        window = round(row["cwnd_segments"] * data.mss)
        body: dict[str, Any] = {
            # The first name is that of drafts 00 and 01, which qvis looks up, the second that of 0.3.
            "cwnd": window,
            "congestion_window": window,
            "ssthresh": round(row["ssthresh_segments"] * data.mss),
            "bytes_in_flight": round(row["in_flight_segments"] * data.mss),
        }
        if row["srtt_s"] is not None:
            body["smoothed_rtt"] = row["srtt_s"] * 1000
        yield row["t_s"] * 1000, 7, "recovery:metrics_updated", body
    before = "startup"
    for row in data.rows("phases").to_dicts():
        state = STATES[row["phase"]]
        if state != before:
            yield row["t_s"] * 1000, 8, "recovery:congestion_state_updated", {"old": before, "new": state}
        before = state
