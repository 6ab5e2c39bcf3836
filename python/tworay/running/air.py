"""Measures routing on the air: bytes, airtime, changes of next hops, and how fast flows go on after a break.

All figures come from a capture and the loss ledger, by the same rules for simulated protocols and for real
daemons. Control packets are those of AODV (UDP 654, RFC 3561 §6), OLSR (UDP 698, RFC 3626 §3.1), Babel (UDP
6696, RFC 8966 §4), DSR without payload (IP protocol 48, RFC 4728 §6), and batman-adv (EtherType 0x4305).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay.running.captures import DATA_TYPE, IPV4, LLC, OLSR_PORT, UDP, UDP_PROTOCOL, WIFI, node_of, records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import polars as pl

# Headers, B.
IPV6, ETHERNET = 40, 14
CONTROL_TYPE, RTS, CTS, ACK = 1, 11, 12, 13
# The bit of the subtype that says that data has a QoS field, and the bytes of that.
QOS_DATA, QOS = 8, 2
IP4_FRAME, IP6_FRAME, BATMAN_FRAME = 0x0800, 0x86DD, 0x4305
TCP_PROTOCOL, DSR_PROTOCOL, NO_NEXT_HEADER = 6, 48, 59
CONTROL_PORTS = (654, OLSR_PORT, 6696)
# Packets of batman-adv (include/uapi/linux/batadv_packet.h) that carry others, and the lengths of their
# headers, B; all others are its own, except the test packets that users send (0x43).
BATMAN_CARRIES = {0x01: 14, 0x40: 10, 0x42: 18}
BATMAN_FRAGMENT, BATMAN_FRAGMENT_HEADER, BATMAN_TEST = 0x41, 20, 0x43
# Causes of loss in which the path was broken.
BROKEN = ("link-failure", "no-route", "node-down")


class Segment(NamedTuple):
    """A TCP segment with payload: end nodes, ports, and the number of its first byte."""

    source: int
    to: int
    ports: int
    seq: int


class Content(NamedTuple):
    """Contents of a data frame: bytes that routing has added, and the TCP segment with payload, if any."""

    routing: int
    control: bool
    segment: Segment | None


NOTHING = Content(0, control=False, segment=None)


@dataclass
class Air:
    """Counts of a capture; ``preamble`` is the time before each frame's first bit, s.

    Without it (802.11a, g, n, ac) times of frames, and which BlockAck acknowledges which frame, are not
    computed.
    """

    preamble: float | None
    routing_packets: int = 0
    routing_bytes: int = 0
    routing_airtime: float = 0.0
    airtime: float = 0.0
    next_hop_changes: int = 0
    # Of each segment that arrived: ends, time of its last departure from the source, time of arrival.
    arrivals: list[tuple[int, int, float, float]] = field(default_factory=list)
    _next_hops: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    _left: dict[Segment, float] = field(default_factory=dict)
    # By transmitter: airtime of RTS and CTS before its next data frame, and that frame until its ACK.
    _reserved: dict[int, float] = field(default_factory=dict)
    _waiting: dict[int, tuple[bool, int, Segment | None]] = field(default_factory=dict)

    def take(self, node: int, time: float, length: int, record: bytes) -> None:
        """Count a record: a frame that ``node`` starts to send at ``time``, s, with its radiotap header."""
        start = struct.unpack_from("<H", record, 2)[0]
        # Time of a byte, and of the whole frame.
        byte = 0.0 if self.preamble is None else 8 / (5e5 * record[start - 5])
        spent = 0.0 if self.preamble is None else self.preamble + byte * (length - start)
        self.airtime += spent
        frame = record[start:]
        kind, subtype = (frame[0] >> 2) & 3, frame[0] >> 4
        receiver = _node_of_mac(frame[4:10])
        if kind == CONTROL_TYPE:
            self._control(subtype, node, receiver, time, spent)
            return
        if kind != DATA_TYPE:
            return
        spent += self._reserved.pop(node, 0.0)
        header = WIFI + (QOS if subtype & QOS_DATA else 0)
        content = contents(frame[header:], length - start - header - 4)
        # A retransmission is another transmission: its bytes count once more.
        self.routing_packets += content.control
        self.routing_bytes += content.routing
        self.routing_airtime += spent if content.control else byte * content.routing
        segment = content.segment
        if receiver is None:
            return
        self._waiting[node] = (content.control, receiver, segment)
        if segment is not None:
            if node == segment.source:
                self._left[segment] = time
            key = (node, segment.source, segment.to, segment.ports)
            self.next_hop_changes += self._next_hops.setdefault(key, receiver) != receiver
            self._next_hops[key] = receiver

    def _control(self, subtype: int, node: int, receiver: int | None, time: float, spent: float) -> None:
        if receiver is None:
            return
        if subtype == RTS:
            self._reserved[node] = self._reserved.get(node, 0.0) + spent
        elif subtype == CTS:
            self._reserved[receiver] = self._reserved.get(receiver, 0.0) + spent
        elif subtype == ACK and receiver in self._waiting:
            control, to, segment = self._waiting.pop(receiver)
            self.routing_airtime += spent if control else 0.0
            if segment is not None and node == to == segment.to and segment in self._left:
                self.arrivals.append((segment.source, segment.to, self._left[segment], time))


def contents(data: bytes, length: int) -> Content:
    """Classify what follows the 802.11 header of a data frame; ``length`` is its length on the air, B."""
    if len(data) < LLC:
        return NOTHING
    return _of_type(struct.unpack_from(">H", data, 6)[0], data[LLC:], length - LLC)


def _of_type(kind: int, packet: bytes, length: int) -> Content:
    if kind == IP4_FRAME and len(packet) >= IPV4:
        return _ip4(packet, length)
    if kind == IP6_FRAME and len(packet) >= IPV6 + UDP:
        control = packet[6] == UDP_PROTOCOL and _has_control_port(packet[IPV6:])
        return Content(length, control=True, segment=None) if control else NOTHING
    if kind == BATMAN_FRAME and packet:
        return _batman(packet, length)
    return NOTHING


def _ip4(packet: bytes, length: int) -> Content:
    header = 4 * (packet[0] & 15)
    protocol, rest = packet[9], packet[header:]
    if protocol == UDP_PROTOCOL and len(rest) >= UDP and _has_control_port(rest):
        return Content(length, control=True, segment=None)
    added = 0
    if protocol == DSR_PROTOCOL and len(rest) >= 4:
        # RFC 4728 §6.1: next header, flags, and the length of the options after these four bytes.
        added = 4 + struct.unpack_from(">H", rest, 2)[0]
        protocol, rest = rest[0], rest[added:]
        if protocol == NO_NEXT_HEADER:
            return Content(length, control=True, segment=None)
    if protocol != TCP_PROTOCOL or len(rest) < 20:
        return Content(added, control=False, segment=None)
    whole = struct.unpack_from(">H", packet, 2)[0]
    if whole <= header + added + 4 * (rest[12] >> 4):
        return Content(added, control=False, segment=None)
    ports, seq = struct.unpack_from(">II", rest)
    return Content(
        added, control=False, segment=Segment(node_of(packet[12:16]), node_of(packet[16:20]), ports, seq)
    )


def _batman(packet: bytes, length: int) -> Content:
    header = BATMAN_CARRIES.get(packet[0])
    if header is not None and len(packet) >= header + ETHERNET:
        kind = struct.unpack_from(">H", packet, header + 12)[0]
        inner = _of_type(kind, packet[header + ETHERNET :], length - header - ETHERNET)
        return inner._replace(routing=inner.routing + header + ETHERNET)
    if packet[0] == BATMAN_FRAGMENT:
        return Content(BATMAN_FRAGMENT_HEADER, control=False, segment=None)
    return NOTHING if packet[0] == BATMAN_TEST else Content(length, control=True, segment=None)


def _has_control_port(datagram: bytes) -> bool:
    return struct.unpack_from(">H", datagram, 2)[0] in CONTROL_PORTS


def _node_of_mac(address: bytes) -> int | None:
    """Return the node of a station's address, 02:00:00:00:00:00 + n; ``None`` for groups."""
    return None if address[0] & 1 else int.from_bytes(address[2:], "big")


