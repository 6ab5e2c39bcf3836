"""The figures of the TCP Freeze-Probing paper (2005) on this simulator: make paper-001.

Writes docs/studies/freeze-probing.md: Freeze-Probing and ELFN against Reno on the paper's field, by speed,
with UDP flows and with channel errors, and its throughput model against the simulation. Ends with 1 if a
run fails; whether the paper's claims hold is on the page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import tworay
from papers import (
    NS2,
    STANDARD,
    Dialect,
    Judged,
    Verdict,
    end,
    first,
    made,
    notes,
    on_all_cores,
    prose,
    seeds_asked,
    survival,
    table,
    write,
)
from tworay import stats
from tworay.models.freeze_probing import FreezeProbing

COMMAND = "make paper-001"
# The standards' MAC stands beside ns-2's with fewer seeds.
STANDARD_SEEDS = 8

SECONDS = 300.0
SPEEDS = (2, 10, 20, 30)
VARIANTS = ("reno", "freeze-probing", "elfn")
# Title, settings.
CACHES = {
    "no replies from caches (the paper's words)": {"preset": '"freeze-probing"'},
    "only neighbours reply from caches (one of ns-2's two switches)": {
        "preset": '"ns2"',
        "reply_to_propagating": "false",
    },
    "replies from caches": {"preset": '"ns2"'},
}


@dataclass(frozen=True)
class Situation:
    """One of the paper's three, the channel errors in both readings."""

    title: str
    scenario: str
    settings: tuple[tuple[str, str], ...]
    # The paper's gain of Freeze-Probing over Reno at the lowest and at the highest speed.
    paper: str


FIELD = "freeze-probing-field"
SITUATIONS = (
    Situation("Mobility (figures 4 and 7)", FIELD, (), "+16 to +600 %"),
    Situation("With two UDP flows (figures 5 and 9)", f"{FIELD}-udp", (), "+32 to +160 %"),
    Situation(
        "With 10 % of frames lost on the channel (figures 6 and 10)",
        FIELD,
        (("errors.frame_err.bernoulli.rate", "0.1"),),
        "+20 to +300 %",
    ),
    Situation(
        "With 10 % of packets lost above the MAC (figures 6 and 10, the other reading)",
        FIELD,
        (("errors.pkt_err.bernoulli.rate", "0.1"),),
        "+20 to +300 %",
    ),
)


@dataclass(frozen=True)
class Task:
    """One run."""

    dialect: Dialect
    situation: Situation
    caches: str
    speed: int
    variant: str
    seed: int


@dataclass(frozen=True)
class Outcome:
    """What of a run is on the page."""

    goodput: float
    idle: float
    timeouts: float
    # Bytes sent, and what the model's forms expect.
    sent: float
    usable: float
    refined: float
    measured: float


def one(task: Task) -> Outcome:
    """Run it."""
    settings = {
        "mobility.min_speed": f'"{task.speed}m/s"',
        "mobility.max_speed": f'"{task.speed}m/s"',
        **{f"routing.dsr.{key}": value for key, value in CACHES[task.caches].items()},
        **dict(task.situation.settings),
        **task.dialect.settings,
    }
    run = tworay.run(task.situation.scenario, tcp=task.variant, seed=task.seed, set=settings, series=False)
    flow = run.summary["flows"][0]
    sent = flow["sent_bps"] * SECONDS / 8
    usable = refined = measured = 0.0
    # Without a round trip nothing was acknowledged: the model has nothing to say.
    if task.variant == "freeze-probing" and flow["mean_rtt_seconds"]:
        # Every period T0 of the model ends with a probe.
        model = FreezeProbing(SECONDS, flow["mean_rtt_seconds"], flow["freezes"], flow["probes_sent"])
        usable, refined = model.total_bytes, model.refined_bytes
        # The same with the time in which the sender sent by its window: neither stopped nor waiting.
        sending = SECONDS - flow["frozen_seconds"] - flow["rto_idle_seconds"]
        active = FreezeProbing(max(sending, 1e-3), flow["mean_rtt_seconds"], flow["freezes"], 0)
        measured = active.refined_bytes
    return Outcome(
        flow["goodput_bps"], flow["rto_idle_seconds"], flow["timeouts"], sent, usable, refined, measured
    )


Results = dict[tuple[str, str, int, str], list[Outcome]]


def percent(value: float) -> str:
    """Write a share as a signed percentage; a dash if there is none."""
    return f"{100 * value:+.0f} %" if math.isfinite(value) else "–"


