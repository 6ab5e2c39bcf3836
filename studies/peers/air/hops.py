"""Chapter: one saturated hop."""

from __future__ import annotations

import dataclasses
import math
import statistics
from typing import TYPE_CHECKING

from studies.peers.air.formulas import Access
from studies.peers.air.judging import apart, cells, moving
from studies.peers.air.worlds import World, goodput
from studies.peers.verdicts import Section, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.air.theirs import Theirs
    from studies.peers.jobs import Job, Results
    from studies.peers.plan import Plan

FORMULA, UDP, TCP = 0.01, 0.03, 0.05


def worlds(plan: Plan) -> list[World]:
    """Return the hops: MCS × width × longest aggregate, with twice the datagrams that they carry."""
    return [dataclasses.replace(world, rate=math.ceil(2 * Access(world).goodput)) for world in _radios(plan)]


def _radios(plan: Plan) -> list[World]:
    if plan.name == "quick":
        return [
            World("a", 7),
            World("g", 4),
            World("n", 0),
            World("n", 7),
            World("n", 7, aggregate=0),
            World("ac", 8),
            World("ac", 4, aggregate=0),
        ]
    found = [World(standard, mcs) for standard in ("a", "g") for mcs in range(8)]
    sizes = (0, 8000, 65535)
    found += [World("n", mcs, aggregate=size) for mcs in (0, 3, 5, 7) for size in sizes]
    found += [World("n", mcs, 40, guard=400, aggregate=size) for mcs in (3, 7) for size in sizes]
    found += [World("n", 15, streams=2, aggregate=size) for size in sizes]
    found += [World("ac", mcs, aggregate=size) for mcs in (0, 4, 8) for size in sizes]
    found += [World("ac", mcs, 40, aggregate=size) for mcs in (2, 9) for size in (0, 65535)]
    found.append(World("ac", 9, 80, 2, aggregate=1048575, spacing=3, seconds=4))
    return found


class Hops:
    """Goodput of datagrams and of TCP beside the closed form and ns-3."""

    def __init__(self, plan: Plan, theirs: Theirs) -> None:
        self._worlds = worlds(plan)
        self._theirs = theirs
        self._seeds = range(1, plan.air_seeds + 1)

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for world in self._worlds:
            for each in (world, _tcp(world)):
                yield from self._theirs.jobs(each, self._seeds)
                yield from (each.ours(seed) for seed in self._seeds)

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "One saturated hop against its closed form and ns-3 (802.11a/g/n/ac)",
            "datagrams within 1 % of the closed form and 3 % of ns-3, TCP within 5 % of ns-3",
            simulators=("ns-3",),
        )
        section.text(
            f"Goodput in Mb/s over 5 m; medians over {len(self._seeds)} seeds. The closed form is datagrams "
            "of 1,460 B over AIFS (DIFS without QoS), a mean backoff of 7.5 slots, the longest aggregate, "
            "SIFS and its answer. ns-3 runs NewReno with SACK, time stamps and delayed ACKs, tworay its "
            "`sack`.",
            *([self._theirs.note] if self._theirs.note else []),
        )
        section.commands(
            *(job.line for job in self._theirs.jobs(self._worlds[0], [1])), self._worlds[0].ours(1).line
        )
        header = ["radio", "closed form", "tworay", "Δ", "", "ns-3", "tworay", "Δ", ""]
        section.text("### Datagrams")
        section.table(header, [self._datagrams(section, results, world) for world in self._worlds])
        section.text(
            "### TCP",
            "Runs of ns-3 below a tenth of the closed form are stuck in its TCP and counted apart: after "
            "an overflow in slow start its sender sends a segment a timeout. What remains is mostly the "
            "recovery from that overflow of the queue of 500 packets, which falls into the four seconds "
            "that count.",
        )
        header = ["radio", "ns-3", "tworay", "Δ", "", "stuck in ns-3"]
        section.table(header, [self._tcp_row(section, results, _tcp(world)) for world in self._worlds])
        return section

    def _ours(self, results: Results, world: World) -> list[float]:
        return [goodput(results[world.ours(seed)]) for seed in self._seeds]

    def _datagrams(self, section: Section, results: Results, world: World) -> list[str]:
        ours = self._ours(results, world)
        middle, formula = statistics.median(ours), Access(world).goodput
        off = apart(middle, formula)
        verdict = section.judge(
            f"{world.title}, closed form", {"goodput": off is not None and abs(off) <= FORMULA}
        )
        theirs = self._theirs.goodputs(results, world, self._seeds)
        row = [world.title, f"{formula:.3f}", f"{middle:.3f}", percent(off, 2), verdict]
        return [*row, *cells(section, f"{world.title}, ns-3", ours, theirs, UDP)]

    def _tcp_row(self, section: Section, results: Results, world: World) -> list[str]:
        theirs, stuck = moving(self._theirs.goodputs(results, world, self._seeds), Access(world).goodput)
        ours = self._ours(results, world)
        return [world.title, *cells(section, f"{world.title}, TCP", ours, theirs, TCP), str(stuck)]


def _tcp(world: World) -> World:
    return dataclasses.replace(world, app="tcp")
