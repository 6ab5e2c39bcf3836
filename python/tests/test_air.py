"""Routing measured on the air: packets, bytes, airtime, next hops, and the time to heal."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

import tworay
from tworay.metrics.declared import GROUPS
from tworay.running import air

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

LLC = bytes.fromhex("aaaa03000000")


def ip4(protocol: int, content: bytes, source: int = 0, to: int = 4) -> bytes:
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(content), 0, 0, 64, protocol, 0)
    return head + bytes([10, 0, 0, source, 10, 0, 0, to]) + content


def udp(port: int, size: int) -> bytes:
    return struct.pack(">HHHH", port, port, 8 + size, 0) + bytes(size)


def tcp(size: int, seq: int = 7) -> bytes:
    return struct.pack(">HHIIBBHHH", 5001, 80, seq, 0, 0x50, 0x10, 0, 0, 0) + bytes(size)


def frame(kind: int, content: bytes) -> bytes:
    return LLC + struct.pack(">H", kind) + content


def of(kind: int, content: bytes) -> air.Content:
    data = frame(kind, content)
    return air.contents(data, len(data))


def test_control_packets_are_told_from_others() -> None:
    for port in (654, 698, 6696):
        # IPv4 and UDP headers count: 20 + 8 + 12.
        assert of(0x0800, ip4(17, udp(port, 12))) == (40, True, None)
    assert of(0x0800, ip4(17, udp(5001, 12))) == (0, False, None)
    babel = bytes(6) + bytes([17, 1]) + bytes(32) + udp(6696, 10)
    assert of(0x86DD, babel) == (58, True, None)
    # Neighbour discovery is not routing.
    assert of(0x86DD, bytes(6) + bytes([58, 255]) + bytes(32) + bytes(24)) == (0, False, None)
    assert of(0x0806, bytes(28)) == (0, False, None)


def test_segments_with_payload_are_read_and_acknowledgments_are_not() -> None:
    segment = air.Segment(0, 4, 5001 << 16 | 80, 7)
    assert of(0x0800, ip4(6, tcp(100))) == (0, False, segment)
    assert of(0x0800, ip4(6, tcp(0))) == (0, False, None)


def test_what_routing_adds_to_data_counts() -> None:
    segment = air.Segment(0, 4, 5001 << 16 | 80, 7)
    # RFC 4728 6.1: a fixed header of 4 bytes, then options, here of 12.
    dsr = struct.pack(">BBH", 6, 0, 12) + bytes(12)
    assert of(0x0800, ip4(48, dsr + tcp(100))) == (16, False, segment)
    alone = struct.pack(">BBH", 59, 0, 12) + bytes(12)
    assert of(0x0800, ip4(48, alone)) == (36, True, None)
    # batman-adv: 10 bytes and the Ethernet header of the frame within; its OGM is all its own.
    inner = bytes(12) + struct.pack(">H", 0x0800) + ip4(6, tcp(100))
    assert of(0x4305, bytes([0x40]) + bytes(9) + inner) == (24, False, segment)
    assert of(0x4305, bytes([0x42]) + bytes(17) + inner) == (32, False, segment)
    assert of(0x4305, bytes([0x00]) + bytes(31)) == (32, True, None)


def sent(kind: str, receiver: int | None, content: bytes = b"", rate: int = 2) -> bytes:
    """Return a record: radiotap header, 802.11 header, content, FCS. ``rate`` in Mb/s."""
    radiotap = struct.pack("<BBHIBBHH", 0, 0, 14, 0, 0x10, 2 * rate, 914, 0)
    first = {"rts": 0xB4, "cts": 0xC4, "ack": 0xD4, "data": 0x08}[kind]
    address = bytes([0xFF] * 6) if receiver is None else bytes([2, 0, 0, 0, 0, receiver])
    length = {"rts": 16, "cts": 10, "ack": 10, "data": 24}[kind]
    return radiotap + (bytes([first, 0, 0, 0]) + address).ljust(length, b"\0") + content + bytes(4)


def take(heard: air.Air, node: int, time: float, record: bytes) -> None:
    heard.take(node, time, len(record), record)


def test_airtime_is_that_of_the_whole_exchange() -> None:
    heard = air.Air(192e-6)
    reply = frame(0x0800, ip4(17, udp(654, 20)))
    take(heard, 1, 0.0, sent("rts", 0, rate=1))
    take(heard, 0, 0.1, sent("cts", 1, rate=1))
    take(heard, 1, 0.2, sent("data", 0, reply))
    take(heard, 0, 0.3, sent("ack", 1, rate=1))
    # IEEE 802.11: RTS 20 B, CTS and ACK 14 B at 1 Mb/s; data 24 + 8 + 48 + 4 B at 2 Mb/s; 192 us before each.
    exchange = 4 * 192e-6 + 8 * (20 + 14 + 14) / 1e6 + 8 * 84 / 2e6
    assert heard.routing_airtime == pytest.approx(exchange)
    assert heard.airtime == pytest.approx(exchange)
    assert (heard.routing_packets, heard.routing_bytes) == (1, 48)
    # Data does not count, but for the 24 bytes around it.
    inner = bytes(12) + struct.pack(">H", 0x0800) + ip4(6, tcp(100))
    take(heard, 1, 0.4, sent("data", 0, frame(0x4305, bytes([0x40]) + bytes(9) + inner)))
    assert heard.routing_airtime == pytest.approx(exchange + 8 * 24 / 2e6)
    assert (heard.routing_packets, heard.routing_bytes) == (1, 72)


def test_arrivals_and_next_hops_of_data() -> None:
    heard = air.Air(192e-6)
    data = frame(0x0800, ip4(6, tcp(100), to=2))
    take(heard, 0, 1.0, sent("data", 1, data))
    take(heard, 1, 1.1, sent("ack", 0, rate=1))
    assert heard.arrivals == []
    take(heard, 1, 1.2, sent("data", 2, data))
    # Without an acknowledgment it did not arrive.
    assert heard.arrivals == []
    take(heard, 1, 1.3, sent("data", 2, data))
    take(heard, 2, 1.4, sent("ack", 1, rate=1))
    assert heard.arrivals == [(0, 2, 1.0, 1.4)]
    assert heard.next_hop_changes == 0
    take(heard, 0, 2.0, sent("data", 2, data))
    take(heard, 2, 2.1, sent("ack", 0, rate=1))
    assert heard.next_hop_changes == 1
    assert heard.arrivals[1] == (0, 2, 2.0, 2.1)


def test_a_break_lasts_until_later_data_arrives() -> None:
    heard = air.Air(192e-6)
    # The first left before the break and arrives after it.
    heard.arrivals = [
        (0, 2, 1.0, 1.1),
        (0, 2, 4.9, 5.2),
        (0, 2, 8.0, 8.5),
        (0, 2, 9.0, 9.2),
        (3, 2, 5.1, 5.3),
    ]
    # What is lost before anything has arrived had no path yet.
    losses = [(0, 2, 0.5), (0, 2, 5.0), (0, 2, 6.0), (0, 2, 8.4), (0, 2, 20.0)]
    # From 5 to 8.5, with three losses; the last one lasts until the end.
    assert air.breaks(losses, heard, 30.0) == pytest.approx([3.5, 10.0])
    assert air.breaks([], heard, 30.0) == []


def test_simulated_protocols_send_the_same_bytes_as_the_simulator_counts(cli: Callable[..., Result]) -> None:
    done = cli(
        "compare", "string-3", "--routing", "aodv,olsr", "--seeds", "1", "--set", "duration=20s", "--json",
        "--out", "routed",
    )  # fmt: skip
    assert done.code == 0, done.err
    variants = done.document["variants"]
    assert len(variants) == 2

    def mean(arm: dict[str, Any], name: str) -> float:
        return float(arm[name]["mean"])

    for arm in variants.values():
        # Nothing broke, so nothing healed.
        declared = {metric.name for metric in GROUPS["air"]}
        assert {name for name in arm if name.startswith("air.")} == declared
        assert (arm["air.heal_seconds"]["n"], mean(arm, "air.breaks")) == (0, 0)
        assert mean(arm, "air.routing_packets") == mean(arm, "routing.control_packets") > 0
        assert mean(arm, "air.routing_bytes") == mean(arm, "routing.control_bytes")
        assert 0 < mean(arm, "air.routing_airtime_seconds") < mean(arm, "air.airtime_seconds") < 20 * 4
        # Nothing moves.
        assert mean(arm, "air.next_hop_changes") == 0
    # A page and a second look at the directory show them, too.
    shown = cli("show", "routed")
    assert "routing airtime" in shown.out
    resumed = cli("compare", "--resume", "routed", "--seeds", "2", "--json")
    assert resumed.code == 0, resumed.err
    assert all(arm["air.routing_bytes"]["n"] == 2 for arm in resumed.document["variants"].values())


def test_without_the_option_nothing_is_measured(cli: Callable[..., Result]) -> None:
    plain = cli(
        "compare", "string-2", "--vary", "routing.protocol=aodv,dsr", "--seeds", "1", "--set", "duration=5s",
        "--json",
    )  # fmt: skip
    assert not [
        name for arm in plain.document["variants"].values() for name in arm if name.startswith("air.")
    ]


EXPERIMENT = """
scenario = "string-2"
seeds = 1
metrics = ["goodput_bps", "air.routing_bytes"]
[set]
duration = "5s"
[vary]
"routing.protocol" = ["aodv", "olsr"]
"""


def test_sweeps_measure_what_they_name(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "exp.toml").write_text(EXPERIMENT, encoding="ascii")
    done = cli("sweep", "exp.toml", "--out", "swept", "--json")
    assert done.code == 0, done.err
    runs = tworay.Results(tmp_path / "swept").runs
    assert runs.height == 2
    assert runs["air.routing_bytes"].to_list() == runs["routing.control_bytes"].to_list()
    # What the command line adds counts, too.
    (tmp_path / "plain.toml").write_text('scenario = "string-2"\nseeds = 1\n[set]\nduration = "5s"\n')
    plain = cli("sweep", "plain.toml", "--routing", "aodv,dsr", "--out", "other", "--json")
    assert plain.code == 0, plain.err
    other = tworay.Results(tmp_path / "other").runs
    assert all(value > 0 for value in other["air.routing_bytes"])