def share(part: float, whole: float) -> float:
    """Divide; NaN where there is nothing to divide by: with few seeds Reno may get nothing through."""
    return part / whole if whole > 0 else math.nan


def mean(outcomes: list[Outcome], figure: str) -> float:
    """Return the mean of a figure."""
    return float(sum(getattr(o, figure) for o in outcomes)) / len(outcomes)


@dataclass(frozen=True)
class Gain:
    """The gain over Reno with its 95 % interval (paired by seed), as shares of Reno's mean."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isnan(self.mean):
            return "–"
        return f"{percent(self.mean)} ({percent(self.low)} to {percent(self.high)})"


def gain(variant: list[Outcome], reno: list[Outcome]) -> Gain:
    """Compare two variants over the same seeds."""
    a, b = [o.goodput for o in variant], [o.goodput for o in reno]
    base = sum(b) / len(b)
    interval = stats.t_interval(stats.differences(a, b))
    assert interval is not None
    return Gain(share(sum(a) / len(a), base) - 1, share(interval.low, base), share(interval.high, base))


def verdict(gains: list[Gain]) -> tuple[Verdict, str]:
    """Say whether the gain grows with speed, beyond the intervals of its ends."""
    slow, fast = gains[0], gains[-1]
    if fast.low > 0 and fast.low > slow.high:
        return Verdict.HOLDS, "the gain at the highest speed is above that at the lowest, intervals apart"
    if fast.low > 0 and fast.mean > slow.mean:
        return Verdict.IN_PART, "in direction only, the intervals overlap"
    if fast.low > 0:
        return Verdict.FAILS, "there is a gain at the highest speed, but it is no larger than at the lowest"
    return Verdict.FAILS, "at the highest speed the gain can't be told from none"


def near(gains: list[tuple[Gain, Gain]]) -> tuple[Verdict, str]:
    """Say whether ELFN carries at least three quarters of Freeze-Probing's goodput at every speed."""
    shares = [share(1 + elfn.mean, 1 + probing.mean) for probing, elfn in gains]
    close = sum(s >= 0.75 for s in shares)
    detail = f"{min(shares):.2f} to {max(shares):.2f} of it"
    if close == len(shares):
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if close else Verdict.FAILS), detail


def gains_by_speed(results: Results, situation: Situation, caches: str) -> list[tuple[Gain, Gain]]:
    """Return the gains of Freeze-Probing and ELFN over Reno, speed by speed."""
    runs = ([results[situation.title, caches, speed, v] for v in VARIANTS] for speed in SPEEDS)
    return [(gain(probing, reno), gain(elfn, reno)) for reno, probing, elfn in runs]


def claims(results: Results, standard: Results) -> list[str]:
    """Set the paper's claims beside both dialects, for each use of caches."""
    lines = []
    # Above the MAC too little is left to be compared.
    for situation in SITUATIONS[:3]:
        for caches in CACHES:
            found, other = (gains_by_speed(r, situation, caches) for r in (results, standard))
            where = f"{situation.title.split(' (')[0]}, {caches.split(' (')[0]}"
            (is_so, detail), (beside, beside_detail) = (verdict([p for p, _ in g]) for g in (found, other))
            source = situation.title.partition("(")[2].rstrip(")")
            text = f"{where}: the gain over Reno grows with speed"
            lines.append(Judged(source, text, is_so, beside, detail, beside_detail))
            (is_so, detail), (beside, beside_detail) = near(found), near(other)
            text = f"{where}: ELFN carries nearly as much (three quarters)"
            lines.append(Judged(source, text, is_so, beside, detail, beside_detail))
    return survival(lines)


def beside(standard: Results) -> list[str]:
    """Write the gains with a standard MAC."""
    rows = []
    for situation in SITUATIONS[:3]:
        for caches in CACHES:
            found = gains_by_speed(standard, situation, caches)
            name = f"{situation.title.split(' (')[0]}, {caches.split(' (')[0]}"
            rows.append([name, *(str(probing) for probing, _ in found)])
    return table(["Freeze-Probing over Reno", *(f"{speed} m/s" for speed in SPEEDS)], rows)


