"""TCP-Probing against NewReno in the scenarios 6.1 to 6.5 of its paper: make paper-004.

Writes docs/studies/probing.md. Claims that do not hold are written down there; they are no failure of the
check.
"""

from __future__ import annotations

import math
import random
import re
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass

import tworay
from papers import (
    NS2,
    STANDARD,
    Dialect,
    Document,
    Judged,
    Settings,
    Verdict,
    end,
    figure_of,
    first,
    made,
    notes,
    paired,
    prose,
    seeds_asked,
    spread,
    survival,
    table,
    write,
)
from tworay.metrics import add_counts
from tworay.metrics.diagnosis import scores
from tworay.running.resources import eee, uar

COMMAND = "make paper-004"
NEWRENO, PROBING = "newreno", "probing"
# The 3/4 recovery as the pseudo-code prints it, which the paper's words contradict.
PRINTED = "probing(three_quarters=printed)"
SECONDS = 60.0
ENTERED_MS = 2000
FLOWS = (10, 20, 40, 60, 80, 100)
# The paper's, in percent, and beyond.
ERRORS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 1.0, 2.0, 5.0)
PAPER_MOST = 0.4
# What counts as equal EEE or fairness, and as a fairness near 1.
EQUAL, NEAR_ONE = 0.01, 0.95

RED: Settings = {"link_kind.sink.red.gentle": "true", "link_kind.bottleneck.red.gentle": "true"}


def handoffs(count: int, seconds: float) -> Settings:
    """Handoffs at random times, drawn for each sink's link."""
    return {"link_kind.sink.handoffs.count": count, "link_kind.sink.handoffs.length": f"{seconds}s"}


def errors(percent: float) -> Settings:
    """Packet errors towards the sinks (the paper's "bit error rates" can only be of packets)."""
    return {"link_kind.sink.errors.bernoulli.rate": percent / 100}


@dataclass(frozen=True, eq=False)
class Case:
    """A scenario of the paper; over the number of flows, or over the error rate."""

    name: str
    scenario: str
    about: str
    settings: Settings
    claims: dict[str, str]
    flows: int | None = None
    source_mbps: int = 10


CASES = [
    Case(
        "6.1 wired",
        "dumbbell",
        "dumbbell, sinks 10 Mb/s, drop-tail; figures 4 and 5",
        {"link_kind.sink.rate": "10Mbps"},
        {
            "goodput": "slightly more in some cases",
            "uar": "slightly less",
            "eee": "equal",
            "fairness": "near 1",
        },
    ),
    Case(
        "6.2 contention decrease",
        "split-dumbbell-decrease",
        "split dumbbell, sinks 1 Mb/s, drop-tail, half of the flows leave at every step; figures 6 to 9",
        {},
        {"goodput": "more", "uar": "less", "eee": "little difference", "fairness": "more"},
    ),
    Case(
        "6.3 handoffs",
        "split-dumbbell-increase",
        "split dumbbell, sinks 1 Mb/s, drop-tail, flows enter over 20 s, ten handoffs of 0.5 s, "
        "errors 0.001 %; figures 10 and 11",
        handoffs(10, 0.5) | errors(0.001),
        {"goodput": "clearly more", "fairness": "clearly more"},
    ),
    Case(
        "6.4 errors",
        "dumbbell",
        "dumbbell, sinks 1 Mb/s, RED, errors 0.2 %; figures 12 to 14",
        RED | errors(0.2),
        {"goodput": "more", "eee": "less", "fairness": "as fair"},
    ),
    Case(
        "6.5 first",
        "dumbbell-decrease",
        "dumbbell, sinks 1 Mb/s, drop-tail, flows leave, five handoffs of 1 s, "
        "errors 0.001 %; figures 15 to 17",
        handoffs(5, 1.0) | errors(0.001),
        {"goodput": "more", "eee": "less", "fairness": "more"},
    ),
    Case(
        "6.5 second",
        "split-dumbbell-decrease",
        "split dumbbell, sinks 1 Mb/s, RED, flows leave, ten handoffs of 0.5 s, "
        "errors 0.1 %; figures 18 and 19",
        RED | handoffs(10, 0.5) | errors(0.1),
        {"goodput": "more", "fairness": "more"},
    ),
    Case(
        "6.5 third",
        "split-dumbbell",
        "split dumbbell, 70 flows, sources and sinks 1 Mb/s, RED, three handoffs of 0.5 s; figures 20 and 21",
        RED | handoffs(3, 0.5) | {"link_kind.source.rate": "1Mbps"},
        {"goodput": "more, but not at high error rates", "eee": "less, but not at high error rates"},
        flows=70,
        source_mbps=1,
    ),
    Case(
        "6.5 fourth",
        "split-dumbbell",
        "split dumbbell, 60 flows, sources and sinks 1 Mb/s, drop-tail; figures 22 and 23",
        {"link_kind.source.rate": "1Mbps"},
        {"goodput": "more, but not at high error rates", "uar": "less, but not at high error rates"},
        flows=60,
        source_mbps=1,
    ),
]


