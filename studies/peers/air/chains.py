"""Chapter: strings with and without RTS."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from studies.peers.air.judging import apart, difference
from studies.peers.air.theirs import Here
from studies.peers.air.worlds import NO_RTS, World, goodput
from studies.peers.verdicts import Section, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.peers.air.theirs import Theirs
    from studies.peers.jobs import Job, Results
    from studies.peers.plan import Plan

SHARE = 0.10
LOAD = 30
"""Datagrams, Mb/s: more than any of these strings carries, but not so much that dropping them is the work."""


class Chains:
    """Strings of 2 to 8 hops: medians over many seeds."""

    def __init__(self, plan: Plan, theirs: Theirs) -> None:
        quick = plan.name == "quick"
        # Stored runs have their length.
        seconds = 7 if quick and isinstance(theirs, Here) else 31
        self._seeds = range(1, plan.air_chain_seeds + 1)
        self._theirs = theirs
        radios = [("n", 3, 20, 30.0), ("ac", 2, 40, 25.0), ("a", 2, 20, 30.0)]
        self._worlds = [
            World(
                standard,
                mcs,
                width,
                aggregate=65535 if standard != "a" else 0,
                rts=rts,
                hops=hops,
                spacing=spacing,
                app=app,
                rate=LOAD if app == "udp" else 0,
                seconds=seconds,
            )
            for app in ("tcp", "udp")
            for standard, mcs, width, spacing in (radios[:1] if quick else radios)
            for rts in (0, NO_RTS)
            for hops in ((2, 4) if quick else (2, 3, 4, 5, 6, 8))
        ]

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for world in self._worlds:
            yield from self._theirs.jobs(world, self._seeds)
            yield from (world.ours(seed) for seed in self._seeds)
            if world.qos:
                yield from self._theirs.jobs(world, self._seeds, keep=1)

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "Strings of 2 to 8 hops against ns-3 (802.11a/n/ac)",
            "medians within 10 %, or the 95 % interval of their difference contains 0",
            simulators=("ns-3",),
        )
        section.text(
            f"Goodput from end to end in Mb/s, medians over {len(self._seeds)} seeds of each; the interval "
            "is a bootstrap of the difference of the medians. Without RTS the stations two hops apart are "
            "hidden from each other, and single seeds differ by factors. *Lifetime*: ns-3 with `--keep=1`, "
            "which sends frames again until their lifetime ends, as the standard has it for frames in a "
            "block acknowledgment agreement. Unmodified ns-3.37 counts missing BlockAcks of all a "
            "station's receivers together, resets that count by single frames only, and discards whole "
            "aggregates at its limit; that costs it most where aggregates fail often.",
            *([self._theirs.note] if self._theirs.note else []),
        )
        first = self._worlds[0]
        section.commands(*(job.line for job in self._theirs.jobs(first, [1])), first.ours(1).line)
        for app, title in (("tcp", "TCP"), ("udp", f"Datagrams, {LOAD} Mb/s")):
            header = [
                "radio",
                "RTS",
                "hops",
                "ns-3",
                "tworay",
                "Δ",
                "interval",
                "",
                "ns-3, lifetime",
                "Δ",
                "interval",
                "",
            ]
            section.text(f"### {title}")
            some = [world for world in self._worlds if world.app == app]
            section.table(header, [self._row(section, results, world) for world in some])
        return section

    def _row(self, section: Section, results: Results, world: World) -> list[str]:
        rts = "always" if world.rts == 0 else "never"
        where = f"{world.app}, {world.title}, RTS {rts}, {world.hops} hops"
        ours = [goodput(results[world.ours(seed)]) for seed in self._seeds]
        theirs = self._theirs.goodputs(results, world, self._seeds)
        middle = f"{statistics.median(theirs):.3f}" if theirs else "–"
        row = [world.title, rts, str(world.hops), middle, f"{statistics.median(ours):.3f}"]
        row += _compared(section, where, ours, theirs)
        if not world.qos:
            return [*row, "–", "–", "–", "–"]
        kept = self._theirs.goodputs(results, world, self._seeds, keep=1)
        middle = f"{statistics.median(kept):.3f}" if kept else "–"
        return [*row, middle, *_compared(section, f"{where}, lifetime", ours, kept)]


def _compared(section: Section, where: str, ours: Sequence[float], theirs: Sequence[float]) -> list[str]:
    if not theirs:
        return ["–", "–", "not judged"]
    off = apart(statistics.median(ours), statistics.median(theirs))
    low, high = difference(ours, theirs)
    good = (off is not None and abs(off) <= SHARE) or low <= 0 <= high
    return [percent(off), f"{low:+.2f} … {high:+.2f}", section.judge(where, {"goodput": good})]
