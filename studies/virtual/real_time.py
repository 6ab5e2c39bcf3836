"""Virtual time beside real time: the same scenarios by this machine's kernel, as root."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from typing import TYPE_CHECKING

import tworay
from studies.virtual.judging import difference
from studies.virtual.plan import PAGES, STATIC
from tworay import metrics
from tworay.live import Options, require
from tworay.live.network import Ended
from tworay.live.scripts import seconds
from tworay.papers.markdown import prose, table, write
from tworay.virtual.arms import in_order, run_kernel, transfers_of
from tworay.virtual.guest import transfer

if TYPE_CHECKING:
    from studies.virtual.judging import Difference
    from tworay import Scenario

PAGE = PAGES / "virtual-and-real-time.md"
CONTROLLERS = ("reno", "cubic")
SCENARIOS = {
    "two hops": ("string-2", {**STATIC, "duration": "20s"}),
    "four hops": ("string-4", {**STATIC, "duration": "20s"}),
    "3 % of the packets corrupted": ("channel-errors", {**STATIC, "duration": "20s"}),
}
HOW = """The same scenarios and seeds ({seeds}), fixed routes, 20 s: by this machine's Linux {release} in
real time (`tworay live run`), and by the kernel of virtual time. They are two versions of Linux.
Cells have virtual, real; the difference with its 95 % interval, paired by seed. *Apart*: the
interval lies on one side of zero. The engine in real time was late by up to {late} ms (the largest
99th percentile of a run). A late engine delays packets; none is late in virtual time."""
MEASURES = {
    "goodput, kb/s": ("goodput_bps", 1e-3, 0),
    "sent again, %": ("retransmission_ratio", 100, 2),
    "RTT, ms": ("mean_rtt_seconds", 1e3, 0),
}


def run_live(scenario: Scenario, seed: int, controller: str) -> tworay.Run:
    """Do what an arm ``kernel:NAME`` does, by this machine's kernel in real time."""
    document = tomllib.loads(scenario.to_toml())
    options = Options(seed=seed, limit=seconds(document["duration"]), congestion=controller, most_late=5.0)
    ended = transfer(scenario, options, transfers_of(document), None, lambda status: None)
    extras = json.loads(ended.extras) | {"ended_early": None}
    run = Ended(ended.report, None, json.dumps(extras)).as_run(scenario, options)
    return in_order(run, document)


def cell(found: Difference | None, factor: float, digits: int) -> str:
    """Return means, difference and interval."""
    if found is None:
        return "–"
    text = f"{found.ours * factor:.{digits}f}, {found.theirs * factor:.{digits}f}"
    if found.low is None or found.high is None:
        return text
    low, high = (f"{end * factor:+.{digits}f}" for end in (found.low, found.high))
    apart = "; apart" if found.low > 0 or found.high < 0 else ""
    return f"{text}; {found.difference * factor:+.{digits}f} ({low} to {high}){apart}"


def study(seeds: int, about: str) -> None:
    """Run both, and write the page."""
    require()
    rows, late = [], []
    for title, (name, settings) in SCENARIOS.items():
        for controller in CONTROLLERS:
            live, virtual = {}, {}
            for seed in range(1, seeds + 1):
                world = tworay.load(name, set=settings)
                run = run_live(world, seed, controller)
                live[seed] = metrics.values(run.summary)
                late.append(run.summary["live"]["lateness"]["p99_seconds"])
                virtual[seed] = metrics.values(run_kernel(world, seed, controller).summary)
                rates = [round(one[seed]["goodput_bps"] or 0) for one in (virtual, live)]
                print(title, controller, seed, rates, f"{1e3 * late[-1]:.1f} ms", file=sys.stderr, flush=True)
            cells = [
                cell(
                    difference(
                        {seed: values.get(metric) for seed, values in live.items()},
                        {seed: values.get(metric) for seed, values in virtual.items()},
                    ),
                    factor,
                    digits,
                )
                for metric, factor, digits in MEASURES.values()
            ]
            rows.append([title, f"`{controller}`", *cells])
    lines = ["# Kernels in virtual time beside kernels in real time", ""]
    lines += ["Does virtual time change what a kernel does?", "", *prose(about)]
    release, latest = os.uname().release, 1e3 * max(late)
    lines += prose(HOW.format(seeds=seeds, release=release, late=f"{latest:.1f}"))
    lines += table(["scenario", "controller", *MEASURES], rows)
    write(PAGE, lines)
