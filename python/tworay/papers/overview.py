"""The overview of all papers, in Markdown: how many claims hold, and which do not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tworay.papers.library import Role, State
from tworay.papers.markdown import prose, table, write
from tworay.papers.pages import SHOWN, because, count, full_size, seeds_of, today
from tworay.papers.reproducing import NOT_RUN
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import RULE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tworay.papers.library import Claim, Paper
    from tworay.papers.reproducing import Reproduction

OVERVIEW = "README.md"
STATES = (
    "How many figures and tables with results are made as their authors define them. Parts of a figure that "
    "are drawn apart count once each. `tworay reproduce --list` names each with its state."
)


def states(papers: Sequence[Paper]) -> tuple[list[str], list[list[str]]]:
    """Return the table of the papers' figures by state."""
    named = (State.DEFINED, State.DEVIATING, State.NOT_MADE)
    rows, totals = [], Counter[str]()
    for paper in papers:
        counts = Counter(str(figure.state) for figure in paper.figures if not figure.without_results)
        counts["drawings"] = sum(figure.without_results for figure in paper.figures)
        totals += counts
        rows.append([paper.name, *(str(counts[key]) for key in (*map(str, named), "drawings", State.ADDED))])
    rows.append(["all", *(str(totals[key]) for key in (*map(str, named), "drawings", State.ADDED))])
    return ["paper", *named, "drawings and settings, without results", "added here"], rows


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
    lines += ["## Figures and tables", "", *prose(STATES), *table(*states([r.paper for r in results]))]
    lines += ["## Seeds of each experiment", ""]
    seeds = [
        [r.paper.name, name, t.title, seeds_of(r, name), full_size(r, name)]
        for r in results
        for name, t in r.paper.trials.items()
    ]
    lines += table(["paper", "experiment", "what", "seeds", "full size"], seeds)
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


def _own(result: Reproduction) -> list[Claim]:
    """Return the paper's own claims that were judged."""
    return [c for c in result.paper.claims if c.role is Role.CLAIM and c.id in result.judgements]
