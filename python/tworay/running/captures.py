"""Reads the captures that runs write: pcapng with nanoseconds, one interface per node."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# Blocks of pcapng: a packet of an interface.
ENHANCED_PACKET = 6
# Headers of a data frame, B: 802.11, LLC/SNAP, IPv4, UDP. Type of such a frame, and UDP in IP.
WIFI, LLC, IPV4, UDP = 24, 8, 20, 8
DATA_TYPE, UDP_PROTOCOL = 2, 17
OLSR_PORT = 698


class Record(NamedTuple):
    """A packet of a capture: interface, time in s, length on the air in B, and the bytes that are kept."""

    interface: int
    time: float
    length: int
    data: bytes


def records(data: bytes) -> Iterator[Record]:
    """Yield every packet of a capture."""
    place = 0
    while place < len(data):
        kind, length = struct.unpack_from("<II", data, place)
        if kind == ENHANCED_PACKET:
            interface, high, low, captured, whole = struct.unpack_from("<IIIII", data, place + 8)
            start = place + 28
            yield Record(interface, (high << 32 | low) * 1e-9, whole, data[start : start + captured])
        place += length


def node_of(address: bytes) -> int:
    """Return the node of an IPv4 address: node n has 10.0.0.0 + n."""
    return int.from_bytes(address[1:], "big")
