"""Table 3.7 of Papanastasiou's thesis (2006), four variants on a string: part of make thesis-checks.

Writes docs/studies/thesis-variants.md. Nothing fails if a claim doesn't hold: the page says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
    figure_of,
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
SCENARIO = "string-5"
VARIANTS = ("reno", "newreno", "sack", "vegas")
# Time waiting for the retransmission timer in s, expiries, segments (table 3.7).
THESIS = {
    "reno": (29.85, 25, 2253),
    "newreno": (11.33, 9, 2484),
    "sack": (18.4, 19, 2431),
    "vegas": (10.3, 7, 3290),
}
# A transfer of 140 s; TCP as in tables 3.6 and A.4: no limited transmit, bursts of at most three, least
# timeout 0.2 s, timers of 10 ms, no delayed ACKs.
SETTINGS = {
    "duration": "141s",
    "tcp.limited_transmit": "false",
    "tcp.max_burst": "3",
    "tcp.tick": "10ms",
    "tcp.rto.min": "200ms",
    "tcp.rto.max": "60s",
    "tcp.mss": "1460B",
}


@dataclass(frozen=True)
class World:
    """Routing and radio."""

    title: str
    settings: dict[str, str]


FLAT = {"radio.propagation": "range", "radio.range": "250m"}


def aodv(preset: str) -> dict[str, str]:
    """Return AODV with a preset."""
    return {"routing.protocol": "aodv", "routing.aodv.preset": preset}


TRACE = World("§3.2: HELLOs, flat radio", aodv("thesis-trace") | FLAT)
APPENDIX = World("table A.1: link-layer feedback, local repair", aodv("thesis"))
# What AODV-UU's program does on a lost link without local repair.
DROPPING = World(
    "link-layer feedback, no repair, packets lost with the link",
    aodv("thesis") | {"routing.aodv.local_repair": "off", "routing.aodv.stranded": "drop"},
)
AS_NS2 = World("AODV as in ns-2", aodv("ns2"))
JUDGED = (TRACE, APPENDIX, DROPPING, AS_NS2)
WORLDS = (
    TRACE,
    World("§3.2's AODV, two-ray radio", aodv("thesis-trace")),
    APPENDIX,
    World("table A.1, flat radio", aodv("thesis") | FLAT),
    World("table A.1 without local repair", aodv("thesis") | {"routing.aodv.local_repair": "off"}),
    DROPPING,
    AS_NS2,
    World("fixed routes", {"routing.protocol": "static"}),
)


@dataclass(frozen=True)
class Task:
    """One run."""

    dialect: Dialect
    world: World
    tcp: str
    seed: int


def one(task: Task) -> Document:
    """Return what of a run is on the page."""
    settings = {**SETTINGS, **task.dialect.settings, **task.world.settings}
    run = tworay.run(SCENARIO, tcp=task.tcp, seed=task.seed, set=settings, series=False)
    flow = run.summary["flows"][0]
    return {
        "idle": flow["rto_idle_seconds"],
        "timeouts": flow["timeouts"],
        "segments": flow["acked_segments"],
        "breaks": run.summary["routing"]["false_link_failures"],
    }


def idle(document: Document) -> float:
    """Seconds waiting for the retransmission timer."""
    return float(document["idle"])


def timeouts(document: Document) -> float:
    """Expiries of the retransmission timer."""
    return float(document["timeouts"])


def segments(document: Document) -> float:
    """Acknowledged segments."""
    return float(document["segments"])


def breaks(document: Document) -> float:
    """Links held to be broken that stood."""
    return float(document["breaks"])


FIGURES = ((idle, ".1f"), (timeouts, ".1f"), (segments, ".0f"), (breaks, ".0f"))
Results = dict[tuple[str, str, str], list[Document]]
Judge = Callable[[Dialect], tuple[Verdict, str]]
Figure = Callable[[Document], float]


def with_interval(documents: list[Document], figure: tuple[Figure, str]) -> str:
    """Write a mean with its 95 % interval."""
    of, form = figure
    value, half = figure_of(documents, of)
    return f"{value:{form}} ± {half:{form}}"


def world_table(results: Results, dialect: Dialect, world: World) -> list[str]:
    """Write table 3.7 for one world, the thesis' beside it."""
    rows = []
    for tcp in VARIANTS:
        found = results[dialect.name, world.title, tcp]
        reno = results[dialect.name, world.title, "reno"]
        gain = "" if tcp == "reno" else str(paired(found, reno, segments))
        its = THESIS[tcp]
        thesis_gain = "" if tcp == "reno" else f"{100 * (its[2] / THESIS['reno'][2] - 1):+.0f} %"
        rows.append([tcp, *(with_interval(found, f) for f in FIGURES), gain])
        rows.append(["*thesis*", f"{its[0]:g}", str(its[1]), str(its[2]), "", thesis_gain])
    return table(["", "waiting, s", "timeouts", "segments", "false link failures", "over Reno"], rows)


