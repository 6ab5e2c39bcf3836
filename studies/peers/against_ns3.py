"""Built-in strings compared with ns-3, and the position of the standard dialect between ns-2 and ns-3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.peers.simulators import NS3_BY_THE_STANDARD, Value, acked, builtin, ns2_string, ns3
from studies.peers.strings import our_string, sample
from studies.peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.jobs import Job, Results
    from studies.peers.plan import Plan

SHARE = 0.10
CASES = {
    "Fixed routes, RTS/CTS": ("static", 0),
    "Fixed routes, no RTS/CTS": ("static", 3000),
    "AODV, RTS/CTS": ("aodv", 0),
    "AODV, no RTS/CTS": ("aodv", 3000),
}
FIRST = next(iter(CASES))

ENDLESS: dict[str, Value] = {"mac.short_retry_limit": 255}
"""Makes tworay repeat RTSs as persistently as ns-3.37, which never gives up."""
CAPTURE: dict[str, Value] = {"radio.reception": "capture"}


def string_weight(hops: int) -> float:
    """Estimate the CPU time of a string in ns-3, seconds."""
    return 2.0 + hops / 2


class AgainstNs3:
    """Chapter: built-in strings, compared with ns-3 with standard rules and with unmodified ns-3."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for hops in self._plan.ns3_hops:
            for case, (_, rts) in CASES.items():
                yield from self._theirs(hops, case)
                yield from self._ours(hops, case)
                yield from self._ours(hops, case, tcp=None)
                if rts == 0:
                    yield from self._unmodified(hops, case)
                    yield from self._ours(hops, case, ENDLESS)
            for group in self._between(hops).values():
                yield from group

    def _theirs(self, hops: int, case: str) -> list[Job]:
        """Run ns-3 with standard rules, such as the limit of RTS attempts."""
        return self._ns3(hops, case, NS3_BY_THE_STANDARD[CASES[case][0]])

    def _unmodified(self, hops: int, case: str) -> list[Job]:
        return self._ns3(hops, case, {})

    def _ns3(self, hops: int, case: str, extra: dict[str, Value]) -> list[Job]:
        routing, rts = CASES[case]
        seeds = self._plan.seed_range(self._plan.ns3_seeds)
        weight = string_weight(hops)
        return [
            ns3(string=hops, routing=routing, rts=rts, seed=seed, weight=weight, **extra) for seed in seeds
        ]

    def _ours(
        self, hops: int, case: str, extra: dict[str, Value] | None = None, tcp: str | None = "sack"
    ) -> list[Job]:
        routing, rts = CASES[case]
        settings: dict[str, Value] = {} if routing == "aodv" else {"routing.protocol": routing}
        settings |= {"mac.rts_threshold": f"{rts}B"} if rts else {}
        settings |= extra or {}
        name = f"string-{hops}"
        return [builtin(name, seed, tcp=tcp, settings=settings) for seed in self._plan.seed_range()]

    def _between(self, hops: int) -> dict[str, list[Job]]:
        """Return the configurations from ns-2 to ns-3, by name."""
        seeds = self._plan.seed_range()
        return {
            "ns-2": [ns2_string(hops, "sack", seed) for seed in seeds],
            "tworay as ns-2": [our_string(hops, "sack", seed) for seed in seeds],
            "standard, capture": self._ours(hops, FIRST, CAPTURE),
            "tworay by default": self._ours(hops, FIRST),
            "ns-3, standard rules": self._theirs(hops, FIRST),
            "ns-3 unmodified": self._unmodified(hops, FIRST),
        }

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section("Built-in strings against ns-3", "goodput within 10 %")
        section.text(
            "`string-1` to `string-8` without changes, and with selective acknowledgments "
            "(`--tcp sack`), which ns-3's NewReno always uses. Goodput in segments of 119 s: mean ± "
            f"standard deviation; {self._plan.ns3_seeds} seeds of ns-3, {self._plan.seeds} of tworay.",
            "ns-3.37 never gives up a packet because of unanswered RTSs if every frame is longer than the "
            "RTS threshold: `WifiRemoteStationManager::NeedRetransmission` then checks only the count of "
            "unacknowledged DATA. The driver's station manager counts RTSs instead (`--rtslimit=7`). "
            "ns-3's AODV sends HELLOs, which are off in tworay by default (`--hello=0`). It does not "
            "increment the destination's sequence number when a link breaks (RFC 3561 §6.11), so the node "
            "before the break answers the next request with the route that has just failed; with "
            "`--destonly=1` only the destination answers, as the RFC requires. `--reverse`, `--countup`, "
            "`--ownlinks` and `--syntimeout` matter for moving nodes and are explained there. Together "
            "they are *ns-3 with standard rules*, with which tworay's defaults are compared.",
            "Unmodified ns-3 is shown as well, with the change of its goodput. It is compared "
            "with tworay at the same persistence (`mac.short_retry_limit=255`).",
        )
        section.commands(
            self._theirs(4, FIRST)[0].line,
            self._ours(4, FIRST)[0].line,
            self._unmodified(4, FIRST)[0].line,
            self._ours(4, FIRST, ENDLESS)[0].line,
        )
        for case, (_, rts) in CASES.items():
            section.text(f"### {case}")
            header = ["hops", "ns-3, standard rules", "tworay", "Δ", "with SACK", "Δ", ""]
            if rts == 0:
                header += ["ns-3 unmodified", "change", "tworay, same persistence", "Δ", ""]
            section.table(header, [self._row(section, results, hops, case) for hops in self._plan.ns3_hops])
        section.text(
            "### Between ns-2 and ns-3",
            "SACK over fixed routes with RTS/CTS. The last column is the position of the default between "
            "ns-2 (0 %) and ns-3 with standard rules (100 %), if these two differ by more than 2 %.",
        )
        names = list(self._between(self._plan.ns3_hops[0]))
        section.table(
            ["hops", *names, "position"],
            [self._steps(results, hops) for hops in self._plan.ns3_hops],
        )
        return section

    def _row(self, section: Section, results: Results, hops: int, case: str) -> list[str]:
        theirs = sample(results, self._theirs(hops, case), acked)
        ours = sample(results, self._ours(hops, case), acked)
        plain = sample(results, self._ours(hops, case, tcp=None), acked)
        judging = self._plan.judging
        verdicts = {
            "NewReno": within(plain, theirs, SHARE, judging),
            "SACK": within(ours, theirs, SHARE, judging),
        }
        row = [str(hops), theirs.show()]
        for each in (plain, ours):
            row += [each.show(), percent(deviation(each, theirs))]
        row.append(section.judge(f"{case}, {hops} hops", verdicts))
        if CASES[case][1] > 0:
            return row
        endless = sample(results, self._unmodified(hops, case), acked)
        alike = sample(results, self._ours(hops, case, ENDLESS), acked)
        where = f"{case}, {hops} hops, unlimited RTS"
        cell = section.judge(where, {"goodput": within(alike, endless, SHARE, judging)})
        row += [endless.show(), percent(deviation(endless, theirs))]
        return [*row, alike.show(), percent(deviation(alike, endless)), cell]

    def _steps(self, results: Results, hops: int) -> list[str]:
        samples = {name: sample(results, jobs, acked) for name, jobs in self._between(hops).items()}
        position = _position(samples["ns-2"], samples["tworay by default"], samples["ns-3, standard rules"])
        return [str(hops), *(each.show() for each in samples.values()), position]


def _position(low: Sample, here: Sample, high: Sample) -> str:
    if not low.mean or abs(high.mean / low.mean - 1) <= 0.02:
        return "–"
    return f"{(here.mean - low.mean) / (high.mean - low.mean):.0%}"
