"""Strings of nodes compared with ns-2, over fixed routes and AODV, for each variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.peers.plan import VARIANTS, Plan
from studies.peers.simulators import Value, acked, ns2_string, retransmitted, timeouts, tworay
from studies.peers.verdicts import Sample, Section, deviation, percent, within, within_share_or_spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from studies.peers.jobs import Job, Result, Results

GOODPUT_SHARE = {"tahoe": 0.03, "reno": 0.05, "newreno": 0.03, "sack": 0.03}
COUNT_SHARE = 0.15
AODV_SHARE = 0.08


def string_settings(hops: int, routing: str, rts: int = 0) -> dict[str, Value]:
    """Return the settings that turn ``studies/peers/scenarios/string.toml`` into this string."""
    settings: dict[str, Value] = {"topology.hops": hops, "flow.0.to": hops}
    if routing != "static":
        settings["routing.protocol"] = routing
    if rts:
        settings["mac.rts_threshold"] = f"{rts}B"
    return settings


def our_string(hops: int, tcp: str, seed: int, *, routing: str = "static", rts: int = 0) -> Job:
    """Return a run of the same string as ``ns2_string`` in tworay."""
    return tworay("string", seed, tcp=tcp, settings=string_settings(hops, routing, rts))


def sample(results: Results, jobs: Sequence[Job], number: Callable[[Result], float]) -> Sample:
    """Collect a number from the result of every job."""
    return Sample(number(results[job]) for job in jobs)


class Strings:
    """Chapter: strings over one routing protocol."""

    def __init__(self, plan: Plan, routing: str) -> None:
        self._plan = plan
        self._routing = routing
        self._judged = plan.static_hops if routing == "static" else plan.aodv_hops
        self._hops = self._judged if routing == "static" else self._judged + plan.reported_aodv_hops

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for tcp in VARIANTS:
            for hops in self._hops:
                theirs, ours = self._pair(hops, tcp)
                yield from theirs
                yield from ours

    def _pair(self, hops: int, tcp: str) -> tuple[list[Job], list[Job]]:
        seeds = self._plan.seed_range(self._plan.string_seeds)
        theirs = [ns2_string(hops, tcp, seed, routing=self._routing) for seed in seeds]
        ours = [our_string(hops, tcp, seed, routing=self._routing) for seed in seeds]
        return theirs, ours

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        static = self._routing == "static"
        if static:
            section = Section(
                "Strings over fixed routes, against ns-2",
                "goodput within 3 % (Reno 5 %), retransmissions and timeouts within 15 % or one "
                "standard deviation",
            )
            section.text(
                "MAC and TCP alone: the most precise comparison. Goodput is the segments of 1460 bytes "
                "acknowledged in "
                "119 s; every number is the mean ± standard deviation over "
                f"{self._plan.string_seeds} seeds of each simulator. ns-2's fixed routes are those of DSDV "
                "after it has converged; it then sends no more."
            )
        else:
            section = Section("Strings over AODV, against ns-2", "goodput within 8 % for 1 to 6 hops")
            section.text(
                "As above, over AODV with ns-2's constants. Beyond 6 hops ns-2 itself varies widely and "
                "stalls; these "
                "rows are shown, not judged."
            )
        theirs, ours = self._pair(self._hops[0], VARIANTS[0])
        section.commands(theirs[0].line, ours[0].line)
        for tcp in VARIANTS:
            section.text(f"### {tcp}")
            section.table(
                [
                    "hops",
                    "ns-2",
                    "tworay",
                    "Δ",
                    "retransmitted: ns-2",
                    "tworay",
                    "timeouts: ns-2",
                    "tworay",
                    "",
                ],
                [self._row(section, results, hops, tcp) for hops in self._hops],
            )
        return section

    def _row(self, section: Section, results: Results, hops: int, tcp: str) -> list[str]:
        theirs, ours = self._pair(hops, tcp)
        numbers = (acked, retransmitted, timeouts)
        (their_acked, their_again, their_timeouts) = (sample(results, theirs, number) for number in numbers)
        (our_acked, our_again, our_timeouts) = (sample(results, ours, number) for number in numbers)
        cell = "not judged"
        if hops in self._judged:
            judging = self._plan.judging
            share = GOODPUT_SHARE[tcp] if self._routing == "static" else AODV_SHARE
            verdicts = {"goodput": within(our_acked, their_acked, share, judging)}
            if self._routing == "static":
                verdicts["retransmissions"] = within_share_or_spread(
                    our_again, their_again, COUNT_SHARE, judging
                )
                verdicts["timeouts"] = within_share_or_spread(
                    our_timeouts, their_timeouts, COUNT_SHARE, judging
                )
            cell = section.judge(f"{tcp}, {hops} hops", verdicts)
        return [
            str(hops),
            their_acked.show(),
            our_acked.show(),
            percent(deviation(our_acked, their_acked)),
            their_again.show(),
            our_again.show(),
            their_timeouts.show(1),
            our_timeouts.show(1),
            cell,
        ]
