"""Six TCP variants' energy in a static field, after Seddik-Ghaleb et al. (2006): make paper-002.

Writes docs/studies/energy.md and its pictures beside it. ``--seeds`` says how many seeds: 20 unless told.
Nothing fails if a claim of the paper doesn't hold: the page says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import tworay
from papers import (
    DOCS,
    NS2,
    STANDARD,
    Dialect,
    Judged,
    Verdict,
    end,
    first,
    made,
    notes,
    prose,
    seeds_asked,
    survival,
    write,
)
from tworay import stats
from tworay.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

COMMAND = "make paper-002"
# The standards' MAC stands beside ns-2's with fewer seeds.
STANDARD_SEEDS = 8
VARIANTS = ("tahoe", "reno", "newreno", "sack", "westwood", "vegas")
RATES = (5, 10, 15)
ENERGY = {"per-packet": "a fixed amount for each packet sent and received", "states": "power by radio state"}
FIGURES = (
    ("energy.joules_per_received_bit", "Figure 2: energy per received bit", "µJ/bit", 1e6, ".3g"),
    ("metrics.mean_connection_seconds", "Figure 3: average connection time", "s", 1.0, ".1f"),
    ("goodput_bps", "Figure 4: average goodput of the 14 connections", "kb/s", 1e-3 / 14, ".3g"),
)
BIT, TIME, GOODPUT = (figure[0] for figure in FIGURES)
EXTRAS = (
    ("energy.dead_nodes", "dead nodes", 1.0, ".1f"),
    ("energy.first_death_seconds", "first death, s (of the seeds that had one)", 1.0, ".0f"),
    ("energy.half_dead_seconds", "half dead, s (of the seeds in which it came to that)", 1.0, ".0f"),
    ("energy.joules_total", "radio, J", 1.0, ".0f"),
    ("energy.joules_computation", "computing, mJ", 1e3, ".2g"),
    ("retransmitted_segments", "sent again", 1.0, ".0f"),
    ("timeouts", "timeouts", 1.0, ".0f"),
)
SIGNIFICANT = 0.05
COLOURS = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377")


@dataclass(frozen=True)
class Situation:
    """One group of bars in the paper's figures."""

    title: str
    scenario: str
    errors: str = ""

    def settings(self, energy: str) -> dict[str, str]:
        """Return what differs from the scenario."""
        return {"energy.model": energy} | ({self.errors.split("=")[0]: self.rate} if self.errors else {})

    @property
    def rate(self) -> str:
        """The loss rate."""
        return self.errors.split("=")[1]


# Without errors, so that both kinds of losses stand beside the same runs.
PLAIN = (Situation("loss-free", "energy-field"), Situation("lost link", "energy-field-lost-link"))
KINDS = {"losses at the radio": "frame_err", "losses above the MAC": "pkt_err"}

Results = dict[str, tworay.Comparison]


def lossy(kind: str) -> list[Situation]:
    """Losses of a kind (``frame_err``: at the radio; ``pkt_err``: above the MAC)."""
    return [
        Situation(f"{rate} %", "energy-field", f"errors.{kind}.bernoulli.rate={rate / 100}") for rate in RATES
    ]


def compare(situation: Situation, energy: str, dialect: Dialect, seeds: int) -> tworay.Comparison:
    """Compare the variants in a situation."""
    with Progress(f"{dialect.name}, {energy}, {situation.errors or situation.title}") as progress:
        return tworay.compare(
            situation.scenario,
            tcp=VARIANTS,
            seeds=seeds,
            set={**situation.settings(energy), **dialect.settings},
            watch=progress.watch,
        )


def readings(dialect: Dialect, seeds: int) -> dict[str, Results]:
    """Compare the variants in every situation and reading of the study."""
    found = {}
    for energy in ENERGY:
        plain = {s.title: compare(s, energy, dialect, seeds) for s in PLAIN}
        for name, kind in KINDS.items():
            found[f"{energy}, {name}"] = plain | {
                s.title: compare(s, energy, dialect, seeds) for s in lossy(kind)
            }
    return found


def values(result: tworay.Comparison, variant: str, metric: str) -> list[float]:
    """Return a metric of the runs in the order of the seeds."""
    return [v for run in result.values(variant).values() if (v := run.get(metric)) is not None]


def average(result: tworay.Comparison, variant: str, metric: str) -> float:
    """Return the mean over the seeds."""
    return stats.mean(values(result, variant, metric)) or 0.0


