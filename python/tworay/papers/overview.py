"""The page of the papers' headlines, which a reader begins with, and the lists of all claims, in Markdown."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.papers import forest, planfile
from tworay.papers.causes import told
from tworay.papers.claimlists import because
from tworay.papers.earlier import Earlier
from tworay.papers.headlines import EARLIER, of_earlier, of_result, rows_of, survival
from tworay.papers.library import WITHOUT_RESULTS, Role, State
from tworay.papers.markdown import prose, prose_with_numbers, table, write
from tworay.papers.mechanisms import Standing, of
from tworay.papers.pages import SHOWN, count, full_size, seeds_of, today
from tworay.papers.plannedruns import PILOT
from tworay.papers.reproducing import NOT_RUN, Reproduction
from tworay.papers.rule import Verdict
from tworay.papers.seeding import CEILING
from tworay.papers.verdicts import RULE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tworay.papers.library import Claim, Paper
    from tworay.papers.planfile import Need

OVERVIEW = "README.md"
LISTS = "all-claims.md"
FIGURES = "## Figures and tables"
SEEDS = "## Seeds of each experiment"
SEEDS_HEAD = ["paper", "experiment", "what", "seeds", "full size", "cells with fewer than asked for"]
SEEDS_TOLD = (
    f"A pilot of {PILOT} seeds asks for a number of seeds for each cell, of which at most {CEILING - PILOT} "
    "follow; the budget of processor time may allow fewer, and the last column says of how many cells it "
    "does. *Full size* is what is planned."
)
ASKED = "Which claims of five papers on TCP over wireless hold here, and do they survive a standard MAC?"
HELD = (
    "[Claims that hold](all-claims.md#claims-that-hold) lists those; the tables below have the headlines of "
    "each paper."
)
READ = (
    "All five papers ran ns-2. Each was run in ns-2's dialect, with the settings that it states, and beside "
    "it in the standard dialect (IEEE 802.11, the RFCs). *Found* is the result of a headline's first claim: "
    "the range of its cells' estimates, in parentheses the outermost ends of their 95 % intervals; then how "
    "many of the headline's claims hold. `tworay reproduce PAPER:H1` runs one."
)
WAITING = (
    "{names}: no cells are stored yet. Their lines ({mark}) are from an earlier run, partly with other "
    "settings, and have no verdict by the [rule as it is now](how-claims-are-judged.md)."
)
MORE = (
    "[A paper of four pages](what-held.md) has the method, the table and what explains the differences. Each "
    "paper's page has all of its claims with causes, plots and settings; [all claims](all-claims.md) are "
    "also listed by verdict, with figures and seeds. [How claims are judged](how-claims-are-judged.md) "
    "measures how often the rule is wrong."
)
STATES = (
    "How many figures and tables are made as their authors define them. Parts of a figure that are drawn "
    "apart count once each. Drawings and tables of settings have no results: scenarios, dialects and "
    "variants carry them. `tworay reproduce --list` names each with its state."
)
WHOLE = "## Mechanisms and figures"
BUILT = (
    "How much of the papers is here. [Mechanisms](mechanisms.md) names each with the command that shows it; "
    "of those that a paper only cites, {cited} of {named} are not built. Figures and tables without results "
    "(drawings, settings) are not counted; parts that are drawn apart count once each, and `tworay reproduce "
    "--list` has the state of each."
)
LISTED = (
    (Verdict.HOLDS, "Claims that hold"),
    (Verdict.DIRECTION, "Claims that hold in direction"),
    (Verdict.FAILS, "Claims that do not hold"),
    (Verdict.INCONCLUSIVE, "Claims that these seeds cannot decide"),
    (Verdict.CONTRADICTED, "Claims that their own source contradicts"),
    (Verdict.UNTESTED, "Claims not tested, and why"),
)


def write_both(results: Sequence[Reproduction], papers: Sequence[Paper], folder: Path) -> None:
    """Write the page of the headlines, and the lists of all claims.

    ``papers`` are all papers; those without a result in ``results`` have the numbers of their earlier page.
    """
    results = [result for result in results if not result.paper.study]
    papers = [paper for paper in papers if not paper.study]
    forest.draw(results, folder)
    write(folder / OVERVIEW, front(results, papers, folder))
    write(folder / LISTS, lists(results, papers, folder))


def front(results: Sequence[Reproduction], papers: Sequence[Paper], folder: Path) -> list[str]:
    """Return the lines of the page of the headlines."""
    lines = ["# Which claims of five papers hold", "", *prose(f"{ASKED} {today()}")]
    lines += prose(f"**{survival(results).said}.** {HELD}")
    lines += _in_short(results)
    lines += prose(READ)
    if forest.lines(results):
        lines += [f"![{forest.CAPTION}]({forest.NAME})", ""]
    by_name = {result.paper.name: result for result in results}
    waiting = [paper for paper in papers if paper.name not in by_name]
    if waiting:
        lines += prose(WAITING.format(names=", ".join(p.name for p in waiting), mark=EARLIER.strip(" :*")))
    for paper in papers:
        lines += [f"## [{paper.title}]({paper.key}.md)", ""]
        if paper.name in by_name:
            lines += rows_of(of_result(by_name[paper.name]), brief=True)
        else:
            lines += rows_of(of_earlier(paper, Earlier.read(folder / f"{paper.key}.md")), brief=True)
    lines += ["## Tally", "", *tally(results)]
    return [*lines, WHOLE, "", *prose(_built(papers)), *table(*made(papers)), *prose(MORE)]


def _in_short(results: Sequence[Reproduction]) -> list[str]:
    """Return what holds of each paper in a few sentences."""
    said = [(result.paper.name, told(result, result.paper.short)) for result in results]
    lines = [line for name, text in said if text for line in prose_with_numbers(f"- **{name}.** {text}")[:-1]]
    return ["## In short", "", *lines, "", "## The headlines", ""] if lines else []


def _built(papers: Sequence[Paper]) -> str:
    named = [one for paper in papers for one in of(paper) if one.cited]
    return BUILT.format(cited=sum(one.state is Standing.NOT for one in named), named=len(named))


def made(papers: Sequence[Paper]) -> tuple[list[str], list[list[str]]]:
    """Return the table of the papers' mechanisms, and of their figures and tables with results, by state."""
    shown = (State.DEFINED, State.DEVIATING, State.NOT_MADE)
    rows, total = [], Counter[str]()
    for paper in papers:
        counted = Counter(str(one.state) for one in of(paper))
        counted += Counter(str(figure.state) for figure in paper.figures if figure.state in shown)
        total += counted
        rows.append([f"[{paper.name}]({paper.key}.md)", *_row(counted, shown)])
    rows.append(["all", *_row(total, shown)])
    head = ["paper", "mechanisms", *Standing, "figures and tables", *shown]
    return list(map(str, head)), rows


