"""Figures that dumps of interfaces lack: the lines, and the nodes in whose dumps they are missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tworay.imports.reading import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    Ends = tuple[str, str]

MOST_NAMED = 8
"""A note names so many nodes at most."""
LINES = {"loss": '"tx packets" and "tx retries"', "level": '"signal"'}


@dataclass
class Missing:
    """Directions without a figure of their own.

    The sender's dump has the loss of a direction, the receiver's its level.
    """

    dumped: set[str] = field(default_factory=set)
    """Nodes that gave a dump."""
    lacking: dict[Literal["loss", "level"], list[Ends]] = field(
        default_factory=lambda: {"loss": [], "level": []}
    )
    unknown: set[Ends] = field(default_factory=set)
    """Those whose loss the opposite direction lacks, too."""

    def notes(self, *, are_losses_used: bool) -> list[str]:
        """Return notes on missing dumps and missing lines."""
        # The end whose dump has the figure.
        at = {"loss": 0, "level": 1}
        used = {kind: ends for kind, ends in self.lacking.items() if kind == "level" or are_losses_used}
        silent = {ends[at[kind]] for kind, several in self.lacking.items() for ends in several} - self.dumped
        notes = []
        if silent:
            taken = {ends for several in self.lacking.values() for ends in several if silent & set(ends)}
            notes.append(
                f"no dump of {_listed(silent)}: {len(taken)} directions take level or loss of the opposite "
                "one; dump there, too"
            )
        for kind, several in used.items():
            here = [ends for ends in several if ends[at[kind]] in self.dumped]
            if not here:
                continue
            rest = [ends for ends in here if not (kind == "loss" and ends in self.unknown)]
            what = "take that of the opposite one" if rest else "lose frames by their level only"
            notes.append(
                f"no lines {LINES[kind]} in dumps of {_listed(_stations(here, at[kind]))}: {len(here)} "
                f"directions have no {kind} of their own and {what}"
            )
        return notes


def _stations(several: Iterable[Ends], end: int) -> list[str]:
    """Return each node with the stations whose lines it lacks: `mill (of barn, tower)`."""
    found: dict[str, list[str]] = {}
    for ends in several:
        found.setdefault(ends[end], []).append(shown(ends[1 - end]))
    return [f"{shown(node)} (of {', '.join(sorted(others))})" for node, others in sorted(found.items())]


def _listed(names: Iterable[str]) -> str:
    ordered = sorted(names)
    return ", ".join(ordered[:MOST_NAMED]) + (", ..." if len(ordered) > MOST_NAMED else "")
