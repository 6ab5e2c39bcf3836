"""The overview of all papers, in Markdown: how many claims hold, and which do not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.papers.earlier import Earlier
from tworay.papers.library import WITHOUT_RESULTS, Role, State
from tworay.papers.markdown import prose, table, write
from tworay.papers.pages import SHOWN, because, count, full_size, seeds_of, today
from tworay.papers.reproducing import NOT_RUN, Reproduction
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import RULE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay.papers.library import Claim, Paper

OVERVIEW = "README.md"
FIGURES = "## Figures and tables"
SEEDS = "## Seeds of each experiment"
SEEDS_HEAD = ["paper", "experiment", "what", "seeds", "full size"]
NEWER = (
    "{names} since been judged anew from stored cells, by the [rule as it is now](how-claims-are-judged.md): "
    "see there for the newer tally. The rest of this page is that of the last complete run."
)
STATES = (
    "How many figures and tables are made as their authors define them. Parts of a figure that are drawn "
    "apart count once each. Drawings and tables of settings have no results: scenarios, dialects and "
    "variants carry them. `tworay reproduce --list` names each with its state."
)


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


def overview(results: list[Reproduction], folder: Path) -> None:
    """Write the overview: how many claims hold, and which do not, with the cause if it is known."""
    results = [result for result in results if not result.paper.study]
    lines = ["# Which claims of five papers hold", "", *prose(today())]
    head = ["paper", *SHOWN, "of these, not run yet", "claims"]
    rows, not_run = [], 0
    for result in results:
        counts = count(result)
        link = f"[{result.paper.name}]({result.paper.key}.md)"
        open_ = sum(result.judgements[c.id].reason == NOT_RUN.reason for c in _own(result))
        not_run += open_
        rows.append([link, *(str(counts[v]) for v in SHOWN), str(open_), str(sum(counts.values()))])
    totals = [sum(count(r)[v] for r in results) for v in SHOWN]
    rows.append(["all", *map(str, totals), str(not_run), str(sum(totals))])
    lines += table(head, rows)
    lines += _states([r.paper for r in results])
    seeds = [
        [r.paper.name, name, t.title, seeds_of(r, name), full_size(r, name)]
        for r in results
        for name, t in r.paper.trials.items()
    ]
    lines += [SEEDS, "", *table(SEEDS_HEAD, seeds)]
    for verdict, title in (
        (Verdict.HOLDS, "Claims that hold"),
        (Verdict.DIRECTION, "Claims that hold in direction"),
        (Verdict.FAILS, "Claims that do not hold"),
        (Verdict.INCONCLUSIVE, "Claims that these seeds cannot decide"),
        (Verdict.CONTRADICTED, "Claims that their own source contradicts"),
        (Verdict.UNTESTED, "Claims not tested, and why"),
    ):
        rows = [
            [r.paper.name, c.id, c.says, c.paper, because(c, r.judgements[c.id])]
            for r in results
            for c in _own(r)
            if r.judgements[c.id].verdict is verdict and r.judgements[c.id].reason != NOT_RUN.reason
        ]
        if rows:
            head = ["paper", "", "claim", "paper's value", "tworay, and cause or note"]
            lines += [f"## {title}", "", *table(head, rows)]
    lines += ["## How a claim is judged", "", *prose(RULE)]
    write(folder / OVERVIEW, lines)


def _states(papers: Sequence[Paper]) -> list[str]:
    return [FIGURES, "", *prose(STATES), *table(*states(papers))]


def refresh(papers: Sequence[Paper], judged: Sequence[Paper], folder: Path) -> None:
    """Write the parts of an existing overview anew that need no runs: figures' states, and seeds.

    ``judged`` are papers that were judged from stored cells after the last complete run.
    """
    before = Earlier.read(folder / OVERVIEW)
    papers = [paper for paper in papers if not paper.study]
    head = before.until(FIGURES)
    table_ends = max((i for i, line in enumerate(head) if line.startswith("|")), default=len(head) - 1)
    lines = [*head[: table_ends + 1], ""]
    names = [f"[{paper.name}]({paper.key}.md)" for paper in judged if not paper.study]
    if names:
        lines += prose(NEWER.format(names=f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"))
    lines += _states(papers)
    rows = [row for paper in papers for row in _seeds_on(paper, Earlier.read(folder / f"{paper.key}.md"))]
    lines += [SEEDS, "", *table(SEEDS_HEAD, rows), *before.after(SEEDS)]
    write(folder / OVERVIEW, lines)


def _seeds_on(paper: Paper, page: Earlier) -> list[list[str]]:
    """Return the seeds of a paper's experiments as its page has them: of the claims, and of the figures."""
    rows = []
    for name, trial in paper.trials.items():
        drawn = [kept for one in paper.figures if one.experiment == name and (kept := page.figure(one.id))]
        of_figures = min(((one.seeds, one.shortened) for one in drawn), default=None)
        of_claims = page.seeds(name)
        least = min((one for one in (of_claims, of_figures) if one), default=None)
        result = Reproduction(paper, Path())
        if least:
            result.seeds[name] = least[0]
            result.shortened |= {name} if least[1] else set()
        said = seeds_of(result, name)
        if of_claims and of_figures and of_claims[0] != of_figures[0]:
            said = f"{of_claims[0]} (figures: {of_figures[0]})"
        rows.append([paper.name, name, trial.title, said, full_size(result, name)])
    return rows


def _own(result: Reproduction) -> list[Claim]:
    """Return the paper's own claims that were judged."""
    return [c for c in result.paper.claims if c.role is Role.CLAIM and c.id in result.judgements]
