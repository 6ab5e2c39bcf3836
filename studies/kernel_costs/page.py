"""Writes the page on the cost of TCP in a real kernel."""

from __future__ import annotations

import datetime
import os
from typing import TYPE_CHECKING

import tworay
from tworay.analysis import stats
from tworay.papers.markdown import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.kernel_costs.__main__ import Measured

# Tolerance for means that the paper calls equal.
LIKE = 0.1

# Seddik-Ghaleb, Ghamri-Doudane and Senouci, section V.C.b.
CLAIMS = [
    ("congestion", ("below", "welcome", "sack"), "WELCOME below SACK"),
    ("congestion", ("below", "welcome", "vegas"), "WELCOME below Vegas"),
    ("interference", ("like", "welcome", "westwood"), "WELCOME like Westwood (within 10 %)"),
    ("interference", ("highest", "vegas"), "Vegas highest"),
    ("link-failure", ("highest", "welcome"), "WELCOME highest"),
    ("signal-loss", ("highest", "welcome"), "WELCOME highest"),
]


HOW = """\
Figures 14 to 17 of TCP-WELCOME's paper show computing energies on a test bed, in which kernels communicate
over a SEDLANE that replays a traced network (its figure 8). This page does the same. Each of the four
situations is simulated for {seconds:.0f} s with NewReno, [`tworay sedlane
fit`](../guide/live.md#replaying-a-trace-sedlane) makes a profile of the trace, and it is replayed between
two kernels, for all variants at once, each over its own wire. The kernel's time for every ACK and timeout
is measured ([how](../guide/kernel.md#what-it-costs)). The simulated senders run over the same profiles for
their instruction counts. Both are given per acknowledged segment of 512 bytes, ± 95 % over {repetitions}
repetitions, each with its own trace. The kernels' receivers clamp their windows to 20 segments, the limit
of the simulation. Only `sack` has selective acknowledgments.

The wire of a profile does not limit the rate, so segments arrive in bursts and one ACK covers many. A
segment costs the kernel less if an ACK covers more. Vegas keeps its window small and gets an ACK for every
few segments, which explains most of its higher cost.

The paper's order, judged pair by pair over the repetitions:
"""
TABLES = """
For each situation there is a table of the kernel's time per operation, in the format of `--costs`:
nanoseconds, and joules for a processor of {power}. That power is an option of the command, not a measurement.

```
tworay run link-failure --set energy.model=states --costs {tables}/kernel-costs-link-failure.csv
```

The [study of TCP-WELCOME](ghaleb-seddik-2012.md) takes its computing energies from these tables. The
operations of a simulated run are known exactly, the kernel's time for one only as exactly as above: the bars
of the study's figures 14 to 17 and the intervals of its claims W31 to W38 include that error."""
# The tables belong to the study that reads them.
PLACE = "python/tworay/papers/ghaleb-seddik-2012"


def below(a: list[float], b: list[float]) -> str:
    """Judge whether a is below b: the 95 % interval of the paired differences lies below zero."""
    difference = stats.t_interval(stats.differences(a, b))
    if difference is None:
        return "too few repetitions"
    if difference.high < 0:
        return "holds"
    return "opposite" if difference.low > 0 else "undecided"


def like(a: list[float], b: list[float]) -> str:
    """Judge whether a is within 10 % of b: the 95 % interval of the paired ratios lies within 0.9 to 1.1."""
    ratio = stats.t_interval([x / y for x, y in zip(a, b, strict=True)])
    if ratio is None:
        return "too few repetitions"
    if ratio.low >= 1 - LIKE and ratio.high <= 1 + LIKE:
        return "holds"
    return "does not hold" if ratio.low > 1 + LIKE or ratio.high < 1 - LIKE else "undecided"


def judged(values: Mapping[str, list[float]], claim: tuple[str, ...]) -> str:
    """Judge ("below", a, b), ("like", a, b) or ("highest", a)."""
    kind, one, *rest = claim
    if kind == "below":
        return below(values[one], values[rest[0]])
    if kind == "like":
        return like(values[one], values[rest[0]])
    found = {below(other, values[one]) for name, other in values.items() if name != one}
    for verdict in ("too few repetitions", "opposite", "undecided"):
        if verdict in found:
            return verdict
    return "holds"


def amount(values: list[float], digits: int) -> str:
    """Format a mean ± half its 95 % interval."""
    interval = stats.t_interval(values)
    half = "" if interval is None else f" ± {interval.half_width:,.{digits}f}"
    return f"{sum(values) / len(values):,.{digits}f}{half}"


def spread(found: Mapping[str, Mapping[str, Measured]]) -> str:
    """Return the kernel's time per segment and half its 95 % interval as CSV, for the figures."""
    lines = ["situation,variant,us_per_segment,half_width"]
    for name, arms in found.items():
        for arm, one in arms.items():
            interval = stats.t_interval(one.micros)
            half = interval.half_width if interval else float("nan")
            lines.append(f"{name},{arm},{sum(one.micros) / len(one.micros):.2f},{half:.2f}")
    return "\n".join(lines) + "\n"


def page(found: Mapping[str, Mapping[str, Measured]], seconds: float, power: str) -> list[str]:
    """Return the page."""
    repetitions = len(found["congestion"]["welcome"].micros)
    lines = [
        "# How much does TCP compute in a real kernel?",
        "",
        f"Made by `make kernel-costs` on {datetime.datetime.now(tz=datetime.UTC).date()} with tworay "
        f"{tworay.__version__}, Linux {os.uname().release}, {os.cpu_count()} cores, load "
        f"{os.getloadavg()[0]:.0f}.",
        "",
        *HOW.format(seconds=seconds, repetitions=repetitions).splitlines(),
        "",
        "| situation | the paper | kernel | simulation |",
        "|---|---|---|---|",
    ]
    for name, claim, text in CLAIMS:
        kernels = judged({arm: one.micros for arm, one in found[name].items()}, claim)
        simulated = judged({arm: one.instructions for arm, one in found[name].items()}, claim)
        lines.append(f"| {name} | {text} | {kernels} | {simulated} |")
    lines += [*TABLES.format(power=power, tables=PLACE).splitlines(), ""]
    for name, arms in found.items():
        head = ["", "kernel, µs per segment", "ACKs and timeouts for segments", "simulated instructions"]
        cells = [
            [arm, amount(one.micros, 2), f"{one.acks:,} for {one.segments:,}", amount(one.instructions, 0)]
            for arm, one in arms.items()
        ]
        lines += [f"## {name}", "", f"[kernel-costs-{name}.csv](../../{PLACE}/kernel-costs-{name}.csv)", ""]
        lines += table(head, cells)
    return lines
