"""The built-in strip of moving nodes against ns-3, over AODV and over OLSR."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tworay.peers.simulators import (
    NS3_BY_THE_STANDARD,
    Value,
    acked,
    builtin,
    builtin_movement,
    ns3,
    route_changes,
)
from tworay.peers.strings import sample
from tworay.peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tworay.peers.jobs import Job, Result, Results
    from tworay.peers.plan import Plan

SCENARIO = "strip-50"
NODES = 50
SECONDS = {"aodv": 100, "olsr": 130}
OLSR_START = 30
"""Seconds in which OLSR learns the network: ns-3's TCP gives up at once where there is no route yet."""
SHARE = {"aodv": 0.10, "olsr": 0.15}
AS_IT_COMES = 3
"""On how many movements ns-3 runs with endless RTSs as well."""


class AgainstNs3Moving:
    """One chapter: 50 nodes whose movement is handed to ns-3 in a file."""

    def __init__(self, plan: Plan, routing: str) -> None:
        self._plan = plan
        self._routing = routing
        self._seconds = SECONDS[routing]

    @cached_property
    def _files(self) -> dict[int, Path]:
        seeds = self._plan.seed_range(self._plan.ns3_moving_seeds)
        return {seed: builtin_movement(SCENARIO, seed) for seed in seeds}

    def jobs(self) -> Iterator[Job]:
        """Yield everything that has to be run."""
        yield from self._theirs()
        yield from self._ours()
        if self._routing == "aodv":
            yield from self._as_it_comes()

    def _theirs(self) -> list[Job]:
        return self._ns3(NS3_BY_THE_STANDARD[self._routing])

    def _as_it_comes(self) -> list[Job]:
        return self._ns3({})[:AS_IT_COMES]

    def _ns3(self, extra: dict[str, Value]) -> list[Job]:
        options: dict[str, Value] = {"nodes": NODES, "flows": "0-1", "stop": self._seconds}
        if self._routing == "olsr":
            options |= {"routing": "olsr", "start": OLSR_START}
        return [
            ns3(movement=str(path), seed=seed, weight=15.0, **options, **extra)
            for seed, path in self._files.items()
        ]

    def _ours(self) -> list[Job]:
        settings: dict[str, Value] = {"duration": f"{self._seconds}s"}
        if self._routing == "olsr":
            settings |= {"routing.protocol": "olsr", "flow.0.start": f"{OLSR_START}s"}
        return [builtin(SCENARIO, seed, tcp="sack", settings=settings, weight=1.5) for seed in self._files]

    def section(self, results: Results) -> Section:
        """Write the chapter."""
        share = SHARE[self._routing]
        title = f"Moving nodes over {self._routing.upper()} against ns-3"
        section = Section(title, f"mean goodput over the movements within {share:.0%}")
        section.text(
            f"`{SCENARIO}` as a user gets it, with selective acknowledgments and over "
            f"{self._routing.upper()}, cut to {self._seconds} s: {NODES} nodes at 1 to 20 m/s, one flow; "
            "each seed is another movement, which ns-3 reads from a file that tworay has written (`tworay "
            "convert`). ns-3 by the standard, as above. Segments acknowledged; one run of each simulator for "
            "each movement."
        )
        if self._routing == "olsr":
            section.text(
                f"The flow starts at {OLSR_START} s, when OLSR knows the network. Route changes: how often "
                "next hop or distance of the way to a flow's end changed, at the flow's ends and wherever "
                "its packets pass. They are shown and not judged: ns-3 chooses differently among equally "
                "short routes, and few of the network's routes are in use. [Routes of moving nodes]"
                "(olsr-tables.md) judges the changes in every node, with the same choice.",
                "ns-3 waits 1 s for the answer to the first SYN (RFC 6298 §2.1; by default 3 s), and may ask "
                "again for a link address after 100 ms (by default a neighbour that did not answer is dead "
                "for 100 s, also when it has come back).",
            )
        else:
            section.text(
                f"ns-3 as it comes (endless RTS, HELLOs) stands beside it on {AS_IT_COMES} movements: a "
                "station whose next hop has walked away goes on sending RTSs to it, and everything behind "
                "that packet waits.",
                "By the standard, ns-3's AODV gets four rules of RFC 3561 that it lacks: `--destonly=1` as "
                "above; `--reverse=1`, a request makes an invalid route to its originator valid again (§6.5; "
                "ns-3 leaves it invalid for the 15 s that it keeps broken routes, passes the reply on and "
                "drops what comes along the route); `--countup=1`, the reply to the request that follows a "
                "break is newer than the routes over the break (§6.11); `--ownlinks=1`, a source notices a "
                "break of its own first link without HELLOs (§6.11). `--syntimeout=1` is RFC 6298's first "
                "wait for the answer to a SYN (ns-3: 3 s).",
            )
        first = next(iter(self._files))
        section.commands(
            f"{self._ours()[0].command[0]} convert {SCENARIO} --seed {first} -o {self._files[first]}",
            self._theirs()[0].line,
            self._ours()[0].line,
        )
        if self._routing == "olsr":
            self._table(section, results, {"goodput": acked, "route changes": route_changes})
        else:
            self._table(section, results, {"goodput": acked})
        return section

    def _table(
        self, section: Section, results: Results, numbers: dict[str, Callable[[Result], float]]
    ) -> None:
        """Write a row for each movement and one of means, which is judged."""
        groups = {"ns-3": self._theirs(), "tworay": self._ours()}
        if self._routing == "aodv":
            groups["ns-3 as it comes"] = self._as_it_comes()
        header = ["movement"]
        header += [f"{name}: {group}" for name in numbers for group in groups]
        rows = [
            [str(seed)]
            + [_shown(results, jobs, i, number) for number in numbers.values() for jobs in groups.values()]
            for i, seed in enumerate(self._files)
        ]
        rows.append(
            ["**mean**"]
            + [
                sample(results, jobs, number).show()
                for number in numbers.values()
                for jobs in groups.values()
            ]
        )
        section.table(header, rows)
        for name, number in numbers.items():
            theirs, ours = (sample(results, groups[group], number) for group in ("ns-3", "tworay"))
            difference = f"Mean {name}: {percent(deviation(ours, theirs))}{_interval(ours, theirs)}"
            if name != "goodput":
                section.text(f"{difference}; not judged here.")
                continue
            holds = within(ours, theirs, SHARE[self._routing], self._plan.judging)
            section.text(f"{difference}: {section.judge('mean over the movements', {name: holds})}.")


def _interval(ours: Sample, theirs: Sample) -> str:
    """Show the 95 % interval of the mean difference, movement by movement, as shares of their mean."""
    pairs = zip(ours.values, theirs.values, strict=True)
    interval = Sample(mine - other for mine, other in pairs).interval
    if interval is None or not theirs.mean:
        return ""
    low, high = (percent(end / theirs.mean) for end in interval)
    return f" (95 % interval of the paired difference: {low} to {high})"


def _shown(results: Results, jobs: list[Job], i: int, number: Callable[[Result], float]) -> str:
    return f"{number(results[jobs[i]]):.0f}" if i < len(jobs) else "–"
