"""Runs the experiments of papers as sweeps, draws their figures and judges their claims."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.errors import InputError
from tworay.experiment.engines import Shard
from tworay.experiment.experimentfile import changed as with_options
from tworay.experiment.experimentfile import read
from tworay.experiment.options import SweepOptions
from tworay.experiment.store import sweeps as reading
from tworay.papers import linecolours, stored, timelines
from tworay.papers.derived import DERIVED
from tworay.papers.earlier import Earlier
from tworay.papers.figures import draw_figure, seeds_shown
from tworay.papers.judging import decided, judge_claim, judge_measured, judge_summary
from tworay.papers.library import MAIN, STANDARD, Role, reading_name
from tworay.papers.planfile import beside, planned
from tworay.papers.planfile import read as read_plan
from tworay.papers.plannedruns import PlannedSweep, by_number
from tworay.papers.plannedruns import beside as beside_of
from tworay.papers.quantities import from_documents
from tworay.papers.rule import Verdict
from tworay.papers.tables import guesses, numbers
from tworay.papers.verdicts import Judgement
from tworay.running.executing import silent

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.experiment.plan import Plan
    from tworay.papers.judging import Frames
    from tworay.papers.library import Claim, Figure, Paper, Trial
    from tworay.papers.plannedruns import Planned, Seeds
    from tworay.papers.tables import Guesses, Table
    from tworay.running.executing import Watcher

# Directory of the runs of --quick, next to the full-size runs.
QUICK = "quick"
NOT_RUN = Judgement(Verdict.UNTESTED, reason="not run yet")


@dataclass
class Reproduction:
    """The result for a paper: judgements by claim, and figures."""

    paper: Paper
    out: Path
    quick: bool = False
    judgements: dict[str, Judgement] = field(default_factory=dict)
    others: dict[str, dict[str, Judgement]] = field(default_factory=dict)
    """By claim, then by reading: judgements for other values of settings that the paper leaves open."""
    asked: list[Figure] = field(default_factory=list)
    """The figures and tables that were selected."""
    drawn: dict[str, Path] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    """By figure: its numbers."""
    shown: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By figure: the least and the largest number of seeds of what it shows."""
    guesses: dict[str, Guesses] = field(default_factory=dict)
    """By experiment: the senders' guesses and the true causes."""
    seeds: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    shortened: set[str] = field(default_factory=set)
    """Experiments with runs of ``--quick`` only."""
    planned: Planned = field(default_factory=dict)
    """By experiment: the seeds of each cell, if a pilot decided them."""
    stored: bool = False
    """True if the claims were judged from stored cells, without runs, figures and guesses."""


@dataclass(frozen=True)
class Effort:
    """The extent of the runs, and how they are done."""

    quick: bool
    seeds: int | str | None
    jobs: int | None
    shard: Shard
    run: bool
    """True to do missing runs; otherwise only existing ones are judged."""
    watch: Watcher
    planned: Planned
    """By experiment: the seeds of each cell; others have those of ``seeds`` or of their own."""


def chosen(
    paper: Paper, wanted: str | None, *, runs: bool = True
) -> tuple[list[Figure], list[Trial], list[Claim]]:
    """Return the selected figures, experiments and claims; all if no figure, claim or headline is named.

    A drawing or a table of settings has no experiment, and so no runs.

    Raises:
        InputError: there is no such figure, claim or headline, or ``runs`` are wanted and it is not made.

    """
    if wanted is None:
        return list(paper.figures), list(paper.trials.values()), list(paper.claims)
    headline, claim = paper.headline(wanted), paper.claim(wanted)
    if headline is not None or claim is not None:
        named = set(headline.claims) if headline is not None else {wanted}
        of = [one for one in paper.claims if one.id in named]
        parts = [one for one in paper.claims if any(one.id in whole.parts for whole in of)]
        wanted_trials = dict.fromkeys(trial for one in [*of, *parts] for trial in one.experiments)
        judged = [*(one for one in parts if one not in of), *of]
        return [], [paper.trials[trial] for trial in wanted_trials], judged
    figures = paper.numbered(wanted)
    for one in figures:
        if one.missing and runs:
            raise InputError(f"{paper.name}:{wanted} is not made: {one.missing}")
    drawn_from = dict.fromkeys(one.experiment for one in figures if one.experiment)
    return figures, [paper.trials[name] for name in drawn_from], paper.claims_of(set(drawn_from))


