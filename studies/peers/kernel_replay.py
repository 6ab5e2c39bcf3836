"""Replays a captured transfer to tworay's sender: the same ACKs at the same times."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

from studies.peers.kernel_capture import MSS
from studies.peers.places import ROOT
from studies.peers.processes import ProgramError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studies.peers.kernel_capture import Capture, Segment

_SYN = 0x02


class Sent(NamedTuple):
    """A segment with payload, as sent."""

    time: float
    """Seconds from the SYN."""
    number: int
    """Number of the segment, from 0."""
    again: bool


class Replayed(NamedTuple):
    """The behaviour of tworay's sender."""

    sent: list[Sent]
    stuck: int
    """Number of ACKs for data that it had not sent yet: it was slower than the other stack."""


def program() -> Path:
    """Build the replay program if necessary, and return its path."""
    words = ["cargo", "build", "--quiet", "-p", "tworay-tcp", "--example", "replay"]
    built = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if built.returncode != 0:
        raise ProgramError(f"the replay program could not be built: {built.stderr.strip()[-500:]}")
    return ROOT / "target" / "debug" / "examples" / "replay"


def sent_by_kernel(packets: Sequence[Segment]) -> list[Sent]:
    """Return the segments with payload that the captured stack sent."""
    highest = -1
    sent = []
    for packet in packets:
        if packet.ours and packet.length:
            number = (packet.seq - 1) // MSS
            sent.append(Sent(packet.time, number, number <= highest))
            highest = max(highest, number)
    return sent


def replay(replayer: Path, variant: str, captured: Capture, *, written: int) -> Replayed:
    """Feed the packets that reached the captured stack to tworay's sender.

    The application writes ``written`` bytes when that stack's did; timers expire when they would have
    expired there.
    """
    ticks = captured.ticks
    lines, began = [f"0 ticks {ticks.period} {ticks.first} {ticks.number}\n"], False
    for p in captured.packets:
        if p.ours:
            if p.length and not began:
                began = True
                lines.append(f"{round(p.time * 1e9)} write {written}\n")
            continue
        kind = "syn" if p.flags & _SYN else "ack"
        echo = "-" if p.echo is None else str(p.echo)
        blocks = ",".join(f"{left}-{right}" for left, right in p.sack) or "-"
        lines.append(f"{round(p.time * 1e9)} {kind} {p.seq} {p.ack} {p.window} {echo} {blocks}\n")
    words = [str(replayer), variant, str(MSS)]
    done = subprocess.run(words, input="".join(lines), capture_output=True, text=True)
    if done.returncode != 0:
        raise ProgramError(f"the replay failed: {done.stderr.strip()}")
    sent, stuck = [], 0
    for line in done.stdout.splitlines():
        if line.startswith("stuck"):
            stuck += 1
            continue
        at, first, _, kind = line.split()
        sent.append(Sent(int(at) / 1e9, (int(first) - 1) // MSS, kind == "again"))
    return Replayed(sent, stuck)
