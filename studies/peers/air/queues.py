"""Chapter: four transfers in one queue."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from studies.peers.air.judging import apart, cells
from studies.peers.air.worlds import World, goodput
from studies.peers.verdicts import Section, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.air.theirs import Theirs
    from studies.peers.jobs import Job, Result, Results
    from studies.peers.plan import Plan

SHARE = 0.10


class Queues:
    """Delay and fairness of four TCP transfers over one hop."""

    def __init__(self, plan: Plan, theirs: Theirs) -> None:
        self._theirs = theirs
        self._seeds = range(1, plan.air_seeds + 1)
        seconds = 11 if plan.name == "quick" else 21
        self._cases = {
            f"{queue}, {frames}": (
                World("n", 4, aggregate=size, app="tcp", flows=4, queue=queue, seconds=seconds),
                {"delays": 1, "macqueue": fifo if queue == "fq-codel" else 500},
            )
            for queue in ("fq-codel", "fifo")
            for frames, size, fifo in (("single frames", 0, 1), ("aggregates", 65535, 64))
        }

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for world, options in self._cases.values():
            yield from self._theirs.jobs(world, self._seeds, **options)
            yield from (world.ours(seed) for seed in self._seeds)

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "Four transfers in one queue, against ns-3 (802.11n)",
            "delay and fairness within 10 % with fq-codel",
            simulators=("ns-3",),
        )
        section.text(
            f"TCP over one hop at MCS 4, medians over {len(self._seeds)} seeds: mean one-way delay of the "
            "packets and Jain's index over the four flows. ns-3's FqCoDel stands above the MAC's own FIFO, "
            "which here has room for one packet with single frames, and for 64 with aggregates: an "
            "aggregate takes its frames from there, out of FqCoDel's reach. tworay's queues are those of "
            "mac80211: aggregates take their frames from FqCoDel. With aggregates ns-3's delay therefore "
            "contains that FIFO.",
            *(
                [
                    f"{self._theirs.note} It has neither delays nor the FIFO's length, so nothing here is "
                    "judged."
                ]
                if self._theirs.note
                else []
            ),
        )
        (world, options), *_ = self._cases.values()
        section.commands(*(job.line for job in self._theirs.jobs(world, [1], **options)), world.ours(1).line)
        header = ["queue", "figure", "ns-3", "tworay", "Δ", ""]
        rows = [row for name in self._cases for row in self._rows(section, results, name)]
        section.table(header, rows)
        return section

    def _rows(self, section: Section, results: Results, name: str) -> list[list[str]]:
        world, options = self._cases[name]
        theirs = [results[job] for job in self._theirs.jobs(world, self._seeds, **options)]
        ours = [results[world.ours(seed)] for seed in self._seeds]
        rows = []
        for figure, number in (("delay, ms", delay), ("Jain's index", jain), ("goodput, Mb/s", goodput)):
            here, there = [number(result) for result in ours], [number(result) for result in theirs]
            if world.queue == "fq-codel" and number is not goodput:
                rows.append(
                    [name, figure, *cells(section, name, here, there, SHARE, what=figure.partition(",")[0])]
                )
                continue
            middle = statistics.median(here)
            row = [name, figure, "–", f"{middle:.3f}", "–", "not judged"]
            if there:
                row[2] = f"{statistics.median(there):.3f}"
                row[4] = percent(apart(middle, statistics.median(there)), 2)
            rows.append(row)
        return rows


def delay(result: Result) -> float:
    """Return the mean over the flows of their packets' mean one-way delay, ms."""
    found = [flow["mean_delay_seconds"] for flow in result["flows"] if flow["mean_delay_seconds"] is not None]
    return 1e3 * math.fsum(found) / len(found) if found else 0.0


def jain(result: Result) -> float:
    """Return Jain's fairness index of the flows' goodputs."""
    shares = [flow["goodput_bps"] for flow in result["flows"]]
    squares = math.fsum(share**2 for share in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if squares else 0.0
