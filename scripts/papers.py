"""What the checks of papers share: the command line, runs on all cores, intervals, tables."""

from __future__ import annotations

import argparse
import datetime
import sys
import textwrap
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import tworay
from tworay import stats
from tworay.files import replacing
from tworay.running.executing import cores
from tworay.running.progress import Progress
from tworay.running.workers import in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DOCS = Path(__file__).parents[1] / "docs" / "studies"

# Smaller differences, in percent, are rounding.
NOTHING = 1e-9

# Intervals need two.
LEAST_SEEDS = 2
INTERRUPTED = 130

Item = TypeVar("Item")
Result = TypeVar("Result")
Document = dict[str, Any]
Settings = dict[str, object]


@dataclass(frozen=True, eq=False)
class Dialect:
    """A set of habits of MAC, routing and TCP that a page is run in. Each is itself only: a key of a dict."""

    name: str
    settings: Settings


# All five papers used ns-2, so their claims are judged in its dialect. The standards' stands beside it.
NS2 = Dialect("ns-2", {"compat": "ns2"})
STANDARD = Dialect("standard", {"compat": "none"})
DIALECTS = (NS2, STANDARD)


class Verdict(StrEnum):
    """What a page says of a claim."""

    HOLDS = "holds"
    IN_PART = "in part"
    # The interval contains zero: neither shown nor contradicted.
    OPEN = "open"
    FAILS = "does not hold"


@dataclass(frozen=True)
class Judged:
    """A claim with its verdicts in both dialects, and details (an interval, say) to print after them."""

    source: str
    claim: str
    ns2: Verdict
    standard: Verdict
    ns2_detail: str = ""
    standard_detail: str = ""

    @property
    def survives(self) -> str:
        """Say whether what ns-2 shows is there with the standards' MAC, routing and TCP too."""
        shown = (Verdict.HOLDS, Verdict.IN_PART)
        if self.ns2 not in shown:
            return "shown by the standard only" if self.standard in shown else "shown by neither"
        if self.standard not in shown:
            return "no" if self.standard == Verdict.FAILS else "open"
        return "yes" if self.standard == Verdict.HOLDS else "in part"


@dataclass(frozen=True)
class Paired:
    """A difference of two variants over the same seeds, in percent of the second's mean."""

    difference: float
    low: float
    high: float

    @property
    def better(self) -> bool:
        """Whether the first is above the second with 95 % confidence."""
        return self.low > NOTHING

    @property
    def worse(self) -> bool:
        """Whether it is below."""
        return self.high < -NOTHING

    def within(self, percent: float) -> bool:
        """Whether the whole interval lies within so many percent."""
        return -percent < self.low and self.high < percent

    def __str__(self) -> str:
        """Write difference and interval."""
        return f"{self.difference:+.1f} % ({self.low:+.1f} to {self.high:+.1f})"


def seeds_asked(about: str | None, default: int) -> range:
    """Read the command line of a check that takes ``--seeds``."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=default, help=f"runs of each kind (default {default})")
    seeds = parser.parse_args().seeds
    if seeds < LEAST_SEEDS:
        parser.error(f"--seeds {seeds}: give at least {LEAST_SEEDS}; intervals need them")
    return range(1, seeds + 1)


def end(main: Callable[[], int]) -> NoReturn:
    """Run a check to its end or to Ctrl-C. Pages are written last and whole: what was there stays."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted; the pages are as they were", file=sys.stderr)
        sys.exit(INTERRUPTED)


def on_all_cores(one: Callable[[Item], Result], items: Iterable[Item], what: str) -> list[Result]:
    """Do every item, in order of the list, with progress on stderr; Ctrl-C ends after the runs under way."""
    with Progress(what) as progress:
        return in_order(
            one,
            items,
            jobs=cores(),
            watch=lambda done, total: progress.watch(done, total, done / total),
        )