def _row(counted: Counter[str], shown: Sequence[State]) -> list[str]:
    parts = [[str(counted[one]) for one in kind] for kind in (Standing, shown)]
    return [cell for part in parts for cell in (str(sum(map(int, part))), *part)]


def tally(results: Sequence[Reproduction]) -> list[str]:
    """Return the table of the verdicts on the papers' own claims, each counted once."""
    rows, totals, open_ = [], Counter[Verdict](), 0
    for result in results:
        counts = count(result)
        totals += counts
        not_run = sum(result.judgements[c.id].reason == NOT_RUN.reason for c in _own(result))
        open_ += not_run
        shown = [str(counts[verdict]) for verdict in SHOWN]
        rows.append(
            [f"[{result.paper.name}]({result.paper.key}.md)", *shown, str(not_run), str(counts.total())]
        )
    rows.append(["all", *(str(totals[verdict]) for verdict in SHOWN), str(open_), str(totals.total())])
    return table(["paper", *SHOWN, "of these, not run yet", "claims"], rows)


def lists(results: Sequence[Reproduction], papers: Sequence[Paper], folder: Path) -> list[str]:
    """Return the lines of the lists: claims by verdict, states of the figures, and seeds."""
    lines = ["# All claims of five papers, by verdict", ""]
    lines += prose(f"Where does a paper's claim, figure or experiment stand? {today()}")
    lines += prose("The [headlines](README.md) are shorter; the papers' pages have plots and settings.")
    waiting = [paper.name for paper in papers if paper.name not in {r.paper.name for r in results}]
    if waiting:
        lines += prose(f"Not listed, because no cells are stored yet: claims of {', '.join(waiting)}.")
    for verdict, title in LISTED:
        rows = [
            [r.paper.name, c.id, c.says, c.paper, because(r, c)]
            for r in results
            for c in _own(r)
            if r.judgements[c.id].verdict is verdict and r.judgements[c.id].reason != NOT_RUN.reason
        ]
        if rows:
            head = ["paper", "", "claim", "paper's value", "tworay, and cause or note"]
            lines += [f"## {title}", "", *table(head, rows)]
    lines += [FIGURES, "", *prose(STATES), *table(*states(papers))]
    seeds_of_claims = {result.paper.name: result.seeds for result in results}
    seeds = [row for paper in papers for row in _seeds_on(paper, folder, seeds_of_claims.get(paper.name, {}))]
    lines += [SEEDS, "", *prose(SEEDS_TOLD), *table(SEEDS_HEAD, seeds)]
    return [*lines, "## How a claim is judged", "", *prose(RULE)]


