"""Explain a pause: what happened in order, from the loss to the next acknowledgment.

Steps come from the tables of a run. Every result directory has the loss behind a pause and the sender's
reactions; what routing did, and when a link went out of range, needs a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tworay.naming import Nodes
from tworay.showing.causes import ENDS, WORDS
from tworay.showing.changes import Change, behind, in_force, while_
from tworay.showing.delays import delays
from tworay.showing.searches import TOLD, protocol_of, searches

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from tworay.running.run import Run

Row: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[float, str]

# Steps closer than this are merged into one, s.
AT_ONCE = 1e-3
# How far back the moment is searched at which a link went out of range, and in what steps, s.
BEFORE, GRID = 60.0, 0.05

GIVE_UPS = {"rts-retries": "RTS", "data-retries": "DATA"}
FULL = {
    "ifq": "interface queue of {0} full",
    "arp": "ARP's hold at {0} full",
    "buffer": "routing buffer of {0} full",
    "wire-queue": "queue of the wire at {0} full",
}


def chain(
    run: Run, about: Row, moment: Row, done: Sequence[Change] = (), since: float | None = None
) -> list[Row]:
    """Return the steps of a pause in order of time: ``t_s``, ``text``. ``moment`` is one of ``explain``.

    ``done``: changes of the network while it ran. ``since``: when something was last acknowledged before
    the pause, if that isn't its beginning.
    """
    loss, pause = moment["loss"], moment["pause"]
    end = pause["end_s"] if pause else (loss["t_s"] if loss else 0.0)
    steps: list[Step] = []
    if loss:
        mine = [change for change in done if change.node in _ends(about, loss)]
        told = [behind(done, loss), *(in_force(mine, _since(since, pause), _span(pause)) if pause else ())]
        steps += [(one.t_s, one.text) for one in dict.fromkeys(told) if one is not None]
        steps += _root(run, moment)
        steps += _routing(run, about, loss, end)
    elif pause:
        last = "first data after an idle spell" if pause["after_idle"] else "last acknowledgment"
        if pause["from_start"]:
            last = "the flow's start"
        span = _span(pause)
        late, late_since = delays(run, about, span)
        reason, sought = searches(run, about, (late_since, span[1]))
        changed = in_force(done, _since(since, pause), span)
        meanwhile = while_(changed)
        said = f"but {reason}" if reason else "only delay"
        if meanwhile:
            said += f", {meanwhile}"
        elif not reason and "segments" not in run.tables:
            said += " (run it again with --record --out DIR to see of what)"
        steps.append((span[0], f"no loss, {said}: {last}"))
        steps += [*sought, *late, *((change.t_s, change.text) for change in changed)]
    steps += _reactions(moment["reactions"])
    steps.sort(key=lambda step: step[0])
    if pause:
        steps.append((end, "the run's end" if pause["to_the_end"] else "new data acknowledged"))
    return [{"t_s": time, "text": text} for time, text in steps]


def sentence(steps: list[Row]) -> str:
    """Return a chain as one sentence."""
    return "; ".join(f"{step['text']} at {step['t_s']:.3f} s" for step in steps) + "."


def _span(pause: Row) -> tuple[float, float]:
    return pause["begin_s"], pause["end_s"]


def _since(since: float | None, pause: Row) -> float:
    return float(pause["begin_s"]) if since is None else since


def _ends(about: Row, loss: Row) -> set[int | None]:
    """Return the ends of a flow, and of the hop where a loss began."""
    return {about["from"], about["to"], loss["root_node"], loss["next_hop"]} - {None}


def _root(run: Run, moment: Row) -> list[Step]:
    loss, nodes = moment["loss"], Nodes.of(run.summary)
    since, gone = loss["since_s"], loss["t_s"]
    here, there = loss["root_node"], loss["next_hop"]
    what = {
        "ack": "an ACK",
        "syn": "the SYN, or its answer",
        "fin": "the receiver's FIN",
        "datagram": f"datagram {loss['seq']}",
        "data": f"the data segment at byte {loss.get('relative_seq', loss['seq'])}",
        "other-data": "a data segment of the other direction",
        "other-ack": "an ACK of the other direction",
    }[moment["part"]]
    steps: list[Step] = []
    left = None
    if there is not None and loss["cause"] == "link-failure":
        left = went_out_of_range(run, here, there, since)
    if left is not None and since - left > AT_ONCE:
        steps.append((left, f"link {_link(nodes, here, there)} out of range"))
        steps.append((since, f"{what} stuck at {nodes(here)}"))
    else:
        steps.append((since, f"{_cause(loss, nodes)}: {what} stuck at {nodes(here)}"))
    if loss["died"] in GIVE_UPS and there is not None:
        frames = f" after {loss['attempts']} frames" if loss["attempts"] else ""
        steps.append((gone, f"MAC of {nodes(loss['node'])} gave up{frames}"))
    elif gone - since > AT_ONCE:
        steps.append((gone, f"gone for good ({ENDS.get(loss['died'], loss['died'])})"))
    return steps


def _link(nodes: Nodes, here: int, there: int) -> str:
    return f"{nodes.short(here)}–{nodes.short(there)}"


def _cause(loss: Row, nodes: Nodes) -> str:
    here, there, cause = loss["root_node"], loss["next_hop"], loss["cause"]
    hop = f"at {nodes(here)}"
    if there is not None:
        ends = [nodes.short(here), nodes.short(there)]
        numbers = all(map(str.isdigit, ends))
        hop = f"between {'nodes ' * numbers}{ends[0]} and {ends[1]}"
    if cause == "congestion":
        return FULL.get(loss["died"], "a full queue at {0}").format(nodes(here))
    if cause == "node-down":
        return f"{nodes(here if there is None else there)} down"
    tried = f" ({loss['attempts']} frames unanswered)" if loss["attempts"] and there is not None else ""
    texts = {
        "link-failure": f"no path from {nodes(here)}"
        if there is None
        else f"link {_link(nodes, here, there)} out of range",
        "contention": f"contention {hop}{tried}",
        "channel": f"{WORDS['channel']} {hop}{tried}",
        "no-route": f"no route found from {nodes(here)}, although a path existed",
    }
    return texts.get(cause, f"{WORDS.get(cause, cause)}, {hop}")


def _routing(run: Run, about: Row, loss: Row, end: float) -> list[Step]:
    """Return what routing did between a loss and the end of a pause: who noticed, when a route was found."""
    import polars as pl

    notes: pl.DataFrame | None = run.tables.get("routing")
    if notes is None or notes.is_empty():
        return []
    nodes = Nodes.of(run.summary)
    name = protocol_of(run)
    back = loss.get("from", about["from"]) == about["to"] or ("from" not in loss and loss["kind"] == "ack")
    source, sink = (about["to"], about["from"]) if back else (about["from"], about["to"])
    during = notes.filter(pl.col("t_s").is_between(loss["since_s"], end))
    steps: list[Step] = []
    if loss["next_hop"] is not None:
        broken = during.filter(
            (pl.col("event") == "link-broken")
            & (pl.col("node") == loss["root_node"])
            & (pl.col("neighbour") == loss["next_hop"])
        )
        steps += [
            (time, f"{name} at {nodes(loss['root_node'])} noticed")
            for time in broken["t_s"].head(1).to_list()
        ]
    mine = during.filter((pl.col("node") == source) & (pl.col("dst") == sink))
    texts = {
        "route-error": f"{name} at the source heard of the break",
        "search-failed": f"{name}'s search for {nodes(sink)} failed",
        "route-found": f"{name}'s route request answered",
    }
    for event, text in texts.items():
        for row in mine.filter(pl.col("event") == event).head(TOLD).to_dicts():
            hops = f" ({row['hops']} hops)" if event == "route-found" else ""
            steps.append((row["t_s"], text + hops))
    return steps


def _reactions(reactions: list[Row]) -> list[Step]:
    steps: list[Step] = []
    expiries = [row for row in reactions if row["what"] == "timeout"]
    others = [row for row in reactions if row["what"] != "timeout"]
    for row in others[:TOLD]:
        duplicates = row["what"] == "fast-retransmit"
        text = "duplicate ACKs brought a retransmission" if duplicates else "the sender reduced its window"
        steps.append((row["t_s"], text))
    if expiries:
        last = expiries[-1]
        many = f"{len(expiries)} times, the last " if len(expiries) > 1 else ""
        waited = f"the sender waited for its timer, which expired {many}(RTO {last['rto_s'][0]:.2f} s)"
        steps.append((last["t_s"], waited))
    return steps


def went_out_of_range(run: Run, a: int, b: int, before: float) -> float | None:
    """Return when two nodes last went out of range, if their movements were recorded."""
    moves, ranges = run.tables.get("moves"), run.tables.get("ranges")
    if moves is None or ranges is None or ranges.is_empty() or moves.is_empty():
        return None
    reach = float(ranges["receive_m"][0])
    times = np.append(np.arange(max(0.0, before - BEFORE), before, GRID), before)
    legs = [_Legs(moves, node) for node in (a, b)]
    apart = _apart(legs, times)
    inside = np.flatnonzero(apart <= reach)
    if not len(inside) or inside[-1] == len(times) - 1:
        return None
    low = float(times[inside[-1]])
    high = float(times[inside[-1] + 1])
    for _ in range(20):
        middle = (low + high) / 2
        if _apart(legs, np.array([middle]))[0] <= reach:
            low = middle
        else:
            high = middle
    return high


class _Legs:
    """The movement of a node: when each leg begins, where, and how fast it is."""

    def __init__(self, moves: pl.DataFrame, node: int) -> None:
        import polars as pl

        legs = moves.filter(pl.col("node") == node)
        self._begins = legs["t_s"].to_numpy()
        self._from = [legs[f"{axis}_m"].to_numpy() for axis in "xy"]
        self._speed = [legs[f"v{axis}_mps"].to_numpy() for axis in "xy"]

    def at(self, times: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return both coordinates at some times."""
        leg = np.maximum(np.searchsorted(self._begins, times, side="right") - 1, 0)
        since = times - self._begins[leg]
        return [place[leg] + speed[leg] * since for place, speed in zip(self._from, self._speed, strict=True)]


def _apart(legs: list[_Legs], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of two nodes at some times."""
    (ax, ay), (bx, by) = (one.at(times) for one in legs)
    distance: NDArray[np.float64] = np.hypot(ax - bx, ay - by)
    return distance
