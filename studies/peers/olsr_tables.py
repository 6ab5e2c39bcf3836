"""Routes of all moving nodes over OLSR, compared with ns-3."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from studies.peers.against_ns3_moving import NODES, OLSR_START, SCENARIO, SECONDS, SHARE
from studies.peers.simulators import Value, builtin_movement, ns3, route_changes, tworay
from studies.peers.strings import sample
from studies.peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from studies.peers.jobs import Job, Result, Results
    from studies.peers.plan import Plan


class OlsrTables:
    """Chapter: route changes in all nodes, whether packets use the routes or not."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    @cached_property
    def _files(self) -> dict[int, Path]:
        seeds = self._plan.seed_range(self._plan.olsr_tables_seeds)
        return {seed: builtin_movement(SCENARIO, seed) for seed in seeds}

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        yield from self._theirs()
        yield from self._theirs(ties=1)
        yield from self._ours()

    def _theirs(self, **extra: Value) -> list[Job]:
        options: dict[str, Value] = {
            **{"nodes": NODES, "flows": "0-1", "stop": SECONDS["olsr"]},
            **{"routing": "olsr", "start": OLSR_START, "tables": 1},
        }
        return [
            ns3(movement=str(path), seed=seed, weight=10.0, **options, **extra)
            for seed, path in self._files.items()
        ]

    def _ours(self) -> list[Job]:
        return [tworay("tables", seed, movement=path, weight=2.0) for seed, path in self._files.items()]

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        share = SHARE["olsr"]
        section = Section(
            "Routes of moving nodes over OLSR against ns-3",
            f"route changes within {share:.0%} with the same choice among equally short routes",
        )
        section.text(
            f"How often do routes change? {NODES} nodes move as in `{SCENARIO}`; each seed is another "
            f"movement. Counted from {OLSR_START} s to {SECONDS['olsr']} s in every node: its routes to "
            "node 0 and to node 1 have another next hop or another length, or a lost route is found again. "
            "Nothing depends on the path of a single transfer, and there are hundreds of changes per "
            "run. ns-3 carries OLSR's messages only; in tworay each node also sends a datagram of 64 bytes "
            "to both destinations every few seconds, because only routes in use are watched.",
            "RFC 3626 §10 leaves open which of several equally short routes a node takes. In ns-3 the 2-hop "
            "tuple entered last decides, and for longer routes the topology tuple entered "
            "first: a tuple that is learned again can replace the next hop. tworay orders its neighbours: "
            "first those that chose the node as their relay, then by address. With `--ties=1` ns-3's nodes "
            "choose in this order from the sets that ns-3 has collected (`studies/peers/ns3/olsr.h`). This "
            "is judged; unmodified ns-3 is shown as well.",
        )
        first = next(iter(self._files))
        ours = self._ours()
        section.commands(
            f"{ours[0].command[0]} convert {SCENARIO} --seed {first} -o {self._files[first]}",
            self._theirs()[0].line,
            self._theirs(ties=1)[0].line,
            ours[0].line,
        )
        found = (
            sample(results, self._theirs(), route_changes),
            sample(results, self._theirs(), of_equal_length),
            sample(results, self._theirs(ties=1), route_changes),
            sample(results, self._theirs(ties=1), of_equal_length),
            sample(results, ours, route_changes),
        )
        section.table(
            ["movement", "ns-3", "of equal length", "ns-3, same choice", "of equal length", "tworay", "Δ"],
            [
                *self._rows(found),
                [
                    "**mean**",
                    *(number.show() for number in found),
                    percent(deviation(found[-1], found[2])),
                ],
            ],
        )
        unmodified, _, same_choice, _, mine = found
        holds = within(mine, same_choice, share, self._plan.judging)
        cell = section.judge("same choice", {"route changes": holds})
        section.text(
            f"tworay against ns-3 with the same choice: {percent(deviation(mine, same_choice))}: {cell}. "
            f"Against unmodified ns-3: {percent(deviation(mine, unmodified))}; the choice alone changes "
            f"ns-3 by {percent(deviation(same_choice, unmodified))}."
        )
        return section

    def _rows(self, found: tuple[Sample, ...]) -> Iterator[list[str]]:
        for i, seed in enumerate(self._files):
            values = [number.values[i] for number in found]
            change = percent(values[-1] / values[2] - 1 if values[2] else None)
            yield [str(seed), *(f"{value:.0f}" for value in values), change]


def of_equal_length(result: Result) -> int:
    """Return the number of ns-3's route changes that kept the length of the route."""
    return int(result["equal_length"])
