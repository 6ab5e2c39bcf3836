"""Sweeps in which each cell has the seeds that a pilot asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.experiment.store import sweeps as reading
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from tworay.experiment.engines import Shard
    from tworay.experiment.plan import Plan

# Seeds of a pilot, 1 to 10. They decide how many seeds follow, and are not used otherwise.
PILOT = 10
# The standard dialect, beside the verdicts that count, has the planned seeds up to this number.
BESIDE = 20

Place = frozenset[tuple[str, str]]
"""A cell by the label of each axis, whose order readings may change."""
Seeds = dict[Place, int]
"""By cell: the number of seeds after the pilot's."""
Planned = dict[str, Seeds]
"""By experiment, and by `beside` for the standard dialect."""


def beside(trial: str) -> str:
    """Return the name of an experiment's runs in the standard dialect."""
    return f"{trial}~standard"


def seeds_after(number: int) -> list[int]:
    """Return this many seeds after those of the pilot."""
    return list(range(PILOT + 1, PILOT + number + 1))


class PlannedSweep(Sweep):
    """A sweep with seeds of its own for each cell; a cell without any is not run."""

    seeds_of: Callable[[Place], Sequence[int]] | None = None

    @classmethod
    def of(cls, plan: Plan, out: Path, planned: Mapping[Place, int] | None, *, shard: Shard) -> PlannedSweep:
        """Return the sweep of a plan, with the planned seeds if there are any."""
        sweep = cls(plan, out, shard=shard, retry_failed=True)
        if planned is not None:
            sweep.seeds_of = lambda cell: seeds_after(planned.get(cell, 0))
        return sweep

    @classmethod
    def pilot(cls, plan: Plan, out: Path, cells: Collection[Place]) -> PlannedSweep:
        """Return the pilot of a plan in these cells."""
        sweep = cls(plan, out, retry_failed=True)
        sweep.seeds_of = lambda cell: range(1, PILOT + 1) if cell in cells else ()
        return sweep

    def start(self) -> dict[int, list[int]]:
        """Return every cell's seeds."""
        if self.seeds_of is None:
            return super().start()
        return {cell.number: list(self.seeds_of(frozenset(cell.place.items()))) for cell in self.cells}


def by_number(where: Path, planned: Mapping[Place, int]) -> dict[int, list[int]]:
    """Return the planned seeds by the numbers of the cells in a sweep's directory."""
    axes = reading.axes(where)
    table = reading.cells(where).select("cell", *axes)
    return {
        number: seeds_after(planned.get(frozenset(zip(axes, map(str, labels), strict=True)), 0))
        for number, *labels in table.iter_rows()
    }
