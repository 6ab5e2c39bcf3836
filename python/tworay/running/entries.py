"""Start times of flows, drawn from the seed.

A wired network without errors and handoffs has no randomness: every seed gives the same run. Random start
times make its seeds independent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay._native import Scenario


def check_entries(text: str, where: str) -> str:
    """Return the span ``"2s"`` within which flows start; raise ``InputError`` for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)s", text)
    if match is None or float(match[1]) <= 0:
        raise InputError(f'{where}: found {text!r}; write seconds, within which flows start: "2s"')
    return text


def entered(world: Scenario, seed: int, within: str | None, flows: Sequence[int] | None = None) -> Scenario:
    """Return the scenario with start times from 0 to ``within`` drawn from the seed, if it is given.

    ``flows`` are the numbers of its flows if some are switched off: the others start as they do without that.
    """
    if not within:
        return world
    import random

    draw = random.Random(seed)
    limit = max(1, round(float(within.removesuffix("s")) * 1000))
    if flows is None:
        flows = range(world.flows)
    starts = [draw.randrange(limit) for _ in range(max(flows, default=-1) + 1)]
    return world.with_starts([starts[number] for number in flows])
