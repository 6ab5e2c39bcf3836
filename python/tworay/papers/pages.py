"""The page of a paper, in Markdown: claims, figures, settings and commentary."""

from __future__ import annotations

import datetime
import shutil
from collections import Counter
from typing import TYPE_CHECKING

from tworay._native import VERSION
from tworay.papers.library import STANDARD
from tworay.papers.markdown import listed, prose, table, write
from tworay.papers.reproducing import MAIN, NOT_RUN
from tworay.papers.tables import guess_table
from tworay.papers.verdicts import RULE, Judgement, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.library import Claim, Figure
    from tworay.papers.reproducing import Reproduction

GUESSES = "Guesses of the senders by true cause, summed over all runs (`none`: nothing had been lost):"
NUMBERS = (
    "Numbers are means over seeds ± half of the 95 % interval. A figure is *as defined* if it shows what its "
    "authors define, *deviating* if not, and *added* if the source has none."
)
SHOWN = (
    Verdict.HOLDS,
    Verdict.DIRECTION,
    Verdict.NO_DIFFERENCE,
    Verdict.FAILS,
    Verdict.CONTRADICTED,
    Verdict.UNTESTED,
)


def page(result: Reproduction, folder: Path) -> None:
    """Write the page of a paper, and its figures next to it."""
    paper = result.paper
    lines = [f"# {paper.title}", "", *prose(paper.cite), *_made(result)]
    lines += _counts(result)
    lines += ["## The claims", ""]
    trials = {**dict.fromkeys(claim.experiment for claim in paper.claims)}
    for trial in trials:
        of = [claim for claim in paper.claims if claim.experiment == trial]
        lines += _claims(result, trial, of)
    lines += _sensitivity(result)
    lines += _figures(result, folder)
    lines += ["## Settings", "", "Stated by the source:", "", *listed(paper.stated)]
    lines += ["Left open by the source:", "", *listed(paper.left_open)]
    if paper.notes:
        lines += [paper.notes, ""]
    lines += ["## How a claim is judged", "", *prose(RULE)]
    write(folder / f"{paper.key}.md", lines)