def document(trial: Trial, *, quick: bool, changed: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the experiment as a mapping, shortened if ``quick``, with the changes of another reading."""
    found = dict(trial.document)
    changes = dict(trial.quick) if quick else {}
    only = changes.pop("only", {})
    found["set"] = dict(found.get("set", {})) | changes.pop("set", {})
    found |= changes
    if only:
        found = _narrowed(found, only)
    changed = changed or {}
    swaps = trial.variants | {
        key.removeprefix("tcp:"): value for key, value in changed.items() if key.startswith("tcp:")
    }
    if changed or swaps:
        axes = {key.removeprefix("axis:"): value for key, value in changed.items() if key.startswith("axis:")}
        found["set"] |= {key: v for key, v in changed.items() if not key.startswith(("tcp:", "axis:"))}
        found["axis"] = dict(found.get("axis", {})) | axes
        if swaps and "tcp" in found:
            labels = found.pop("tcp")
            found["axis"] = dict(found.get("axis", {})) | {
                "tcp": {name: {"tcp": swaps.get(name, name)} for name in labels}
            }
    return found


def _narrowed(found: dict[str, Any], only: dict[str, list[str]]) -> dict[str, Any]:
    """Restrict axes to the labels in ``only``."""
    for axis, labels in only.items():
        wanted = list(map(str, labels))
        if axis in found.get("axis", {}):
            values = {name: value for name, value in found["axis"][axis].items() if name in wanted}
            found["axis"] = dict(found["axis"]) | {axis: values}
        elif axis in found.get("vary", {}):
            found["vary"] = dict(found["vary"]) | {axis: labels}
        else:
            found[axis] = labels
    return found


def plan_of(
    trial: Trial, *, quick: bool, seeds: int | str | None, changed: dict[str, Any] | None = None
) -> Plan:
    """Return the sweep of an experiment."""
    plan = read(document(trial, quick=quick, changed=changed), derived=True)
    return with_options(plan, SweepOptions(seeds=seeds))


def readings(trial: Trial) -> dict[str, dict[str, Any]]:
    """Return the readings other than the main one by name, each with one changed setting."""
    return {
        reading_name(of, value): change
        for of, values in trial.open.items()
        for value, change in values.items()
    }


def place(out: Path, paper: Paper, trial: Trial, reading_: str = MAIN) -> Path:
    """Return the directory of an experiment's runs."""
    folder = out / paper.name / trial.id
    return folder if reading_ == MAIN else folder.with_name(f"{trial.id}~{_slug(reading_)}")


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text).strip("-")


def reproduce(
    paper: Paper,
    out: Path,
    *,
    figure: str | None = None,
    quick: bool = False,
    seeds: int | str | None = None,
    jobs: int | None = None,
    shard: Shard = Shard(),  # noqa: B008
    others: bool = False,
    run: bool = True,
    watch: Watcher = silent,
    planned: Planned | None = None,
) -> Reproduction:
    """Do the missing runs of a paper or figure, draw it, and judge the claims about it.

    ``planned`` has the seeds of each cell (`tworay.papers.planning`); without it an experiment has its own.
    """
    figures, trials, claims = chosen(paper, figure)
    result = Reproduction(
        paper, out, quick, asked=figures, planned={} if quick or seeds else _of_plan(paper, planned or {})
    )
    effort = Effort(quick, seeds, jobs, shard, run, watch, result.planned)
    frames: dict[str, tuple[pl.DataFrame, list[str]]] = {}
    for trial in trials:
        frame = _runs(result, trial, effort)
        if frame is not None:
            frames[trial.id] = frame
    judged = [claim for claim in claims if claim.role is not Role.MECHANISM]
    result.judgements = _judgements(judged, frames)
    colours = linecolours.of(paper)
    for one in figures:
        if one.experiment in frames:
            span = seeds_shown(one, *frames[one.experiment])
            result.shown |= {one.id: span} if span else {}
            numbered = numbers(one, *frames[one.experiment]) if one.kind not in timelines.KINDS else None
            if numbered is not None:
                result.tables[one.id] = numbered
            base = out / QUICK if one.experiment in result.shortened and not quick else out
            where = place(base, paper, paper.trials[one.experiment])
            named = linecolours.shown(paper, one, colours)
            drawn = draw_figure(one, *frames[one.experiment], out / paper.name, where, named)
            if drawn is not None:
                file, traced = drawn
                if file is not None:
                    result.drawn[one.id] = file
                if traced is not None:
                    result.tables[one.id] = traced
    result.others = _sensitivity(result, trials, effort, judged, others=others)
    return result


