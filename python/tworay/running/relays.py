"""The multipoint relays that the nodes of a run announce over OLSR, read from its capture."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.running.captures import DATA_TYPE, IPV4, LLC, OLSR_PORT, UDP, UDP_PROTOCOL, WIFI, node_of, records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# RFC 3626: type of a HELLO (§18.4) and of a neighbour that was chosen as relay (§6.1.1).
HELLO, MPR_NEIGHBOUR = 1, 2
SCHEMA: Any = {"t_s": pl.Float64, "node": pl.Int64, "relays": pl.List(pl.Int64)}


def relay_table(capture: Path) -> pl.DataFrame:
    """Return the table ``relays``: time, sender and announced relays of every HELLO in a capture.

    A capture has what each node sends, so every HELLO once.
    """
    rows = [
        {"t_s": time, "node": node, "relays": sorted(relays)}
        for _, time, _, frame in records(capture.read_bytes())
        for node, relays in hellos(frame)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def hellos(frame: bytes) -> Iterator[tuple[int, list[int]]]:
    """Yield originator and announced relays of every HELLO in a frame with a radiotap header."""
    if frame[0]:
        return  # An IP packet: a host without a radio has no radiotap header, whose version is 0.
    start = struct.unpack_from("<H", frame, 2)[0]
    ip = start + WIFI + LLC
    if len(frame) < ip + IPV4 + UDP or (frame[start] >> 2) & 3 != DATA_TYPE or frame[ip + 9] != UDP_PROTOCOL:
        return
    if struct.unpack_from(">H", frame, ip + IPV4 + 2)[0] != OLSR_PORT:
        return
    packet = ip + IPV4 + UDP
    place, end = packet + 4, packet + struct.unpack_from(">H", frame, packet)[0]
    while place + 12 <= end:
        kind, size = frame[place], struct.unpack_from(">H", frame, place + 2)[0]
        if kind == HELLO:
            yield node_of(frame[place + 4 : place + 8]), list(_relays(frame[place + 16 : place + size]))
        place += size


def _relays(links: bytes) -> Iterator[int]:
    place = 0
    while place < len(links):
        code, size = links[place], struct.unpack_from(">H", links, place + 2)[0]
        if (code >> 2) & 3 == MPR_NEIGHBOUR:
            yield from (node_of(links[at : at + 4]) for at in range(place + 4, place + size, 4))
        place += size
