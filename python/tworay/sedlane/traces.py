"""Reads round-trip times and losses of packets from traces: result directories, captures, traces of ns-2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tworay.running.run import Run

# RFC 6298 §2: SRTT moves by 1/8 of the difference to the sample.
GAIN = 8.0
# The rate of a network is measured over this many arrivals in a row, of which the fastest fiftieth is taken
# as its own.
IN_A_ROW, FASTEST = 16, 98.0


class Packets(NamedTuple):
    """The packets of one direction: their number, and when those that were lost had been sent, s.

    ``times`` is when each was sent, if the trace tells of every packet.
    """

    number: int
    lost: NDArray[np.float64]
    times: NDArray[np.float64] | None = None

    def between(self, begin: float, end: float, duration: float) -> Packets:
        """Return the packets sent from ``begin`` to ``end``, s, of ``duration``. Times begin anew."""
        lost = _cut(self.lost, begin, end)
        if self.times is None:
            return Packets(round(self.number * (end - begin) / duration), lost)
        times = _cut(self.times, begin, end)
        return Packets(len(times), lost, times)

    @property
    def loss(self) -> float:
        """The lost share, 0 to 1."""
        return len(self.lost) / self.number if self.number else 0.0


class Trace(NamedTuple):
    """Samples of the round-trip time, and losses, of one TCP flow.

    ``sent`` is when the packet of each sample was sent and ``rtt`` its round-trip time, s. ``goodput`` in
    bit/s of payload; None if the trace does not tell. ``rate`` in bit/s of packets that arrived in quick
    succession: the narrowest link of the network, as far as the flow made use of it. ``tcp`` is the traced
    variant.
    """

    name: str
    duration: float
    sent: NDArray[np.float64]
    rtt: NDArray[np.float64]
    data: Packets
    acks: Packets
    goodput: float | None = None
    rate: float | None = None
    tcp: str | None = None

    @property
    def is_complete(self) -> bool:
        """True if the trace tells of every packet, not of samples only."""
        return self.data.times is not None

    def between(self, begin: float, end: float) -> Trace:
        """Return the part of the trace from ``begin`` to ``end``, shares of its duration."""
        start, stop = begin * self.duration, end * self.duration
        inside = (self.sent >= start) & (self.sent < stop)
        data, acks = (
            self.data.between(start, stop, self.duration),
            self.acks.between(start, stop, self.duration),
        )
        whole, here = (one.number - len(one.lost) for one in (self.data, data))
        share = here / whole / (end - begin) if whole else 0.0
        goodput = None if self.goodput is None else self.goodput * share
        sent, rtt = self.sent[inside] - start, self.rtt[inside]
        name = f"{self.name}, {start:.0f} to {stop:.0f} s"
        return self._replace(
            name=name, duration=stop - start, sent=sent, rtt=rtt, data=data, acks=acks, goodput=goodput
        )


def _cut(times: NDArray[np.float64], begin: float, end: float) -> NDArray[np.float64]:
    return times[(times >= begin) & (times < end)] - begin


def read_trace(source: Path, flow: int | None = None) -> Trace:
    """Read a directory that ``tworay run --out`` wrote, a capture, or a wireless trace of ns-2 (also gzip).

    A run with ``--record``, a capture (pcap, pcapng) and a trace of ns-2 tell of every packet; another run
    only has the sender's samples of the round-trip time, about one a window. ``flow`` selects one of
    several TCP flows; by default the one that sent most.

    Raises:
        InputError: it is none of these, or has no TCP flow with a sample of the round-trip time.

    """
    from tworay.sedlane.captures import is_capture, read_capture

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


class Way(NamedTuple):
    """Every packet of one direction in the order of sending; without an arrival that time is NaN."""

    sent: NDArray[np.float64]
    arrived: NDArray[np.float64]
    lost: NDArray[np.bool_]
    size: NDArray[np.float64]

    def packets(self) -> Packets:
        """Return their number, losses and times of sending."""
        return Packets(len(self.sent), self.sent[self.lost], self.sent)


def _way(rows: pl.DataFrame, columns: Sequence[str]) -> Way:
    """Return packets from a table; ``columns`` are those of sending, arrival, loss and bytes."""
    sent, arrived, lost, size = (
        rows[name].cast(pl.Float64).fill_null(float("nan")).to_numpy() for name in columns
    )
    return Way(sent, arrived, ~np.isnan(lost), size)


def round_trips(data: Way, acks: Way) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return when packets were sent, and their round-trip times.

    That of a packet is its own delay and that of the next acknowledgment that its receiver sent and the
    sender received. The time for which the receiver waited before that (a delayed ACK, a gap) is not the
    network's.
    """
    there = np.flatnonzero(~np.isnan(data.arrived) & ~data.lost)
    back = np.flatnonzero(~np.isnan(acks.arrived) & ~acks.lost)
    follows = np.searchsorted(acks.sent[back], data.arrived[there] - 1e-9)
    answered = follows < len(back)
    there, follows = there[answered], back[follows[answered]]
    delays = data.arrived[there] - data.sent[there] + acks.arrived[follows] - acks.sent[follows]
    return data.sent[there], delays


def rate_of(data: Way) -> float | None:
    """Return the rate at which packets arrive in quick succession, bit/s."""
    there = ~np.isnan(data.arrived) & ~data.lost
    order = np.argsort(data.arrived[there], kind="stable")
    arrived, size = data.arrived[there][order], data.size[there][order]
    if len(arrived) <= IN_A_ROW:
        return None
    spans = arrived[IN_A_ROW:] - arrived[:-IN_A_ROW]
    total = np.cumsum(size)
    moved = (total[IN_A_ROW:] - total[:-IN_A_ROW])[spans > 0] / spans[spans > 0]
    return float(8 * np.percentile(moved, FASTEST)) if len(moved) else None


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


def choose(place: str, sent: dict[int, int], wanted: int | None) -> int:
    """Return the wanted flow, or the one that sent most; ``sent`` is what each sent."""
    if wanted is None:
        return max(sent, key=lambda one: sent[one])
    if wanted not in sent:
        raise InputError(f"{place}: there is no TCP flow {wanted}; there are {', '.join(map(str, sent))}")
    return wanted
