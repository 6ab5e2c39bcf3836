"""Pages about papers, in Markdown: one a paper, and one over all of them."""

from __future__ import annotations

import datetime
import shutil
import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from tworay._native import VERSION
from tworay.files import replacing
from tworay.papers.reproducing import MAIN, NOT_RUN
from tworay.papers.verdicts import RULE, Judgement, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.library import Claim
    from tworay.papers.reproducing import Reproduction

WIDTH = 110
OVERVIEW = "README.md"
SHOWN = (
    Verdict.HOLDS,
    Verdict.DIRECTION,
    Verdict.NO_DIFFERENCE,
    Verdict.FAILS,
    Verdict.CONTRADICTED,
    Verdict.UNTESTED,
)


def page(result: Reproduction, folder: Path) -> None:
    """Write the page of a paper, with its figures beside it."""
    paper = result.paper
    lines = [f"# {paper.title}", "", *_prose(paper.cite), *_made(result)]
    lines += _counts(result)
    lines += ["## The claims", ""]
    trials = {**dict.fromkeys(claim.experiment for claim in paper.claims)}
    for trial in trials:
        of = [claim for claim in paper.claims if claim.experiment == trial]
        lines += _claims(result, trial, of)
    lines += _sensitivity(result)
    lines += _figures(result, folder)
    lines += ["## Settings", "", "Stated by the source:", "", *_list(paper.stated)]
    lines += ["Left open by the source:", "", *_list(paper.left_open)]
    if paper.notes:
        lines += [paper.notes, ""]
    lines += ["## How a claim is judged", "", *_prose(RULE)]
    _write(folder / f"{paper.key}.md", lines)


