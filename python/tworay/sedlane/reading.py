"""Reads round-trip times and losses of packets from traces: result directories, captures, traces of ns-2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tworay.errors import InputError
from tworay.sedlane.captures import is_capture, read_capture
from tworay.sedlane.traces import Packets, Trace, Way, choose, rate_of, round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tworay.running.run import Run

# RFC 6298 §2: SRTT moves by 1/8 of the difference to the sample.
GAIN = 8.0


def read_trace(source: Path, flow: int | None = None) -> Trace:
    """Read a directory that ``tworay run --out`` wrote, a capture, or a wireless trace of ns-2 (also gzip).

    A run with ``--record``, a capture (pcap, pcapng) and a trace of ns-2 tell of every packet; another run
    only has the sender's samples of the round-trip time, about one a window. ``flow`` selects one of
    several TCP flows; by default the one that sent most.

    Raises:
        InputError: it is none of these, or has no TCP flow with a sample of the round-trip time.

    """
    if source.is_dir():
        trace = _of_directory(source, flow)
    elif is_capture(source):
        trace = read_capture(source, flow)
    else:
        trace = _of_ns2(source, flow)
    if len(trace.rtt) == 0:
        raise InputError(
            f"{source}: no packet of flow {trace.name} was acknowledged, so there is nothing to fit"
        )
    return trace


def _of_directory(place: Path, wanted: int | None) -> Trace:
    from tworay.experiment.store.reading import run_of

    run = run_of(place)
    if "live" in run.summary:
        raise InputError(
            f"{place}: a live run samples its kernels too rarely for a fit; use a capture of it "
            "(tworay live run --pcap FILE), or a simulated run"
        )
    return of_run(run, wanted, str(place))


def of_run(run: Run, wanted: int | None = None, place: str = "the run") -> Trace:
    """Return the trace of a flow of a run: of every packet if the run was recorded."""
    flows = [one for one in run.summary["flows"] if one["tcp"] is not None]
    if not flows:
        raise InputError(f"{place} has no TCP flow")
    chosen = choose(place, {one["id"]: one["sent_segments"] for one in flows}, wanted)
    flow = next(one for one in flows if one["id"] == chosen)
    read = _of_packets if "segments" in run.tables else _of_samples
    return read(run, flow, f"{place} flow {chosen}")


def _of_packets(run: Run, flow: dict[str, Any], name: str) -> Trace:
    rows = run.tables["segments"].filter(pl.col("flow") == flow["id"]).sort("t_s", "uid")
    columns = ("t_s", "arrived_s", "lost_s", "bytes")
    data, acks = (_way(rows.filter(pl.col("kind") == kind), columns) for kind in ("data", "ack"))
    return Trace(
        name,
        run.summary["sim_seconds"],
        *round_trips(data, acks),
        data.packets(),
        acks.packets(),
        flow["goodput_bps"],
        rate_of(data),
        flow["tcp"],
    )


def _of_samples(run: Run, flow: dict[str, Any], name: str) -> Trace:
    """Recover the samples from the sender's smoothed round-trip time by inverting the smoothing."""
    series = run.tables["series"].filter((pl.col("flow") == flow["id"]) & pl.col("srtt_s").is_not_nan())
    times, smoothed = series["t_s"].to_numpy(), series["srtt_s"].to_numpy()
    changed = np.flatnonzero(np.diff(smoothed, prepend=-1.0) != 0)
    times, smoothed = times[changed], smoothed[changed]
    rtt = np.concatenate([smoothed[:1], smoothed[:-1] + GAIN * np.diff(smoothed)])
    # Rounding of the smoothed value is multiplied by eight in the sample, which can become negative.
    right = rtt > 0
    ledger = run.tables["ledger"].filter(pl.col("flow") == flow["id"])
    lost = {kind: ledger.filter(pl.col("kind") == kind)["since_s"].to_numpy() for kind in ("data", "ack")}
    acks = int(flow["acked_segments"]) + len(lost["ack"])
    return Trace(
        name,
        run.summary["sim_seconds"],
        (times - rtt)[right],
        rtt[right],
        Packets(int(flow["sent_segments"]), np.sort(lost["data"])),
        Packets(acks, np.sort(lost["ack"])),
        flow["goodput_bps"],
        None,
        flow["tcp"],
    )


def _way(rows: pl.DataFrame, columns: Sequence[str]) -> Way:
    """Return packets from a table; ``columns`` are those of sending, arrival, loss and bytes."""
    sent, arrived, lost, size = (
        rows[name].cast(pl.Float64).fill_null(float("nan")).to_numpy() for name in columns
    )
    return Way(sent, arrived, ~np.isnan(lost), size)


def _of_ns2(file: Path, wanted: int | None) -> Trace:
    from tworay.imports.traces import read_trace as read_ns2_trace

    packets = read_ns2_trace(file).packets.filter(pl.col("kind").is_in(["tcp", "ack"]))
    flows = packets.filter(pl.col("kind") == "tcp").group_by("from", "to").len().sort("from", "to")
    if flows.is_empty():
        raise InputError(f"{file}: the trace has no TCP packets of agents (kind tcp)")
    chosen = choose(str(file), dict(enumerate(flows["len"])), wanted)
    source, sink = flows["from"][chosen], flows["to"][chosen]
    ways = []
    for start, kind in ((source, "tcp"), (sink, "ack")):
        ways.append(
            _way(
                packets.filter((pl.col("from") == start) & (pl.col("kind") == kind)).sort("sent_s"),
                ("sent_s", "received_s", "lost_s", "bytes"),
            )
        )
    data, acks = ways
    duration = float(packets.select(pl.max_horizontal("sent_s", "received_s").max()).item())
    name = f"{file} {source} to {sink}"
    rate = rate_of(data)
    return Trace(name, duration, *round_trips(data, acks), data.packets(), acks.packets(), None, rate, None)