def table(results: Results, metric: str, scale: float, form: str) -> list[str]:
    """Means with 95 % intervals, a row a situation."""
    lines = ["| | " + " | ".join(VARIANTS) + " |", "|---" * (len(VARIANTS) + 1) + "|"]
    for title, result in results.items():
        cells = []
        for variant in VARIANTS:
            of = values(result, variant, metric)
            interval = stats.t_interval(of)
            half = f" ± {interval.half_width * scale:{form}}" if interval else ""
            cells.append(f"{(stats.mean(of) or 0) * scale:{form}}{half}" if of else "–")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def picture(results: Results, figure: tuple[str, str, str, float, str], note: str) -> str:
    """Draw grouped bars with 95 % intervals as SVG."""
    metric, title, unit, scale, _ = figure
    bars = []
    for situation, result in results.items():
        for variant in VARIANTS:
            of = values(result, variant, metric)
            interval = stats.t_interval(of)
            mean = (stats.mean(of) or 0) * scale
            half = interval.half_width * scale if interval else 0.0
            bars.append((situation, variant, mean, half))
    width, height, left, top, bottom = 720, 330, 60, 56, 40
    most = nice(max(mean + half for *_, mean, half in bars))
    plot = height - top - bottom
    group = (width - left - 10) / len(results)
    bar = group / (len(VARIANTS) + 1.5)

    def y(value: float) -> float:
        return top + plot * (1 - min(max(value, 0), most) / most)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="16" font-size="14">{title}</text>',
        f'<text x="{left}" y="31" fill="#555">{note}</text>',
        f'<text x="8" y="{top - 8}">{unit}</text>',
    ]
    for variant, (i, colour) in zip(VARIANTS, enumerate(COLOURS), strict=True):
        key = left + i * 100
        parts.append(f'<rect x="{key}" y="38" width="9" height="9" fill="{colour}"/>')
        parts.append(f'<text x="{key + 13}" y="47">{variant}</text>')
    for step in range(5):
        value = most * step / 4
        line = f'x1="{left}" x2="{width - 10}" y1="{y(value):.1f}" y2="{y(value):.1f}"'
        parts.append(f'<line {line} stroke="#ccc"/>')
        parts.append(f'<text x="{left - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    for index, (situation, _, mean, half) in enumerate(bars):
        place, i = divmod(index, len(VARIANTS))
        x = left + place * group + (i + 0.75) * bar
        top_of_bar = y(mean)
        parts.append(
            f'<rect x="{x:.1f}" y="{top_of_bar:.1f}" width="{bar * 0.9:.1f}" '
            f'height="{y(0) - top_of_bar:.1f}" fill="{COLOURS[i]}"/>'
        )
        middle = x + bar * 0.45
        line = f'x1="{middle:.1f}" x2="{middle:.1f}" y1="{y(mean - half):.1f}" y2="{y(mean + half):.1f}"'
        parts.append(f'<line {line} stroke="black"/>')
        if i == 0:
            parts.append(
                f'<text x="{left + (place + 0.5) * group:.1f}" y="{height - bottom + 18}" '
                f'text-anchor="middle">{situation}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def nice(value: float) -> float:
    """Return the next round number above."""
    power = 1.0
    while power * 10 < value:
        power *= 10
    while power > value:
        power /= 10
    return next(f * power for f in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if f * power >= value)


Finding = tuple[str, str]
"""Whether a claim holds, and the figures."""


def less(metric: str, a: str, b: str, situation: str) -> Callable[[Results], Finding]:
    """Claim that ``a`` has less of a metric than ``b``, seed by seed."""

    def judge(results: Results) -> Finding:
        result = results[situation]
        runs = zip(result.values(a).values(), result.values(b).values(), strict=True)
        pairs = [(x[metric], y[metric]) for x, y in runs]
        left = [x for x, y in pairs if x is not None and y is not None]
        right = [y for x, y in pairs if x is not None and y is not None]
        p = stats.paired_p(left, right)
        mean_a, mean_b = stats.mean(left) or 0.0, stats.mean(right) or 0.0
        change = f"{100 * (mean_a / mean_b - 1):+.1f} %" if mean_b else "–"
        figures = f"{a} {change} of {b}, p = {p:.2g}" if p is not None else f"{a} {change} of {b}"
        if p is None or p >= SIGNIFICANT:
            return "no difference found", figures
        return ("**holds**" if mean_a < mean_b else "**the opposite holds**"), figures

    return judge


def extreme(
    metric: str, wanted: tuple[str, ...], situation: str, *, highest: bool = False
) -> Callable[[Results], Finding]:
    """Claim that these variants, in any order, have the least (or most) of a metric."""

    def judge(results: Results) -> Finding:
        by_mean = sorted(VARIANTS, key=lambda v: average(results[situation], v, metric), reverse=highest)
        holds = set(by_mean[: len(wanted)]) == set(wanted)
        return ("**holds**" if holds else "does not hold"), "order: " + ", ".join(by_mean)

    return judge


def grows(metric: str, variants: Iterable[str], *, falls: bool = False) -> Callable[[Results], Finding]:
    """Claim that a metric grows (falls) with the rate of losses."""

    def judge(results: Results) -> Finding:
        holding: list[str] = []
        failing: list[str] = []
        for variant in variants:
            steps = [average(results[f"{rate} %"], variant, metric) for rate in RATES]
            ordered = sorted(steps, reverse=falls)
            (holding if steps == ordered else failing).append(variant)
        if not failing:
            return "**holds**", f"for {', '.join(holding)}"
        return "does not hold", f"not for {', '.join(failing)}"

    return judge


CLAIMS: tuple[tuple[str, Callable[[Results], Finding]], ...] = (
    ("2, lost link: Tahoe spends less than Reno", less(BIT, "tahoe", "reno", "lost link")),
    ("2, lost link: NewReno spends less than Tahoe", less(BIT, "newreno", "tahoe", "lost link")),
    ("2, lost link: NewReno spends less than SACK", less(BIT, "newreno", "sack", "lost link")),
    ("2, lost link: Vegas and NewReno spend least", extreme(BIT, ("vegas", "newreno"), "lost link")),
    ("2: Tahoe and Reno spend more the more is lost", grows(BIT, ("tahoe", "reno"))),
    ("2, 15 %: Reno spends more than NewReno", less(BIT, "newreno", "reno", "15 %")),
    ("2, 15 %: NewReno spends least", extreme(BIT, ("newreno",), "15 %")),
    ("2, 15 %: NewReno and SACK spend least", extreme(BIT, ("newreno", "sack"), "15 %")),
    ("2, 5 %: NewReno spends less than Westwood", less(BIT, "newreno", "westwood", "5 %")),
    ("2, 15 %: NewReno spends less than Westwood", less(BIT, "newreno", "westwood", "15 %")),
    (
        "3, lost link: Tahoe is connected for less time than NewReno",
        less(TIME, "tahoe", "newreno", "lost link"),
    ),
    ("3, lost link: NewReno less than Westwood", less(TIME, "newreno", "westwood", "lost link")),
    ("3, lost link: Vegas and NewReno least", extreme(TIME, ("vegas", "newreno"), "lost link")),
    ("3, 5 %: Vegas least", extreme(TIME, ("vegas",), "5 %")),
    ("3, 10 %: NewReno least", extreme(TIME, ("newreno",), "10 %")),
    ("3, 15 %: NewReno least", extreme(TIME, ("newreno",), "15 %")),
    ("4: goodput falls with losses", grows(GOODPUT, VARIANTS, falls=True)),
    ("4, 15 %: Vegas' goodput is below NewReno's", less(GOODPUT, "vegas", "newreno", "15 %")),
)


def claims(every: dict[str, Results]) -> list[str]:
    """Set the paper's claims beside what was found."""
    lines = ["| figure and claim | " + " | ".join(every) + " |", "|---" * (len(every) + 1) + "|"]
    for text, judge in CLAIMS:
        cells = [" — ".join(judge(results)) for results in every.values()]
        lines.append(f"| {text} | {' | '.join(cells)} |")
    return lines


def summed(every: dict[str, Results], judge: Callable[[Results], Finding]) -> tuple[Verdict, str]:
    """Put the readings' findings together: in how many of them a claim holds."""
    holding = sum(judge(results)[0] == "**holds**" for results in every.values())
    detail = f"{holding} of {len(every)} readings"
    if holding == len(every):
        return Verdict.HOLDS, detail
    return (Verdict.IN_PART if holding else Verdict.FAILS), detail


def both(every: dict[str, Results], standard: dict[str, Results]) -> list[str]:
    """Set the claims' verdicts in both dialects side by side."""
    lines = []
    for text, judge in CLAIMS:
        (verdict, detail), (other, other_detail) = summed(every, judge), summed(standard, judge)
        source, claim = text.split(": ", 1)
        lines.append(Judged(f"figure {source}", claim, verdict, other, detail, other_detail))
    return survival(lines)


def cost_of_a_cut(every: dict[str, Results]) -> list[str]:
    """Say what the lost link changes against the runs without losses."""
    head = ["NewReno", "loss-free", "lost link"]
    rows = []
    for name, results in list(every.items())[:: len(KINDS)]:
        for metric, title, scale, form in (
            (GOODPUT, "goodput, kb/s", 1e-3 / 14, ".3g"),
            ("timeouts", "timeouts", 1.0, ".0f"),
        ):
            cells = []
            for situation in PLAIN:
                of = values(results[situation.title], "newreno", metric)
                interval = stats.t_interval(of)
                half = f" ± {interval.half_width * scale:{form}}" if interval else ""
                cells.append(f"{(stats.mean(of) or 0) * scale:{form}}{half}")
            rows.append([f"{name.split(', ')[0]}: {title}", *cells])
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def same(every: dict[str, Results]) -> list[str]:
    """Count the claims by verdict."""
    lines = []
    for name, results in every.items():
        verdicts = [judge(results)[0].strip("*") for _, judge in CLAIMS]
        counts = {v: verdicts.count(v) for v in dict.fromkeys(verdicts)}
        lines.append(f"- {name}: " + ", ".join(f"{v} {n}" for v, n in counts.items()) + ".")
    return lines


def main() -> int:
    """Run everything and write the page."""
    asked = seeds_asked(__doc__, 20)
    seeds = len(asked)
    beside = len(first(asked, STANDARD_SEEDS))
    every = readings(NS2, seeds)
    standard = readings(STANDARD, beside)
    main_reading = next(iter(every))
    page = [
        "# Energy of six TCP variants in a static field: figures 2 to 4 of Seddik-Ghaleb et al.",
        "",
        made(COMMAND, asked),
        "",
        "The study (Seddik-Ghaleb, Ghamri-Doudane and Senouci, 2006): 20 nodes at random on",
        "670 m × 670 m, 14 FTP transfers with 512-byte packets, OLSR, 10 J a node, 400 s; a lost link, or",
        'losses of 5, 10 and 15 % (its "BER"). Here: `energy-field` and `energy-field-lost-link`; every seed',
        "places the nodes anew, and the variants meet the same places. The paper shows one run without",
        "intervals, its positions, pairs and amounts of energy are lost, and its bars were never printed",
        "as numbers: claims can be compared, figures not. Its energy model isn't said in full, nor where",
        "packets were lost, so both readings of each were run:",
        "",
        "- energy: " + "; or ".join(f"{text} (`energy.model={name}`)" for name, text in ENERGY.items()) + ";",
        "- losses: of frames at each receiving radio, which the MAC repairs (`errors.frame_err`); or of",
        "  packets above the MAC at each hop, which only TCP repairs (`errors.pkt_err`).",
        "",
        *prose(
            'The study ran ns-2: the scenarios say `compat = "ns2"` and a window of 20 segments, ns-2\'s '
            "own. Beside "
            f"it, with {beside} seeds, the standards' MAC, radio and TCP (`compat=none`)."
        ),
        *prose(
            "What a lost link is isn't said either. Here a link is cut for good at 36 s, when all "
            "transfers have "
            "begun and all batteries still last; it is one that carries a transfer at that moment "
            "(`[[event]]` "
            'with `what = "cut"`). The runs without any loss stand beside it.'
        ),
        *cost_of_a_cut(every),
        "",
        "    tworay compare energy-field --tcp " + ",".join(VARIANTS) + f" --seeds {seeds} \\",
        "      --set energy.model=per-packet --set errors.frame_err.bernoulli.rate=0.05",
        "",
        "## The paper's claims",
        "",
        *same(every),
        "",
        f"*Holds* and *the opposite holds*: paired by seed, p < {SIGNIFICANT:g} (t test). Claims about the",
        "least or the most go by the order of the means alone.",
        "",
        *claims(every),
        "",
        "## With a standard MAC",
        "",
        "A claim *holds* here if it does in all four readings, and *in part* if it does in some.",
        "",
        *both(every, standard),
        "An FTP transfer doesn't end, so its connection time is the time from its first segment to its last",
        "new ACK: it is long where the battery lasts, and short where a transfer starves or an end dies. The",
        "paper reads short times as quick transfers; here a short time is as often the sign of a dead end.",
        "",
        *notes("energy"),
    ]
    for name, results in every.items():
        page += [f"## {name[0].upper()}{name[1:]}", ""]
        for number, figure in enumerate(FIGURES, start=2):
            metric, title, unit, scale, form = figure
            page += [f"### {title}, {unit}", ""]
            if name == main_reading:
                file = f"energy-figure-{number}.svg"
                (DOCS / file).write_text(picture(results, figure, f"{name}; {seeds} seeds, 95 % intervals"))
                page += [f"![{title}]({file})", ""]
            page += [*table(results, metric, scale, form), ""]
        page += ["### Batteries and repairs", ""]
        for metric, title, scale, form in EXTRAS:
            if any(values(result, v, metric) for result in results.values() for v in VARIANTS):
                page += [f"{title}:", "", *table(results, metric, scale, form), ""]
    write("energy", page)
    print("\n".join(same(every)))
    return 0


if __name__ == "__main__":
    end(main)
