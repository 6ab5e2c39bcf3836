"""tworay's ``linux`` beside this machine's own kernel: what is sent, what is sent again, and when."""

from __future__ import annotations

import os
import platform
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from studies.peers.kernel_capture import MSS, Case, capture
from studies.peers.kernel_replay import Sent, program, replay, sent_by_kernel
from studies.peers.progress import say
from studies.peers.verdicts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from studies.peers.jobs import Job, Results
    from studies.peers.kernel_capture import Capture

CONTROLS = {"reno": "linux", "cubic": "linux+cubic"}
"""The kernel's congestion control, and the variant beside it."""

ANSWER = 0.0005
"""Seconds until what the kernel sends is read."""
TRIES = 3


def _first(*segments: int) -> frozenset[tuple[int, int]]:
    return frozenset((n, 1) for n in segments)


CASES = (
    Case("one", "one of 20 in flight", drops=_first(12)),
    Case("two", "two with others between", drops=_first(12, 15)),
    Case("burst", "six in a row", drops=_first(*range(12, 18))),
    Case("alternate", "every other one of 20", 90, drops=_first(*range(10, 30, 2))),
    Case("most", "15 of 20 in a row", 90, drops=_first(*range(10, 25))),
    Case("big window", "one of 40 in flight", 120, drops=_first(35)),
    Case("four of a big window", "four of 40, apart", 120, drops=_first(31, 38, 45, 52)),
    Case("new losses", "one, and two new segments of its repair", 90, drops=_first(12, 31, 33)),
    Case("again", "one, and its first retransmission", drops=frozenset({(12, 1), (12, 2)})),
    Case("twice", "one three times over, and others", drops=_first(29, 39) | {(12, 1), (12, 2)}),
    Case("tail", "the last one", 30, drops=_first(29)),
    Case("tail of three", "the last three", 30, drops=_first(27, 28, 29)),
    Case("window", "a whole window of 20", drops=_first(*range(10, 30))),
    Case("few", "one of four in all", 4, drops=_first(1)),
    Case("late by 5 ms", "none; one is 5 ms late", late=((12, 0.005),)),
    Case("late by 20 ms", "none; one is 20 ms late", late=((12, 0.02),)),
    Case("held", "none; no ACK comes for half a second", 60, held=(0.035, 0.5)),
)
"""The first window has ten segments (0 to 9), the second 20 (10 to 29), the third 40 (30 to 69)."""


class Row(NamedTuple):
    """A transfer of both."""

    case: Case
    control: str
    kernel: list[Sent]
    ours: list[Sent]
    pace: tuple[list[int], list[int]]
    """Segments sent after each ACK of the recovery: the kernel's, ours."""
    tick: float
    """Seconds."""
    tries: int = 1
    """Number of times that the transfer was made, this time included."""

    @property
    def agrees(self) -> bool:
        """True if everything that is judged holds."""
        return self.in_time and self.apart == 0

    @property
    def again(self) -> tuple[list[Sent], list[Sent]]:
        """Retransmissions of each."""
        theirs, own = ([s for s in sent if s.again] for sent in (self.kernel, self.ours))
        return theirs, own

    @property
    def same(self) -> bool:
        """The same segments are sent again in the same order."""
        theirs, own = self.again
        return [s.number for s in theirs] == [s.number for s in own]

    @property
    def in_time(self) -> bool:
        """Each within a tick."""
        return self.same and all(
            abs(theirs.time - own.time) <= self.tick + ANSWER for theirs, own in zip(*self.again, strict=True)
        )

    @property
    def apart(self) -> int:
        """Segments by which the two are apart in the recovery, at most."""
        theirs, own = (accumulate(counts) for counts in self.pace)
        return max((abs(a - b) for a, b in zip(theirs, own, strict=True)), default=0)


def pace(captured: Capture, kernel: Sequence[Sent], ours: Sequence[Sent]) -> tuple[list[int], list[int]]:
    """Count what each sent after each ACK of the first recovery.

    It begins with the kernel's first retransmission and ends when all is acknowledged that was sent before.
    Nothing is sent after an ACK of a repair by a timeout, for the timer sends.
    """
    first = next((i for i, s in enumerate(kernel) if s.again), None)
    if first is None:
        return [], []
    end = (max(s.number for s in kernel[:first]) + 1) * MSS + 1
    acks = [p for p in captured.packets if not p.ours]
    begin = max(i for i, p in enumerate(acks) if p.time <= kernel[first].time)
    last = next((i for i, p in enumerate(acks) if p.ack >= end), len(acks) - 1)
    # The replay counts nanoseconds: its times may be a little earlier than these.
    times = [p.time - 1e-6 for p in acks[begin : last + 2]] + [1e9] * (last + 2 > len(acks))
    counts = [
        [sum(begins <= s.time < ends for s in sent) for begins, ends in pairwise(times)]
        for sent in (kernel, ours)
    ]
    return counts[0], counts[1]