def active(flow: Document) -> float:
    """Bits of a flow are its rate times this, in units of the whole run."""
    return float(flow["seconds"]) / SECONDS


@dataclass(frozen=True)
class Span:
    """When a flow sends, seconds."""

    start_s: float
    stop_s: float


def flows_of(scenario: str, settings: Settings) -> list[Span]:
    """Read the schedule from the scenario's complete text."""
    world = tomllib.loads(tworay.load(scenario, set=settings).to_toml())

    def seconds(text: str) -> float:
        for unit, factor in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)):
            if text.endswith(unit):
                return float(text.removesuffix(unit)) * factor
        raise ValueError(text)

    return [Span(seconds(flow["start"]), seconds(flow.get("stop", "60s"))) for flow in world["flow"]]


def entries(scenario: str, settings: Settings, seed: int) -> Settings:
    """Draw when flows enter: at random within the time that the schedule gives them, by the seed.

    Wires know no chance, so that all seeds would be one without it.
    """
    if "increase" in scenario:
        return {}
    draw = random.Random(seed)
    count = len(flows_of(scenario, settings))
    return {f"flow.{i}.start": f"{draw.randrange(ENTERED_MS)}ms" for i in range(count)}


def note_seconds(document: Document, spans: list[Span]) -> None:
    """Note how long each flow's rates count: from its start to its end or the run's."""
    for flow, span in zip(document["flows"], spans, strict=True):
        done = flow["completion_seconds"]
        flow["seconds"] = SECONDS - span.start_s if done is None else done


def simulate(
    scenario: str, variants: list[str], seeds: range, settings: Settings
) -> dict[str, list[Document]]:
    """Run every variant over the same seeds and the same entries of the flows."""

    def one(task: tuple[str, int]) -> Document:
        name, seed = task
        world = settings | entries(scenario, settings, seed)
        run = tworay.run(scenario, tcp=name, seed=seed, set=world, series=False)
        document = dict(run.summary)
        note_seconds(document, flows_of(scenario, world))
        return document

    return spread(one, variants, seeds, scenario)


def system_goodput(document: Document) -> float:
    """Bits that all applications received, by the run's length: bits a second."""
    return float(sum(flow["goodput_bps"] * active(flow) for flow in document["flows"]))


def system_throughput(document: Document) -> float:
    """Bits that all senders put on the path, headers and probes included, by the run's length."""
    return float(sum(flow["sent_bps"] * active(flow) for flow in document["flows"]))


def jain(rates: list[float]) -> float:
    """Jain's index of the flows' rates while they were there."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0


def throughput_fairness(document: Document) -> float:
    """Index of what the flows put on the path, as the paper has it (section 5.2)."""
    return jain([flow["sent_bps"] for flow in document["flows"]])


def goodput_fairness(document: Document) -> float:
    """Index of what the flows' applications received."""
    return jain([flow["goodput_bps"] for flow in document["flows"]])


def maximum(scenario: str, settings: Settings, source_mbps: int) -> float:
    """Throughput_max: what saturating CBR sources put out, delivered or not; bits a second.

    Each source has its own access link, the first of its path, and fills it from its start to its stop.
    """
    spans = flows_of(scenario, settings)
    return source_mbps * 1e6 * sum(span.stop_s - span.start_s for span in spans) / SECONDS


Figures = dict[str, Callable[[Document], float]]


def figures(most: float) -> Figures:
    """Give the paper's four figures of a run, fairness over throughput and over goodput."""
    return {
        "goodput": system_goodput,
        "eee": lambda d: eee(system_throughput(d), system_goodput(d), most),
        "uar": lambda d: uar(system_throughput(d), system_goodput(d), most),
        "fairness": throughput_fairness,
        "goodput fairness": goodput_fairness,
    }


# Whether more is better.
GOOD = {"goodput": True, "eee": False, "uar": False, "fairness": True, "goodput fairness": True}
# The figures that a claim about one is judged by.
JUDGED_BY = {"fairness": ("fairness", "goodput fairness")}


def sign(variant: str, name: str, results: dict[str, list[Document]], found: Figures) -> str:
    """Say whether Probing is better in a figure, worse, or neither, with 95 % confidence."""
    against = paired(results[variant], results[NEWRENO], found[name])
    if not (against.better or against.worse):
        return "="
    return "+" if against.better == GOOD[name] else "−"


