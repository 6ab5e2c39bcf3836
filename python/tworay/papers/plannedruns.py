"""Sweeps in which each cell has the seeds that a pilot asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.experiment.store import sweeps as reading
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from collections.abc import Mapping
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
"""By experiment."""


def seeds_after(number: int) -> list[int]:
    """Return this many seeds after those of the pilot."""
    return list(range(PILOT + 1, PILOT + number + 1))


class PlannedSweep(Sweep):
    """A sweep with a number of seeds for each cell."""

    planned: Mapping[Place, int] | None = None

    @classmethod
    def of(cls, plan: Plan, out: Path, planned: Mapping[Place, int] | None, *, shard: Shard) -> PlannedSweep:
        """Return the sweep of a plan, with the planned seeds if there are any."""
        sweep = cls(plan, out, shard=shard, retry_failed=True)
        sweep.planned = planned
        return sweep

    def start(self) -> dict[int, list[int]]:
        """Return every cell's seeds."""
        if self.planned is None:
            return super().start()
        return {
            cell.number: seeds_after(self.planned.get(frozenset(cell.place.items()), PILOT))
            for cell in self.cells
        }


def by_number(where: Path, planned: Mapping[Place, int]) -> dict[int, list[int]]:
    """Return the planned seeds by the numbers of the cells in a sweep's directory."""
    axes = reading.axes(where)
    table = reading.cells(where).select("cell", *axes)
    return {
        number: seeds_after(planned.get(frozenset(zip(axes, map(str, labels), strict=True)), PILOT))
        for number, *labels in table.iter_rows()
    }
