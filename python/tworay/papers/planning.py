"""Pilots of experiments, and the plan of seeds that follows: printed and stored before anything else runs."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from tworay.analysis import stats
from tworay.errors import InputError
from tworay.experiment.engines import Shard
from tworay.experiment.store import sweeps as reading
from tworay.papers.bands import claimed_of
from tworay.papers.judging import decided, sampled
from tworay.papers.library import STANDARD
from tworay.papers.planfile import Need, file_of, planned, read, write
from tworay.papers.plannedruns import BESIDE, PILOT, PlannedSweep
from tworay.papers.plannedruns import beside as beside_of
from tworay.papers.reproducing import chosen, frame_of, place, plan_of, readings
from tworay.papers.seeding import CEILING, DRAWN, LEAST, seeds_for, spread_of, wanted_half_width

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from tworay.papers.judging import Frames
    from tworay.papers.library import Claim, Paper, Trial
    from tworay.papers.plannedruns import Place, Planned
    from tworay.running.executing import Watcher

# Hours of all runs, pilots included, unless --budget says otherwise.
HOURS = 8.0


def needs(
    claims: Iterable[Claim],
    frames: Frames,
    seconds: Mapping[str, Mapping[Place, float]],
    standard: Collection[str] = (),
) -> list[Need]:
    """Return what each cell of the experiments needs for these claims, from their pilots' runs."""
    most: dict[tuple[str, Place], Need] = {
        (trial, cell): Need(trial, cell, "", 0.0, 0.0, DRAWN, cost, standard=trial in standard)
        for trial, cells in seconds.items()
        for cell, cost in cells.items()
    }
    for claim in claims:
        if not claim.experiments or not set(claim.experiments) <= set(frames) or decided(claim):
            continue
        try:
            samples = sampled(claim, frames)
        except InputError:
            continue
        for sample in samples:
            values = list(sample.values.values())
            spread = spread_of(values)
            if spread is None:
                continue
            half = wanted_half_width(claimed_of(claim.how, sample.labels), stats.mean(values) or 0.0)
            needed = seeds_for(spread, half, 10**9)
            slowest = max((most[arm].seconds for arm in sample.arms if arm in most), default=0.0)
            for arm in sample.arms:
                if arm not in most:
                    continue
                if needed > most[arm].needed or not most[arm].claim:
                    most[arm] = replace(
                        most[arm], claim=claim.id, spread=spread, half_width=half, needed=needed
                    )
                most[arm] = replace(most[arm], slowest=max(most[arm].slowest, slowest))
    return list(most.values())


def at_least(found: Iterable[Need], trials: Iterable[Trial]) -> list[Need]:
    """Give each cell at least the number of runs that its source states, though a claim needs fewer."""
    least = {trial.id: trial.least_seeds for trial in trials}
    return [replace(one, needed=max(one.needed, least[one.trial])) for one in found]


def cells_of_claims(claims: Iterable[Claim], trials: Iterable[Trial]) -> dict[str, set[Place]]:
    """Return the cells of the experiments whose values claims compare, which need no runs to be known."""
    grids: dict[str, tuple[pl.DataFrame, list[str]]] = {}
    for trial in trials:
        plan_ = plan_of(trial, quick=False, seeds=1)
        axes = [axis.name for axis in plan_.axes]
        rows = [{**cell.place, "cell": cell.number, "seed": 1} for cell in plan_.cells()]
        grids[trial.id] = pl.DataFrame(rows), axes
    found: dict[str, set[Place]] = {trial: set() for trial in grids}
    for claim in claims:
        if not claim.experiments or not set(claim.experiments) <= set(grids) or decided(claim):
            continue
        value = pl.lit(1.0).alias(str(claim.how[claim.kind]))
        frames = {trial: (grid.with_columns(value), axes) for trial, (grid, axes) in grids.items()}
        for name, cell in (arm for sample in sampled(claim, frames) for arm in sample.arms):
            found[name].add(cell)
    return found


def only(planned_: Planned, claims: Iterable[Claim], trials: Sequence[Trial]) -> Planned:
    """Return a plan without the cells that these claims don't compare: they are not run."""
    compared = cells_of_claims(claims, trials)
    kept = dict(planned_)
    for trial in trials:
        for name in (trial.id, beside_of(trial.id)):
            if name in planned_:
                kept[name] = {
                    cell: number for cell, number in planned_[name].items() if cell in compared[trial.id]
                }
    return kept


def within(found: Sequence[Need], seconds: float) -> tuple[list[Need], float | None]:
    """Give each cell what it needs, as far as the processor time suffices.

    If it does not suffice for all, no cell gets more seeds than the same share of the time pays for: so cells
    with quick runs get what they need, where the same number of seeds for all would go to those with slow
    ones. `LEAST` seeds are given in any case.

    Returns the needs with their seeds, and the share, s; ``None`` if none is cut short but by `CEILING`.
    """

    def given(share: float) -> list[Need]:
        return [replace(one, seeds=_paid(one, share)) for one in found]

    if cost(given(math.inf)) <= seconds:
        return given(math.inf), None
    low, high = 0.0, CEILING * max(one.seconds for one in found)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if cost(given(middle)) <= seconds else (low, middle)
    return given(low), low


