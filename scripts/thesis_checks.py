"""Figure 4.2 and table 5.1 of Papanastasiou's thesis (2006) on this simulator: make thesis-checks.

Writes docs/thesis-growth.md and docs/thesis-daa.md, and ends with 1 if a claim doesn't hold. The growth is
run over the routing protocols given as arguments, AODV if there are none.
"""

from __future__ import annotations

import datetime
import statistics
import sys
from pathlib import Path

import tworay

DOCS = Path(__file__).parents[1] / "docs"
COMMAND = "make thesis-checks"

HOPS = range(4, 16)
GROWTH_SEEDS = range(1, 4)
GROWTH = ("reno", "reno+sca(4)", "newreno", "newreno+sca(4)")

GRAINS = (0, 10, 50, 200, 500)
DAA_SEEDS = range(1, 6)
# Table 5.1: segments in 120 s by hops and granularity.
THESIS = {
    3: (6237, 6299, 6311, 6305, 6293),
    4: (4370, 4388, 4295, 3900, 3504),
    5: (3777, 3727, 3621, 3517, 3011),
    6: (3257, 3320, 3231, 3043, 2618),
    7: (3129, 3064, 2997, 2851, 2450),
    8: (2910, 2873, 2797, 2686, 2320),
    9: (2800, 2747, 2679, 2516, 2156),
    10: (2652, 2624, 2542, 2429, 1962),
    11: (2465, 2474, 2517, 2459, 1963),
}


def segments(hops: int, tcp: str, seed: int, **settings: str) -> float:
    """Return the acknowledged segments of one run with ns-2's habits."""
    world = {"compat": '"ns2"'} | {key.replace("__", "."): f'"{value}"' for key, value in settings.items()}
    run = tworay.run(f"string-{hops}", tcp=tcp, seed=seed, set=world, series=False)
    return float(run.summary["flows"][0]["acked_segments"])


def mean(hops: int, tcp: str, seeds: range, **settings: str) -> float:
    """Return the mean over the seeds."""
    return statistics.mean(segments(hops, tcp, seed, **settings) for seed in seeds)


def change(value: float, base: float) -> str:
    """Write a difference in percent of the base."""
    return f"{100 * (value / base - 1):+.0f} %"


def made(seeds: range) -> str:
    """Say how and when."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return (
        f"Made by `{COMMAND}` on {today} with tworay {tworay.__version__}; seeds {seeds[0]} to {seeds[-1]}."
    )


def growth(protocol: str) -> tuple[list[str], bool]:
    """Compare SCA(4) with Reno and NewReno on strings."""
    lines = [
        f"## Over {protocol.upper()}",
        "",
        "| hops | reno | reno+sca(4) | gain | newreno | newreno+sca(4) | gain |",
        "|---|---|---|---|---|---|---|",
    ]
    gains = []
    for hops in HOPS:
        reno, reno_sca, new, new_sca = (
            mean(hops, tcp, GROWTH_SEEDS, routing__protocol=protocol, duration="900s") for tcp in GROWTH
        )
        gains += [reno_sca / reno - 1, new_sca / new - 1]
        lines.append(
            f"| {hops} | {reno:.0f} | {reno_sca:.0f} | {change(reno_sca, reno)} "
            f"| {new:.0f} | {new_sca:.0f} | {change(new_sca, new)} |"
        )
    holds = min(gains) > 0
    verdict = "holds on every string" if holds else "does not hold on every string"
    lines += [
        "",
        f"SCA(4) beats both: {verdict}. Gains {100 * min(gains):+.0f} to {100 * max(gains):+.0f} %; "
        "the thesis, over DSR: +33 to +71 % for Reno, +32 to +71 % for NewReno.",
        "",
    ]
    return lines, holds


def daa() -> tuple[list[str], bool]:
    """Compare the timer granularities under DAA."""
    head = " | ".join(f"{grain} ms" for grain in GRAINS)
    lines = [f"| hops | whose | {head} |", "|---|---|" + "---|" * len(GRAINS)]
    holds = True
    for hops, thesis in THESIS.items():
        ours = [
            mean(hops, "newreno+daa", DAA_SEEDS, routing__protocol="aodv", tcp__heartbeat=f"{grain}ms")
            for grain in GRAINS
        ]
        for whose, row in (("tworay", ours), ("thesis", thesis)):
            cells = [f"{row[0]:.0f}"] + [f"{x:.0f} ({change(x, row[0])})" for x in row[1:]]
            lines.append(f"| {hops} | {whose} | {' | '.join(cells)} |")
        holds &= ours[3] < 0.95 * ours[0] and ours[4] < 0.9 * ours[0] and ours[1] > 0.95 * ours[0]
    return lines, holds


def main() -> int:
    """Run both and write the pages."""
    protocols = sys.argv[1:] or ["aodv"]
    parts, verdicts = [], {}
    for protocol in protocols:
        lines, verdicts[protocol] = growth(protocol)
        parts += lines
    notes = DOCS / "thesis-growth-notes.md"
    page = [
        "# SCA(4) on strings: figure 4.2 of the thesis",
        "",
        f'{made(GROWTH_SEEDS)} Strings of 4 to 15 hops (`string-N`), 900 s, `compat = "ns2"`: acknowledged',
        "segments, means over the seeds. The thesis gives its figure as a plot and these ranges only.",
        "",
        *parts,
    ]
    if notes.is_file():
        page.append(notes.read_text().rstrip())
    (DOCS / "thesis-growth.md").write_text("\n".join(page).rstrip() + "\n")
    table, daa_holds = daa()
    verdict = (
        "holds: little at 10 and 50 ms, a clear loss at 200 and 500 ms" if daa_holds else "does not hold"
    )
    page = [
        "# Dynamic Adaptive ACK and timer granularity: table 5.1 of the thesis",
        "",
        made(DAA_SEEDS),
        'Strings, 120 s, AODV, `--tcp newreno+daa`, `compat = "ns2"`, `tcp.heartbeat` for the retransmission',
        "and ACK timers alike: acknowledged segments, means over the seeds. Changes are in percent of the",
        "exact timer (the thesis prints some in percent of the degraded value).",
        "",
        *table,
        "",
        f"The direction {verdict}.",
        "At 3 hops the thesis shows no loss and here there is one; the cause is open.",
        "",
        "The thesis' counts are about 1.4 times ours at every length. At 3 hops a single data frame fits in",
        "the air at a time: 6237 segments over 3 hops in 120 s leave 6.4 ms per hop, and a data frame of",
        "1460 B at 2 Mb/s with long preamble takes 6.3 ms alone, without RTS, CTS, ACK and backoff. So its",
        "radio or its segments differ from the stated ones: the relative losses can be compared, not the",
        "counts.",
    ]
    (DOCS / "thesis-daa.md").write_text("\n".join(page) + "\n")
    print(f"SCA(4) beats Reno and NewReno: {verdicts}; DAA: {daa_holds}")
    return 0 if all(verdicts.values()) and daa_holds else 1


if __name__ == "__main__":
    sys.exit(main())