def heights(results: Results) -> list[str]:
    """Write Reno's and NewReno's segments in every world and dialect."""
    rows = [["*thesis*", *(str(THESIS[tcp][2]) for tcp in VARIANTS)]]
    for dialect in DIALECTS:
        for world in WORLDS:
            cells = [
                with_interval(results[dialect.name, world.title, tcp], (segments, ".0f")) for tcp in VARIANTS
            ]
            rows.append([f"{world.title}, {dialect.name}", *cells])
    return table(["segments", *VARIANTS], rows)


def order(results: Results, dialect: Dialect, world: World) -> tuple[Verdict, str]:
    """Judge T3.57: idle time Vegas <= NewReno < SACK < Reno."""
    by = {tcp: mean([idle(d) for d in results[dialect.name, world.title, tcp]]) for tcp in VARIANTS}
    found = sorted(VARIANTS, key=lambda tcp: by[tcp])
    detail = " < ".join(f"{tcp} {by[tcp]:.1f} s" for tcp in found)
    if found == ["vegas", "newreno", "sack", "reno"]:
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if found[0] == "vegas" and found[-1] == "reno" else Verdict.FAILS), detail


def gain(results: Results, dialect: Dialect, world: World, tcp: str) -> tuple[Verdict, str]:
    """Judge T3.52: a gain over Reno; it holds if its interval reaches the thesis' figure."""
    key = (dialect.name, world.title)
    found = paired(results[*key, tcp], results[*key, "reno"], segments)
    thesis = 100 * (THESIS[tcp][2] / THESIS["reno"][2] - 1)
    if found.low <= thesis <= found.high:
        return Verdict.HOLDS, str(found)
    return (Verdict.IN_PART if found.better else Verdict.FAILS), str(found)


def height(results: Results, dialect: Dialect, world: World) -> tuple[Verdict, str]:
    """Judge the absolute figures: within 10 % of the thesis' for all four."""
    ratios = [
        mean([segments(d) for d in results[dialect.name, world.title, tcp]]) / THESIS[tcp][2]
        for tcp in VARIANTS
    ]
    near = sum(abs(ratio - 1) <= 0.1 for ratio in ratios)
    detail = f"{min(ratios):.2f} to {max(ratios):.2f} times the thesis'"
    if near == len(ratios):
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if near else Verdict.FAILS), detail


def claims(results: Results, world: World) -> list[Judged]:
    """Set the thesis' claims beside both dialects."""

    def gained(tcp: str) -> tuple[str, str, Judge]:
        thesis = 100 * (THESIS[tcp][2] / THESIS["reno"][2] - 1)
        return "T3.52", f"{tcp} over Reno: {thesis:+.0f} %", lambda d: gain(results, d, world, tcp)

    found: list[tuple[str, str, Judge]] = [
        ("T3.57", "time waiting: Vegas ≤ NewReno < SACK < Reno", lambda d: order(results, d, world)),
        *(gained(tcp) for tcp in VARIANTS[1:]),
        ("T3.52", "segments within 10 % of the thesis'", lambda d: height(results, d, world)),
    ]
    lines = []
    for source, claim, judge in found:
        (verdict, detail), (other, other_detail) = judge(NS2), judge(STANDARD)
        lines.append(Judged(source, claim, verdict, other, detail, other_detail))
    return lines


def main() -> int:
    """Run everything and write the page."""
    seeds = seeds_asked(__doc__, 20)
    tasks = [
        Task(dialect, world, tcp, seed)
        for dialect in DIALECTS
        for world in WORLDS
        for tcp in VARIANTS
        for seed in seeds
    ]
    results: Results = {}
    for task, found in zip(tasks, on_all_cores(one, tasks, "table 3.7"), strict=True):
        results.setdefault((task.dialect.name, task.world.title, task.tcp), []).append(found)
    page = [
        "# Four variants on a string of 5 hops: table 3.7 of the thesis",
        "",
        made(COMMAND, seeds),
        "",
        *prose(
            "How long do Reno, NewReno, SACK and Vegas wait for their timers on a string, and what do "
            "they carry? "
            "Papanastasiou (2006, p. 67 to 70) shows one run of 140 s over AODV. Which AODV is not "
            "certain: §3.6 says "
            '"the rest of the simulation parameters are as in Section 3.2", where breaks are found by '
            "HELLOs, nothing "
            "is repaired locally and the radio is flat; its appendix (table A.1), which the other runs "
            "use, has "
            "link-layer feedback and local repair. Both were run, and what lies between them. The thesis "
            "used ns-2: "
            'its claims are judged with `compat = "ns2"`, and again with the standards\' MAC, radio and TCP.'
        ),
        *prose(
            "Limited transmit is off, bursts are of three segments at most, the least timeout is 0.2 s, "
            "segments are "
            "1460 B (tables 3.6 and A.4). Means over the seeds ± 95 % intervals."
        ),
        "## The thesis' claims",
        "",
    ]
    for world in JUDGED:
        page += [f"### {world.title}", "", *survival(claims(results, world))]
    page += ["## What the height depends on", "", *heights(results), *notes("thesis-variants")]
    for dialect in DIALECTS:
        for world in JUDGED:
            page += [f"## {world.title}, {dialect.name}", "", *world_table(results, dialect, world)]
    write("thesis-variants", page)
    return 0


if __name__ == "__main__":
    end(main)