def _paid(one: Need, share: float) -> int:
    """Return the seeds of a cell that may take this much processor time.

    Seeds of one cell that the cells compared with it don't have would decide nothing: the slowest counts.
    """
    most, seconds = min(one.needed, CEILING - PILOT), max(one.seconds, one.slowest)
    return most if seconds * most <= share else min(most, max(int(share / seconds), LEAST))


def cost(found: Iterable[Need]) -> float:
    """Return the processor time of the planned runs and of the standard dialect beside them, s."""
    return sum(one.seconds * (one.seeds + one.beside) for one in found)


@dataclass(frozen=True)
class Asked:
    """The experiments to plan: papers, one figure or claim of a paper or all, and where the runs are."""

    papers: Sequence[Paper]
    figure: str | None
    out: Path
    jobs: int | None = None
    shard: Shard = Shard()  # noqa: RUF009
    hours: float | None = None
    """Hours of all runs, pilots included; plans stored before are replaced if it is given."""


def plan(asked: Asked, say: Callable[[str], None], watch: Watcher) -> dict[str, Planned]:
    """Run the pilots that are missing, then plan, say and store the seeds of each cell.

    Raises:
        InputError: a part of the runs is asked for before there is a plan.

    """
    stored = {paper.name: read(file_of(asked.out, paper)) for paper in asked.papers}
    open_: dict[str, list[Trial]] = {}
    for paper in asked.papers:
        have = {one.trial for one in stored[paper.name]} if asked.hours is None else set()
        _, trials, claims = chosen(paper, asked.figure)
        used = {trial for claim in claims if not decided(claim) for trial in claim.experiments}
        open_[paper.name] = [one for one in trials if one.planned and one.id in used and one.id not in have]
    if asked.shard != Shard() and any(open_.values()):
        raise InputError(
            "--shard: the pilots decide the numbers of seeds; run the same command without --shard and with "
            "--plan first, or give --seeds"
        )
    found: dict[str, list[Need]] = {}
    for paper in asked.papers:
        frames: dict[str, tuple[pl.DataFrame, list[str]]] = {}
        seconds: dict[str, dict[Place, float]] = {}
        compared = cells_of_claims(paper.claims, open_[paper.name])
        for trial in open_[paper.name]:
            where = place(asked.out, paper, trial)
            experiment = plan_of(trial, quick=False, seeds=PILOT)
            sweep = PlannedSweep.pilot(experiment, where, compared[trial.id])
            sweep.run(jobs=asked.jobs, watch=watch)
            frame, axes = pilot_frame(trial, where)
            if not frame.is_empty():
                frames[trial.id] = frame, axes
                seconds[trial.id] = _seconds(sweep)
        beside = {trial.id for trial in open_[paper.name] if STANDARD in readings(trial)}
        found[paper.name] = at_least(needs(paper.claims, frames, seconds, beside), open_[paper.name])
    if any(found.values()):
        cores = asked.jobs or os.cpu_count() or 1
        hours = HOURS if asked.hours is None else asked.hours
        everything = [one for needs_ in found.values() for one in needs_]
        pilots = PILOT * sum(one.seconds for one in everything if one.claim)
        given, share = within(everything, hours * 3600 * cores - pilots)
        for line in told(given, cores, hours, share):
            say(line)
        rest = iter(given)
        for paper in asked.papers:
            mine = [next(rest) for _ in found[paper.name]]
            new = {one.trial for one in mine}
            stored[paper.name] = [one for one in stored[paper.name] if one.trial not in new] + mine
            if mine:
                write(stored[paper.name], file_of(asked.out, paper))
    return {name: planned(one) for name, one in stored.items()}


def told(found: Sequence[Need], cores: int, hours: float, share: float | None) -> list[str]:
    """Return the plan in words: runs and time by experiment, and in all."""
    lines = []
    for trial in dict.fromkeys(one.trial for one in found):
        mine = [one for one in found if one.trial == trial]
        seeds = sorted(one.seeds for one in mine)
        short = sum(one.seeds < one.needed for one in mine)
        cut = f"; {short} would need more" if short else ""
        lines.append(
            f"{trial}: {len(mine)} cells, {seeds[0]} to {seeds[-1]} seeds, {sum(seeds)} runs, "
            f"{_time(cost(mine) / cores)}{cut}"
        )
    lowered = "" if share is None else f"; no cell gets more than {share:.1f} s, or {LEAST} seeds"
    total = sum(one.seeds for one in found)
    lines.append(
        f"in all {total} runs after the pilots, {_time(cost(found) / cores)} on {cores} cores with the "
        f"standard dialect beside, up to {BESIDE} seeds (budget {hours:g} h with the pilots{lowered})"
    )
    return lines


def pilot_frame(trial: Trial, where: Path) -> tuple[pl.DataFrame, list[str]]:
    """Return a pilot's runs and the names of the axes."""
    return frame_of(where, trial).filter(pl.col("seed") <= PILOT).drop("document"), reading.axes(where)


def _seconds(sweep: PlannedSweep) -> dict[Place, float]:
    """Return the mean processor time of a run of each cell, s; without a pilot that of the experiment."""
    known = sweep.costs()
    mean = stats.mean(list(known.values())) or 0.0
    return {frozenset(cell.place.items()): known.get(cell.key, mean) for cell in sweep.cells}


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"
