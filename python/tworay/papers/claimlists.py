"""The claims on a paper's page: by headline, then the others by experiment, each with verdict and cause."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.papers.bands import across_in_words, band_in_words
from tworay.papers.causes import cause, told
from tworay.papers.headlines import of_result
from tworay.papers.library import COSTS, STANDARD, Role
from tworay.papers.markdown import listed, prose, table
from tworay.papers.numbering import names
from tworay.papers.reproducing import NOT_RUN
from tworay.papers.tables import guess_table
from tworay.papers.verdicts import interval, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tworay.papers.earlier import Earlier
    from tworay.papers.headlines import Row
    from tworay.papers.library import Claim, Paper, Trial
    from tworay.papers.reproducing import Reproduction
    from tworay.papers.verdicts import Cell, Judgement

GUESSES = "Guesses of the senders by true cause, summed over all runs (`none`: nothing had been lost):"
WITHOUT_RUNS = "Without runs of their own"
IN_HEADLINES = "All of its claims are among the headlines."
INTERVALS = "Its cells, with 95 % intervals:"
HEAD = ["", "source", "claim", "paper's value", "judged as", "verdict", "tworay, and why"]


def ours(judgement: Judgement) -> str:
    """Return the result for a claim with the reason of its verdict, or the reason why there is none."""
    return "; ".join(filter(None, [judgement.ours, judgement.reason]))


def said(claim: Claim) -> str:
    """Return the claim in words, marked if it is not counted."""
    if claim.role is Role.READING:
        return f"{claim.says} (a reading of {claim.reading_of})"
    return f"{claim.says} (quoted)" if claim.role is Role.QUOTED else claim.says


def because(result: Reproduction, claim: Claim) -> str:
    """Return result or reason, the source's sentence, and the cause of a difference or what else is known."""
    judgement = result.judgements.get(claim.id, NOT_RUN)
    quote = f"“{claim.quote}”" if claim.quote else ""
    said = ""
    for part in filter(None, [ours(judgement), quote, cause(result, claim) or told(result, claim.known)]):
        ends = said.endswith((".", ".”"))
        said += f"{'' if ends or not said else '.'}{' ' * bool(said)}{part}"
    return said


def by_headline(
    result: Reproduction, size: Callable[[Reproduction, str], str], before: Earlier | None
) -> list[str]:
    """Return a section for each headline: what was found, its claims, plot, settings and command."""
    lines = []
    for row in of_result(result):
        claims = [claim for name in row.claims if (claim := result.paper.claim(name)) is not None]
        trials = dict.fromkeys(trial for claim in claims for trial in claim.experiments)
        lines += [f"### H{row.number}. {row.says}", "", *prose(_found(row)), *rows(result, claims)]
        lines += cells(result, claims)
        lines += _plots(result, claims, before)
        lines += listed(
            f"`{name}`{_size(result, name, size)}: {settings(result.paper.trials[name])}" for name in trials
        )
        lines += prose(f"To run it: `tworay reproduce {result.paper.name}:H{row.number}`.")
    return lines


def _found(row: Row) -> str:
    parts = [f"Found: {row.found or NOT_RUN.reason}.", f"With a standard MAC: {row.standard}.", row.why]
    return " ".join(filter(None, parts))


def _size(result: Reproduction, trial: str, size: Callable[[Reproduction, str], str]) -> str:
    return f" ({size(result, trial)})" if trial in result.seeds else " (not run yet)"


def settings(trial: Trial) -> str:
    """Return the settings of an experiment in words: those that decide, then the changes of its scenario."""
    document = trial.document
    scenarios = [str(one) for one in _several(document.get("scenario", document.get("scenarios", [])))]
    if not scenarios and "scenario" in document.get("vary", {}):
        scenarios = [str(one) for one in document["vary"]["scenario"]]
    changes = ", ".join(f"`{key}={_short(key, value)}`" for key, value in document.get("set", {}).items())
    where = f"scenario {_ends(scenarios)}" if scenarios else ""
    return "; ".join(filter(None, [trial.decides, where, changes]))


def _short(key: str, value: Any) -> Any:
    # A table of costs stands beside the paper's experiments, wherever the package is installed.
    return Path(value).name if key == COSTS else value


def _several(found: Any) -> list[Any]:
    return list(found) if isinstance(found, list | tuple) else [found] if found else []


def _ends(names: Sequence[str]) -> str:
    return f"`{names[0]}` to `{names[-1]}`" if len(names) > 3 else ", ".join(f"`{name}`" for name in names)


