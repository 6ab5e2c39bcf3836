"""Chapter: saturated stations round one receiver."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from studies.peers.air.formulas import Access
from studies.peers.air.judging import apart, cells
from studies.peers.air.worlds import World, goodput
from studies.peers.verdicts import Section, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from studies.peers.air.theirs import Theirs
    from studies.peers.jobs import Job, Results
    from studies.peers.plan import Plan

BIANCHI, NS3 = 0.03, 0.05
LOAD = 240
"""Datagrams of all stations, Mb/s: several times what they carry, so that each always has one."""
AS_THE_MODEL = {"radio_propagation": '"range"', "mac_missing_block_ack": '"repeat"'}
"""All signals equally strong; what collided is sent again, without a BlockAckReq."""


class Stations:
    """Goodput of all stations together beside Bianchi's model and ns-3."""

    def __init__(self, plan: Plan, theirs: Theirs) -> None:
        counts = (2, 5) if plan.name == "quick" else (2, 5, 10, 20)
        kinds = [("a", 0), ("n", 0), ("n", 65535)]
        self._worlds = [
            World(standard, 7, aggregate=size, stations=count, rate=max(12, LOAD // count), seconds=8)
            for standard, size in kinds
            for count in counts
        ]
        self._theirs = theirs
        self._seeds = range(1, plan.air_seeds + 1)

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for world in self._worlds:
            yield from self._theirs.jobs(world, self._seeds)
            yield from (world.ours(seed) for seed in self._seeds)
            yield from (world.ours(seed, **_model(world)) for seed in self._seeds)

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "Saturated stations against Bianchi's model and ns-3 (802.11a/n)",
            "within 3 % of the model, 5 % of ns-3",
            simulators=("ns-3",),
        )
        section.text(
            f"All stations' goodput in Mb/s, datagrams of 1,460 B; medians over {len(self._seeds)} seeds. "
            "Bianchi (IEEE JSAC 18, 2000) with windows of 15 to 1,023 and AIFS; beside it tworay as the "
            "model has it: signals equally strong, so that nobody decodes one of two that collide, and "
            "frames without an answer are sent again without a BlockAckReq. Beside ns-3 both have "
            "log-distance loss, and ask.",
            *([self._theirs.note] if self._theirs.note else []),
        )
        first = self._worlds[0]
        section.commands(*(job.line for job in self._theirs.jobs(first, [1])), first.ours(1).line)
        header = ["radio", "stations", "model", "tworay", "Δ", "", "ns-3", "tworay", "Δ", ""]
        section.table(header, [self._row(section, results, world) for world in self._worlds])
        return section

    def _row(self, section: Section, results: Results, world: World) -> list[str]:
        where = f"{world.title}, {world.stations} stations"
        alike = statistics.median(goodput(results[world.ours(seed, **_model(world))]) for seed in self._seeds)
        model = Access(world).bianchi(world.stations)
        off = apart(alike, model)
        verdict = section.judge(f"{where}, model", {"goodput": off is not None and abs(off) <= BIANCHI})
        row = [world.title, str(world.stations), f"{model:.3f}", f"{alike:.3f}", percent(off, 2), verdict]
        ours = [goodput(results[world.ours(seed)]) for seed in self._seeds]
        theirs = self._theirs.goodputs(results, world, self._seeds)
        return [*row, *cells(section, f"{where}, ns-3", ours, theirs, NS3)]


def _model(world: World) -> Mapping[str, str]:
    keys = dict(AS_THE_MODEL)
    if not world.qos:
        del keys["mac_missing_block_ack"]
    return keys
