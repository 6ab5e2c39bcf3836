"""The route break of Papanastasiou's thesis (2006, §3.2 to §3.4): part of make thesis-checks.

Writes docs/studies/route-break.md. Nothing fails if a claim doesn't hold: the page says so.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

import tworay
from papers import (
    DIALECTS,
    NS2,
    STANDARD,
    Dialect,
    Document,
    Judged,
    Verdict,
    end,
    made,
    mean,
    notes,
    on_all_cores,
    paired,
    prose,
    seeds_asked,
    survival,
    table,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = "make thesis-checks"
SCENARIO = "route-break"
# When D and E lose each other; what was in flight then has arrived half a second later.
BREAK = 35.0
DRAINED = 35.5
# A run that is never restored counts as restored at its end.
END = 100.0
# The retransmission timer has expired where the timeout doubles.
DOUBLED = 1.9


@dataclass(frozen=True)
class Protocol:
    """A routing protocol in one of the thesis' settings."""

    title: str
    thesis: str
    settings: dict[str, str]


DSR = Protocol("DSR", "about 37 s, one backoff", {"routing.protocol": "dsr"})
AODV = Protocol("AODV, HELLOs every second", "about 39 s", {"routing.protocol": "aodv"})
OLSR = Protocol("OLSR, TC every 5 s", "about 55 s", {"routing.protocol": "olsr"})
OLSR_3S = Protocol("OLSR, TC every 3 s", "sooner", OLSR.settings | {"routing.olsr.tc_interval": "3s"})
OLSR_AT_ONCE = Protocol(
    "OLSR, TC at once on change", "sooner", OLSR.settings | {"routing.olsr.immediate_tc": "true"}
)
OLSR_BOTH = Protocol("OLSR, both", "–", OLSR_3S.settings | OLSR_AT_ONCE.settings)
PROTOCOLS = (DSR, AODV, OLSR, OLSR_3S, OLSR_AT_ONCE, OLSR_BOTH)


@dataclass(frozen=True)
class Task:
    """One run."""

    dialect: Dialect
    protocol: Protocol
    seed: int


def steps(times: list[float], values: list[float], least: float) -> list[float]:
    """Return when a value grew to more than so many times what it was."""
    return [times[i] for i in range(1, len(times)) if values[i] > least * values[i - 1]]


def one(task: Task) -> Document:
    """Return what of a run is on the page."""
    settings = {**task.dialect.settings, **task.protocol.settings}
    run = tworay.run(SCENARIO, seed=task.seed, set=settings)
    times, window, timeout = (run.series[name].to_list() for name in ("t_s", "cwnd_segments", "rto_s"))
    # The window grows with every new acknowledgment.
    restored = next((t for t in steps(times, window, 1.0) if t > DRAINED), END)
    expiries = [t for t in steps(times, timeout, DOUBLED) if BREAK < t < restored]
    flow = run.summary["flows"][0]
    return {
        "restored": restored,
        "expiries": len(expiries),
        "idle": flow["rto_idle_seconds"],
        "segments": flow["acked_segments"],
    }


def restored(document: Document) -> float:
    """Time of the first new acknowledgment after the break, s."""
    return float(document["restored"])


def idle(document: Document) -> float:
    """Seconds waiting for the retransmission timer in the whole run."""
    return float(document["idle"])


def segments(document: Document) -> float:
    """Acknowledged segments."""
    return float(document["segments"])


Results = dict[tuple[str, str], list[Document]]


def of(results: Results, dialect: Dialect, protocol: Protocol) -> list[Document]:
    """Return the runs of a protocol in the order of the seeds."""
    return results[dialect.name, protocol.title]


def quartiles(documents: list[Document]) -> tuple[float, float, float]:
    """Return lower quartile, median and upper quartile of the restart."""
    low, middle, high = statistics.quantiles([restored(d) for d in documents], n=4, method="inclusive")
    return low, middle, high


def breaks(results: Results, dialect: Dialect) -> list[str]:
    """Write a dialect's table."""
    rows = []
    for protocol in PROTOCOLS:
        found = of(results, dialect, protocol)
        low, middle, high = quartiles(found)
        once = sum(d["expiries"] == 1 for d in found)
        rows.append(
            [
                protocol.title,
                protocol.thesis,
                f"{middle:.1f} s",
                f"{low:.1f} to {high:.1f} s",
                f"{middle - BREAK:.1f} s",
                f"{once} of {len(found)}",
                f"{mean([idle(d) for d in found]):.1f} s",
                f"{mean([segments(d) for d in found]):.0f}",
            ]
        )
    head = [
        "",
        "thesis: restored",
        "here: restored",
        "quartiles",
        "idle from 35 s",
        "one expiry before it",
        "time in RTO, whole run",
        "segments in 100 s",
    ]
    return table(head, rows)


