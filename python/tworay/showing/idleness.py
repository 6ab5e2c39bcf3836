"""Spells in which a sender had nothing to send: the application limits it, not the network.

Then no acknowledgment is due, so the time without one is no pause.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Row: TypeAlias = dict[str, Any]
Span: TypeAlias = tuple[float, float]

# Phases in which a sender keeps back data that it has.
HELD_BACK = frozenset({"frozen", "handshake", "recovery", "rto_recovery"})


def held_back(phases: Sequence[Row], freezes: Sequence[Row], end: float) -> list[Span]:
    """Return the times, s, in which a sender keeps back data that it has.

    Args:
        phases: its phases in order of time (table ``phases``).
        freezes: times in which its window was closed for it (``live run --freeze``): ``from_seconds``,
            ``to_seconds``.
        end: the end of the run, s.

    """
    ends = [*(one["t_s"] for one in phases[1:]), end]
    held = [
        (one["t_s"], until) for one, until in zip(phases, ends, strict=False) if one["phase"] in HELD_BACK
    ]
    return held + [(one["from_seconds"], one["to_seconds"]) for one in freezes]


def idle_spells(series: Sequence[Row], held: Sequence[Span], end: float) -> list[Span]:
    """Return the times, s, from an acknowledgment of all data to the next new data.

    Args:
        series: the states of one flow's sender in order of time (table ``series``).
        held: when it was held back, as ``held_back`` returns it.
        end: the end of the flow or of the run, s.

    A sender with nothing in flight may also be frozen, or have counted all that was in flight as lost. Such
    times are no idleness. The table ``retransmissions`` can't tell: of a kernel's connection it has those of
    both ends.

    """
    # Between two of them nothing new was acknowledged.
    advances = [
        place
        for place, row in enumerate(series)
        if place == 0 or row["acked_bytes"] > series[place - 1]["acked_bytes"]
    ]
    spells = []
    for first, after in itertools.pairwise([*advances, len(series)]):
        empty = next((i for i in range(first, after) if series[i]["in_flight_segments"] == 0), None)
        if empty is None:
            continue
        busy = next((i for i in range(empty, after) if series[i]["in_flight_segments"] > 0), after)
        # A sender's state may be seen late: all had been acknowledged at the last advance.
        spell = (series[first]["t_s"], series[busy]["t_s"] if busy < len(series) else end)
        waits = any(begin < spell[1] and series[empty]["t_s"] < until for begin, until in held)
        if spell[0] < spell[1] and not waits:
            spells.append(spell)
    return spells