@dataclass
class Outcome:
    """What became of a figure over the points of a case."""

    signs: str = ""
    # Largest difference of the means, and Probing's least mean.
    apart: float = 0.0
    least: float = math.inf

    def add(self, mark: str, ours: float, theirs: float) -> None:
        """Take in a point."""
        self.signs += mark
        self.apart = max(self.apart, abs(ours - theirs))
        self.least = min(self.least, ours)

    def judge(self, claim: str) -> Verdict:
        """Say whether a claim about Probing holds over all points."""
        better, worse = self.signs.count("+"), self.signs.count("−")
        if claim.startswith("near 1"):
            return Verdict.HOLDS if self.least >= NEAR_ONE else Verdict.FAILS
        if not re.match(r"(clearly |slightly )?(more|less)", claim):
            return Verdict.HOLDS if self.apart <= EQUAL else Verdict.FAILS
        if worse == 0 and 2 * better >= len(self.signs):
            return Verdict.HOLDS
        return Verdict.FAILS if better == 0 else Verdict.IN_PART


# By variant and figure.
Outcomes = dict[tuple[str, str], Outcome]


def run_case(case: Case, dialect: Dialect, variants: list[str], seeds: range) -> tuple[list[str], Outcomes]:
    """Run one case; the page's part (of the first variant) and the outcome by variant and figure."""
    rows = []
    outcomes = {(variant, name): Outcome() for variant in variants for name in GOOD}
    counts: dict[str, dict[str, int]] = {}
    points: tuple[float, ...] = ERRORS if case.flows else FLOWS
    for point in points:
        scenario = f"{case.scenario}-{case.flows or int(point)}"
        settings = dialect.settings | case.settings | (errors(point) if case.flows else {})
        results = simulate(scenario, [NEWRENO, *variants], seeds, settings)
        for document in results[PROBING]:
            add_counts(counts, document["diagnosis"])
        found = figures(maximum(scenario, settings, case.source_mbps))
        row = [f"{point:g} %" if case.flows else f"{int(point)}"]
        for variant, name in outcomes:
            mark = sign(variant, name, results, found)
            ours, theirs = (figure_of(results[v], found[name])[0] for v in (variant, NEWRENO))
            if case.flows is None or point <= PAPER_MOST:
                outcomes[variant, name].add(mark, ours, theirs)
            if variant != PROBING:
                continue
            if name == "goodput":
                difference = paired(results[PROBING], results[NEWRENO], found[name])
                row += [f"{theirs / 1e6:.3f}", f"{ours / 1e6:.3f}", f"{difference} {mark}"]
            else:
                row.append(f"{theirs:.4f} → {ours:.4f} {mark}")
        rows.append(row)
        print(case.name, dialect.name, *row, sep="  ", file=sys.stderr)
    head = ["errors" if case.flows else "flows", "NewReno, Mb/s", "Probing, Mb/s", "difference"]
    head += ["EEE", "UAR", "fairness over throughput", "over goodput"]
    accuracy = scores(counts)["balanced_accuracy"] if counts else None
    guesses = ", ".join(
        f"{guess}: " + ", ".join(f"{cause} {n}" for cause, n in sorted(row.items()) if n)
        for guess, row in sorted(counts.items())
    )
    said = f"Probing's guesses by true cause: {guesses or 'none'}."
    if accuracy is not None:
        said += f" Balanced accuracy {100 * accuracy:.0f} %."
    title = f"## {case.name}" + ("" if dialect == NS2 else f", {dialect.name}")
    return [title, "", case.about + ".", "", *table(head, rows), said, ""], outcomes


# Seeds of the readings, and of the dialect that stands beside.
READING_SEEDS = 3
STANDARD_SEEDS = 3
READINGS = [
    "probing",
    PRINTED,
    "probing(three_quarters=capped)",
    "probing(reference=best_probe_prev)",
    "probing(tie=below)",
    "probing(predictor=per_second)",
    "probing(predictor=none)",
    "probing(contention=slow_start)",
    "probing(gate_rto=yes)",
    "probing(resend=partial_acks)",
]


def readings(seeds: range) -> list[str]:
    """Compare the readings of the paper with NewReno, one point of each case."""
    rows: list[list[str]] = [[name] for name in READINGS]
    for case in CASES:
        scenario = f"{case.scenario}-{case.flows or 40}"
        settings = NS2.settings | case.settings | (errors(0.2) if case.flows else {})
        results = simulate(scenario, [NEWRENO, *READINGS], seeds, settings)
        for row, name in zip(rows, READINGS, strict=True):
            row.append(f"{paired(results[name], results[NEWRENO], system_goodput).difference:+.1f} %")
        print(case.name, "readings", *(row[-1] for row in rows), sep="  ", file=sys.stderr)
    return table(["reading", *(case.name for case in CASES)], rows)