class KernelTcp:
    """One chapter: what two senders do with the same ACKs."""

    def jobs(self) -> Iterator[Job]:
        """Yield nothing: transfers in real time run alone, and none is kept."""
        yield from ()

    def section(self, _: Results) -> Section | None:
        """Run all cases and write about them; ``None`` where this can't be done."""
        if os.geteuid() != 0:
            say("kernel: left out, it needs root (network namespaces and TUN devices)")
            return None
        replayer = program()
        rows = []
        for control, variant in CONTROLS.items():
            for case in CASES:
                try:
                    rows.append(_row(replayer, case, control, variant))
                except OSError as error:
                    say(f"kernel: left out: {error}")
                    return None
        return written(rows)


def _row(replayer: Path, case: Case, control: str, variant: str) -> Row:
    """Run a case, again if the two differ."""
    for tries in range(1, TRIES + 1):
        captured = capture(case, control)
        kernel = sent_by_kernel(captured.packets)
        ours = replay(replayer, variant, captured, written=case.segments * MSS).sent
        counts = pace(captured, kernel, ours)
        row = Row(case, control, kernel, ours, counts, captured.ticks.period * 1e-9, tries)
        if row.agrees:
            break
    return row


def written(rows: Sequence[Row]) -> Section:
    """Write the chapter."""
    section = Section(
        "linux against this machine's kernel",
        "the same segments are sent again, each within a tick, and as many segments after each ACK of a "
        "recovery",
        simulators=(),
    )
    release, tick = platform.release().split("-")[0], rows[0].tick if rows else 0.0
    section.text(
        f"Two stacks of Linux {release} with ticks of {tick * 1e3:g} ms, each in a network namespace of its "
        "own, exchange up to 120 segments over two TUN devices and a path of 14 ms each way that drops what "
        "the row lists. The kernel always has RACK-TLP, PRR and F-RTO; time stamps and SACK are on, the "
        "stack sends one segment a packet (`gso_max_segs 1`), and the application writes everything at "
        "once. tworay's `linux` (`linux+cubic` beside CUBIC) then gets the ACKs that the kernel's sender "
        "got, at the same times, and its timers expire at the kernel's ticks, rounded as in Linux' timer "
        "wheel. Segments are numbered from 0; 10 are in flight first, then 20, then 40. Times are "
        "milliseconds from the SYN.",
        f"A transfer in which the two differ is made anew, up to {TRIES} times, for the kernel is not always "
        "like itself: a round trip a few microseconds below the shortest makes RACK ignore an ACK (RFC 8985 "
        "§6.2), and an answer may be read after the next ACK. Where that was so, the verdict says how often "
        "the transfer was made.",
    )
    section.commands(".venv/bin/python -m studies.peers validate --only kernel   # as root")
    section.text("### What is sent again", "A tick apart is the same.")
    header = ["lost", "control", "kernel", "`linux`", ""]
    section.table(header, [_again(section, row) for row in rows])
    section.text(
        "### How a recovery is paced",
        "Segments sent after each ACK, new ones and repeated ones, from the first retransmission until "
        "everything is acknowledged that was sent before it. This is what PRR (RFC 9937) decides.",
    )
    header = ["lost", "control", "kernel", "`linux`", "in all", ""]
    section.table(header, [_paced(section, row) for row in rows if row.pace[0]])
    return section


def _again(section: Section, row: Row) -> list[str]:
    where = f"{row.control}, {row.case.about}"
    verdict = section.judge(where, {"segments sent again": row.same, "their times": row.in_time})
    theirs, own = row.again
    return [row.case.about, row.control, _list(theirs), _list(own), verdict + _tries(row)]


def _paced(section: Section, row: Row) -> list[str]:
    where = f"{row.control}, {row.case.about}"
    verdict = section.judge(where, {"pace": row.apart == 0})
    theirs, own = row.pace
    sums = f"{sum(theirs)} / {sum(own)}"
    return [row.case.about, row.control, _digits(theirs), _digits(own), sums, verdict + _tries(row)]


def _tries(row: Row) -> str:
    return f" ({row.tries})" if row.tries > 1 else ""


def _list(sent: Sequence[Sent]) -> str:
    """Write segments and times; neighbours sent together as a range."""
    parts: list[list[Sent]] = []
    for s in sent:
        if parts and s.number == parts[-1][-1].number + 1 and s.time - parts[-1][0].time < 0.0015:
            parts[-1].append(s)
        else:
            parts.append([s])
    words = (
        f"{part[0].number}{f'–{part[-1].number}' if len(part) > 1 else ''} at {part[0].time * 1e3:.0f}"
        for part in parts
    )
    return ", ".join(words) or "none"


def _digits(counts: Sequence[int]) -> str:
    """Write counts without blanks if each has one digit."""
    return ("" if max(counts, default=0) < 10 else " ").join(map(str, counts))
