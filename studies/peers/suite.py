"""ns-2's validation suite for TCP: the same packets at the same times on a wire that drops some."""

from __future__ import annotations

import gzip
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies.peers import processes, tools
from studies.peers.jobs import Job, Result
from studies.peers.places import ROOT, SCENARIOS
from studies.peers.plan import VARIANTS, Plan
from studies.peers.verdicts import Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from studies.peers.jobs import Results

DROPS = {
    "onedrop": (14,),
    "twodrops": (14, 28),
    "threedrops": (14, 26, 28),
    "fourdrops": (14, 24, 26, 28),
    "multiple": (11, 12, 13, 14, 16, 17, 18, 19),
    "multiple2": (11, 12, 13, 14, 16),
}
TOLERANCE = 1e-4
ROUNDING = 1.5e-5
"""Seconds. ns-2 prints six digits, so times below 10 s are rounded to 10 µs; sums differ slightly more."""
PAYLOAD = 1000
FORWARD, BACKWARD = ("2", "3"), ("3", "2")
SCRIPT = "test-suite-tcpVariants.tcl"
OUT = "DIR"
"""Placeholder of the directory for tworay's tables in a command."""

Point = tuple[str, float, int]
"""Event (``+`` queued, ``-`` sent, ``d`` dropped), time in seconds, and number of the packet."""


@dataclass(frozen=True)
class Test:
    """One test of the suite."""

    name: str
    tcp: str
    limited_transmit: bool = False
    partial_ack: bool = False

    @property
    def title(self) -> str:
        """ns-2's name of the test; SA stands for limited transmit."""
        if self.partial_ack:
            return f"{self.name}_partial_ack_{self.tcp}"
        return f"{self.name}_SA_{self.tcp}" if self.limited_transmit else f"{self.name}_{self.tcp}"

    def theirs(self) -> Job:
        """Run the test in ns-2."""
        depends = (tools.ns2_version(), tools.debian_version("ns2-examples") or "")
        return Job("ns-2", ("ns", SCRIPT, self.title, "QUIET"), depends, 0.3, suite_trace)

    def ours(self, seed: int) -> Job:
        """Run the test in tworay."""
        path = SCENARIOS / "suite.toml"
        drops = ",".join(map(str, DROPS[self.name]))
        command = [tools.tworay_command(), "run", str(path), "--seed", str(seed), "--tcp", self.tcp]
        command += ["--set", f"wire.2.drops=[{drops}]"]
        if self.limited_transmit:
            command += ["--set", "tcp.limited_transmit=true"]
        if self.partial_ack:
            command += ["--set", "tcp.sack.partial_ack=two-segments"]
        command += ["--out", OUT]
        depends = (tools.tworay_build(), tools.digest(ROOT / path))
        return Job("tworay", tuple(command), depends, 0.7, packet_table)


TESTS = [Test(name, tcp, limited) for limited in (False, True) for name in DROPS for tcp in VARIANTS]
TESTS += [Test(name, "sack", partial_ack=True) for name in ("multiple", "multiple2")]


def suite_trace(command: tuple[str, ...]) -> Result:
    """Run a test of the suite; return the events on the slow link."""
    with tempfile.TemporaryDirectory(prefix="tworay-peers-") as name:
        directory = Path(name)
        for file in (SCRIPT, "misc_simple.tcl"):
            (directory / file).symlink_to(tools.SUITE / file)
        # Debian omits the plotting scripts that the suite calls after writing the trace, so it may fail.
        processes.run(command, cwd=directory, may_fail=True)
        trace = directory / "all.tr"
        if not trace.is_file():
            raise processes.ProgramError(f"{' '.join(command)} wrote no trace")
        with trace.open() as lines:
            return read_trace(lines)


def read_trace(lines: Iterable[str]) -> Result:
    """Read ns-2's wired trace: event time from to type size flags fid src dst seq uid ..."""
    forward: list[Point] = []
    backward: list[Point] = []
    for line in lines:
        words = line.split()
        if len(words) >= 12 and words[0] in "+-d":
            link = words[2], words[3]
            if link in (FORWARD, BACKWARD):
                stream = forward if link == FORWARD else backward
                stream.append((words[0], float(words[1]), int(words[10])))
    return {"data": forward, "acks": backward}


def packet_table(command: tuple[str, ...]) -> Result:
    """Run tworay; return the events on the slow link from its table of packets."""
    import polars as pl

    with tempfile.TemporaryDirectory(prefix="tworay-peers-") as name:
        directory = Path(name) / "out"
        processes.run([str(directory) if word == OUT else word for word in command])
        packets = pl.read_parquet(directory / "packets.parquet")
    marks = {"enqueue": "+", "send": "-", "drop": "d"}
    streams: dict[str, list[Point]] = {"data": [], "acks": []}
    for row in packets.iter_rows(named=True):
        link = str(row["from"]), str(row["to"])
        if link in (FORWARD, BACKWARD) and row["event"] in marks:
            stream = "data" if link == FORWARD else "acks"
            streams[stream].append((marks[row["event"]], row["t_s"], packet_number(row["kind"], row["seq"])))
    return dict(streams)


