"""A transfer between two TCP stacks of this machine's kernel, over a path that drops listed segments.

Two network namespaces have a TUN device each. This process forwards the packets between them with a fixed
delay, drops the listed ones, and records every packet with its time. The rest of the machine is not affected:
the namespaces disappear with their processes. Needs root.
"""

from __future__ import annotations

import heapq
import os
import re
import select
import socket
import struct
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from studies.peers.kernel_stack import (
    ACK,
    MTU,
    SYN,
    before_all_others,
    enter_namespace,
    tcp_options,
    undisturbed,
)

PORT = 5001
MSS = MTU - 52
"""Payload of a full segment: IP and TCP headers, and the time stamps that Linux sends."""
_SENDER, _RECEIVER = "10.77.0.1", "10.77.0.2"
_APART = 0.0004
"""Seconds between two ACKs: the stack's answers to one are read before the next."""


@dataclass(frozen=True)
class Segment:
    """A recorded packet: sequence numbers relative to the SYNs, times in seconds from the first packet."""

    time: float
    ours: bool
    """Sent by the stack under test."""
    flags: int
    seq: int
    ack: int
    window: int
    length: int
    sack: tuple[tuple[int, int], ...] = ()
    stamp: int | None = None
    echo: int | None = None
    dropped: bool = False


@dataclass(frozen=True)
class Case:
    """A transfer and its losses."""

    name: str
    about: str
    segments: int = 40
    """Full segments in one write."""
    drops: frozenset[tuple[int, int]] = frozenset()
    """Segments (from 0) and transmissions of them (from 1) that are dropped."""
    late: tuple[tuple[int, float], ...] = ()
    """Segments, and the extra delay of their first transmission in seconds."""
    held: tuple[float, float] = (0.0, 0.0)
    """Period, in seconds after the first data, in which ACKs are held back; all arrive at its end."""
    delay: float = 0.014
    """One way, seconds. A timeout, 200 ms and a round trip, is then shorter than the 63 ticks of 4 ms from
    which timers are coarser, and in the middle of a tick."""


@dataclass(frozen=True)
class Ticks:
    """The clock of the kernel's timers."""

    period: int
    """Nanoseconds."""
    first: int
    """Nanoseconds from the first packet to the next tick."""
    number: int
    """Of that tick (jiffies)."""


@dataclass(frozen=True)
class Capture:
    """A transfer."""

    packets: list[Segment]
    ticks: Ticks


@dataclass
class _Path:
    case: Case
    wires: dict[int, int]
    """For each device, the one that its packets are written to."""
    ours: int
    began: float = 0.0
    first_data: float | None = None
    bases: dict[bool, int] = field(default_factory=dict)
    stamps: dict[bool, int] = field(default_factory=dict)
    scale: dict[bool, int] = field(default_factory=dict)
    times_sent: dict[int, int] = field(default_factory=dict)
    log: list[Segment] = field(default_factory=list)
    due: list[tuple[float, int, int, bytes, Segment | None]] = field(default_factory=list)
    count: int = 0
    last_ack: float = 0.0
    """When the last ACK is due."""

    def take(self, device: int, packet: bytes, now: float) -> None:
        """Record a packet that leaves a stack and schedule its delivery, unless it is dropped."""
        ours = device == self.ours
        segment = self._read(packet, ours, now)
        if segment is None:
            return
        late = 0.0
        if ours:
            late, dropped = self._fate(segment)
            if dropped:
                segment = replace(segment, dropped=True)
            self.log.append(segment)
            if dropped:
                return
        elif self.first_data is not None:
            begin, end = self.case.held
            arrives = now - self.first_data + self.case.delay
            late = max(0.0, end - arrives) if begin <= arrives else 0.0
        self.count += 1
        at = now + self.case.delay + late
        if not ours:
            self.last_ack = at = max(at, self.last_ack + _APART)
        heapq.heappush(self.due, (at, self.count, self.wires[device], packet, None if ours else segment))

    def deliver(self, now: float) -> None:
        """Deliver the packets that are due; those to the stack under test are recorded now."""
        while self.due and self.due[0][0] <= now:
            _, _, device, packet, segment = heapq.heappop(self.due)
            if segment is not None:
                self.log.append(replace(segment, time=time.monotonic() - self.began))
            os.write(device, packet)
            # Read the answer before the next delivery, so that cause and effect stay in order.
            self.drain(device)

    def drain(self, device: int) -> None:
        """Read all packets that a device has ready."""
        while True:
            try:
                packet = os.read(device, 65536)
            except BlockingIOError:
                return
            self.take(device, packet, time.monotonic())

    def _fate(self, segment: Segment) -> tuple[float, bool]:
        if segment.length == 0:
            return 0.0, False
        number = (segment.seq - 1) // MSS
        if self.first_data is None:
            self.first_data = segment.time + self.began
        again = self.times_sent[number] = self.times_sent.get(number, 0) + 1
        late = dict(self.case.late).get(number, 0.0) if again == 1 else 0.0
        return late, (number, again) in self.case.drops

    def _read(self, packet: bytes, ours: bool, now: float) -> Segment | None:
        """Parse the TCP header of an IPv4 packet without IP options; ``None`` for anything else."""
        if len(packet) < 40 or packet[0] != 0x45 or packet[9] != socket.IPPROTO_TCP:
            return None
        seq, ack, offset, flags, window = struct.unpack_from("!IIBBH", packet, 24)
        header = (offset >> 4) * 4
        length = struct.unpack_from("!H", packet, 2)[0] - 20 - header
        if flags & SYN:
            self.bases[ours] = seq
            if not self.began:
                self.began = now
        sack, stamps, scale = tcp_options(packet[40 : 20 + header])
        if scale is not None:
            self.scale[ours] = scale
        if stamps and ours:
            self.stamps.setdefault(True, stamps[0])
        own, other = self.bases.get(ours, seq), self.bases.get(not ours, ack)
        return Segment(
            time=now - self.began,
            ours=ours,
            flags=flags,
            seq=(seq - own) & 0xFFFFFFFF,
            ack=(ack - other) & 0xFFFFFFFF if flags & ACK else 0,
            window=window << (0 if flags & SYN else self.scale.get(ours, 0)),
            length=length,
            sack=tuple(((a - other) & 0xFFFFFFFF, (b - other) & 0xFFFFFFFF) for a, b in sack),
            stamp=stamps[0] - self.stamps[True] if stamps and ours else None,
            echo=stamps[1] - self.stamps[True] if stamps and not ours and stamps[1] else None,
        )