def before(results: Results, dialect: Dialect, sooner: Protocol, later: Protocol) -> tuple[Verdict, str]:
    """Judge that one is restored before the other: quartiles apart, or at least the medians."""
    _, left, reach = quartiles(of(results, dialect, sooner))
    begin, right, _ = quartiles(of(results, dialect, later))
    detail = f"{left:.1f} and {right:.1f} s"
    if reach < begin:
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if left < right else Verdict.FAILS), detail


def about(
    results: Results, dialect: Dialect, protocol: Protocol, low: float, high: float
) -> tuple[Verdict, str]:
    """Judge when a protocol is restored: the median lies between two times, or a quarter of the runs do."""
    times = [restored(d) for d in of(results, dialect, protocol)]
    within = sum(low <= t <= high for t in times)
    middle = statistics.median(times)
    detail = f"median {middle:.1f} s, {within} of {len(times)} seeds from {low:g} to {high:g} s"
    if low <= middle <= high:
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if within >= len(times) / 4 else Verdict.FAILS), detail


def saves(results: Results, dialect: Dialect, protocol: Protocol) -> tuple[Verdict, str]:
    """Judge T3.16 and T3.17: less time in RTO and more segments than with TC every 5 s."""
    base = of(results, dialect, OLSR)
    waits = paired(of(results, dialect, protocol), base, idle)
    more = paired(of(results, dialect, protocol), base, segments)
    detail = f"time in RTO {waits}, segments {more}"
    if waits.worse and more.better:
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if waits.worse or more.better else Verdict.FAILS), detail


def claims(results: Results) -> list[Judged]:
    """Set the thesis' claims beside both dialects."""
    found: list[tuple[str, str, Callable[[Dialect], tuple[Verdict, str]]]] = [
        ("T3.02", "AODV: restored at about 39 s", lambda d: about(results, d, AODV, 37.5, 39.5)),
        ("T3.07", "DSR: restored at about 37 s", lambda d: about(results, d, DSR, 36.0, 38.0)),
        ("T3.08", "DSR is restored before AODV", lambda d: before(results, d, DSR, AODV)),
        ("T3.13", "OLSR: restored at about 55 s", lambda d: about(results, d, OLSR, 50.0, 58.0)),
        ("T3.18", "AODV is restored before OLSR", lambda d: before(results, d, AODV, OLSR)),
        (
            "T3.16",
            "TC every 3 s: less time in RTO, more segments",
            lambda d: saves(results, d, OLSR_3S),
        ),
        ("T3.17", "TC at once: the same", lambda d: saves(results, d, OLSR_AT_ONCE)),
    ]
    lines = []
    for source, claim, judge in found:
        (verdict, detail), (other, other_detail) = judge(NS2), judge(STANDARD)
        lines.append(Judged(source, claim, verdict, other, detail, other_detail))
    return lines


def main() -> int:
    """Run everything and write the page."""
    seeds = seeds_asked(__doc__, 41)
    tasks = [
        Task(dialect, protocol, seed) for dialect in DIALECTS for protocol in PROTOCOLS for seed in seeds
    ]
    results: Results = {}
    for task, found in zip(tasks, on_all_cores(one, tasks, "route break"), strict=True):
        results.setdefault((task.dialect.name, task.protocol.title), []).append(found)
    page = [
        "# The route break of the thesis",
        "",
        made(COMMAND, seeds),
        "",
        *prose(
            "How long is TCP idle when its path loses a link, over DSR, AODV and OLSR? Built in as "
            "`route-break`, "
            'after Papanastasiou (2006), "TCP in MANETs", §3.2 to §3.4. Five nodes A to E stand in a '
            "string, 200 m "
            "apart; F stands beside D and E and hears these two only. A sends to E over TCP Reno. From "
            "30 s on E "
            "walks away from D at 10 m/s; at 35 s D no longer reaches it, F still does. The radio is "
            "flat: full "
            "power up to 250 m, nothing beyond it, so nothing is sensed that can't be received. No routing "
            "protocol hears of lost frames from the MAC."
        ),
        "    tworay run route-break --set routing.protocol=olsr --set routing.olsr.tc_interval=3s",
        "",
        *prose(
            "The thesis shows one run for each protocol. Here: medians over the seeds, with the "
            "quartiles of the "
            'restart; "restored" is the first new acknowledgment after the break. The thesis used ns-2, '
            "so its "
            'claims are judged with `compat = "ns2"`, and again with the standards\' MAC and TCP.'
        ),
        "## The thesis' claims",
        "",
        *survival(claims(results)),
    ]
    for dialect in DIALECTS:
        page += [f"## The restart, {dialect.name}", "", *breaks(results, dialect)]
    write("route-break", page + notes("route-break"))
    return 0


if __name__ == "__main__":
    end(main)