def read(capture: Path, document: Mapping[str, Any], radios: int) -> Air:
    """Count a capture of a scenario (``document``: its TOML) whose first ``radios`` nodes have radios."""
    timed = "standard" not in document["radio"]
    air = Air(float(document["mac"]["plcp"].removesuffix("us")) * 1e-6 if timed else None)
    for node, time, length, frame in records(capture.read_bytes()):
        if node < radios:
            air.take(node, time, length, frame)
    return air


def breaks(losses: Iterable[tuple[int, int, float]], air: Air, end: float) -> list[float]:
    """Return how long each break kept a flow from going on, s.

    ``losses`` are data segments lost to a broken path: source, destination, and the time of the root cause,
    s. A break lasts until a segment arrives that has left its source after it; one that lasts until ``end``
    counts until then. Losses during a break belong to it. Before the first arrival there is no path to break.
    """
    found: list[float] = []
    first: dict[tuple[int, int], float] = {}
    for source, to, _, at in air.arrivals:
        first.setdefault((source, to), at)
    until: dict[tuple[int, int], float] = {}
    for source, to, since in sorted(losses, key=lambda one: one[2]):
        if since < max(until.get((source, to), 0.0), first.get((source, to), end)):
            continue
        later = [at for one, other, left, at in air.arrivals if (one, other) == (source, to) and left > since]
        until[source, to] = min(later, default=end)
        found.append(until[source, to] - since)
    return found


def measured(air: Air, summary: dict[str, Any], ledger: pl.DataFrame) -> dict[str, float | None]:
    """Return the section ``air`` of a run's document."""
    ends = {flow["id"]: (flow["from"], flow["to"]) for flow in summary["flows"]}
    losses = [
        (*ends[flow], since)
        for flow, kind, cause, since in ledger.select("flow", "kind", "cause", "since_s").iter_rows()
        if kind == "data" and cause in BROKEN and flow in ends
    ]
    timed = air.preamble is not None
    healed = breaks(losses, air, summary["sim_seconds"]) if timed else []
    return {
        "routing_packets": air.routing_packets,
        "routing_bytes": air.routing_bytes,
        "routing_airtime_seconds": air.routing_airtime if timed else None,
        "airtime_seconds": air.airtime if timed else None,
        "next_hop_changes": air.next_hop_changes,
        "breaks": len(healed) if timed else None,
        "heal_seconds": sum(healed) / len(healed) if healed else None,
    }
