"""Start times of flows, drawn from the seed.

A wired network without errors and handoffs has no randomness: every seed gives the same run. Random start
times make its seeds independent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay._native import Scenario


def check_entries(text: str, where: str) -> str:
    """Return the span ``"2s"`` within which flows start; raise ``InputError`` for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)s", text)
    if match is None or float(match[1]) <= 0:
        raise InputError(f'{where}: found {text!r}; write seconds, within which flows start: "2s"')
    return text


def entered(world: Scenario, seed: int, within: str | None) -> Scenario:
    """Return the scenario with start times from 0 to ``within`` drawn from the seed, if it is given."""
    if not within:
        return world
    import random

    draw = random.Random(seed)
    limit = max(1, round(float(within.removesuffix("s")) * 1000))
    return world.with_starts([draw.randrange(limit) for _ in range(world.flows)])