def goodputs(situation: Situation, results: Results) -> list[str]:
    """Write the goodputs of a situation, one table for each use of caches."""
    lines = [f"## {situation.title}", ""]
    for caches in CACHES:
        lines += [
            f"### {caches[0].upper()}{caches[1:]}",
            "",
            "| m/s | Reno | Freeze-Probing | ELFN | Freeze-Probing over Reno | ELFN over Reno "
            "| Reno waits for its timer | at most to be gained by that |",
            "|---|---|---|---|---|---|---|---|",
        ]
        gains = []
        for speed in SPEEDS:
            reno, probing, elfn = (results[situation.title, caches, speed, v] for v in VARIANTS)
            gains.append(gain(probing, reno))
            idle = mean(reno, "idle")
            rates = " | ".join(f"{mean(x, 'goodput') / 1000:.1f}" for x in (reno, probing, elfn))
            lines.append(
                f"| {speed} | {rates} | {gains[-1]} | {gain(elfn, reno)} "
                f"| {mean(reno, 'timeouts'):.0f} times, {idle:.0f} s "
                f"| {percent(share(SECONDS, SECONDS - idle) - 1)} |"
            )
        lines += [
            "",
            f"Paper: {situation.paper} from 2 to 30 m/s; ELFN nearly as Freeze-Probing. "
            f'"The gain grows with speed" {": ".join(verdict(gains))}.',
            "",
        ]
    return lines


def ratios(results: Results) -> list[str]:
    """Write the model's ratios."""
    lines = [
        "## The throughput model (figures 4 to 6)",
        "",
        *prose(
            "Modelled over simulated bytes, sums over the seeds: the usable form, the refined form "
            "(`tworay.models.freeze_probing`), and the refined form with the time measured in which the "
            "sender was neither stopped nor waiting for a timeout, in place of the model's T - n T0. The "
            "paper: near 1 at 10 and 20 m/s, rising with speed."
        ),
        "| situation | caches | form | " + " | ".join(f"{s} m/s" for s in SPEEDS) + " |",
        "|---|---|---|" + "---|" * len(SPEEDS),
    ]
    # Above the MAC too little is left to be modelled.
    for situation in SITUATIONS[:3]:
        for caches in CACHES:
            for figure, form in (("usable", "usable"), ("refined", "refined"), ("measured", "time measured")):
                runs = [results[situation.title, caches, speed, "freeze-probing"] for speed in SPEEDS]
                cells = " | ".join(f"{share(mean(r, figure), mean(r, 'sent')):.2f}" for r in runs)
                situation_name, caches_name = (text.split(" (")[0] for text in (situation.title, caches))
                lines.append(f"| {situation_name} | {caches_name} | {form} | {cells} |")
    return [*lines, ""]


def main() -> int:
    """Run everything and write the page."""
    seeds = seeds_asked(__doc__, 20)
    fewer = first(seeds, STANDARD_SEEDS)
    tasks = [
        Task(dialect, situation, caches, speed, variant, seed)
        for dialect, situations, used in ((NS2, SITUATIONS, seeds), (STANDARD, SITUATIONS[:3], fewer))
        for situation in situations
        for caches in CACHES
        for speed in SPEEDS
        for variant in VARIANTS
        for seed in used
    ]
    results: Results = {}
    standard: Results = {}
    for task, outcome in zip(tasks, on_all_cores(one, tasks, "runs"), strict=True):
        key = (task.situation.title, task.caches, task.speed, task.variant)
        (results if task.dialect == NS2 else standard).setdefault(key, []).append(outcome)
    page = [
        "# Freeze-Probing and ELFN on the paper's field",
        "",
        made(COMMAND, seeds),
        *prose(
            "`freeze-probing-field`: 30 nodes in 400 m x 800 m, sender and receiver fixed in opposite "
            "corners, DSR, window 8, 1460 B, 300 s, ns-2's habits; every node moves at the given speed "
            "all the time. Goodput in kb/s, means over the seeds; gains in percent of Reno's mean with 95 "
            "% intervals, paired by seed. The paper's figures are plots, of which its text gives the "
            "ranges. The paper used ns-2, so its claims are judged in ns-2's dialect; beside it, with "
            f"{len(fewer)} seeds, the standards' MAC, radio and TCP (`compat=none`)."
        ),
        *prose(
            "The last two columns of the tables by speed are about Reno: how often and how long it waited "
            "for its retransmission timer, and what a sender that never waits would gain if it sent at the "
            "same rate then."
        ),
        "## The paper's claims",
        "",
        *claims(results, standard),
        "### Gains with a standard MAC",
        "",
        *beside(standard),
        *(line for situation in SITUATIONS for line in goodputs(situation, results)),
        *ratios(results),
        *notes("freeze-probing"),
    ]
    write("freeze-probing", page)
    return 0


if __name__ == "__main__":
    end(main)
