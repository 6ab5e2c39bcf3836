"""Sweeps in which each cell has the seeds that a pilot asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.experiment.onerun import do
from tworay.experiment.store import sweeps as reading
from tworay.experiment.sweeping import Sweep
from tworay.files import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tworay.experiment.engines import Shard
    from tworay.experiment.plan import Plan
    from tworay.experiment.store.batches import Row

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


def times_of(where: Path) -> Path:
    """Return the file of a pilot's processor times, which a sweep's own files don't have: they vary."""
    return where.with_name(f"{where.name}-times.json")


class PlannedSweep(Sweep):
    """A sweep with seeds of its own for each cell; a cell without any is not run."""

    seeds_of: Callable[[Place], Sequence[int]] | None = None
    spent: dict[str, list[float]] | None = None
    """By world: the processor time of each run of this session, s; kept for a pilot only."""

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
        sweep.spent = {}
        return sweep

    def add(self, row: Row) -> None:
        """Store a run that has ended, and keep its processor time."""
        super().add(row)
        seconds = row.get("cpu_seconds")
        if self.spent is not None and seconds is not None:
            self.spent.setdefault(row["world"], []).append(seconds)

    def costs(self) -> dict[str, float]:
        """Return the mean processor time of a run by world, s: of this pilot or of its earlier part.

        A cell whose pilot ran earlier and left no times is run once more.
        """
        file = times_of(Path(self.path))
        known: dict[str, float] = json.loads(file.read_text()) if file.is_file() else {}
        known |= {world: sum(of) / len(of) for world, of in (self.spent or {}).items()}
        for cell in self.cells:
            asked = self.seeds_of(frozenset(cell.place.items())) if self.seeds_of else ()
            if asked and cell.key not in known:
                row = do(cell, asked[0], self.plan, None, lambda _name, _table: None)
                known[cell.key] = row.get("cpu_seconds") or 0.0
        with replacing(file) as hidden:
            hidden.write_text(json.dumps(known, indent=0))
        return known

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
