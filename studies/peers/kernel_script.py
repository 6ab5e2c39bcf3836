"""Plays the scripts of ``crates/tworay-tcp/tests/scripts`` to this machine's kernel.

``.venv/bin/python -m studies.peers.kernel_script [NAME ...]`` as root. For each script the
kernel opens a connection in a network namespace of its own; this process is the other end, behind a TUN
device.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from studies.peers.kernel_stack import ACK, SYN, before_all_others, enter_namespace, tcp_options, undisturbed
from studies.peers.script_text import PROBE, Write, players, read, scripts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.peers.script_text import Arrives, Expected, Script

MSS = 1000
ROOM = 500
"""Room of the receiver at first, segments."""
SHIFT = 3
ANSWER = 2.0
"""Milliseconds until an answer is read."""
EARLY = 1.0
"""Milliseconds by which a timer may be early: the kernel measures its own round trips."""
LATE = 0.5
"""Milliseconds by which an event may be late; if one is later, the script is played anew."""
TICK = 4.0
"""Milliseconds of a kernel of 250 Hz."""
LEAST_RTO = 200.0
"""Least RTO of the kernel, milliseconds (TCP_RTO_MIN)."""
LEAST = 2.0
"""Milliseconds that the kernel adds to its timers of probes and reordering (TCP_TIMEOUT_MIN_US)."""
TRIES = 3
"""Times that a script is played before its fault counts: an answer may be read too late."""
BUSY = 30
"""The same for an event that comes too late, which says nothing about the kernel."""

_OURS, _KERNELS, _PORT = "10.77.0.2", "10.77.0.1", 5001
_SO_SNDBUFFORCE = 32
_STAMP = 1
"""This end's time stamp: its clock stands still."""


class Sent(NamedTuple):
    """A segment that the kernel sent."""

    at: float
    """Milliseconds from the SYN."""
    number: int
    stamp: int


class Disturbed(Exception):
    """An event came too late."""


def late(wait: float) -> float:
    """Return by how much the kernel's timer may be late, milliseconds (kernel/time/timer.c)."""
    # A wait is rounded up to a tick: an RTO before it is doubled, which doubles the rounding, too.
    rounding = max(1, int(wait / LEAST_RTO))
    # The timer wheel counts longer waits in steps of more ticks.
    shift = 0
    while wait / TICK >= 63 << shift:
        shift += 3
    wheel = 1 << shift
    # One processor counts the ticks for all, and another may see each of them a tick later.
    other = 1
    return (rounding + wheel + other) * TICK + LEAST + ANSWER


