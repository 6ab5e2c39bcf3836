"""Strings against ns-3, and where the standard dialect lies between ns-2 and ns-3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay_peers.simulators import Value, acked, ns2_string, ns3, tworay
from tworay_peers.strings import our_string, sample, string_settings
from tworay_peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay_peers.jobs import Job, Results
    from tworay_peers.plan import Plan

SHARE = 0.10
CASES = {
    "Fixed routes, RTS/CTS": ("static", 0),
    "Fixed routes, no RTS/CTS": ("static", 3000),
    "AODV, RTS/CTS": ("aodv", 0),
}
FIRST = next(iter(CASES))

ENDLESS: dict[str, Value] = {"mac.short_retry_limit": 255}
"""What makes our RTSs as persistent as those of ns-3.37, which are never given up."""
CAPTURE: dict[str, Value] = {"radio.reception": "capture"}


class AgainstNs3:
    """One chapter: SACK over strings, by the standards and with interference added up."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def jobs(self) -> Iterator[Job]:
        """Yield everything that has to be run."""
        for hops in self._plan.ns3_hops:
            for case in CASES:
                yield from self._theirs(hops, case)
                yield from self._alike(hops, case)
                yield from self._ours(hops, case)
            for group in self._between(hops).values():
                yield from group

    def _theirs(self, hops: int, case: str) -> list[Job]:
        routing, rts = CASES[case]
        seeds = self._plan.seed_range(self._plan.ns3_seeds)
        return [
            ns3(string=hops, routing=routing, rts=rts, seed=seed, weight=1.0 + hops / 2) for seed in seeds
        ]

    def _ours(self, hops: int, case: str, extra: dict[str, Value] | None = None) -> list[Job]:
        settings = string_settings(hops, *CASES[case]) | (extra or {})
        return [tworay("string-standard", seed, settings=settings) for seed in self._plan.seed_range()]

    def _alike(self, hops: int, case: str) -> list[Job]:
        """Run tworay with ns-3's persistence."""
        return self._ours(hops, case, ENDLESS if CASES[case][1] == 0 else None)

    def _between(self, hops: int) -> dict[str, list[Job]]:
        """Return ways from ns-2 to ns-3, by name."""
        seeds = self._plan.seed_range()
        return {
            "ns-2": [ns2_string(hops, "sack", seed) for seed in seeds],
            "tworay as ns-2": [our_string(hops, "sack", seed) for seed in seeds],
            "standard, capture": self._ours(hops, FIRST, CAPTURE),
            "standard, SINR": self._ours(hops, FIRST),
            "the same, endless RTS": self._alike(hops, FIRST),
            "ns-3": self._theirs(hops, FIRST),
        }

    def section(self, results: Results) -> Section:
        """Write the chapter."""
        section = Section("Strings against ns-3", "goodput within 10 %")
        section.text(
            "NewReno with SACK; tworay in its standard dialect with SINR reception. Goodput in segments "
            "of 119 s: mean ± standard deviation; number of seeds: "
            f"{self._plan.ns3_seeds} of ns-3, {self._plan.seeds} of tworay.",
            "ns-3.37 never gives up a packet because its RTSs stay unanswered if every frame is longer "
            "than the RTS threshold: its own trace sources report thousands of failed RTSs, and none that "
            "is final. With RTS/CTS tworay is therefore compared with as persistent RTSs "
            "(`mac.short_retry_limit=255`). What the standard's limit of 7 gives stands in the last column; "
            "over AODV it counts, because there each packet given up is a link declared broken.",
        )
        section.commands(self._theirs(4, FIRST)[0].line, self._alike(4, FIRST)[0].line)
        for case in CASES:
            section.text(f"### {case}")
            section.table(
                ["hops", "ns-3", "tworay", "Δ", "", "limit of 7", "Δ"],
                [self._row(section, results, hops, case) for hops in self._plan.ns3_hops],
            )
        section.text(
            "### Between ns-2 and ns-3",
            "SACK over fixed routes with RTS/CTS. The position is where the standard dialect with SINR lies "
            "on the way from ns-2 (0 %) to ns-3 (100 %), where these two differ by more than 2 %.",
        )
        names = list(self._between(self._plan.ns3_hops[0]))
        section.table(
            ["hops", *names, "position"],
            [self._way(results, hops) for hops in self._plan.ns3_hops],
        )
        return section

    def _row(self, section: Section, results: Results, hops: int, case: str) -> list[str]:
        theirs = sample(results, self._theirs(hops, case), acked)
        ours = sample(results, self._alike(hops, case), acked)
        limited = sample(results, self._ours(hops, case), acked)
        cell = section.judge(f"{case}, {hops} hops", {"goodput": within(ours, theirs, SHARE)})
        row = [str(hops), theirs.show(), ours.show(), percent(deviation(ours, theirs)), cell]
        return [*row, limited.show(), percent(deviation(limited, theirs))]

    def _way(self, results: Results, hops: int) -> list[str]:
        samples = {name: sample(results, jobs, acked) for name, jobs in self._between(hops).items()}
        position = _position(samples["ns-2"], samples["standard, SINR"], samples["ns-3"])
        return [str(hops), *(each.show() for each in samples.values()), position]


def _position(low: Sample, here: Sample, high: Sample) -> str:
    if not low.mean or abs(high.mean / low.mean - 1) <= 0.02:
        return "–"
    return f"{(here.mean - low.mean) / (high.mean - low.mean):.0%}"
