"""Levels of detail: long tables, stored several times with fewer and fewer rows.

Each level keeps the first and last row of every group, and those with the smallest and largest values: a plot
at that scale looks as if it had all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Columns = Mapping[str, NDArray[np.float64]]

# A table with no more rows needs no second level.
FEW = 6000
# Ratio of the group sizes of successive levels.
FACTOR = 8
FIRST_GROUP = 32


class Level(NamedTuple):
    """The kept rows of a table."""

    rows: int
    columns: dict[str, NDArray[np.float64]]


def levels(columns: Columns, most: int | None = None) -> list[Level]:
    """Return a table's levels, from all rows (or at most about ``most``) to a few thousand."""
    rows = len(next(iter(columns.values())))
    found = [Level(rows, dict(columns))]
    group = FIRST_GROUP
    while found[-1].rows > FEW and group < rows:
        kept = kept_rows(columns, group)
        if len(kept) < found[-1].rows * 0.7:
            found.append(Level(len(kept), {name: values[kept] for name, values in columns.items()}))
        group *= FACTOR
    if most is not None:
        small = [level for level in found if level.rows <= most]
        found = small or found[-1:]
    return found


def kept_rows(columns: Columns, group: int) -> NDArray[np.int64]:
    """Return the rows that a level keeps, given the size of its groups."""
    rows = len(next(iter(columns.values())))
    starts = np.arange(0, rows, group)
    kept = [starts, np.minimum(starts + group, rows) - 1]
    for name, values in columns.items():
        if name == "t":
            continue
        padded = np.full(len(starts) * group, np.nan)
        padded[:rows] = values
        table = padded.reshape(len(starts), group)
        known = ~np.isnan(table).all(axis=1)
        if known.any():
            some = table[known]
            kept += [starts[known] + np.nanargmin(some, axis=1), starts[known] + np.nanargmax(some, axis=1)]
    return np.unique(np.concatenate(kept))


def bars(t: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> list[Level]:
    """Return levels of upright bars: groups become one bar from the lowest to the highest."""
    found = [Level(len(t), {"t": t, "low": low, "high": high})]
    group = 4
    while found[-1].rows > FEW and group < len(t):
        starts = np.arange(0, len(t), group)
        if len(starts) < found[-1].rows * 0.4:
            found.append(
                Level(
                    len(starts),
                    {
                        "t": t[starts],
                        "low": np.minimum.reduceat(low, starts),
                        "high": np.maximum.reduceat(high, starts),
                    },
                )
            )
        group *= 2
    return found