def _of_plan(paper: Paper, plan: Planned) -> Planned:
    """Return a plan without the experiments that have their own seeds, which an older plan may have."""
    own = {
        name
        for trial in paper.trials.values()
        if not trial.planned
        for name in (trial.id, beside_of(trial.id))
    }
    return {name: seeds for name, seeds in plan.items() if name not in own}


def from_stored(paper: Paper, folder: Path, *, wanted: str | None = None) -> Reproduction:
    """Judge the claims of a paper, or of one figure or claim of it, from the stored cells in ``folder``.

    A figure that is named comes with the drawing and the numbers on the page in that folder.

    Raises:
        InputError: the cells are missing or unreadable, or there is no such figure or claim.

    """
    figures, _, claims = chosen(paper, wanted, runs=False)
    plan = planned(read_plan(beside(folder, paper)))
    result = Reproduction(paper, folder, stored=True, planned=_of_plan(paper, plan))
    if wanted is not None:
        page = Earlier.read(folder / f"{paper.key}.md")
        shown = {one.id: kept for one in figures if (kept := page.figure(one.id)) is not None}
        drawn = {name: folder / kept.picture for name, kept in shown.items() if kept.picture}
        result.asked, result.drawn = figures, {name: file for name, file in drawn.items() if file.is_file()}
        result.tables = {name: found for name, kept in shown.items() if (found := kept.cells()) is not None}
    cells = stored.read(stored.file_of(folder, paper.key))
    judged = [claim for claim in claims if claim.role is not Role.MECHANISM]
    for claim in judged:
        of = cells.get(claim.id, {})
        known = decided(claim)
        if claim.parts:
            continue
        result.judgements[claim.id] = known or (judge_measured(claim, of[MAIN]) if MAIN in of else NOT_RUN)
        if known is None:
            others = {name: judge_measured(claim, measured) for name, measured in of.items() if name != MAIN}
            result.others |= {claim.id: others} if others else {}
    result.seeds = _stored_seeds(result, judged)
    for claim in judged:
        if claim.parts:
            _summarise(result, claim)
    return result


def _stored_seeds(result: Reproduction, claims: list[Claim]) -> dict[str, int]:
    """Return by experiment the smallest number of seeds of a stored cell.

    A claim's quantity may be missing in some runs of a cell: the claim that has most of them counts. Claims
    over several experiments count for those without a claim of their own: they have the fewest seeds of all.
    """
    own: dict[str, dict[tuple[str, ...], int]] = {}
    joint: dict[str, dict[tuple[str, ...], int]] = {}
    for claim in claims:
        most = own if len(claim.experiments) == 1 else joint
        for cell in result.judgements[claim.id].cells if claim.id in result.judgements else ():
            labels = cell.measured.labels
            # Cells of several experiments begin with the name of theirs, unless they are of all.
            of_one = set(labels[:1]) & set(claim.experiments)
            for trial in of_one or claim.experiments:
                of = most.setdefault(trial, {})
                of[labels] = max(cell.measured.seeds, of.get(labels, 0))
    known = {trial: [number for number in of.values() if number] for trial, of in (joint | own).items()}
    return {trial: min(numbers_) for trial, numbers_ in known.items() if numbers_}


def _summarise(result: Reproduction, claim: Claim) -> None:
    """Judge a summary from what is known of its parts, in every reading."""
    result.judgements[claim.id] = judge_summary(claim, result.judgements)
    names = dict.fromkeys(name for part in claim.parts for name in result.others.get(part, {}))
    for name in names:
        by = {part: result.others[part][name] for part in claim.parts if name in result.others.get(part, {})}
        result.others.setdefault(claim.id, {})[name] = judge_summary(claim, by)


def cells_of(result: Reproduction) -> stored.Stored:
    """Return the measured cells of all judged claims, by claim and reading."""
    found: stored.Stored = {}
    summaries = {claim.id for claim in result.paper.claims if claim.parts}
    for claim, judgement in result.judgements.items():
        if claim in summaries:  # It has the cells of its parts.
            continue
        by = {MAIN: judgement, **result.others.get(claim, {})}
        measured = {name: [cell.measured for cell in one.cells] for name, one in by.items() if one.cells}
        found |= {claim: measured} if measured else {}
    return found