def _plots(result: Reproduction, claims: Sequence[Claim], before: Earlier | None) -> list[str]:
    """Return the plots of the figures that the claims are about.

    If the source names none, these are figures of their metrics, or else the first of their experiment.
    """
    trials = {trial for claim in claims for trial in claim.experiments}
    there = {figure.id: figure for figure in result.paper.figures if figure.experiment in trials}
    pictures = {name: picture for name in there if (picture := _picture(result, name, before))}
    named = [name for name in pictures if any(names(claim.source, name) for claim in claims)]
    metrics = {claim.how[claim.kind] for claim in claims if claim.experiment}
    of_metric = [name for name in pictures if there[name].metric in metrics]
    shown = named or of_metric or list(pictures)[:1]
    return [line for name in shown for line in (f"![{name}: {there[name].title}]({pictures[name]})", "")]


def _picture(result: Reproduction, figure: str, before: Earlier | None) -> str:
    if figure in result.drawn:
        return f"{result.paper.key}-{result.drawn[figure].name}"
    kept = before.figure(figure) if before else None
    return kept.picture if kept else ""


def by_experiment(
    result: Reproduction, size: Callable[[Reproduction, str], str], before: Earlier | None
) -> list[str]:
    """Return a section for each experiment: its settings, claims that are in no headline, and guesses."""
    paper = result.paper
    in_headlines = {claim for one in paper.headlines for claim in one.claims}
    of_trial: dict[str | None, list[Claim]] = {}
    for claim in paper.claims:
        if claim.role is not Role.MECHANISM:
            of_trial.setdefault(claim.experiment, []).append(claim)
    lines = []
    for trial, claims in of_trial.items():
        title = paper.trials[trial].title if trial in paper.trials else WITHOUT_RUNS
        others = [claim for claim in claims if claim.id not in in_headlines]
        lines += [f"### {title}", ""]
        if trial in result.seeds:
            lines += prose(f"Experiment `{trial}`, {size(result, trial)}.")
        if trial in paper.trials and (how := settings(paper.trials[trial])):
            lines += prose(f"Settings: {how}.")
        lines += rows(result, others) if others else prose(IN_HEADLINES)
        if guessed := result.guesses.get(trial or ""):
            lines += [*prose(GUESSES), *table(*guess_table(guessed))]
        elif before:
            lines += before.part(trial or "", title, GUESSES)
    return lines


def rows(result: Reproduction, claims: Sequence[Claim]) -> list[str]:
    """Return the table of these claims."""
    beside = any(STANDARD in result.others.get(claim.id, {}) for claim in claims)
    found = []
    for claim in claims:
        judgement = result.judgements.get(claim.id, NOT_RUN)
        band = band_in_words(claim.how) if claim.experiment else _parts(claim)
        here = because(result, claim)
        row = [claim.id, claim.source, said(claim), claim.paper, band, f"**{judgement.verdict}**", here]
        found.append([*row, _standard(result, claim)] if beside else row)
    return table([*HEAD, "standard dialect"] if beside else HEAD, found)


def cells(result: Reproduction, claims: Sequence[Claim]) -> list[str]:
    """Return the table of these claims' cells with intervals in both dialects; empty if there is none."""
    found = []
    for claim in claims:
        judgement = result.judgements.get(claim.id, NOT_RUN)
        beside = result.others.get(claim.id, {}).get(STANDARD)
        other = {cell.place: cell for cell in beside.cells} if beside else {}
        for cell in judgement.cells:
            there = other.get(cell.place)
            found.append(
                [
                    claim.id,
                    cell.place,
                    shown(cell, judgement.unit),
                    str(cell.measured.seeds),
                    str(cell.verdict),
                    shown(there, judgement.unit) if there else "",
                    f"{there.verdict}, {there.measured.seeds} seeds" if there else "",
                ]
            )
    head = ["claim", "cell", "found", "seeds", "verdict", "standard dialect", "verdict there"]
    return [*prose(INTERVALS), *table(head, found)] if found else []


def shown(cell: Cell, unit: str) -> str:
    """Return the estimate of a cell and its interval."""
    return f"{number(cell.measured.estimate, unit)} ({interval(cell.measured, unit)})"


def mechanisms(paper: Paper) -> list[str]:
    """Return the section of what is described and not judged; empty if there is none."""
    found = [
        [claim.id, claim.source, claim.says, claim.how["shown"]]
        for claim in paper.claims
        if claim.role is Role.MECHANISM
    ]
    if not found:
        return []
    told = "Descriptions of algorithms and definitions, which unit tests cover. They get no verdict."
    return ["### As described", "", *prose(told), *table(["", "source", "description", "tests"], found)]


def _parts(claim: Claim) -> str:
    """Return which claims' cells a summary counts, and how many of them must hold."""
    return f"the cells of {', '.join(claim.parts)}{across_in_words(claim.how)}" if claim.parts else ""


def _standard(result: Reproduction, claim: Claim) -> str:
    """Return verdict and result in the standard dialect."""
    judgement = result.others.get(claim.id, {}).get(STANDARD)
    if judgement is None:
        return ""
    seeds = f"; {judgement.seeds} seeds" if judgement.cells else ""
    return f"**{judgement.verdict}**: {ours(judgement)}{seeds}"
