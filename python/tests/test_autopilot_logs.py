"""Tracks from the logs of autopilots, whose bytes are laid out here by hand."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from tworay.errors import InputError
from tworay.imports import autopilot, tracks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

# 2026-03-01T12:00:00Z; GPS counts weeks from 1980-01-06 and has had 18 leap seconds less.
NOON = 1772366400.0
WEEK, IN_WEEK = divmod(int(NOON) + 18 - 315964800, 7 * 86400)
GPS_FORMAT = ("QBBIHBcLLeffffB", "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs,VZ,Yaw,U")


def flash(*messages: bytes) -> bytes:
    """Return a DataFlash log with these messages of type 130."""

    def described(kind: int, length: int, name: str, form: str, columns: str) -> bytes:
        return b"\xa3\x95\x80" + struct.pack(
            "<BB4s16s64s", kind, length, name.encode(), form.encode(), columns.encode()
        )

    own = described(128, 89, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns")
    gps = described(130, 3 + struct.calcsize("<QBBIHBhiiiffffB"), "GPS", *GPS_FORMAT)
    other = described(131, 3 + 8 + 64, "MSG", "QZ", "TimeUS,Message")
    # The text of a message may look like another one's beginning.
    text = b"\xa3\x95\x83" + struct.pack("<Q64s", 1, b"\xa3\x95\x82 ArduCopter")
    return own + gps + other + text + b"".join(messages)


def fix(seconds: float, latitude: float, longitude: float, *, status: int = 3, receiver: int = 0) -> bytes:
    """Return a GPS message, `seconds` after noon."""
    return b"\xa3\x95\x82" + struct.pack(
        "<QBBIHBhiiiffffB", 0, receiver, status, round(1000 * (IN_WEEK + seconds)), WEEK, 12, 80,
        round(latitude * 1e7), round(longitude * 1e7), 5000, 0, 0, 0, 0, 1,
    )  # fmt: skip


def checksum(data: bytes) -> bytes:
    """CRC-16/MCRF4XX, bit by bit: the polynomial x16 + x12 + x5 + 1, reversed, from all ones."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return struct.pack("<H", crc)


def test_the_checksum_is_that_of_the_catalogues() -> None:
    # The check value of CRC-16/MCRF4XX.
    assert checksum(b"123456789") == struct.pack("<H", 0x6F91)


def packet(at: float, system: int, latitude: float, longitude: float, version: int = 2) -> bytes:
    """Return a time and GLOBAL_POSITION_INT."""
    place = struct.pack("<IiiiihhhH", 1, round(latitude * 1e7), round(longitude * 1e7), 9, 9, 0, 0, 0, 0)
    if version == 2:
        place = place.rstrip(b"\0")
        head = bytes([len(place), 0, 0, 7, system, 1]) + (33).to_bytes(3, "little")
        start = b"\xfd"
    else:
        head, start = bytes([len(place), 7, system, 1, 33]), b"\xfe"
    time = round(at * 1e6).to_bytes(8, "big")
    return time + start + head + place + checksum(head + place + bytes([104]))


def heartbeat(at: float) -> bytes:
    """Return a time and a HEARTBEAT, whose checksum is not looked at."""
    return round(at * 1e6).to_bytes(8, "big") + b"\xfe" + bytes([9, 1, 1, 1, 0]) + bytes(9) + b"xx"


def test_a_flight_recorder_s_fixes_are_a_track(tmp_path: Path) -> None:
    # At the equator a degree north is 110.57 km: the ellipsoid's meridian.
    log = tmp_path / "drone.bin"
    log.write_bytes(
        flash(
            fix(0, 0, 9, status=1),
            fix(0, 0, 9),
            fix(0.5, 45, 9, receiver=1),
            b"\xa3\x95\x07broken",
            fix(1, 1e-4, 9),
            fix(2, 2e-4, 9)[:-1],
        )
    )
    found = autopilot.read(str(log))
    assert [(one.node, one.time, one.latitude, one.longitude) for one in found] == [
        ("drone", NOON, 0, 9),
        ("drone", NOON + 1, pytest.approx(1e-4), 9),
    ]
    (way,) = tracks.read([str(log)]).points
    assert way == [(0, 0, 0), (1, 0, pytest.approx(11.057, abs=0.001))]


def test_a_telemetry_log_has_a_node_for_each_system(tmp_path: Path) -> None:
    log = tmp_path / "two.tlog"
    log.write_bytes(
        b"noise"
        + packet(NOON, 1, 0, 9)
        + heartbeat(NOON)
        + packet(NOON + 1, 2, 0, 9.001, version=1)
        + packet(NOON + 2, 1, 0, 0)
        + packet(NOON + 3, 1, 1e-4, 9)
        # A wrong checksum.
        + packet(NOON + 4, 1, 45, 9)[:-1]
        + b"?"
    )
    found = autopilot.read(str(log))
    assert [(one.node, one.time, round(one.latitude, 7), one.longitude) for one in found] == [
        ("two-1", NOON, 0, 9),
        ("two-2", NOON + 1, 0, 9.001),
        ("two-1", NOON + 3, 1e-4, 9),
    ]
    assert tracks.read([str(log)]).numbers == {"two-1": 0, "two-2": 1}


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.bin", b"", "it has no GPS message with a fix"),
        ("a.bin", flash(fix(0, 0, 9, status=0)), "check that it is a DataFlash log of ArduPilot"),
        ("a.tlog", b"\xfd" * 40, "it has no GLOBAL_POSITION_INT with a place"),
        ("a.tlog", heartbeat(NOON) * 3, "check that it is a telemetry log of MAVLink"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        tracks.read([str(tmp_path / name)])


def test_a_jump_is_refused_at_its_record(tmp_path: Path) -> None:
    # 0.1 degrees in a second are 11 km. Three descriptions and a text come before the fixes.
    log = tmp_path / "a.bin"
    log.write_bytes(flash(fix(0, 0, 9), fix(1, 0.1, 9)))
    with pytest.raises(InputError, match=r"a\.bin, record 6: a moves at 110\d\d m/s since .*record 5"):
        tracks.read([str(log)])


def test_logs_become_a_scenario(cli: Callable[..., Result], tmp_path: Path) -> None:
    for name, east in (("lead", 9.0), ("wing", 9.001)):
        (tmp_path / f"{name}.bin").write_bytes(flash(*(fix(t, t * 1e-5, east) for t in range(20))))
    done = cli("convert", "lead.bin", "wing.bin", "--flow", "wing:lead:ftp", "-o", "flight.toml")
    assert done.code == 0, done.err
    ran = cli("run", "flight.toml", "--set", "duration=10s", "--json")
    assert ran.code == 0, ran.err
    assert ran.document["flows"][0]["goodput_bps"] > 1e5
