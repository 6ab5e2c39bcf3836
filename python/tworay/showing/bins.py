"""Intervals of time in which data is added up: a number of equal ones, or of a width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tworay import times
from tworay.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INTERVALS = 60
"""The number of intervals if neither a number nor a width is chosen."""
# Events of a sender are rarely closer.
MOST = 1_000_000
# A width, s or as text with a unit.
Every: TypeAlias = "float | str"


@dataclass(frozen=True)
class Bins:
    """Equal parts of a run, or intervals ``every`` so many seconds, the last of which ends with the run."""

    intervals: int = INTERVALS
    every: float | None = None

    @classmethod
    def of(cls, intervals: int | str | None, every: Every | None) -> Bins:
        """Return the intervals that a user chooses with one of both; without either the usual ones.

        Raises:
            InputError: both are given, or one is no number of intervals or no time.

        """
        if intervals is not None and every is not None:
            raise InputError(f"--intervals {intervals} and --every {every}: both give a width; leave one out")
        if every is not None:
            return cls(every=_width(every))
        return cls() if intervals is None else cls(_number(intervals))

    def edges(self, seconds: float) -> NDArray[np.float64]:
        """Return the ends of the intervals of a run that lasts so many seconds, 0 first."""
        import numpy as np

        if self.every is None:
            return np.linspace(0.0, seconds, self.intervals + 1)
        # A run that ends at a multiple of the width has no further interval by rounding.
        count = max(1, math.ceil(seconds / self.every - 1e-9))
        if count > MOST:
            raise InputError(
                f"--every {self.every:g}s: a run of {seconds:g} s has {count} of these intervals, at most "
                f"{MOST} are possible; choose {seconds / MOST:g}s or more"
            )
        return np.append(np.round(np.arange(count) * self.every, 9), seconds)


def refuse(intervals: int | str | None, every: Every | None, why: str) -> None:
    """Refuse a chosen width where nothing has intervals; ``why`` says what has some."""
    for option, value in (("--intervals", intervals), ("--every", every)):
        if value is not None:
            raise InputError(f"{option} {value}: {why}")


def _number(found: int | str) -> int:
    try:
        number = float(found)
    except (TypeError, ValueError):
        number = math.nan
    if not (number.is_integer() and 1 <= number <= MOST):
        raise InputError(
            f"--intervals {found}: give a whole number from 1 to {MOST}, that of equal parts of a run, or "
            "their width with --every, such as 0.5s"
        )
    return int(number)


def _width(found: Every) -> float:
    wide = times.seconds(found) if isinstance(found, str) else float(found)
    if wide is None or not 0 < wide < math.inf:
        raise InputError(f"--every {found}: give a time above 0 with its unit, such as 0.5s or 200ms")
    return wide
