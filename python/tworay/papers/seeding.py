"""The number of seeds of each cell, from a pilot and the margin of relevance alone.

A pilot of 10 seeds gives the standard deviation s of what a claim compares. Stein's number (1945) for an
interval with half width w is n = (t(0.975, 9) s / w)². w is half of the margin of relevance: so an interval
lies on one side of a limit of the rule if the truth is a margin away from it. n does not depend on the
pilot's mean, so no verdict can decide it.

The pilot's runs do not count for the verdict. If they did, the interval of all runs would contain the truth
too seldom (93.6 % for a deviation of 5 % and w of 2.5 %), because few runs follow a pilot that varies little
by chance; the t interval of the runs after it has its 95 %.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tworay.analysis import stats
from tworay.analysis.stats import t_quantile
from tworay.papers.plannedruns import PILOT
from tworay.papers.rule import LEVEL, Sense

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay.papers.rule import Claimed

# Runs of a cell, pilot included.
CEILING = 200
# Seeds that follow a pilot at least: pairs are tested from five on.
LEAST = 5
# Seeds of a cell that no claim compares: it is only drawn.
DRAWN = 3


def wanted_half_width(claimed: Claimed, scale: float) -> float:
    """Return the wanted half width of an interval, in its unit: half of the margin of relevance.

    For a value the margin is taken in percent of the claimed figure, or of ``scale``, the pilot's mean, if
    the claim has none. A band that is wider than twice the margin needs half of its own half width only.
    """
    width = claimed.margin / 2
    bounds = [end for end in (claimed.low, claimed.high) if math.isfinite(end)]
    if claimed.value:
        figure = abs(sum(bounds) / len(bounds)) if bounds else 0.0
        width *= (figure or abs(scale)) / 100
    if claimed.sense is Sense.BAND and len(bounds) == 2:
        width = max(width, (claimed.high - claimed.low + 2 * claimed.error) / 4)
    return width


def seeds_for(spread: float, half_width: float, most: int = CEILING - PILOT) -> int:
    """Return how many seeds follow a pilot with this standard deviation, `LEAST` to ``most``."""
    if spread <= 0:
        return LEAST
    if half_width <= 0:
        return most
    stein = (t_quantile((1 + LEVEL) / 2, PILOT - 1) * spread / half_width) ** 2
    return min(max(math.ceil(stein), LEAST), most)


def spread_of(values: Sequence[float]) -> float | None:
    """Return the standard deviation of a pilot's values; ``None`` with fewer than three."""
    return stats.std(list(values)) if len(values) > 2 else None