def ticking() -> tuple[int, int]:
    """Give the period of the kernel's ticks in nanoseconds, and the number of the tick at time 0.

    Ticks come at multiples of the period of the monotonic clock. Raises OSError where
    /proc/timer_list can't be read (no root).
    """
    began, first = _jiffies()
    time.sleep(0.1)
    ended, last = _jiffies()
    rate = (last - first) / (ended - began) * 1e9
    period = round(1e9 / min((100, 250, 300, 1000), key=lambda hertz: abs(hertz - rate)))
    # A tick may come between a time and its number, and a sleeping kernel counts late.
    counted = Counter(number - now // period for now, number in (_jiffies() for _ in range(9)))
    return period, counted.most_common(1)[0][0]


def _jiffies() -> tuple[int, int]:
    """Give the monotonic time in nanoseconds and the number of the latest tick."""
    text = Path("/proc/timer_list").read_text()
    now, number = re.search(r"^now at (\d+)", text, re.M), re.search(r"^jiffies: (\d+)", text, re.M)
    if now is None or number is None:
        raise OSError("/proc/timer_list has no jiffies")
    return int(now[1]), int(number[1])


def capture(case: Case, congestion: str, *, limit: float = 20.0) -> Capture:
    """Run a transfer and give its packets as the sending stack saw them.

    Raises OSError where namespaces or TUN devices can't be made (no root, no /dev/net/tun).
    """
    period, zero = ticking()
    with undisturbed():
        path = _transfer(case, congestion, limit)
    began = round(path.began * 1e9)
    next_tick = began // period + 1
    return Capture(path.log, Ticks(period, next_tick * period - began, next_tick + zero))


def _transfer(case: Case, congestion: str, limit: float) -> _Path:
    ends = [_start(_SENDER, case, congestion), _start(_RECEIVER, case, congestion)]
    before_all_others()
    try:
        (ours, go), (theirs, ready) = [_tun_of(channel) for _, channel in ends]
        for device in (ours, theirs):
            os.set_blocking(device, False)
        path = _Path(case, {ours: theirs, theirs: ours}, ours)
        ready.send(b"go")
        ready.recv(2)
        go.send(b"go")
        stop = time.monotonic() + limit
        finished = 0.0
        while (now := time.monotonic()) < stop and not (finished and now > finished):
            wait = path.due[0][0] - now if path.due else 0.05
            readable, _, _ = select.select([ours, theirs], [], [], min(max(wait, 0.0), 0.05))
            for device in readable:
                path.drain(device)
            path.deliver(time.monotonic())
            if not finished and any(not s.ours and s.ack > case.segments * MSS for s in path.log):
                finished = now + 0.1
        if not finished:
            raise OSError(f"the transfer of {case.name} did not end within {limit:g} s")
        return path
    finally:
        for pid, channel in ends:
            channel.close()
            os.kill(pid, 9)
            os.waitpid(pid, 0)


def _start(address: str, case: Case, congestion: str) -> tuple[int, socket.socket]:
    """Start a process with a stack of its own; it lives until it is killed."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pid = os.fork()
    if pid:
        there.close()
        return pid, here
    try:
        here.close()
        _live(there, address, case, congestion)
    except BaseException as error:
        print(f"{address}: {error}", file=sys.stderr)
    finally:
        os._exit(1)


def _tun_of(channel: socket.socket) -> tuple[int, socket.socket]:
    _, descriptors, _, _ = socket.recv_fds(channel, 16, 1)
    if not descriptors:
        raise OSError("could not create a network namespace with a TUN device; run this as root")
    return descriptors[0], channel


def _live(channel: socket.socket, address: str, case: Case, congestion: str) -> None:
    device = enter_namespace(address)
    socket.send_fds(channel, [b"tun"], [device])
    os.close(device)
    channel.recv(2)
    if address == _RECEIVER:
        listener = socket.create_server((address, PORT))
        channel.send(b"ok")
        connection, _ = listener.accept()
        while connection.recv(1 << 20):
            pass
    else:
        sender = socket.socket()
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
        # Room for everything: the window alone limits what is sent.
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        sender.connect((_RECEIVER, PORT))
        sender.sendall(bytes(case.segments * MSS))
    time.sleep(60)