def states(papers: Sequence[Paper]) -> tuple[list[str], list[list[str]]]:
    """Return the table of the papers' figures by state."""
    named = (State.DEFINED, State.DEVIATING, State.NOT_MADE, *WITHOUT_RESULTS, State.ADDED)
    rows, totals = [], Counter[State]()
    for paper in papers:
        counts = Counter(figure.state for figure in paper.figures)
        totals += counts
        rows.append([paper.name, *(str(counts[state]) for state in named)])
    rows.append(["all", *(str(totals[state]) for state in named)])
    return ["paper", *named[:3], "drawings", "settings", "added here"], rows


def _seeds_on(paper: Paper, folder: Path, known: Mapping[str, int]) -> list[list[str]]:
    """Return the seeds of a paper's experiments as its page has them: of the claims, and of the figures.

    ``known`` has those of experiments that are judged with others, under whose names the page has them.
    """
    page = Earlier.read(folder / f"{paper.key}.md")
    needs = planfile.read(planfile.beside(folder, paper))
    planned, short = planfile.planned(needs), _short_of(needs)
    rows = []
    for name, trial in paper.trials.items():
        drawn = [kept for one in paper.figures if one.experiment == name and (kept := page.figure(one.id))]
        of_figures = min(((one.seeds, one.shortened) for one in drawn), default=None)
        of_claims = page.seeds(name) or ((known[name], False) if name in known else None)
        least = min((one for one in (of_claims, of_figures) if one), default=None)
        result = Reproduction(paper, Path(), planned=planned if trial.planned else {})
        if least:
            result.seeds[name] = least[0]
            result.shortened |= {name} if least[1] else set()
        said = seeds_of(result, name)
        if of_claims and of_figures and of_claims[0] != of_figures[0]:
            said = f"{of_claims[0]} (figures: {of_figures[0]})"
        rows.append([paper.name, name, trial.title, said, full_size(result, name), short.get(name, "")])
    return rows


def _short_of(needs: Sequence[Need]) -> dict[str, str]:
    """Return by experiment in how many cells the budget leaves fewer seeds than a pilot asks for."""
    asked = [one for one in needs if one.claim]
    cells = Counter(one.trial for one in asked)
    few = Counter(one.trial for one in asked if one.seeds < min(one.needed, CEILING - PILOT))
    return {name: f"{number} of {cells[name]}" for name, number in few.items()}


def _own(result: Reproduction) -> list[Claim]:
    """Return the paper's own claims that were judged."""
    return [c for c in result.paper.claims if c.role is Role.CLAIM and c.id in result.judgements]
