"""Chapter: goodput against distance, with rate control."""

from __future__ import annotations

import dataclasses
import statistics
from typing import TYPE_CHECKING

from studies.peers.air.judging import apart, cells
from studies.peers.air.worlds import World, goodput
from studies.peers.verdicts import Section, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.air.theirs import Theirs
    from studies.peers.jobs import Job, Results
    from studies.peers.plan import Plan

IDEAL, MINSTREL = 0.05, 0.10
LOOKAROUND = {"radio_rate": '"minstrel-ht-lookaround"'}


class Distances:
    """One hop of 5 to 45 m with the ideal control and with Minstrel."""

    def __init__(self, plan: Plan, theirs: Theirs) -> None:
        quick = plan.name == "quick"
        metres = (5, 25, 40) if quick else (5, 10, 15, 20, 25, 30, 35, 40, 45)
        self._theirs = theirs
        self._seeds = range(1, plan.air_seeds + 1)
        flows = [("n", "udp")] if quick else [("a", "udp"), ("n", "udp"), ("ac", "udp"), ("ac", "tcp")]
        self._worlds = [
            World(standard, spacing=float(distance), app=app, rate=100, seconds=7 if quick else 11)
            for standard, app in flows
            for distance in metres
        ]

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for world in self._worlds:
            for control in ("ideal", "minstrel"):
                each = _with(world, control)
                yield from self._theirs.jobs(each, self._seeds)
                yield from (each.ours(seed) for seed in self._seeds)
            yield from (_with(world, "minstrel").ours(seed, **LOOKAROUND) for seed in self._seeds)

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "Goodput against distance, against ns-3 (802.11a/n/ac)",
            "ideal control within 5 %, Minstrel within 10 % with ns-3's sampling",
            simulators=("ns-3",),
        )
        section.text(
            f"Medians over {len(self._seeds)} seeds, Mb/s. ns-3's ideal control takes the fastest rate "
            "whose bits err at most once in a million at the SNR of the last frame, tworay's the rate that "
            "carries most bytes per time: where they differ tworay is faster. ns-3.37 samples as Linux "
            "before 5.12 did: beside it tworay's "
            '`radio.rate = "minstrel-ht-lookaround"`, which is judged; the last two columns are the default, '
            "Linux' sampling since. ns-3's control of 802.11a is the older Minstrel without HT.",
            *([self._theirs.note] if self._theirs.note else []),
        )
        first = _with(self._worlds[0], "minstrel")
        section.commands(
            *(job.line for job in self._theirs.jobs(first, [1])),
            first.ours(1, **LOOKAROUND).line,
        )
        for control in ("ideal", "minstrel"):
            section.text(f"### {control.capitalize()}")
            header = ["radio", "m", "ns-3", "tworay", "Δ", ""]
            header += ["default sampling", "Δ"] if control == "minstrel" else []
            section.table(
                header, [self._row(section, results, _with(each, control)) for each in self._worlds]
            )
        return section

    def _row(self, section: Section, results: Results, world: World) -> list[str]:
        flow = "TCP" if world.app == "tcp" else "datagrams"
        name = f"802.11{world.standard}, {flow}"
        where = f"{name}, {world.control}, {world.spacing:g} m"
        theirs = self._theirs.goodputs(results, world, self._seeds)
        ours = [goodput(results[world.ours(seed)]) for seed in self._seeds]
        row = [name, f"{world.spacing:g}"]
        if world.control == "ideal":
            return [*row, *cells(section, where, ours, theirs, IDEAL)]
        alike = [goodput(results[world.ours(seed, **LOOKAROUND)]) for seed in self._seeds]
        newer = statistics.median(ours)
        off = percent(apart(newer, statistics.median(theirs))) if theirs else "–"
        return [*row, *cells(section, where, alike, theirs, MINSTREL), f"{newer:.3f}", off]


def _with(world: World, control: str) -> World:
    return dataclasses.replace(world, control=control)
