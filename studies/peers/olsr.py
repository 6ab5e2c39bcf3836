"""Strings over OLSR compared with ns-3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.peers.against_ns3 import string_weight
from studies.peers.simulators import NS3_BY_THE_STANDARD, Value, acked, builtin, ns3, route_changes
from studies.peers.strings import sample
from studies.peers.verdicts import Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.jobs import Job, Results
    from studies.peers.plan import Plan

SHARE = 0.15
LEAST_CHANGES = 5.0
"""With fewer route changes per run in ns-3 they are shown, not judged: chance alone moves them by more."""
START, STOP = 30, 150
"""Seconds; the transfer lasts 120 s and starts when OLSR knows the network."""


class OlsrStrings:
    """Chapter: the built-in strings over OLSR."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for hops in self._plan.olsr_hops:
            yield from self._theirs(hops)
            yield from self._ours(hops)

    def _theirs(self, hops: int) -> list[Job]:
        options: dict[str, Value] = {"string": hops, "routing": "olsr", "start": START, "stop": STOP}
        return [
            ns3(seed=seed, weight=string_weight(hops), **options, **NS3_BY_THE_STANDARD["olsr"])
            for seed in self._plan.seed_range(self._plan.olsr_seeds)
        ]

    def _ours(self, hops: int) -> list[Job]:
        settings: dict[str, Value] = {
            "routing.protocol": "olsr",
            "flow.0.start": f"{START}s",
            "duration": f"{STOP}s",
        }
        return [
            builtin(f"string-{hops}", seed, tcp="sack", settings=settings) for seed in self._plan.seed_range()
        ]

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section("Strings over OLSR against ns-3", "goodput and route changes within 15 %")
        section.text(
            "The built-in strings over OLSR with selective acknowledgments; both simulators with RFC "
            "3626's intervals (HELLO 2 s, TC 5 s), without hysteresis and link-layer feedback. ns-3 runs "
            f"with standard rules, as above. The flow runs from {START} s to {STOP} s. Route changes: how "
            "often the next hop or the length of the route to an end of the flow changed, there and at "
            f"every node that packets pass; with fewer than {LEAST_CHANGES:g} per run in ns-3 they are "
            f"shown, not judged. Mean ± standard deviation over {self._plan.olsr_seeds} seeds of ns-3 and "
            f"{self._plan.seeds} of tworay."
        )
        section.commands(self._theirs(4)[0].line, self._ours(4)[0].line)
        section.table(
            ["hops", "goodput: ns-3", "tworay", "Δ", "route changes: ns-3", "tworay", ""],
            [self._row(section, results, hops) for hops in self._plan.olsr_hops],
        )
        return section

    def _row(self, section: Section, results: Results, hops: int) -> list[str]:
        theirs, ours = self._theirs(hops), self._ours(hops)
        their_acked, our_acked = sample(results, theirs, acked), sample(results, ours, acked)
        their_changes = sample(results, theirs, route_changes)
        our_changes = sample(results, ours, route_changes)
        judging = self._plan.judging
        verdicts = {"goodput": within(our_acked, their_acked, SHARE, judging)}
        if their_changes.mean >= LEAST_CHANGES:
            verdicts["route changes"] = within(our_changes, their_changes, SHARE, judging)
        return [
            str(hops),
            their_acked.show(),
            our_acked.show(),
            percent(deviation(our_acked, their_acked)),
            their_changes.show(1),
            our_changes.show(1),
            section.judge(f"{hops} hops", verdicts),
        ]
