"""The built-in strip of moving nodes compared with ns-3, over AODV and over OLSR."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from studies.peers.simulators import (
    NS3_BY_THE_STANDARD,
    Value,
    acked,
    builtin,
    builtin_movement,
    ns3,
    route_changes,
)
from studies.peers.strings import sample
from studies.peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from studies.peers.jobs import Job, Result, Results
    from studies.peers.plan import Plan

SCENARIO = "strip-50"
NODES = 50
SECONDS = {"aodv": 100, "olsr": 130}
OLSR_START = 30
"""Start of the flow in seconds, when OLSR knows the network: ns-3's TCP fails at once without a route."""
SHARE = {"aodv": 0.10, "olsr": 0.15}
UNMODIFIED = 3
"""Number of movements on which unmodified ns-3 runs as well."""


class AgainstNs3Moving:
    """Chapter: 50 moving nodes; ns-3 reads the movement from a file."""

    def __init__(self, plan: Plan, routing: str) -> None:
        self._plan = plan
        self._routing = routing
        self._seconds = SECONDS[routing]

    @cached_property
    def _files(self) -> dict[int, Path]:
        seeds = self._plan.seed_range(self._plan.ns3_moving_seeds)
        return {seed: builtin_movement(SCENARIO, seed) for seed in seeds}

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        yield from self._theirs()
        yield from self._ours()
        if self._routing == "aodv":
            yield from self._unmodified()

    def _theirs(self) -> list[Job]:
        return self._ns3(NS3_BY_THE_STANDARD[self._routing])

    def _unmodified(self) -> list[Job]:
        return self._ns3({})[:UNMODIFIED]

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
        """Return the chapter."""
        share = SHARE[self._routing]
        title = f"Moving nodes over {self._routing.upper()} against ns-3"
        section = Section(title, f"mean goodput over the movements within {share:.0%}")
        section.text(
            f"The built-in `{SCENARIO}` with selective acknowledgments over {self._routing.upper()}, "
            f"shortened to {self._seconds} s: {NODES} nodes at 1 to 20 m/s, one flow. Each seed is another "
            "movement, which ns-3 reads from a file written by tworay (`tworay convert`). ns-3 runs with "
            "standard rules, as above. Segments acknowledged; one run of each simulator per movement."
        )
        if self._routing == "olsr":
            section.text(
                f"The flow starts at {OLSR_START} s, when OLSR knows the network. Route changes: how often "
                "the next hop or the length of the route to an end of the flow changed, at the flow's ends "
                "and at every node that its packets pass. They are shown, not judged: ns-3 chooses "
                "differently among equally short routes, and few of the network's routes are in use. "
                "[Routes of moving nodes](olsr-tables.md) judges the changes in every node, with the same "
                "choice.",
                "ns-3 waits 1 s for the answer to the first SYN (RFC 6298 §2.1; by default 3 s), and may "
                "request a link address again after 100 ms (by default a neighbour that did not answer "
                "counts as dead for 100 s, even if it has come back).",
            )
        else:
            section.text(
                f"Unmodified ns-3 (unlimited RTSs, HELLOs) also runs on {UNMODIFIED} movements: a "
                "station whose next hop has moved away keeps sending RTSs to it, and all packets behind "
                "that one wait.",
                "The standard rules are four of RFC 3561 that ns-3's AODV lacks: `--destonly=1` as above; "
                "`--reverse=1`: a request makes an invalid route to its originator valid again (§6.5; ns-3 "
                "leaves it invalid for the 15 s for which it keeps broken routes, forwards the reply and "
                "drops what follows along the route); `--countup=1`: the reply to the request after a "
                "break is newer than the routes over the break (§6.11); `--ownlinks=1`: a source notices a "
                "break of its own first link without HELLOs (§6.11). `--syntimeout=1` is RFC 6298's "
                "initial timeout of a SYN (ns-3: 3 s).",
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
        """Add a row per movement and a row of means, which is judged."""
        groups = {"ns-3": self._theirs(), "tworay": self._ours()}
        if self._routing == "aodv":
            groups["ns-3 unmodified"] = self._unmodified()
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
    """Format the 95 % interval of the mean paired difference, as shares of ns-3's mean."""
    pairs = zip(ours.values, theirs.values, strict=True)
    interval = Sample(mine - other for mine, other in pairs).interval
    if interval is None or not theirs.mean:
        return ""
    low, high = (percent(end / theirs.mean) for end in interval)
    return f" (95 % interval of the paired difference: {low} to {high})"


def _shown(results: Results, jobs: list[Job], i: int, number: Callable[[Result], float]) -> str:
    return f"{number(results[jobs[i]]):.0f}" if i < len(jobs) else "–"