def _runs(
    result: Reproduction,
    trial: Trial,
    effort: Effort,
    name: str = MAIN,
    changed: dict[str, Any] | None = None,
) -> tuple[pl.DataFrame, list[str]] | None:
    where = place(result.out, result.paper, trial, name)
    planned = effort.planned.get(trial.id)
    if effort.run:
        plan = plan_of(trial, quick=effort.quick, seeds=effort.seeds, changed=changed)
        sweep = PlannedSweep.of(plan, where, planned, shard=effort.shard)
        sweep.run(jobs=effort.jobs, watch=effort.watch)
        result.failed += sweep.state.failed
    elif not effort.quick and not (where / "cells.parquet").is_file():
        # Without full-size runs, judge the quick ones and mark them.
        where = place(result.out / QUICK, result.paper, trial, name)
    if not (where / "cells.parquet").is_file():
        return None
    frame = frame_of(where, trial, planned)
    if frame.is_empty():
        return None
    if name == MAIN:
        if effort.quick or where.is_relative_to(result.out / QUICK):
            result.shortened.add(trial.id)
        result.guesses[trial.id] = guesses(frame)
        result.seeds[trial.id] = _seeds(frame)
    return frame.drop("document"), reading.axes(where)


def _seeds(frame: pl.DataFrame) -> int:
    """Return the number of seeds that all cells have; an interrupted sweep has more for some."""
    return int(frame.group_by("cell").agg(pl.col("seed").n_unique())["seed"].to_numpy().min())


def frame_of(where: Path, trial: Trial, planned: Seeds | None = None) -> pl.DataFrame:
    """Return the runs of an experiment with their documents and all quantities of claims.

    With ``planned`` those of the planned seeds: a pilot's runs decide the number of seeds and nothing else.
    """
    frame = reading.joined(where, only=None if planned is None else by_number(where, planned))
    texts = reading.batch_frame(where, ["document"]).filter(status="done").drop("status")
    frame = frame.join(texts, on=["world", "seed"], how="left", maintain_order="left")
    if frame.is_empty():
        return frame
    frame = from_documents(frame, frame["document"])
    for name in (trial.derive or "").split():
        frame = DERIVED[name](frame, where)
    return frame


def _judgements(claims: list[Claim], frames: Frames) -> dict[str, Judgement]:
    """Judge claims on the runs of their experiments, then the summaries of them."""
    found = {claim.id: _judged(claim, frames) for claim in claims if not claim.parts}
    found |= {claim.id: judge_summary(claim, found) for claim in claims if claim.parts}
    return {claim.id: found[claim.id] for claim in claims}


def _judged(claim: Claim, frames: Frames) -> Judgement:
    known = decided(claim)
    if known is not None:
        return known
    if not set(claim.experiments) <= set(frames):
        return NOT_RUN
    return judge_claim(claim, frames)


def _sensitivity(
    result: Reproduction, trials: list[Trial], effort: Effort, claims: list[Claim], *, others: bool
) -> dict[str, dict[str, Judgement]]:
    """Judge claims for other readings of what their paper leaves open; the standard dialect always."""
    runs: dict[str, dict[str, tuple[pl.DataFrame, list[str]]]] = {}
    used = {trial for claim in claims for trial in claim.experiments}
    for trial in (one for one in trials if one.id in used):
        for name, changed in readings(trial).items():
            if name == STANDARD or others:
                found = _runs(result, trial, _fewer(effort, trial, name), name, changed)
                if found is not None:
                    runs.setdefault(name, {})[trial.id] = found
    judged: dict[str, dict[str, Judgement]] = {}
    for name, frames in runs.items():
        of = [claim for claim in claims if claim.experiments and set(claim.experiments) <= set(frames)]
        of += [claim for claim in claims if claim.parts]
        for claim, judgement in _judgements(of, frames).items():
            if judgement.cells or not next(one for one in of if one.id == claim).parts:
                judged.setdefault(claim, {})[name] = judgement
    return {claim.id: judged[claim.id] for claim in claims if claim.id in judged}


def _fewer(effort: Effort, trial: Trial, name: str) -> Effort:
    """Return the extent of the runs of a reading: with a plan only the cells that claims compare."""
    if effort.quick:
        return effort
    of = effort.planned.get(beside_of(trial.id))
    if of is not None:
        most = max(of.values(), default=0) if name == STANDARD else trial.reading_seeds
        return replace(effort, planned={trial.id: {cell: min(number, most) for cell, number in of.items()}})
    have = plan_of(trial, quick=False, seeds=effort.seeds).seeds
    return replace(effort, seeds=min(trial.reading_seeds, len(have)), planned={})