def runs(scenario: str, variants: list[str], seeds: range, settings: Settings) -> dict[str, list[Document]]:
    """Run every variant over the same seeds; the documents by variant, in the order of the seeds."""
    worlds = {name: tworay.load(scenario, set=settings | {"tcp.variant": name}) for name in variants}

    def one(task: tuple[str, int]) -> Document:
        name, seed = task
        return dict(tworay.run(worlds[name], seed=seed, series=False).summary)

    return spread(one, variants, seeds, scenario)


def spread(
    one: Callable[[tuple[str, int]], Document], variants: list[str], seeds: range, what: str
) -> dict[str, list[Document]]:
    """Do (variant, seed) on all cores; the documents by variant, in the order of the seeds."""
    tasks = [(name, seed) for seed in seeds for name in variants]
    documents = on_all_cores(one, tasks, what)
    result: dict[str, list[Document]] = {name: [] for name in variants}
    for (name, _), document in zip(tasks, documents, strict=True):
        result[name].append(document)
    return result


def paired(a: list[Document], b: list[Document], figure: Callable[[Document], float]) -> Paired:
    """Compare two variants seed by seed."""
    left, right = [figure(d) for d in a], [figure(d) for d in b]
    base = mean(right)
    difference = stats.differences(left, right)
    interval = stats.t_interval(difference)
    low, high = interval if interval else (mean(difference),) * 2
    scale = 100 / base if base else 0.0
    return Paired(mean(difference) * scale, low * scale, high * scale)


def mean(values: list[float]) -> float:
    """Return the arithmetic mean of at least one value."""
    return stats.mean(values) or 0.0


def figure_of(documents: list[Document], figure: Callable[[Document], float]) -> tuple[float, float]:
    """Return mean and half width of the 95 % interval."""
    values = [figure(d) for d in documents]
    interval = stats.t_interval(values)
    return mean(values), interval.half_width if interval else 0.0


def goodput(document: Document) -> float:
    """Bits a second of all flows."""
    return float(sum(flow["goodput_bps"] for flow in document["flows"]))


def made(command: str, seeds: range) -> str:
    """Say how and when a page was made."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return (
        f"Made by `{command}` on {today} with tworay {tworay.__version__}; seeds {seeds[0]} to {seeds[-1]}."
    )


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Write a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def survival(claims: list[Judged]) -> list[str]:
    """Write one line per claim: its verdict in ns-2's dialect and in the standard one."""

    def cell(verdict: Verdict, detail: str) -> str:
        return f"**{verdict}**" + (f": {detail}" if detail else "")

    rows = [
        [c.source, c.claim, cell(c.ns2, c.ns2_detail), cell(c.standard, c.standard_detail), c.survives]
        for c in claims
    ]
    return table(["source", "claim", NS2.name, STANDARD.name, "survives the standard dialect"], rows)


def first(seeds: range, most: int) -> range:
    """Return at most so many of the seeds: for what stands beside the page's main runs."""
    return seeds[: max(most, LEAST_SEEDS)]


def prose(text: str) -> list[str]:
    """Break a paragraph into lines."""
    return [*textwrap.wrap(text, 105, break_on_hyphens=False), ""]


# What is kept by hand stands with the papers' data.
NOTES = {
    "freeze-probing": "freeze-probing-2005/notes.md",
    "welcome": "ghaleb-seddik-2012/notes.md",
    "probing": "psaras-2006/notes.md",
    "energy": "seddik-ghaleb-2006/notes.md",
}


def notes(name: str) -> list[str]:
    """Return what is kept by hand for a page, if anything is."""
    papers = DOCS.parents[1] / "python" / "tworay" / "papers"
    file = papers / NOTES.get(name, f"papanastasiou-2006/notes-{name}.md")
    return [file.read_text(encoding="utf-8").rstrip(), ""] if file.is_file() else []


def write(name: str, lines: list[str]) -> None:
    """Write a page, never half."""
    page = DOCS / f"{name}.md"
    with replacing(page) as hidden:
        hidden.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(f"wrote docs/studies/{page.name}", file=sys.stderr)
