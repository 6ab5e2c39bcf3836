"""Figure 4.2 of Papanastasiou's thesis (2006) on this simulator: make thesis-checks.

Writes docs/thesis-growth.md, and ends with 1 if a claim doesn't hold. The growth is
run over the routings given as arguments (dsr, dsr-thesis, aodv), all of them if there are none; the claim is
judged over ns-2's.
"""

from __future__ import annotations

import json
import statistics
import sys
from typing import TYPE_CHECKING

import tworay
from papers import end, made, notes, on_all_cores, prose, write

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = "make thesis-checks"

HOPS = range(4, 16)
GROWTH_SEEDS = range(1, 4)
GROWTH = ("reno", "reno+sca(4)", "newreno", "newreno+sca(4)")

# The thesis used DSR-UU, whose parameters are the preset "thesis"; ns-2's own DSR is another program.
ROUTINGS = {
    "dsr": ("DSR as in ns-2", {"routing__protocol": "dsr"}),
    "dsr-thesis": (
        "DSR with the thesis' parameters (table A.2)",
        {"routing__protocol": "dsr", "routing__dsr__preset": "thesis"},
    ),
    "aodv": ("AODV as in ns-2", {"routing__protocol": "aodv"}),
}


def segments(hops: int, tcp: str, seed: int, **settings: str | int) -> float:
    """Return the acknowledged segments of one run with ns-2's habits."""
    world = {"compat": '"ns2"'} | {
        key.replace("__", "."): json.dumps(value) for key, value in settings.items()
    }
    run = tworay.run(f"string-{hops}", tcp=tcp, seed=seed, set=world, series=False)
    return float(run.summary["flows"][0]["acked_segments"])


def means(kinds: list[tuple[int, str, dict[str, str | int]]], seeds: range, what: str) -> Iterator[float]:
    """Yield the mean over the seeds for each (hops, variant, settings)."""
    tasks = [(*kind, seed) for kind in kinds for seed in seeds]
    found = on_all_cores(lambda t: segments(t[0], t[1], t[3], **t[2]), tasks, what)
    for begin in range(0, len(found), len(seeds)):
        yield statistics.mean(found[begin : begin + len(seeds)])


def change(value: float, base: float) -> str:
    """Write a difference in percent of the base."""
    return f"{100 * (value / base - 1):+.0f} %"


def growth(routing: str) -> tuple[list[str], bool]:
    """Compare SCA(4) with Reno and NewReno on strings."""
    title, settings = ROUTINGS[routing]
    lines = [
        f"## Over {title}",
        "",
        "| hops | reno | reno+sca(4) | gain | newreno | newreno+sca(4) | gain |",
        "|---|---|---|---|---|---|---|",
    ]
    gains = []
    world: dict[str, str | int] = {"duration": "900s", **settings}
    found = means([(hops, tcp, world) for hops in HOPS for tcp in GROWTH], GROWTH_SEEDS, f"growth, {routing}")
    for hops, reno, reno_sca, new, new_sca in zip(HOPS, found, found, found, found, strict=True):
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


def main() -> int:
    """Run it and write the page."""
    routings = sys.argv[1:] or list(ROUTINGS)
    if unknown := [name for name in routings if name not in ROUTINGS]:
        print(f"no such routing: {', '.join(unknown)}; there are {', '.join(ROUTINGS)}", file=sys.stderr)
        return 2
    parts, verdicts = [], {}
    for routing in routings:
        lines, verdicts[routing] = growth(routing)
        parts += lines
    page = [
        "# SCA(4) on strings: figure 4.2 of the thesis",
        "",
        made(COMMAND, GROWTH_SEEDS),
        *prose(
            'Strings of 4 to 15 hops (`string-N`), 900 s, `compat = "ns2"`: acknowledged segments, means '
            "over the seeds. The thesis gives its figure as a plot and these ranges only."
        ),
        *parts,
        *notes("thesis-growth"),
    ]
    write("thesis-growth", page)
    print(f"SCA(4) beats Reno and NewReno: {verdicts}")
    judged = [holds for routing, holds in verdicts.items() if routing != "dsr-thesis"]
    return 0 if all(judged) else 1


if __name__ == "__main__":
    end(main)
