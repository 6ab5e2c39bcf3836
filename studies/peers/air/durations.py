"""Chapter: durations of frames."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.peers import tools
from studies.peers.air.formulas import duration
from studies.peers.jobs import Job
from studies.peers.places import NS3_AIR, ROOT
from studies.peers.verdicts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.air.theirs import Theirs
    from studies.peers.jobs import Results

RATES = (6, 9, 12, 18, 24, 36, 48, 54)


@dataclass(frozen=True, order=True)
class Frame:
    """A mode and a size."""

    standard: str
    width: int
    guard: int
    streams: int
    number: int
    """The MCS; of a and g the rate in Mb/s."""
    size: int

    @property
    def exact(self) -> float:
        """The duration by the standard's formula, ns."""
        mcs = self.number if self.standard in ("n", "ac") else RATES.index(self.number)
        return 1000 * duration(self.standard, mcs, self.width, self.guard, self.streams, self.size)

    @property
    def group(self) -> str:
        """The modes that share a row."""
        guard = ", short guard interval" if self.guard == 400 else ""
        width = f", {self.width} MHz" if self.standard in ("n", "ac") else ""
        return f"802.11{self.standard}{width}{guard}"


class Durations:
    """Every mode at nine sizes: by the formula, in tworay, in ns-3."""

    def __init__(self, theirs: Theirs) -> None:
        self._theirs = theirs

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        yield self._ours()
        if self._theirs.durations() is None:
            yield self._ns3()

    @staticmethod
    def _ours() -> Job:
        return Job("tworay", (str(tools.DURATIONS_BINARY),), (tools.durations_sources(),))

    @staticmethod
    def _ns3() -> Job:
        depends = (tools.ns3_version(), tools.digest(ROOT / NS3_AIR))
        return Job("ns-3", (str(tools.NS3_AIR_BINARY), "--durations=1"), depends)

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "Durations of frames against ns-3 (802.11a/g/n/ac)",
            "every line to the nanosecond",
            simulators=("ns-3",),
        )
        section.text(
            "Every mode at 14 to 20,000 bytes. *Formula*: the standard's (IEEE 802.11-2020 §17.3, §18.3, "
            "§19.3, §21.3), written in the comparison. ns-3.37 leaves out VHT-SIG-B (4 µs) and doesn't "
            "round the short guard interval's symbols up to 4 µs; tworay has these two habits as a switch "
            "of its own (`DurationRules::Ns3`), with which it is compared with ns-3, and follows the "
            "standard otherwise.",
            *([self._theirs.note] if self._theirs.note else []),
        )
        section.commands(self._ours().line, self._ns3().line)
        ours = {Frame(r[0], r[2], r[3], r[4], r[1], r[5]): r[6:] for r in results[self._ours()]["durations"]}
        theirs = self._of_ns3(results)
        groups: dict[str, list[Frame]] = {}
        for frame in sorted(ours):
            groups.setdefault(frame.group, []).append(frame)
        rows = []
        for name, frames in groups.items():
            wrong = [frame for frame in frames if ours[frame][0] != round(frame.exact)]
            known = [frame for frame in frames if frame in theirs]
            differ = [frame for frame in known if ours[frame][1] != theirs[frame]]
            verdict = section.judge(name, {"formula": not wrong})
            row = [name, str(len(frames)), str(len(frames) - len(wrong)), verdict]
            judged = section.judge(name, {"ns-3": not differ}) if known else "not judged"
            rows.append(
                [*row, str(len(known)), str(len(known) - len(differ)), judged, _first(differ, ours, theirs)]
            )
        header = ["modes", "lines", "as the formula", "", "of ns-3", "the same", "", "first that differs"]
        section.table(header, rows)
        return section

    def _of_ns3(self, results: Results) -> dict[Frame, int]:
        rows = self._theirs.durations()
        if rows is None:
            found = results[self._ns3()]["durations"]
            return {Frame(r[0], r[2], r[3], r[4], _number(r[1]), r[5]): r[6] for r in found}
        frames = {}
        for standard, mode, width, guard, streams, size, micros in rows:
            frame = Frame(standard, int(width), int(guard), int(streams), _number(mode), int(size))
            frames[frame] = round(1000 * float(micros))
        return frames


def _number(mode: str) -> int:
    """Return the number in ns-3's name of a mode: ``HtMcs7``, ``OfdmRate6Mbps``."""
    found = re.search(r"\d+", mode)
    return int(found.group()) if found else -1


def _first(differ: list[Frame], ours: dict[Frame, list[int]], theirs: dict[Frame, int]) -> str:
    if not differ:
        return ""
    frame = differ[0]
    streams = f", {frame.streams} streams" if frame.streams > 1 else ""
    what = f"{frame.number}{streams}, {frame.size} B"
    return f"{what}: tworay {ours[frame][1] / 1000:g} µs, ns-3 {theirs[frame] / 1000:g} µs"
