"""Strings against ns-3, and where the standard dialect lies between ns-2 and ns-3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay_peers.simulators import acked, ns2_string, ns3, tworay
from tworay_peers.strings import our_string, sample, string_settings
from tworay_peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay_peers.jobs import Job, Results
    from tworay_peers.plan import Plan

SHARE = 0.10
CASES = {
    "fixed routes, RTS/CTS": ("static", 0),
    "fixed routes, no RTS/CTS": ("static", 3000),
    "AODV, RTS/CTS": ("aodv", 0),
}


class AgainstNs3:
    """One chapter: SACK over strings, by the standards and with interference added up."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def jobs(self) -> Iterator[Job]:
        """Yield everything that has to be run."""
        for hops in self._plan.ns3_hops:
            for case in CASES:
                yield from self._theirs(hops, case)
                yield from self._ours(hops, case)
            yield from self._ours(hops, "fixed routes, RTS/CTS", reception="capture")
            yield from self._ns2(hops)
            yield from self._ours_as_ns2(hops)

    def _theirs(self, hops: int, case: str) -> list[Job]:
        routing, rts = CASES[case]
        seeds = self._plan.seed_range(self._plan.ns3_seeds)
        return [
            ns3(string=hops, routing=routing, rts=rts, seed=seed, weight=1.0 + hops / 2) for seed in seeds
        ]

    def _ours(self, hops: int, case: str, reception: str = "sinr") -> list[Job]:
        routing, rts = CASES[case]
        settings = string_settings(hops, routing, rts)
        if reception != "sinr":
            settings["radio.reception"] = reception
        return [tworay("string-standard", seed, settings=settings) for seed in self._plan.seed_range()]

    def _ns2(self, hops: int) -> list[Job]:
        return [ns2_string(hops, "sack", seed) for seed in self._plan.seed_range()]

    def _ours_as_ns2(self, hops: int) -> list[Job]:
        return [our_string(hops, "sack", seed) for seed in self._plan.seed_range()]

    def section(self, results: Results) -> Section:
        """Write the chapter."""
        section = Section("Strings against ns-3", "goodput within 10 %")
        section.text(
            "NewReno with SACK; tworay in its standard dialect with SINR reception. Goodput in "
            "segments of 119 s: "
            f"mean ± standard deviation over {self._plan.ns3_seeds} seeds of ns-3 and "
            f"{self._plan.seeds} of tworay."
        )
        first = next(iter(CASES))
        section.commands(self._theirs(4, first)[0].line, self._ours(4, first)[0].line)
        for case in CASES:
            section.text(f"### {case[0].upper()}{case[1:]}")
            section.table(
                ["hops", "ns-3", "tworay", "Δ", ""],
                [self._row(section, results, hops, case) for hops in self._plan.ns3_hops],
            )
        self._between(section, results)
        return section

    def _row(self, section: Section, results: Results, hops: int, case: str) -> list[str]:
        theirs = sample(results, self._theirs(hops, case), acked)
        ours = sample(results, self._ours(hops, case), acked)
        cell = section.judge(f"{case}, {hops} hops", {"goodput": within(ours, theirs, SHARE)})
        return [str(hops), theirs.show(), ours.show(), percent(deviation(ours, theirs)), cell]

    def _between(self, section: Section, results: Results) -> None:
        section.text(
            "### Between ns-2 and ns-3",
            "SACK over fixed routes with RTS/CTS. The last column says where the standard dialect "
            "with SINR lies on "
            "the way from ns-2 (0 %) to ns-3 (100 %), where these two differ by more than 2 %.",
        )
        rows = []
        case = "fixed routes, RTS/CTS"
        for hops in self._plan.ns3_hops:
            groups = (
                self._ns2(hops),
                self._ours_as_ns2(hops),
                self._ours(hops, case, reception="capture"),
                self._ours(hops, case),
                self._theirs(hops, case),
            )
            samples = [sample(results, jobs, acked) for jobs in groups]
            rows.append(
                [str(hops), *(each.show() for each in samples), _position(samples[0], samples[3], samples[4])]
            )
        section.table(
            ["hops", "ns-2", "tworay as ns-2", "standard, capture", "standard, SINR", "ns-3", "position"],
            rows,
        )


def _position(low: Sample, here: Sample, high: Sample) -> str:
    if not low.mean or abs(high.mean / low.mean - 1) <= 0.02:
        return "–"
    return f"{(here.mean - low.mean) / (high.mean - low.mean):.0%}"
