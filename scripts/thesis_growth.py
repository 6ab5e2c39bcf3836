"""Figure 4.2 of Papanastasiou's thesis (2006), SCA(4) on strings: part of make thesis-checks.

Writes docs/studies/thesis-growth.md. Nothing fails if a claim doesn't hold: the page says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import tworay
from papers import (
    DIALECTS,
    NS2,
    STANDARD,
    Dialect,
    Document,
    Judged,
    Paired,
    Verdict,
    end,
    first,
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

COMMAND = "make thesis-checks"

HOPS = range(4, 16)
STANDARD_SEEDS = 3
BASES = {"reno": "Reno", "newreno": "NewReno"}
VARIANTS = [name for base in BASES for name in (base, f"{base}+sca(4)")]
# The gains of figure 4.2 as the text gives them (p. 83), percent.
THESIS = {"reno": (33, 71), "newreno": (32, 71)}
CLAIMS = {"reno": "T4.04", "newreno": "T4.05"}

# 900 s from the start of the transfer at 1 s; limited transmit is off (table A.4).
SETTINGS = {"duration": "901s", "tcp.limited_transmit": "false"}


@dataclass(frozen=True)
class Routing:
    """A routing protocol with its parameters."""

    title: str
    settings: dict[str, str]


# The thesis ran DSR-UU, whose parameters are the preset "thesis"; ns-2's own DSR is another program.
THESIS_DSR = {"routing.protocol": "dsr", "routing.dsr.preset": "thesis"}
ROUTINGS = (
    Routing("DSR with the thesis' parameters (table A.2)", THESIS_DSR),
    Routing(
        "the same, packets without another route lost (DSR-UU's program)",
        THESIS_DSR | {"routing.dsr.keep_own": "false"},
    ),
    Routing("DSR as in ns-2", {"routing.protocol": "dsr", "routing.dsr.preset": "ns2"}),
    Routing("AODV as in ns-2", {"routing.protocol": "aodv", "routing.aodv.preset": "ns2"}),
)


@dataclass(frozen=True)
class Task:
    """One run."""

    dialect: Dialect
    routing: Routing
    hops: int
    tcp: str
    seed: int


def one(task: Task) -> Document:
    """Return what of a run is on the page."""
    settings = {**SETTINGS, **task.dialect.settings, **task.routing.settings}
    run = tworay.run(f"string-{task.hops}", tcp=task.tcp, seed=task.seed, set=settings, series=False)
    return {"segments": run.summary["flows"][0]["acked_segments"]}


def segments(document: Document) -> float:
    """Acknowledged segments."""
    return float(document["segments"])


Results = dict[tuple[str, str, int, str], list[Document]]


def gains(results: Results, dialect: Dialect, routing: Routing, base: str) -> list[Paired]:
    """Return SCA(4)'s gain over a base on every string."""
    keys = [(dialect.name, routing.title, hops) for hops in HOPS]
    return [paired(results[*key, f"{base}+sca(4)"], results[*key, base], segments) for key in keys]


def more(found: list[Paired]) -> tuple[Verdict, str]:
    """Judge whether SCA(4) carries more on every string, beyond the intervals."""
    low, high = min(g.difference for g in found), max(g.difference for g in found)
    better = sum(g.better for g in found)
    detail = f"{low:+.0f} to {high:+.0f} %, beyond the intervals on {better} of {len(found)}"
    if better == len(found):
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if better else Verdict.FAILS), detail


def as_much(found: list[Paired], band: tuple[int, int]) -> tuple[Verdict, str]:
    """Judge whether the gains lie in the thesis' band: their intervals reach into it."""
    within = sum(g.high >= band[0] and g.low <= band[1] for g in found)
    detail = f"{within} of {len(found)} strings"
    if within == len(found):
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if within else Verdict.FAILS), detail


def judged(results: Results, routing: Routing) -> list[Judged]:
    """Set the thesis' claims beside both dialects."""
    lines = []
    for base, name in BASES.items():
        ns2, standard = (gains(results, dialect, routing, base) for dialect in (NS2, STANDARD))
        band = THESIS[base]
        for claim, judge in (
            (f"SCA(4) carries more than {name} on every string", more),
            (f"by {band[0]:+} to {band[1]:+} %", lambda found, band=band: as_much(found, band)),
        ):
            (verdict, detail), (other, other_detail) = judge(ns2), judge(standard)
            lines.append(Judged(CLAIMS[base], claim, verdict, other, detail, other_detail))
    return lines


def strings(results: Results, dialect: Dialect, routing: Routing) -> list[str]:
    """Write the segments and gains on every string."""
    rows = []
    for i, hops in enumerate(HOPS):
        row = [str(hops)]
        for base in BASES:
            key = (dialect.name, routing.title, hops)
            both = (results[*key, tcp] for tcp in (base, f"{base}+sca(4)"))
            row += [f"{mean([segments(d) for d in found]):.0f}" for found in both]
            row.append(str(gains(results, dialect, routing, base)[i]))
        rows.append(row)
    return table(["hops", *(h for base in BASES for h in (base, f"{base}+sca(4)", "gain"))], rows)


def main() -> int:
    """Run everything and write the page."""
    seeds = seeds_asked(__doc__, 5)
    of = {NS2.name: seeds, STANDARD.name: first(seeds, STANDARD_SEEDS)}
    tasks = [
        Task(dialect, routing, hops, tcp, seed)
        for dialect in DIALECTS
        for routing in ROUTINGS
        for hops in HOPS
        for tcp in VARIANTS
        for seed in of[dialect.name]
    ]
    results: Results = {}
    for task, found in zip(tasks, on_all_cores(one, tasks, "growth"), strict=True):
        key = (task.dialect.name, task.routing.title, task.hops, task.tcp)
        results.setdefault(key, []).append(found)
    page = [
        "# SCA(4) on strings: figure 4.2 of the thesis",
        "",
        made(COMMAND, seeds),
        "",
        *prose(
            "Does slower growth in congestion avoidance carry more on a string? Papanastasiou (2006, p. "
            "83) finds "
            "+33 to +71 % for Reno and +32 to +71 % for NewReno, over DSR, on every string of 4 to 15 "
            "hops; the "
            "figure is a plot, of which the text gives these ranges only. Here: `string-N`, transfers of "
            "900 s, "
            "limited transmit off (table A.4), acknowledged segments, means over the seeds; gains in "
            "percent with "
            "their 95 % intervals, paired by seed. The thesis used ns-2, so its claims are judged with "
            '`compat = "ns2"` '
            f"({len(seeds)} seeds), and again with the standards' MAC, radio and TCP "
            f"({len(of[STANDARD.name])} seeds)."
        ),
    ]
    for routing in ROUTINGS:
        page += [f"## Claims over {routing.title}", "", *survival(judged(results, routing))]
    page += notes("thesis-growth")
    for routing in ROUTINGS:
        for dialect in DIALECTS:
            page += [f"## {routing.title[0].upper()}{routing.title[1:]}, {dialect.name}", ""]
            page += strings(results, dialect, routing)
    write("thesis-growth", page)
    return 0


if __name__ == "__main__":
    end(main)
