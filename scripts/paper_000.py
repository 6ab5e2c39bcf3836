"""TCP-WELCOME in the four loss situations of its paper (figures 18 to 25): make paper-000.

Writes docs/studies/welcome.md. Claims that do not hold are written down there; they are no failure of the
check.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from papers import (
    DIALECTS,
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
    goodput,
    made,
    notes,
    paired,
    prose,
    runs,
    seeds_asked,
    survival,
    table,
    write,
)
from tworay.metrics import add_counts
from tworay.metrics.diagnosis import covers, scores

COMMAND = "make paper-000"
WELCOME = "welcome"
OTHERS = ["newreno", "sack", "vegas", "westwood"]
VARIANTS = [*OTHERS, WELCOME]
# The energy of ns-2's radio; batteries never run out.
ENERGY: Settings = {"energy.model": "states", "energy.preset": "ns2"}
# What "comparable" means in congestion.
MARGIN = 5.0
# Seeds of the dialect that stands beside, and of the readings and worlds at most.
STANDARD_SEEDS = 30
READING_SEEDS = 30


@dataclass(frozen=True, eq=False)
class Situation:
    """A loss situation and what the paper says of it."""

    scenario: str
    figures: str
    claim: str
    beats: bool
    settings: Settings


FAILURE: Settings = {"warmup": "20s", "duration": "30s"}
SITUATIONS = [
    Situation("congestion", "18, 19", "comparable with NewReno, SACK and Westwood", False, {}),
    Situation("interference", "20, 21", "more goodput than all the others", True, {}),
    Situation("link-failure", "22, 23", "much more goodput than all the others", True, {}),
    Situation("link-failure-shorter", "22, 23", "as link-failure", True, {}),
    Situation("signal-loss", "24, 25", "more goodput than all the others", True, {}),
]
# The ten seconds that follow the failure, alone.
CLOSE = [
    Situation(name, "22, 23", "the ten seconds after the failure", True, FAILURE)
    for name in ("link-failure", "link-failure-shorter")
]
READINGS = [
    "welcome",
    "welcome(lra_wireless=cap)",
    "welcome(congestion=fig7)",
    "welcome(predicate=popcount5)",
    "welcome(predicate=popcount6)",
    "welcome(relative=successive)",
    "welcome(filter=flipflop)",
    "welcome(constant=band)",
    "welcome(cwnd=2)",
    "welcome(cwnd=1)",
    "welcome(a_fixed=yes)",
    "welcome(lra_link=keep)",
    "welcome(cwnd=1,lra_link=keep)",
]


@dataclass(frozen=True)
class World:
    """WELCOME over a recovery, against that recovery, under other settings."""

    name: str
    settings: Settings
    against: str = "newreno"

    @property
    def welcome(self) -> str:
        """The variant."""
        return f"{self.against}+{WELCOME}"


# ns-2's TCP-Linux, in which the paper's WELCOME ran as a module of Linux 2.6.
TCP_LINUX: Settings = {
    "tcp.sack.form": "tcp-linux",
    "tcp.rto.arithmetic": "linux-ticks",
    "tcp.tick": "1ms",
    "tcp.rto.max": "120s",
    "tcp.timestamps": "true",
}
WORLDS = [
    World("as above (NewReno, window 20)", {}),
    World("window 8", {"tcp.window": 8}),
    World("window 64", {"tcp.window": 64}),
    World("Reno", {}, "reno"),
    World("SACK", {}, "sack"),
    World("SACK of TCP-Linux, as the paper ran it", TCP_LINUX, "sack"),
]


def energy(document: Document) -> float:
    """Radio energy by received bit, microjoules: transmitting, receiving and overhearing."""
    return 1e6 * float(document["energy"]["joules_per_received_bit"] or 0.0)


def main_flow(document: Document) -> float:
    """Bits a second of the first flow."""
    return float(document["flows"][0]["goodput_bps"])


def retransmissions(document: Document) -> float:
    """Segments sent again, all flows."""
    return float(sum(flow["retransmitted_segments"] for flow in document["flows"]))


def timeouts(document: Document) -> float:
    """Expiries of the retransmission timer, all flows."""
    return float(sum(flow["timeouts"] for flow in document["flows"]))


def verdict(situation: Situation, results: dict[str, list[Document]]) -> tuple[Verdict, str]:
    """Judge a claim: a word, and in which cases."""
    against = {name: paired(results[WELCOME], results[name], goodput) for name in OTHERS}
    if not situation.beats:
        off = [n for n in ("newreno", "sack", "westwood") if not against[n].within(MARGIN)]
        word = Verdict.FAILS if "newreno" in off else Verdict.IN_PART if off else Verdict.HOLDS
        detail = (
            f"outside ±{MARGIN:.0f} % of {', '.join(off)}" if off else f"within ±{MARGIN:.0f} % of all three"
        )
        return word, detail
    beaten = [name for name in OTHERS if against[name].better]
    lost = [name for name in OTHERS if against[name].worse]
    open_ = [name for name in OTHERS if name not in beaten and name not in lost]
    word = Verdict.IN_PART if 2 * len(beaten) >= len(OTHERS) and not lost else Verdict.FAILS
    if len(beaten) == len(OTHERS):
        word = Verdict.HOLDS
    parts = [("beats", beaten), ("no difference from", open_), ("below", lost)]
    return word, "; ".join(f"{what} {', '.join(names)}" for what, names in parts if names)


def goodput_rows(results: dict[str, list[Document]]) -> list[list[str]]:
    """One row per variant: figures and WELCOME's difference."""
    rows = []
    for name in VARIANTS:
        value, half = figure_of(results[name], goodput)
        first, _ = figure_of(results[name], main_flow)
        joules, _ = figure_of(results[name], energy)
        again, _ = figure_of(results[name], retransmissions)
        expiries, _ = figure_of(results[name], timeouts)
        difference = "" if name == WELCOME else str(paired(results[WELCOME], results[name], goodput))
        flow = "" if name == WELCOME else str(paired(results[WELCOME], results[name], main_flow))
        rows.append(
            [
                name,
                f"{value / 1e3:.1f} ± {half / 1e3:.1f}",
                difference,
                f"{first / 1e3:.1f}",
                flow,
                f"{joules:.3f}",
                f"{again:.0f}",
                f"{expiries:.1f}",
            ]
        )
    return rows