def overview(results: list[Reproduction], folder: Path) -> None:
    """Write the page over all papers: how many claims hold, and which don't, with the cause where known."""
    results = [result for result in results if not result.paper.study]
    lines = ["# What five papers claim, and what comes out here", "", *_prose(_today())]
    head = ["paper", *SHOWN, "of these not run yet", "claims"]
    rows, not_run = [], 0
    for result in results:
        counts = _count(result)
        link = f"[{result.paper.name}]({result.paper.key}.md)"
        open_ = sum(j.reason == NOT_RUN.reason for j in result.judgements.values())
        not_run += open_
        rows.append([link, *(str(counts[v]) for v in SHOWN), str(open_), str(sum(counts.values()))])
    totals = [sum(_count(r)[v] for r in results) for v in SHOWN]
    rows.append(["all", *map(str, totals), str(not_run), str(sum(totals))])
    lines += table(head, rows)
    lines += ["## Seeds of each experiment", ""]
    seeds = [
        [r.paper.name, name, t.title, _seeds(r, name), _full(r, name)]
        for r in results
        for name, t in r.paper.trials.items()
    ]
    lines += table(["paper", "experiment", "what", "seeds", "full size"], seeds)
    for verdict, title in (
        (Verdict.FAILS, "What does not hold"),
        (Verdict.NO_DIFFERENCE, "Where no difference was found"),
        (Verdict.CONTRADICTED, "What its own source contradicts"),
        (Verdict.UNTESTED, "What was not tested, and why"),
    ):
        rows = [
            [r.paper.name, c.id, c.says, c.paper, _ours(r.judgements[c.id]), c.known]
            for r in results
            for c in r.paper.claims
            if r.judgements[c.id].verdict == verdict and r.judgements[c.id].reason != NOT_RUN.reason
        ]
        if rows:
            lines += [
                f"## {title}",
                "",
                *table(["paper", "", "claim", "there", "here", "cause or note"], rows),
            ]
    lines += ["## How a claim is judged", "", *_prose(RULE)]
    _write(folder / OVERVIEW, lines)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Write a Markdown table."""
    lines = [list(map(str, head)), ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines] + [""]


def _today() -> str:
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return f"Made by `tworay reproduce --pages docs/studies` on {today} with tworay {VERSION}."


def _made(result: Reproduction) -> list[str]:
    name = result.paper.name
    short = len(result.shortened)
    total = len(result.paper.trials)
    of = f"{short} of {total} experiments are those of `--quick`, with fewer and shorter runs"
    quick = f" {of}; they are marked." if short else ""
    return _prose(_today() + f"{quick} To do it again: `tworay reproduce {name}`.")


def _seeds(result: Reproduction, trial: str) -> str:
    short = ", shortened" if trial in result.shortened else ""
    return f"{result.seeds[trial]}{short}" if trial in result.seeds else "not run yet"


def _full(result: Reproduction, trial: str) -> str:
    wanted = result.paper.trials[trial].document.get("seeds", 10)
    have = result.seeds.get(trial, 0)
    figure = next((f.id for f in result.paper.figures if f.experiment == trial), None)
    of = f":{figure}" if figure else ""
    if have >= wanted and trial not in result.shortened:
        return "yes"
    return f"{wanted} seeds: `tworay reproduce '{result.paper.name}{of}'`"


def _count(result: Reproduction) -> Counter[Verdict]:
    return Counter(judgement.verdict for judgement in result.judgements.values())


def _counts(result: Reproduction) -> list[str]:
    counts = _count(result)
    rows = [[str(verdict), str(counts[verdict])] for verdict in SHOWN]
    return table(["verdict", "claims"], rows)


def _ours(judgement: Judgement) -> str:
    return judgement.ours or judgement.reason


def _claims(result: Reproduction, trial: str | None, claims: list[Claim]) -> list[str]:
    paper = result.paper
    title = paper.trials[trial].title if trial in paper.trials else "Without runs of their own"
    lines = [f"### {title}", ""]
    if trial in result.seeds:
        short = f" Shortened; in full size {_full(result, trial)}." if trial in result.shortened else ""
        lines += _prose(f"Experiment `{trial}`, {result.seeds[trial]} seeds.{short}")
    rows = []
    for claim in claims:
        judgement = result.judgements.get(claim.id, NOT_RUN)
        seeds = str(judgement.seeds) if judgement.cells else ""
        here = " ".join(filter(None, [_ours(judgement), claim.known]))
        rows.append(
            [claim.id, claim.source, claim.says, claim.paper, f"**{judgement.verdict}**", here, seeds]
        )
    lines += table(["", "source", "claim", "there", "verdict", "here", "seeds"], rows)
    return lines


def _sensitivity(result: Reproduction) -> list[str]:
    if not result.others:
        return []
    lines = ["## Do the verdicts survive another reading of what the source leaves open?", ""]
    lines += _prose(
        "One setting changed at a time, with fewer seeds. A verdict that stays is a dash; claims whose "
        "verdicts all stay are left out and counted."
    )
    by_trial: dict[str, list[Claim]] = {}
    for claim in result.paper.claims:
        if claim.id in result.others and claim.experiment:
            by_trial.setdefault(claim.experiment, []).append(claim)
    for trial, claims in by_trial.items():
        names = list(dict.fromkeys(name for claim in claims for name in result.others[claim.id]))
        rows, same = [], 0
        for claim in claims:
            main = result.judgements[claim.id].verdict
            cells = [result.others[claim.id].get(name) for name in names]
            shown = ["" if c is None else "–" if c.verdict == main else str(c.verdict) for c in cells]
            if any(one not in ("", "–") for one in shown):
                rows.append([claim.id, str(main), *shown])
            else:
                same += 1
        lines += [f"### {result.paper.trials[trial].title}", ""]
        lines += _prose(f"{same} of {len(claims)} claims keep their verdict in every reading.")
        if rows:
            lines += table(["", MAIN, *names], rows)
    return lines


def _figures(result: Reproduction, folder: Path) -> list[str]:
    lines = ["## Figures and tables", ""]
    folder.mkdir(parents=True, exist_ok=True)
    missing = []
    for figure in result.paper.figures:
        if figure.id in result.drawn:
            name = f"{result.paper.key}-{result.drawn[figure.id].name}"
            shutil.copyfile(result.drawn[figure.id], folder / name)
            lines += [f"![{figure.id}: {figure.title}]({name})", "", *_prose(f"{figure.id}: {figure.title}.")]
        else:
            missing.append([figure.id, figure.title, figure.missing or "not run yet"])
    if missing:
        lines += ["Not made:", "", *table(["", "what", "why"], missing)]
    return lines


def _list(entries: tuple[str, ...]) -> list[str]:
    return [f"- {entry}" for entry in entries] + [""]


def _prose(text: str) -> list[str]:
    return [*textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False), ""]


def _write(file: Path, lines: list[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as hidden:
        hidden.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
