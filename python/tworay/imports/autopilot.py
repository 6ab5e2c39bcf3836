"""Positions from logs of autopilots: ArduPilot's DataFlash (.bin), and telemetry logs of MAVLink (.tlog).

A DataFlash log describes itself: FMT messages give the name, the fields and the length of all others
(ardupilot.org, "Downloading and Analyzing Data Logs"). A telemetry log has a time of eight bytes before each
MAVLink packet, version 1 or 2 (mavlink.io, "Packet Serialization"). What is neither is skipped, as readers of
broken logs do.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tworay.imports.reading import Place, read_bytes, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDINGS = (".bin", ".tlog")
DEGREES = 1e-7
"""Both formats count latitude and longitude in these."""
GPS_EPOCH = 315964800
"""1980-01-06, as seconds from 1970."""
LEAP_SECONDS = 18
"""GPS time is ahead of UTC by these since 2017."""
WEEK = 7 * 86400
FIX_2D = 2
"""From this status on a receiver knows where it is."""

_HEAD = b"\xa3\x95"
_FMT = 128
_FMT_LENGTH = 89
# Characters of DataFlash's formats, as struct has them; texts are bytes.
_FORMATS = {
    "a": "64s", "b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "f": "f", "d": "d", "n": "4s",
    "N": "16s", "Z": "64s", "c": "h", "C": "H", "e": "i", "E": "I", "L": "i", "M": "B", "q": "q", "Q": "Q",
    "g": "e",
}  # fmt: skip

_POSITION = 33
"""GLOBAL_POSITION_INT: time since boot, latitude, longitude, heights, speeds, heading."""
_POSITION_FORMAT = "<IiiiihhhH"
_POSITION_EXTRA = 104
"""A byte that its checksum includes besides the message (CRC_EXTRA)."""


@dataclass(frozen=True)
class Record(Place):
    """A record of a log; ``line`` is its number."""

    def __str__(self) -> str:
        return f"{self.file}, record {self.line}"


class Position(NamedTuple):
    """Where a vehicle was, at seconds from 1970; degrees."""

    place: Record
    node: str
    time: float
    latitude: float
    longitude: float


def read(file: str) -> list[Position]:
    """Return the positions of a log in the order of its records.

    Raises:
        InputError: the file can't be read, is too large, or has no position.

    """
    data = read_bytes(file)
    flash = Path(file).suffix.lower() == ".bin"
    found = list(_flash(file, data) if flash else _telemetry(file, data))
    if not found:
        what = "GPS message with a fix" if flash else "GLOBAL_POSITION_INT with a place"
        form = "DataFlash log of ArduPilot" if flash else "telemetry log of MAVLink"
        raise wrong(file, f"it has no {what}", f"check that it is a {form}, or give .gpx or .csv")
    return found


def _flash(file: str, data: bytes) -> Iterator[Position]:
    kinds: dict[int, tuple[struct.Struct, list[str], str]] = {}
    at, number = data.find(_HEAD), 0
    while 0 <= at < len(data) - 2:
        kind, start = data[at + 2], at + 3
        if kind == _FMT and len(data) >= at + _FMT_LENGTH:
            number += 1
            one, length, name, form, columns = struct.unpack_from("<BB4s16s64s", data, start)
            letters = _text(form)
            if set(letters) <= _FORMATS.keys():
                fields = struct.Struct("<" + "".join(_FORMATS[letter] for letter in letters))
                if fields.size + 3 == length:
                    kinds[one] = (fields, _text(columns).split(","), _text(name))
            at += _FMT_LENGTH
        elif kind in kinds and len(data) >= start + kinds[kind][0].size:
            number += 1
            fields, names, name = kinds[kind]
            if name == "GPS":
                values = dict(zip(names, fields.unpack_from(data, start), strict=False))
                found = _fix(Record(file, number), values)
                if found is not None:
                    yield found
            at = start + fields.size
        else:
            at += 1
        at = data.find(_HEAD, at)


def _text(field: bytes) -> str:
    return field.split(b"\0")[0].decode("ascii", errors="replace")


def _fix(place: Record, values: dict[str, float]) -> Position | None:
    """Return the position of a GPS message of the first receiver, if it has one."""
    week = values.get("GWk", 0)
    if values.get("I", 0) != 0 or values.get("Status", 0) < FIX_2D or not week:
        return None
    if not {"Lat", "Lng", "GMS"} <= values.keys():
        return None
    time = GPS_EPOCH + week * WEEK + values["GMS"] / 1000 - LEAP_SECONDS
    return Position(place, Path(place.file).stem, time, values["Lat"] * DEGREES, values["Lng"] * DEGREES)


def _telemetry(file: str, data: bytes) -> Iterator[Position]:
    seen: list[tuple[Record, int, float, int, int]] = []
    at, number = 0, 0
    while at + 16 <= len(data):
        packet = _packet(data, at + 8)
        if packet is None:
            at += 1
            continue
        number += 1
        system, kind, payload, end = packet
        if kind == _POSITION:
            # Zeros at the end are not sent (version 2).
            whole = payload.ljust(struct.calcsize(_POSITION_FORMAT), b"\0")
            _, latitude, longitude, *_ = struct.unpack_from(_POSITION_FORMAT, whole)
            if latitude or longitude:
                micros = int.from_bytes(data[at : at + 8], "big")
                seen.append((Record(file, number), system, micros / 1e6, latitude, longitude))
        at = end
    stem = Path(file).stem
    several = len({system for _, system, *_ in seen}) > 1
    for place, system, time, latitude, longitude in seen:
        node = f"{stem}-{system}" if several else stem
        yield Position(place, node, time, latitude * DEGREES, longitude * DEGREES)


def _packet(data: bytes, at: int) -> tuple[int, int, bytes, int] | None:
    """Return the system, the message, the payload and the end of the packet that begins here, if one does."""
    length = data[at + 1]
    if data[at] == 0xFE:
        head, kind, signature = 6, data[at + 5], 0
        system = data[at + 3]
    elif data[at] == 0xFD and at + 10 <= len(data):
        head, kind, signature = 10, int.from_bytes(data[at + 7 : at + 10], "little"), 13 * (data[at + 2] & 1)
        system = data[at + 5]
    else:
        return None
    end = at + head + length + 2
    if end + signature > len(data):
        return None
    # The checksums of others need their own numbers: they are passed over by their length.
    if kind == _POSITION and _checksum(data[at + 1 : end - 2]) != int.from_bytes(
        data[end - 2 : end], "little"
    ):
        return None
    return system, kind, data[at + head : end - 2], end + signature


def _checksum(data: bytes) -> int:
    """Return the checksum of GLOBAL_POSITION_INT: CRC-16/MCRF4XX of the packet and its number."""
    crc = 0xFFFF
    for byte in (*data, _POSITION_EXTRA):
        low = (byte ^ crc) & 0xFF
        low ^= (low << 4) & 0xFF
        crc = (crc >> 8) ^ (low << 8) ^ (low << 3) ^ (low >> 4)
    return crc & 0xFFFF