def packet_number(kind: str, sequence: int) -> int:
    """Return ns-2's number of a packet: 0 for the SYN, segments from 1; an ACK has its last segment."""
    if kind == "ack":
        return (sequence - 1) // PAYLOAD
    return (sequence - 1) // PAYLOAD + 1 if sequence else 0


@dataclass(frozen=True)
class Match:
    """The agreement of two traces of a test."""

    packets: int
    """Events compared."""
    same: bool
    """Return whether the same packets have the same events in the same order."""
    worst: float
    """Largest time difference in seconds, up to the first differing packet."""
    first_difference: str

    @property
    def ok(self) -> bool:
        """True if everything agrees within the tolerance."""
        return self.same and self.worst <= TOLERANCE + ROUNDING


def match(theirs: Result, ours: Result) -> Match:
    """Compare packet by packet, for each direction of the wire and each type of event.

    The order between types is ignored: if one packet joins the queue at the instant at which another
    leaves it, rounding of ns-2's clock decides which line comes first.
    """
    count, same, worst, where = 0, True, 0.0, ""
    for stream in ("data", "acks"):
        for kind in "+-d":
            a, b = _only(theirs[stream], kind), _only(ours[stream], kind)
            for one, other in zip(a, b, strict=False):
                if (one[0], one[2]) != (other[0], other[2]):
                    same, where = False, where or f"{_say(one)} / {_say(other)}"
                    break
                count += 1
                worst = max(worst, abs(one[1] - other[1]))
            else:
                if len(a) != len(b):
                    longer = a if len(a) > len(b) else b
                    extra = _say(longer[min(len(a), len(b))])
                    same, where = False, where or f"only {'ns-2' if longer is a else 'tworay'}: {extra}"
    return Match(count, same, worst, where)


def _only(points: Sequence[Any], events: str) -> list[Any]:
    return [point for point in points if point[0] in events]


def _say(point: Sequence[Any]) -> str:
    return f"`{point[0]} {point[1]:.5f} {point[2]}`"


def shipped_agrees(test: Test, regenerated: Result) -> bool | None:
    """Return whether ns-2 reproduces the output that Debian ships for a test; ``None`` without the file.

    The file has packets and ACKs as the suite plots them: time and 1 + 0.01 (number mod 90).
    """
    path = tools.SUITE / "test-output-tcpVariants" / f"{test.title}.gz"
    if not path.is_file():
        return None
    with gzip.open(path, "rt") as lines:
        data, acks = _shipped_points(lines)
    return data == _plotted(regenerated["data"]) and sorted(acks) == sorted(_plotted(regenerated["acks"]))


def _shipped_points(lines: Iterable[str]) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
    sections: dict[str, list[tuple[float, int]]] = {}
    name = ""
    for line in lines:
        words = line.split()
        if line.startswith('"'):
            name = line.strip().strip('"')
        elif name and len(words) == 2:
            sections.setdefault(name, []).append((float(words[0]), round((float(words[1]) - 1) * 100)))
    return sections.get("packets", []), sections.get("acks", [])


def _plotted(points: Sequence[Any]) -> list[tuple[float, int]]:
    return [(point[1], point[2] % 90) for point in points if point[0] in "+-"]


class Suite:
    """Chapter: ns-2's validation suite."""

    def __init__(self, plan: Plan) -> None:
        self._seeds = plan.seed_range(plan.suite_seeds)

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for test in TESTS:
            yield test.theirs()
            yield from (test.ours(seed) for seed in self._seeds)

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section("ns-2's validation suite", "the same packets in the same order, each within 0.1 ms")
        seed, matches = self._best_seed(results)
        shipped = [shipped_agrees(test, results[test.theirs()]) for test in TESTS]
        section.text(
            "`test-suite-tcpVariants.tcl` of Debian's `ns2-examples`: every packet and ACK that "
            "enters or leaves "
            "the queue of the slow link, and every loss. SA: with limited transmit. ns-2's times "
            "have six digits, so "
            f"differences up to {ROUNDING * 1e3:.3g} ms are rounding.",
            f"`ns` reproduces {shipped.count(True)} of the {len(shipped)} outputs that Debian ships.",
            "tworay's seed only sets the phase of the TCP clock's tick, which ns-2's suite "
            "fixes; the table has seed "
            f"{seed} of {len(self._seeds)} tried.",
        )
        example = TESTS[len(VARIANTS)]
        section.commands(f"(cd {tools.SUITE}; {example.theirs().line})", example.ours(seed).line)
        rows = []
        for test in TESTS:
            found = matches[test]
            cell = section.judge(test.title, {"packets": found.ok})
            detail = found.first_difference or "–"
            rows.append([test.title, str(found.packets), f"{found.worst * 1e3:.3f} ms", detail, cell])
        section.table(
            ["test", "points in order", "largest Δt", "first other packet: ns-2 / tworay", ""], rows
        )
        return section

    def _best_seed(self, results: Results) -> tuple[int, dict[Test, Match]]:
        best: tuple[float, float] = (-1.0, -math.inf)
        chosen: tuple[int, dict[Test, Match]] = (0, {})
        for seed in self._seeds:
            matches = {test: match(results[test.theirs()], results[test.ours(seed)]) for test in TESTS}
            score = (
                sum(found.ok for found in matches.values()),
                -max(found.worst for found in matches.values()),
            )
            if score > best:
                best, chosen = score, (seed, matches)
        return chosen