HEAD = [
    "variant",
    "goodput, kb/s",
    "welcome against it",
    "first flow, kb/s",
    "welcome against it",
    "µJ/bit",
    "sent again",
    "timeouts",
]


def diagnosis(results: list[Document]) -> list[str]:
    """WELCOME's guesses against the ledger."""
    counts: dict[str, dict[str, int]] = {}
    for document in results:
        add_counts(counts, document["diagnosis"])
    causes = sorted({cause for row in counts.values() for cause in row})
    rows = [
        [guess, *(f"**{row.get(c, 0)}**" if covers(guess, c) else str(row.get(c, 0)) for c in causes)]
        for guess, row in sorted(counts.items())
    ]
    found = scores(counts)

    def percent(value: float | None) -> str:
        return "–" if value is None else f"{100 * value:.0f} %"

    recalls = ", ".join(f"{cause} {percent(value)}" for cause, value in sorted(found["recall"].items()))
    precisions = ", ".join(f"{guess} {percent(value)}" for guess, value in sorted(found["precision"].items()))
    return [
        "Guess (rows) by true cause (columns); right ones are bold, `none`: nothing had been lost.",
        "",
        *table(["guess", *causes], rows),
        *prose(
            f"Balanced accuracy {percent(found['balanced_accuracy'])}; recall: {recalls}; precision: "
            f"{precisions}; needless guesses {percent(found['needless'])}."
        ),
    ]


