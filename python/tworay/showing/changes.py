"""Changes of a network while it ran: events of its scenario, and what a user did to a live network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tworay.live.scripts import seconds
from tworay.naming import Nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay.running.run import Run

Row: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[float, str]

# Data on its way past a node that is switched off may still arrive, and be acknowledged, s.
ON_ITS_WAY = 0.1
# The most states that a sentence lists.
TOLD = 3
# Commands of a script, and what scenarios call the same.
VERBS = {"off": "down", "on": "up", "move": "move", "loss": "loss"}


@dataclass(frozen=True)
class Change:
    """A node switched off or on, moved, or made to lose frames; or a link that is cut (no node)."""

    t_s: float
    what: str
    node: int | None
    text: str
    """The change in words, in the past tense."""
    state: str
    """The state that it led to, as in ``while mid was off``."""
    ends_s: float | None = None
    """When it ends by itself: a cut."""
    harms: bool = True
    """Packets may be lost or delayed by it: it doesn't switch a node on, or end a loss of frames."""


def changes(run: Run, settings: Row) -> list[Change]:
    """Return what was done to a run's network in order of time; ``settings``: its complete scenario."""
    nodes = Nodes.of(run.summary)
    rows = list(settings.get("event", []))
    for line in run.summary.get("live", {}).get("steered", []):
        time, verb, node, *more = line.split()
        row = {"at": time, "what": VERBS[verb], "node": nodes.number(node, "script")}
        if verb == "move":
            row["to"] = more[0].split(",")
        if verb == "loss":
            row["rate"] = float(more[0])
        rows.append(row)
    return sorted((_change(row, nodes) for row in rows), key=lambda change: change.t_s)


def _change(row: Row, nodes: Nodes) -> Change:
    what, at = row["what"], seconds(row["at"])
    if what == "cut":
        ends = None if row.get("for") is None else at + seconds(row["for"])
        whose = "a flow" if row.get("flow") is None else f"flow {row['flow']}"
        return Change(at, what, None, f"a link of {whose} cut", "a link was cut", ends)
    name = nodes(row["node"])
    harms = what != "up" and not (what == "loss" and float(row["rate"]) == 0)
    if what == "move":
        x, y = (f"{float(metres):g}" for metres in row["to"])
        text, state = f"{name} sent to {x},{y} m", f"{name} moved"
    elif what == "loss":
        text = f"{name} made to lose {100 * float(row['rate']):g} % of frames"
        state = f"{name} lost frames"
    else:
        word = {"down": "off", "up": "on"}[what]
        text, state = f"{name} switched {word}", f"{name} was {word}"
    return Change(at, what, row["node"], text, state, harms=harms)


def in_force(found: Sequence[Change], since: float, span: tuple[float, float]) -> list[Change]:
    """Return the changes that may have caused a pause, and those that undid them, in order of time.

    Those are the changes from the last acknowledgment (``since``) to the end of the pause (``span``) that
    were not undone before the pause began. A node that was off before and needed would have prevented that
    acknowledgment.
    """
    begin, end = span
    early = since - ON_ITS_WAY
    chosen: list[Change] = []
    for place, change in enumerate(found):
        after = next((c for c in found[place + 1 :] if _undoes(c, change)), None)
        over = min(after.t_s if after else end, change.ends_s or end)
        if early <= change.t_s < end and (over > begin or change.t_s >= begin) and change.harms:
            chosen += [change, *([after] if after is not None and after.t_s < end else [])]
    # A second move undoes the first, and is a change itself.
    return [change for change in found if change in chosen]


def _undoes(change: Change, other: Change) -> bool:
    kinds = ("up", "down") if other.what == "down" else (other.what,)
    return change.node == other.node and change.node is not None and change.what in kinds


def while_(found: Sequence[Change]) -> str | None:
    """Return the states that changes led to in words: ``while mid was off and barn moved``."""
    states = list(dict.fromkeys(change.state for change in found if change.harms))
    if not states:
        return None
    if len(states) > TOLD:
        states = [*states[:TOLD], f"{len(states) - TOLD} other changes happened"]
    return "while " + (" and ".join([", ".join(states[:-1]), states[-1]]) if states[1:] else states[0])


def behind(found: Sequence[Change], loss: Row) -> Change | None:
    """Return the change that made a hop fail, before a loss: an end of it switched off, or moved."""
    what = {"node-down": "down", "link-failure": "move"}.get(loss["cause"])
    ends = (loss["root_node"], loss["next_hop"])
    before = [
        change
        for change in found
        if change.what == what and change.node in ends and change.t_s <= loss["since_s"]
    ]
    return before[-1] if before else None
