"""Reads captures (pcap, pcapng) with Wireshark's dissectors: every packet of a TCP connection."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tworay.errors import InputError
from tworay.sedlane.traces import Packets, Trace, Way, choose, rate_of, round_trips

if TYPE_CHECKING:
    from pathlib import Path

# The first bytes of a pcap file (with microseconds or nanoseconds, of either byte order), and of a pcapng
# file.
MAGIC = (
    bytes.fromhex("a1b2c3d4"),
    bytes.fromhex("d4c3b2a1"),
    bytes.fromhex("a1b23c4d"),
    bytes.fromhex("4d3cb2a1"),
    bytes.fromhex("0a0d0d0a"),
)
# Our names of the fields, their types, and Wireshark's names.
FIELDS = {
    "t": (pl.Float64, "frame.time_relative"),
    "to_station": (pl.String, "wlan.ra"),
    "from_station": (pl.String, "wlan.ta"),
    "src": (pl.String, "ip.src"),
    "dst": (pl.String, "ip.dst"),
    "id": (pl.String, "ip.id"),
    "size": (pl.Float64, "ip.len"),
    "sport": (pl.Int64, "tcp.srcport"),
    "dport": (pl.Int64, "tcp.dstport"),
    "seq": (pl.Int64, "tcp.seq"),
    "len": (pl.Int64, "tcp.len"),
    "ack": (pl.Int64, "tcp.ack"),
}
END = ("src", "sport")
PACKET = ("src", "sport", "dst", "dport", "id", "seq", "len", "ack")


def is_capture(file: Path) -> bool:
    """Return whether a file begins as captures do."""
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(4) in MAGIC


def read_capture(file: Path, wanted: int | None = None) -> Trace:
    """Read a TCP connection of a capture.

    A capture of the air (``tworay run --pcap``) has every hop of a packet: its first frame tells when it
    was sent, the frame to its destination when it arrived (whether the destination lost it above its MAC, as
    ``errors.pkt_err`` does, the air does not show). Any other capture must have been made at the
    sender: there a packet was lost if its payload is sent again, and its round-trip time ends with the
    acknowledgment that covers it.

    Raises:
        InputError: tshark is missing or cannot read it, or it has no TCP connection that carries data.

    """
    packets = _dissected(file)
    conversations = (
        packets.filter(pl.col("len") > 0)
        .group_by("src", "sport", "dst", "dport")
        .agg(pl.col("len").sum(), pl.col("t").min())
        .sort("t", "src", "sport")
    )
    if conversations.is_empty():
        raise InputError(f"{file}: the capture has no TCP connection that carries data")
    chosen = choose(str(file), dict(enumerate(conversations["len"])), wanted)
    src, sport, dst, dport = conversations.row(chosen)[:4]
    there = _of(packets, src, sport, dst, dport).filter(pl.col("len") > 0)
    back = _of(packets, dst, dport, src, sport).filter(pl.col("ack").is_not_null())
    duration = float(packets["t"].max())  # type: ignore[arg-type]
    name = f"{file} {src}:{sport} to {dst}:{dport}"
    payload = max(back["ack"].to_list(), default=1) - 1
    goodput = 8 * max(payload, 0) / duration if duration > 0 else None
    if packets["to_station"].is_not_null().any():
        data, acks = _over_the_air(there, packets, dst), _over_the_air(back, packets, src)
        samples = round_trips(data, acks)
        return Trace(name, duration, *samples, data.packets(), acks.packets(), goodput, rate_of(data), None)
    return _at_the_sender(name, duration, there, back, goodput)


def _dissected(file: Path) -> pl.DataFrame:
    program = shutil.which("tshark")
    if program is None:
        raise InputError(f"{file}: reading a capture needs tshark (Debian: apt-get install tshark)")
    fields = [word for _, field in FIELDS.values() for word in ("-e", field)]
    # One value a field: in an ICMP error, for instance, tshark would print those of both IP headers.
    form = ["-T", "fields", "-E", "occurrence=f", "-E", "separator=,"]
    done = subprocess.run(
        [program, "-r", str(file), "-n", "-Y", "tcp && ip", *form, *fields],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise InputError(f"{file}: tshark cannot read it: {done.stderr.strip().splitlines()[-1]}")
    schema: dict[str, type[pl.DataType]] = {name: kind for name, (kind, _) in FIELDS.items()}
    if not done.stdout:
        return pl.DataFrame(schema=schema)
    return pl.read_csv(done.stdout.encode(), has_header=False, schema=schema)


def _of(packets: pl.DataFrame, src: str, sport: int, dst: str, dport: int) -> pl.DataFrame:
    ends = (pl.col("src") == src) & (pl.col("sport") == sport) & (pl.col("dst") == dst)
    return packets.filter(ends & (pl.col("dport") == dport))


def _over_the_air(frames: pl.DataFrame, packets: pl.DataFrame, dst: str) -> Way:
    """Join a packet's frames: the first one is its start, the latest one to its destination its arrival."""
    # A station's first frame of its own packet names it.
    own = packets.filter(pl.col("src") == dst)["from_station"].drop_nulls()
    station = own[0] if len(own) else None
    arrives = pl.col("t").filter(pl.col("to_station") == station).last()
    joined = (
        frames.group_by(PACKET, maintain_order=True)
        .agg(pl.col("t").first().alias("sent"), arrives.alias("arrived"), pl.col("size").first())
        .sort("sent")
    )
    arrived = joined["arrived"].fill_null(float("nan")).to_numpy()
    return Way(joined["sent"].to_numpy(), arrived, np.isnan(arrived), joined["size"].to_numpy())


def _at_the_sender(
    name: str, duration: float, there: pl.DataFrame, back: pl.DataFrame, goodput: float | None
) -> Trace:
    """Return the trace of a capture that was made at the sender."""
    sent, begin = there["t"].to_numpy(), there["seq"].to_numpy()
    end = begin + there["len"].to_numpy()
    last = {int(seq): at for at, seq in enumerate(begin)}
    lost = np.array([last[int(seq)] != at for at, seq in enumerate(begin)], dtype=bool)
    again = there["seq"].is_duplicated().to_numpy()
    came, number = back["t"].to_numpy(), np.maximum.accumulate(back["ack"].to_numpy())
    # Of a segment that was sent more than once, nobody knows which copy is acknowledged (Karn).
    covers = np.searchsorted(number, end)
    sampled = ~again & (covers < len(number))
    delays = came[covers[sampled]] - sent[sampled]
    right = delays > 0
    data = Way(sent, np.where(lost, np.nan, sent), lost, there["size"].to_numpy())
    acks = Way(came, came, np.zeros(len(came), dtype=bool), back["size"].to_numpy())
    samples = sent[sampled][right], delays[right]
    # The rate at which acknowledgments free data is that of the narrowest link.
    freed = np.diff(number, prepend=number[0] if len(number) else 0).astype(np.float64)
    rate = rate_of(Way(came, came, acks.lost, freed))
    return Trace(
        name, duration, *samples, data.packets(), Packets(len(came), came[:0], came), goodput, rate, None
    )
