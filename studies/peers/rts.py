"""RTS strategies: goodput and losses of the MAC by type of frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.peers.plan import RTS, Plan
from studies.peers.simulators import acked, ns2_counted_string
from studies.peers.strings import our_string, sample
from studies.peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.peers.jobs import Job, Result, Results

GOODPUT_SHARE = 0.10
COUNT_SHARE = 0.20
LEAST_COUNT = 5.0
"""Kinds with fewer losses per run in ns-2 are shown, not judged: chance alone moves them by more."""
KINDS = {"rts_cts": "RTS/CTS", "data": "data", "ack": "ACK"}
GROUPS = ("collisions", "drops")


class RtsStrategies:
    """Chapter: full, partial and no RTS/CTS with NewReno."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for routing, lengths in self._plan.rts_hops.items():
            for hops in lengths:
                for rts in RTS.values():
                    yield from self._theirs(routing, hops, rts)
                    yield from self._ours(routing, hops, rts)

    def _theirs(self, routing: str, hops: int, rts: int) -> list[Job]:
        seeds = self._plan.seed_range()
        return [ns2_counted_string(hops, "newreno", seed, routing=routing, rts=rts) for seed in seeds]

    def _ours(self, routing: str, hops: int, rts: int) -> list[Job]:
        seeds = self._plan.seed_range()
        return [our_string(hops, "newreno", seed, routing=routing, rts=rts) for seed in seeds]

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "RTS strategies, against ns-2", "goodput within 10 %, collisions and drops by kind within 20 %"
        )
        section.text(
            "NewReno; RTS/CTS before every frame (full), before data only (partial, threshold 500 bytes), "
            "or never. A collision is a frame lost to overlap at the station it was addressed to, a drop a "
            "packet given up after the last attempt. Both are counted by content; a packet whose RTS "
            "stayed unanswered counts under RTS/CTS and under its own kind (Papanastasiou 2006, §5.4). "
            f"Means over {self._plan.seeds} seeds; each cell is ns-2 → tworay. Kinds with fewer than "
            f"{LEAST_COUNT:g} per run in ns-2 are shown, not judged."
        )
        routing, lengths = next(iter(self._plan.rts_hops.items()))
        section.commands(
            self._theirs(routing, lengths[0], 500)[0].line, self._ours(routing, lengths[0], 500)[0].line
        )
        names = {"static": "Fixed routes", "aodv": "AODV"}
        for routing, lengths in self._plan.rts_hops.items():
            section.text(f"### {names[routing]}")
            header = ["hops, RTS/CTS", "goodput", "Δ"]
            header += [f"{KINDS[kind]} {group}" for group in GROUPS for kind in KINDS]
            rows = [
                self._row(section, results, routing, hops, strategy) for hops in lengths for strategy in RTS
            ]
            section.table([*header, ""], rows)
        return section

    def _row(self, section: Section, results: Results, routing: str, hops: int, strategy: str) -> list[str]:
        theirs = self._theirs(routing, hops, RTS[strategy])
        ours = self._ours(routing, hops, RTS[strategy])
        their_acked, our_acked = sample(results, theirs, acked), sample(results, ours, acked)
        verdicts = {"goodput": within(our_acked, their_acked, GOODPUT_SHARE, self._plan.judging)}
        cells = [_arrow(their_acked, our_acked), percent(deviation(our_acked, their_acked))]
        for group in GROUPS:
            for kind, name in KINDS.items():
                number = _mac(group, kind)
                their_count, our_count = sample(results, theirs, number), sample(results, ours, number)
                cells.append(_arrow(their_count, our_count))
                if their_count.mean >= LEAST_COUNT:
                    verdicts[f"{name} {group}"] = within(
                        our_count, their_count, COUNT_SHARE, self._plan.judging
                    )
        verdict = section.judge(f"{routing}, {hops} hops, {strategy}", verdicts)
        return [f"{hops}, {strategy}", *cells, verdict]


def _mac(group: str, kind: str) -> Callable[[Result], float]:
    return lambda result: float(result["mac"][group][kind])


def _arrow(theirs: Sample, ours: Sample) -> str:
    return f"{theirs.mean:.0f} → {ours.mean:.0f}"