class Receiver:
    """The other end of a connection that the kernel opens."""

    def __init__(self, congestion: str) -> None:
        self.device = enter_namespace(_KERNELS)
        os.set_blocking(self.device, False)
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_SNDBUFFORCE, 1 << 22)
        # Closing forgets everything at once.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.began = 0.0
        self.port = self.first = self.echo = self.acked = 0
        self.window = ROOM
        self.sent: list[Sent] = []

    def close(self) -> None:
        """Forget the connection and its namespace."""
        self.socket.close()
        os.close(self.device)

    def open(self, handshake: float) -> None:
        """Let the kernel send its SYN, and answer it."""
        self.socket.connect_ex((_OURS, _PORT))
        stop = time.monotonic() + 1
        while not self.began:
            if time.monotonic() > stop:
                raise OSError("the kernel sent no SYN")
            select.select([self.device], [], [], 0.1)
            self.drain()
        self.wait(handshake)
        # MSS with the time stamps' 12 bytes, SACK permitted, time stamps, window scale.
        options = struct.pack(
            "!BBHBBBBIIBBBB", 2, 4, MSS + 12, 4, 2, 8, 10, _STAMP, self.echo, 1, 3, 3, SHIFT
        )
        self.send(SYN | ACK, 0, 0, self.window * MSS >> SHIFT, options)

    def play(self, script: Script) -> list[Sent]:
        """Do what the script says; return what the kernel sent until its end."""
        self.open(script.handshake)
        for event in script.events:
            self.wait(event.at)
            if isinstance(event, Write):
                length = event.segments * MSS
                if self.socket.send(bytes(length)) != length:
                    raise OSError("the kernel does not take all data")
            else:
                self.arrive(event)
            self.drain()
        self.wait(script.end)
        return self.sent

    def wait(self, until: float) -> None:
        """Read what the kernel sends until then."""
        due = self.began + until * 1e-3
        while (left := due - time.monotonic()) > 0:
            # A sleep may end late; the rest is short.
            if left > 0.0005 and select.select([self.device], [], [], left - 0.0004)[0]:
                self.drain()
        self.drain()
        if time.monotonic() - due > LATE * 1e-3:
            raise Disturbed

    def arrive(self, event: Arrives) -> None:
        """Send an ACK."""
        echo = event.echo or ((self.acked + 1, None) if event.ack > self.acked else None)
        if echo is not None:
            segment, transmission = echo
            stamps = [sent.stamp for sent in self.sent if sent.number == segment]
            self.echo = stamps[-1 if transmission is None else transmission - 1]
        self.acked = event.ack
        self.window = self.window if event.window is None else event.window
        options = struct.pack("!BBBBII", 1, 1, 8, 10, _STAMP, self.echo)
        if event.blocks:
            options += struct.pack("!BBBB", 1, 1, 5, 2 + 8 * len(event.blocks))
            for first, last in event.blocks:
                options += struct.pack("!II", self._number(first - 1), self._number(last))
        self.send(ACK, 1, self.acked, self.window * MSS >> SHIFT, options)

    def _number(self, segments: int) -> int:
        """Return the sequence number after so many segments."""
        return (self.first + 1 + segments * MSS) & 0xFFFFFFFF

    def send(self, flags: int, seq: int, acked: int, window: int, options: bytes) -> None:
        """Hand a segment without payload to the kernel."""
        length = 20 + len(options)
        tcp = struct.pack(
            "!HHIIBBHHH", _PORT, self.port, seq, self._number(acked), length << 2, flags, window, 0, 0
        )
        tcp += options
        ends = socket.inet_aton(_OURS) + socket.inet_aton(_KERNELS)
        total = _checksum(ends + struct.pack("!HH", socket.IPPROTO_TCP, length) + tcp)
        tcp = tcp[:16] + struct.pack("!H", total) + tcp[18:]
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0x4000, 64, socket.IPPROTO_TCP, 0) + ends
        ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
        os.write(self.device, ip + tcp)

    def drain(self) -> None:
        """Read everything that the kernel has sent."""
        while True:
            try:
                packet = os.read(self.device, 65536)
            except BlockingIOError:
                return
            self._take(packet, time.monotonic())

    def _take(self, packet: bytes, now: float) -> None:
        if len(packet) < 40 or packet[0] != 0x45 or packet[9] != socket.IPPROTO_TCP:
            return
        port, _, seq, _, offset, flags = struct.unpack_from("!HHIIBB", packet, 20)
        header = (offset >> 4) * 4
        length = len(packet) - 20 - header
        stamp = (tcp_options(packet[40 : 20 + header])[1] or (0, 0))[0]
        if flags & SYN:
            self.began, self.port, self.first, self.echo = now, port, seq, stamp
            return
        at, place = (now - self.began) * 1e3, (seq - self.first - 1) & 0xFFFFFFFF
        if length:
            # A segment that is cut otherwise has a number of its own that no script expects.
            whole = place % MSS == 0 and length == MSS
            self.sent.append(Sent(at, place // MSS + 1 if whole else -1 - place, stamp))
        elif place + 1 == self.acked * MSS and self.window == 0:
            self.sent.append(Sent(at, PROBE, stamp))


def _checksum(data: bytes) -> int:
    words = struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2))
    total: int = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def fault(expected: Sequence[Expected], sent: Sequence[Sent]) -> str | None:
    """Say where what was sent is not what was expected; ``None`` if it is."""
    shown = ", ".join(f"{s.number} at {s.at:.1f}" for s in sent)
    place, before = 0, 0.0
    for line in expected:
        at = line.at + (before if line.after_sent else 0.0)
        first, last = (at, at + ANSWER) if line.timer is None else (at - EARLY, at + late(line.timer))
        for number in line.numbers:
            if place == len(sent):
                return f"segment {number} is not sent\n    {line.text}\n    sent: {shown}"
            if sent[place].number != number or not first <= sent[place].at <= last:
                found = f"segment {sent[place].number} at {sent[place].at:.1f}"
                return f"{found}\n    {line.text}\n    sent: {shown}"
            place += 1
        before = sent[place - 1].at
    if place < len(sent):
        found = f"segment {sent[place].number} at {sent[place].at:.1f}"
        return f"{found}, of which nothing is written\n    sent: {shown}"
    return None


class Played(NamedTuple):
    """A script that was played until the kernel did what it says, or too often."""

    fault: str | None
    before: tuple[str, ...]
    """Deviations of the kernel in the attempts before."""
    busy: int
    """Number of times that an event came too late."""

    def __str__(self) -> str:
        if self.fault is not None:
            return self.fault
        busy = f", too late {self.busy} times before" if self.busy else ""
        return f"as written{busy}" + "".join(f"\n    at first: {fault}" for fault in self.before)


def play(script: Script, congestion: str) -> Played:
    """Play a script to the kernel."""
    faults: list[str] = []
    busy = 0
    while True:
        receiver = Receiver(congestion)
        try:
            found = fault(script.expected, receiver.play(script))
        except Disturbed:
            busy += 1
            found = "the machine is too busy to play on time"
        else:
            if found is not None:
                faults.append(found)
        finally:
            receiver.close()
        if found is None or len(faults) == TRIES or busy == BUSY:
            return Played(found, tuple(faults), busy)


def main() -> None:
    """Play the scripts that are named, or all."""
    wrong = 0
    with undisturbed():
        before_all_others()
        for file in scripts():
            if sys.argv[1:] and file.stem not in sys.argv[1:]:
                continue
            text = file.read_text()
            for player in players(text):
                if player.startswith("kernel/"):
                    played = play(read(text, player), player.removeprefix("kernel/"))
                    wrong += played.fault is not None
                    print(f"{file.stem}, {player}: {played}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