def today() -> str:
    """Return a sentence with the date and version of the pages."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return f"Made by `tworay reproduce --pages docs/studies` on {today} with tworay {VERSION}."


def _made(result: Reproduction) -> list[str]:
    name = result.paper.name
    short = len(result.shortened)
    total = len(result.paper.trials)
    of = f"{short} of {total} experiments have the fewer and shorter runs of `--quick`"
    quick = f" {of}; they are marked." if short else ""
    return prose(today() + f"{quick} To repeat it: `tworay reproduce {name}`.")


def seeds_of(result: Reproduction, trial: str) -> str:
    """Return the number of seeds of an experiment, marked if shortened."""
    short = ", shortened" if trial in result.shortened else ""
    return f"{result.seeds[trial]}{short}" if trial in result.seeds else "not run yet"


def size(result: Reproduction, trial: str) -> str:
    """Return the number of seeds of an experiment, and its full size if that is larger."""
    full = full_size(result, trial)
    return f"{result.seeds[trial]} seeds" + (
        "" if full == "yes" else f"{', shortened' * (trial in result.shortened)} (full size: {full})"
    )


def full_size(result: Reproduction, trial: str) -> str:
    """Return "yes" if an experiment was run in full size, otherwise the command for it."""
    wanted = result.paper.trials[trial].document.get("seeds", 10)
    have = result.seeds.get(trial, 0)
    figure = next((f.id for f in result.paper.figures if f.experiment == trial), None)
    of = f":{figure}" if figure else ""
    if have >= wanted and trial not in result.shortened:
        return "yes"
    return f"{wanted} seeds: `tworay reproduce '{result.paper.name}{of}'`"


def count(result: Reproduction) -> Counter[Verdict]:
    """Count the verdicts of a paper."""
    return Counter(judgement.verdict for judgement in result.judgements.values())


def _counts(result: Reproduction) -> list[str]:
    counted = count(result)
    rows = [[str(verdict), str(counted[verdict])] for verdict in SHOWN]
    return table(["verdict", "claims"], rows)


def ours(judgement: Judgement) -> str:
    """Return the result for a claim, or the reason why there is none."""
    return judgement.ours or judgement.reason


def _claims(result: Reproduction, trial: str | None, claims: list[Claim]) -> list[str]:
    paper = result.paper
    title = paper.trials[trial].title if trial in paper.trials else "Without runs of their own"
    lines = [f"### {title}", ""]
    if trial in result.seeds:
        lines += prose(f"Experiment `{trial}`, {size(result, trial)}.")
    beside = any(STANDARD in result.others.get(claim.id, {}) for claim in claims)
    rows = []
    for claim in claims:
        judgement = result.judgements.get(claim.id, NOT_RUN)
        here = ". ".join(filter(None, [ours(judgement), claim.known]))
        row = [claim.id, claim.source, claim.says, claim.paper, f"**{judgement.verdict}**", here]
        rows.append([*row, _standard(result, claim)] if beside else row)
    head = ["", "source", "claim", "paper's value", "verdict", "tworay"]
    lines += table([*head, "standard dialect"] if beside else head, rows)
    guessed = result.guesses.get(trial or "")
    if guessed:
        lines += prose(GUESSES)
        lines += table(*guess_table(guessed))
    return lines


def _standard(result: Reproduction, claim: Claim) -> str:
    """Return verdict and result in the standard dialect."""
    judgement = result.others.get(claim.id, {}).get(STANDARD)
    if judgement is None:
        return ""
    seeds = f"; {judgement.seeds} seeds" if judgement.cells else ""
    return f"**{judgement.verdict}**: {ours(judgement)}{seeds}"


def _sensitivity(result: Reproduction) -> list[str]:
    if not any(name != STANDARD for by in result.others.values() for name in by):
        return []
    lines = ["## Do the verdicts depend on what the source leaves open?", ""]
    lines += prose(
        "One setting is changed at a time, with fewer seeds. A dash is an unchanged verdict; claims whose "
        "verdicts are all unchanged are only counted."
    )
    by_trial: dict[str, list[Claim]] = {}
    for claim in result.paper.claims:
        if claim.id in result.others and claim.experiment:
            by_trial.setdefault(claim.experiment, []).append(claim)
    for trial, claims in by_trial.items():
        names = list(dict.fromkeys(name for claim in claims for name in result.others[claim.id]))
        names = [name for name in names if name != STANDARD]
        if not names:
            continue
        rows, same = [], 0
        for claim in claims:
            main = result.judgements[claim.id].verdict
            cells = [result.others[claim.id].get(name) for name in names]
            shown = [
                "" if c is None else "–" if c.verdict == main else f"{c.verdict}: {ours(c)}" for c in cells
            ]
            if any(one not in ("", "–") for one in shown):
                rows.append([claim.id, str(main), *shown])
            else:
                same += 1
        lines += [f"### {result.paper.trials[trial].title}", ""]
        lines += prose(f"{same} of {len(claims)} claims keep their verdict in every reading.")
        if rows:
            lines += table(["", MAIN, *names], rows)
    return lines


def _heading(result: Reproduction, figure: Figure, trial: str) -> str:
    """Return a figure's number, title, seeds and state."""
    said = f"**{figure.id}: {figure.title}**; {size(result, trial)}"
    if result.paper.study:
        return f"{said}."
    return f"{said}; {figure.state}: {figure.deviates}." if figure.deviates else f"{said}; {figure.state}."


def _figures(result: Reproduction, folder: Path) -> list[str]:
    lines = ["## Figures and tables", "", *prose(NUMBERS)]
    folder.mkdir(parents=True, exist_ok=True)
    missing = []
    for figure in result.paper.figures:
        there = figure.id in result.drawn or figure.id in result.tables
        if figure.experiment is None or not there:
            missing.append([figure.id, figure.title, figure.missing or "not run yet"])
            continue
        lines += prose(_heading(result, figure, figure.experiment))
        if figure.id in result.drawn:
            name = f"{result.paper.key}-{result.drawn[figure.id].name}"
            shutil.copyfile(result.drawn[figure.id], folder / name)
            lines += [f"![{figure.id}: {figure.title}]({name})", ""]
        if figure.id in result.tables:
            lines += table(*result.tables[figure.id])
    if missing:
        lines += ["Not made:", "", *table(["", "what", "why"], missing)]
    return lines