def figure_title(name: str) -> str:
    """Name what fairness is over."""
    return {"fairness": "fairness over throughput", "goodput fairness": "fairness over goodput"}.get(
        name, name
    )


def judged(found: dict[Case, dict[Dialect, Outcomes]]) -> tuple[list[Judged], list[list[str]]]:
    """Judge every claim in both dialects, and in ns-2's with the printed 3/4 recovery too."""
    both, printed = [], []
    for case, by_dialect in found.items():
        for figure, claim in case.claims.items():
            for name in JUDGED_BY.get(figure, (figure,)):
                ns2, standard = by_dialect[NS2][PROBING, name], by_dialect[STANDARD][PROBING, name]
                text = f"{figure_title(name)}: {claim}"
                both.append(
                    Judged(
                        case.name,
                        text,
                        ns2.judge(claim),
                        standard.judge(claim),
                        f"`{ns2.signs}`",
                        f"`{standard.signs}`",
                    )
                )
                as_printed = by_dialect[NS2][PRINTED, name]
                cells = [f"**{o.judge(claim)}** `{o.signs}`" for o in (ns2, as_printed)]
                printed.append([case.name, text, *cells])
    return both, printed


def main() -> int:
    """Run everything and write the page."""
    seeds = seeds_asked(__doc__, 6)
    fewer = first(seeds, STANDARD_SEEDS)
    found: dict[Case, dict[Dialect, Outcomes]] = {}
    parts, standard_parts = [], []
    for case in CASES:
        lines, outcomes = run_case(case, NS2, [PROBING, PRINTED], seeds)
        standard_lines, standard = run_case(case, STANDARD, [PROBING], fewer)
        found[case] = {NS2: outcomes, STANDARD: standard}
        parts += lines
        standard_parts += standard_lines
    both, printed = judged(found)
    page = [
        "# Does TCP-Probing beat NewReno over wires with errors and handoffs? (Psaras et al., 6.1 to 6.5)",
        "",
        made(COMMAND, seeds),
        "",
        *prose(
            "The dumbbells are built in (`tworay scenarios`); all flows of a run have the same variant. The "
            'paper used ns-2: with its TCP settings (`compat = "ns2"`) in the first column, with the '
            f"standard ones and {len(fewer)} seeds in the second. There is no radio and no MAC in these "
            "scenarios: what differs is TCP alone. Differences are Probing less NewReno, paired by seed, "
            "with 95 % intervals; `+` is better for Probing with 95 % confidence, `−` worse, `=` neither. "
            "Goodput is all that the applications received in 60 s. Each seed draws when the flows enter, "
            "within the first two seconds. EEE and UAR (less is better) follow the paper's formulas; "
            "Throughput_max is what saturating CBR sources put out in the same scenario, delivered or not, "
            "as the paper defines it. Fairness is Jain's index over the flows' throughputs, as in the "
            "paper, and over their goodputs. Handoffs strike each sink's link at its own times. The paper "
            "gives its figures as plots and these claims."
        ),
        *prose(
            "What follows counts the points of each figure: numbers of flows (10 to 100), or error rates "
            "(0.01 to 0.4 %). A claim of more or less holds if no point contradicts it and at least half "
            f"show it; a claim of equality if the means are nowhere more than {EQUAL} apart; near 1 means "
            f"at least {NEAR_ONE}."
        ),
        *survival(both),
        "## With the 3/4 recovery as printed",
        "",
        *prose(
            "The pseudo-code sets ssthresh = 3/4 ssthresh and cwnd = 1 (`three_quarters=printed`). The text "
            "has an immediate recovery with only a small shrinkage of the window, which the default "
            "follows: ssthresh = cwnd = 3/4 of the window in use. The same claims with both, in ns-2's "
            "dialect:"
        ),
        *table(["scenario", "claim", "3/4 of the window", "as printed"], printed),
        *parts,
        "## Readings of the paper",
        "",
        *prose(
            "Goodput against NewReno with 40 flows, in the last two scenarios with their 70 and 60 flows "
            f"and 0.2 % errors; {READING_SEEDS} seeds, ns-2's dialect. What the words mean: "
            "`tworay variants --show probing`."
        ),
        *readings(seeds[:READING_SEEDS]),
        "# In the standard dialect",
        "",
        *standard_parts,
    ]
    write("probing", [*page, *notes("probing")])
    return 0


if __name__ == "__main__":
    end(main)