def readings(seeds: range) -> list[str]:
    """Compare the readings of the paper with NewReno in all situations."""
    rows: list[list[str]] = [[name] for name in READINGS]
    for situation in SITUATIONS:
        settings = NS2.settings | situation.settings
        results = runs(situation.scenario, ["newreno", *READINGS], seeds, settings)
        for row, name in zip(rows, READINGS, strict=True):
            row.append(str(paired(results[name], results["newreno"], goodput)))
    return table(["reading", *(s.scenario for s in SITUATIONS)], rows)


def worlds(seeds: range) -> list[str]:
    """Compare WELCOME with the recovery below it, under other windows and recoveries."""
    rows = []
    for world in WORLDS:
        row = [world.name]
        for situation in SITUATIONS:
            settings = NS2.settings | situation.settings | world.settings
            results = runs(situation.scenario, [world.against, world.welcome], seeds, settings)
            row.append(str(paired(results[world.welcome], results[world.against], goodput)))
        rows.append(row)
    return table(["world", *(s.scenario for s in SITUATIONS)], rows)


def part(situation: Situation, dialect: Dialect, results: dict[str, list[Document]]) -> list[str]:
    """Write a situation's figures and diagnosis."""
    lines = [f"## {title(situation)}; {dialect.name}", "", *table(HEAD, goodput_rows(results))]
    return lines + ([] if situation.settings else diagnosis(results[WELCOME]))


def title(situation: Situation) -> str:
    """Name a situation."""
    return f"{situation.scenario}, 20 s to 30 s" if situation.settings else situation.scenario


def main() -> int:
    """Run everything and write the page."""
    seeds = seeds_asked(__doc__, 30)
    fewer, readers = first(seeds, STANDARD_SEEDS), first(seeds, READING_SEEDS)
    judged = []
    parts: dict[Dialect, list[str]] = {dialect: [] for dialect in DIALECTS}
    for situation in SITUATIONS + CLOSE:
        verdicts = []
        for dialect in DIALECTS:
            settings = dialect.settings | ENERGY | situation.settings
            results = runs(situation.scenario, VARIANTS, seeds if dialect == NS2 else fewer, settings)
            verdicts.append(verdict(situation, results))
            parts[dialect] += part(situation, dialect, results)
            print(f"{title(situation)}; {dialect.name}: {verdicts[-1]}", file=sys.stderr)
        (ns2, ns2_detail), (standard, standard_detail) = verdicts
        claim = f"{title(situation)}: {situation.claim}"
        judged.append(
            Judged(f"figures {situation.figures}", claim, ns2, standard, ns2_detail, standard_detail)
        )
    page = [
        "# Does TCP-WELCOME win in its four loss situations? (Ghaleb-Seddik et al., figures 18 to 25)",
        "",
        made(COMMAND, seeds),
        "",
        *prose(
            "The scenarios are built in (`tworay compare congestion --tcp newreno,welcome`). All flows of a "
            "run have the same variant. The paper used ns-2, so its claims are judged in ns-2's dialect "
            f'(`compat = "ns2"`); the standard one, with {len(fewer)} seeds, stands beside. Differences are '
            "paired by seed and in percent of the other's mean, with 95 % intervals (Student's t). Nothing "
            "is tuned: every variant runs with its defaults in every situation. The paper gives its figures "
            "as plots and these claims of goodput; it gives no windows, durations or intervals. A claim to "
            "beat the others holds if WELCOME beats all four, in part if it beats "
            "two or more and is below none."
        ),
        *survival(judged),
        *parts[NS2],
        "## Readings of the paper",
        "",
        *prose(
            f"Goodput against NewReno, all flows, ns-2's dialect, {len(readers)} seeds. What the words "
            "mean: `tworay variants --show welcome`."
        ),
        *readings(readers),
        "## Other windows and recoveries",
        "",
        *prose(
            "Goodput of WELCOME over a recovery against that recovery by itself, all flows, ns-2's dialect, "
            f"{len(readers)} seeds."
        ),
        *worlds(readers),
        "# In the standard dialect",
        "",
        *parts[STANDARD],
    ]
    write("welcome", [*page, *notes("welcome")])
    return 0


if __name__ == "__main__":
    end(main)
