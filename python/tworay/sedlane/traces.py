"""Reads round-trip times and losses from traces: result directories, and wireless traces of ns-2."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# RFC 6298 §2: SRTT moves by 1/8 of the difference to the sample.
GAIN = 8.0


class Trace(NamedTuple):
    """Samples of the round-trip time, and losses.

    Times of sending in seconds. ``data_sent`` and ``acks_sent`` are numbers of packets, for the loss rates.
    """

    name: str
    duration: float
    sent: NDArray[np.float64]
    rtt: NDArray[np.float64]
    lost_data: NDArray[np.float64]
    lost_acks: NDArray[np.float64]
    data_sent: int
    acks_sent: int


def read_trace(source: Path, flow: int | None = None) -> Trace:
    """Read a directory that ``tworay run --out`` wrote, or a wireless trace of ns-2 (old or new, also gzip).

    ``flow`` selects one of several TCP flows; by default the one that sent most.

    Raises:
        InputError: it is neither, or has no TCP flow with a sample of the round-trip time.

    """
    trace = _of_run(source, flow) if source.is_dir() else _of_ns2(source, flow)
    if len(trace.rtt) == 0:
        raise InputError(
            f"{source}: no packet of flow {trace.name} was acknowledged, so there is nothing to fit"
        )
    return trace


def _of_run(place: Path, wanted: int | None) -> Trace:
    """Recover the samples from the sender's smoothed round-trip time by inverting the smoothing."""
    from tworay.experiment.store.reading import run_of

    run = run_of(place)
    if "live" in run.summary:
        raise InputError(f"{place}: a live run samples its kernels too rarely for a fit; use a simulated run")
    flows = [one for one in run.summary["flows"] if one["tcp"] is not None]
    if not flows:
        raise InputError(f"{place} has no TCP flow")
    chosen = _choose(place, {one["id"]: one["sent_segments"] for one in flows}, wanted)
    flow = next(one for one in flows if one["id"] == chosen)
    series = run.tables["series"].filter((pl.col("flow") == chosen) & pl.col("srtt_s").is_not_nan())
    times, smoothed = series["t_s"].to_numpy(), series["srtt_s"].to_numpy()
    changed = np.flatnonzero(np.diff(smoothed, prepend=-1.0) != 0)
    times, smoothed = times[changed], smoothed[changed]
    rtt = np.concatenate([smoothed[:1], smoothed[:-1] + GAIN * np.diff(smoothed)])
    # Rounding of the smoothed value is multiplied by eight in the sample, which can become negative.
    right = rtt > 0
    ledger = run.tables["ledger"].filter(pl.col("flow") == chosen)
    lost = {kind: ledger.filter(pl.col("kind") == kind)["since_s"].to_numpy() for kind in ("data", "ack")}
    acks = int(flow["acked_segments"]) + len(lost["ack"])
    return Trace(
        f"{place} flow {chosen}",
        run.summary["sim_seconds"],
        (times - rtt)[right],
        rtt[right],
        np.sort(lost["data"]),
        np.sort(lost["ack"]),
        int(flow["sent_segments"]),
        acks,
    )


def _of_ns2(file: Path, wanted: int | None) -> Trace:
    """Match each data packet with the first acknowledgment that covers it and was sent after its arrival."""
    from tworay.imports.traces import read_trace as read_ns2_trace

    packets = read_ns2_trace(file).packets.filter(pl.col("kind").is_in(["tcp", "ack"]))
    flows = packets.filter(pl.col("kind") == "tcp").group_by("from", "to").len().sort("from", "to")
    if flows.is_empty():
        raise InputError(f"{file}: the trace has no TCP packets of agents (kind tcp)")
    chosen = _choose(file, dict(enumerate(flows["len"])), wanted)
    source, sink = flows["from"][chosen], flows["to"][chosen]
    data = packets.filter((pl.col("from") == source) & (pl.col("kind") == "tcp")).sort("sent_s")
    acks = packets.filter((pl.col("from") == sink) & (pl.col("kind") == "ack")).sort("sent_s")
    arrived = data.filter(pl.col("received_s").is_not_nan())
    back = acks.filter(pl.col("received_s").is_not_nan())
    ack_sent, ack_came, ack_number = (back[name].to_numpy() for name in ("sent_s", "received_s", "number"))
    samples = []
    for sent, came, number in zip(arrived["sent_s"], arrived["received_s"], arrived["number"], strict=True):
        first = int(np.searchsorted(ack_sent, came))
        covers = np.flatnonzero(ack_number[first:] >= number)
        if len(covers):
            samples.append((sent, ack_came[first + covers[0]] - sent))
    pairs = np.array(samples or np.empty((0, 2)), dtype=np.float64)
    gone = [one.filter(pl.col("lost_s").is_not_nan())["sent_s"].to_numpy() for one in (data, acks)]
    duration = float(packets.select(pl.max_horizontal("sent_s", "received_s").max()).item())
    name = f"{file} {source} to {sink}"
    return Trace(name, duration, pairs[:, 0], pairs[:, 1], gone[0], gone[1], len(data), len(acks))


def _choose(place: Path, sent: dict[int, int], wanted: int | None) -> int:
    if wanted is None:
        return max(sent, key=lambda one: sent[one])
    if wanted not in sent:
        raise InputError(f"{place}: there is no TCP flow {wanted}; there are {', '.join(map(str, sent))}")
    return wanted
