"""The plan of a paper's seeds as a file: what each cell needs, what it gets, and what a run of it costs."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay.errors import InputError
from tworay.files import replacing
from tworay.papers.plannedruns import BESIDE
from tworay.papers.plannedruns import beside as beside_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tworay.papers.library import Paper
    from tworay.papers.plannedruns import Place, Planned

COLUMNS = ("experiment", "cell", "claim", "spread", "half_width", "needed", "seeds", "seconds", "standard")
# Between and within the labels of a cell.
BETWEEN, IS = " / ", "="


@dataclass(frozen=True)
class Need:
    """Seeds that a cell of an experiment needs, and those that it gets."""

    trial: str
    cell: Place
    claim: str
    """The claim that needs most of it; empty if it is only drawn."""
    spread: float
    half_width: float
    needed: int
    """Stein's number of seeds after the pilot, or the source's own number of runs if that is larger."""
    seconds: float
    """Processor time of one run."""
    seeds: int = 0
    standard: bool = False
    """True if the standard dialect runs beside it."""
    slowest: float = 0.0
    """Processor time of one run of the slowest cell that it is compared with, s; not stored."""

    @property
    def beside(self) -> int:
        """The seeds of the standard dialect: only cells of claims run in it."""
        return min(self.seeds, BESIDE) if self.standard and self.claim else 0


def file_of(out: Path, paper: Paper) -> Path:
    """Return the file of a paper's plan among its runs."""
    return out / paper.name / "seeds.csv"


def beside(folder: Path, paper: Paper) -> Path:
    """Return the file of a paper's plan beside its page."""
    return folder / f"{paper.key}-seeds.csv"


def take(folder: Path, out: Path, papers: Iterable[Paper]) -> None:
    """Take the plans that a folder holds beside the pages, in place of those among the runs.

    Raises:
        InputError: the folder has no plan of a paper, or one that cannot be read.

    """
    for paper in papers:
        there = beside(folder, paper)
        if not there.is_file():
            raise InputError(f"{there}: no such plan; leave --plan-of out to plan from a pilot")
        write(read(there), file_of(out, paper))


def put(out: Path, folder: Path, papers: Iterable[Paper]) -> None:
    """Put the plans among the runs beside the pages; those of other experiments stay there."""
    for paper in papers:
        mine, there = read(file_of(out, paper)), read(beside(folder, paper))
        planned_ = {one.trial for one in mine}
        if mine:
            write([*(one for one in there if one.trial not in planned_), *mine], beside(folder, paper))


def write(found: Iterable[Need], file: Path) -> None:
    """Write a plan atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as hidden, hidden.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        for one in found:
            cell = BETWEEN.join(f"{axis}{IS}{label}" for axis, label in sorted(one.cell))
            numbers = [f"{one.spread:.4g}", f"{one.half_width:.4g}", str(one.needed), str(one.seeds)]
            rows.writerow([one.trial, cell, one.claim, *numbers, f"{one.seconds:.3g}", int(one.standard)])


def read(file: Path) -> list[Need]:
    """Return a stored plan; empty if there is none.

    Raises:
        InputError: a line is not as written here.

    """
    if not file.is_file():
        return []
    found = []
    with file.open(encoding="utf-8", newline="") as text:
        lines = csv.reader(text)
        if tuple(next(lines, ())) != COLUMNS:
            raise InputError(f"{file}:1: the columns must be {','.join(COLUMNS)}; delete it to plan anew")
        for number, line in enumerate(lines, 2):
            try:
                trial, cell, claim, spread, half, needed, seeds, seconds, standard = line
                parts = [part.partition(IS)[::2] for part in cell.split(BETWEEN)] if cell else []
                found.append(
                    Need(
                        trial,
                        frozenset((axis, label) for axis, label in parts),
                        claim,
                        float(spread),
                        float(half),
                        int(needed),
                        float(seconds),
                        int(seeds),
                        standard == "1",
                    )
                )
            except ValueError as error:
                raise InputError(f"{file}:{number}: {error}; delete the file to plan anew") from error
    return found


def planned(found: Iterable[Need]) -> Planned:
    """Return the seeds of each cell by experiment."""
    seeds: Planned = {}
    for one in found:
        seeds.setdefault(one.trial, {})[one.cell] = one.seeds
        seeds.setdefault(beside_of(one.trial), {})[one.cell] = one.beside
    return seeds


def stored_plan(out: Path, paper: Paper) -> Planned:
    """Return the stored plan of a paper's experiments."""
    return planned(read(file_of(out, paper)))
