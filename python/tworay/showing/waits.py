"""Where a delivered segment spent its time: in a queue, in attempts of a MAC, or on a wire.

Reads the frames, queues and wires of a record (``--record``). A record names one segment of an aggregate
(802.11n and ac); of the others it is the fullest queue meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tworay.naming import Nodes
from tworay.showing.spans import in_words

if TYPE_CHECKING:
    import polars as pl

    from tworay.running.run import Run

Row: TypeAlias = dict[str, Any]

# Shorter waits explain no pause, s.
LEAST = 1e-3
# Times in tables are floats: an event at the time of another one is not before it, s.
NANOSECOND = 1e-9
FRAMES = ("rts", "data")


@dataclass(frozen=True)
class Wait:
    """A stretch of a segment's way; ``text`` completes "the segment …"."""

    end_s: float
    seconds: float
    text: str


def longest_wait(run: Run, segment: Row) -> Wait | None:
    """Return where a row of ``segments`` that arrived spent most of its time, if the record has that."""
    found = _way(run, segment) or _fullest(run, segment)
    longest = max(found, key=lambda wait: wait.seconds, default=None)
    return longest if longest is not None and longest.seconds >= LEAST else None


def _way(run: Run, segment: Row) -> list[Wait]:
    """Return the stretches of a segment's way, hop by hop; none if a hop isn't in the record."""
    import polars as pl

    end = segment["arrived_s"] + NANOSECOND
    frames, wires = run.tables.get("frames"), run.tables.get("packets")
    if frames is None and wires is None:
        return []
    if frames is not None:
        mine = (pl.col("uid") == segment["uid"]) & pl.col("kind").is_in(FRAMES) & (pl.col("t_s") <= end)
        frames = frames.filter(mine)
    if wires is not None:
        number = segment["ack"] if segment["kind"] == "ack" else segment["seq"]
        same = (pl.col("flow") == segment["flow"]) & (pl.col("seq") == number)
        during = pl.col("t_s").is_between(segment["t_s"] - NANOSECOND, end)
        wires = wires.filter(same & (pl.col("kind") == segment["kind"]) & during)
    node, time, waits = segment["from"], segment["t_s"], list[Wait]()
    for _ in range(segment["hops"] or 0):
        hop = _over_wire(run, wires, node, time) or _over_air(run, frames, node, time)
        if hop is None:
            return []
        node, time = hop[0], hop[1]
        waits += hop[2]
    return waits


Hop: TypeAlias = "tuple[int, float, list[Wait]]"


def _over_wire(run: Run, wires: pl.DataFrame | None, node: int, time: float) -> Hop | None:
    """Return the next node, the time of arrival there and the waits before, if a wire took the segment on."""
    import polars as pl

    if wires is None:
        return None
    put = wires.filter(
        (pl.col("event") == "enqueue") & (pl.col("from") == node) & ((pl.col("t_s") - time).abs() < LEAST)
    ).head(1)
    if put.is_empty():
        return None
    queued, there = float(put["t_s"][0]), int(put["to"][0])
    link = (pl.col("from") == node) & (pl.col("to") == there)
    times: list[float] = []
    for event in ("send", "receive"):
        after = times[-1] if times else queued
        next_one = wires.filter(link & (pl.col("event") == event) & (pl.col("t_s") >= after)).head(1)
        if next_one.is_empty():
            return None
        times.append(float(next_one["t_s"][0]))
    sent, received = times
    before = run.tables["packets"].filter(link & (pl.col("t_s") < queued - NANOSECOND))["event"].to_list()
    ahead = before.count("enqueue") - before.count("send")
    names = Nodes.of(run.summary)
    wire = f"wire from {names(node)} to {names(there)}"
    return (
        there,
        received,
        [
            Wait(sent, sent - queued, f"left the queue of the {wire} after {_spent(sent - queued, ahead)}"),
            Wait(
                received, received - sent, f"came off the {wire}, {in_words(received - sent)} after its start"
            ),
        ],
    )


def _over_air(run: Run, frames: pl.DataFrame | None, node: int, time: float) -> Hop | None:
    """Return the same of a hop on the air: the wait for the first frame, and the attempts."""
    import polars as pl

    if frames is None:
        return None
    mine = frames.filter((pl.col("from") == node) & (pl.col("t_s") >= time - NANOSECOND))
    arrived = mine.filter((pl.col("kind") == "data") & (pl.col("fate") == "received")).head(1)
    if arrived.is_empty():
        return None
    last = arrived.row(0, named=True)
    end = last["t_s"] + last["airtime_s"]
    tried = mine.filter(pl.col("t_s") <= last["t_s"])
    first = float(tried["t_s"][0])
    kinds = tried["kind"].to_list()
    attempts = max(kinds.count("rts"), kinds.count("data"))
    name = Nodes.of(run.summary)(node)
    ahead = _queue_before(run, node, time)
    waited = (
        f"left the queue of {name} after {_spent(first - time, ahead)}"
        if ahead
        else f"had its first frame at {name} after {in_words(first - time)}, with an empty queue"
    )
    many = "the first attempt" if attempts == 1 else f"attempt {attempts}"
    return (
        last["to"],
        end,
        [
            Wait(first, first - time, waited),
            Wait(end, end - first, f"left {name} in {many} of its MAC, after {in_words(end - first)}"),
        ],
    )


def _spent(seconds: float, ahead: int) -> str:
    return f"{in_words(seconds)} behind {ahead} packet{'s' * (ahead != 1)}"


def _queue_before(run: Run, node: int, time: float) -> int:
    """Return how many packets the interface queue of a node held just before a time."""
    import polars as pl

    queues = run.tables.get("queues")
    if queues is None:
        return 0
    before = queues.filter((pl.col("node") == node) & (pl.col("t_s") < time - NANOSECOND))
    return int(before["packets"][-1]) if before.height else 0


def _fullest(run: Run, segment: Row) -> list[Wait]:
    """Return the interface queue that held most packets, on average, while the segment was on its way."""
    import polars as pl

    queues = run.tables.get("queues")
    begin, end = segment["t_s"], segment["arrived_s"]
    if queues is None or end - begin < LEAST:
        return []
    means: dict[int, float] = {}
    for (node,), rows in queues.filter(pl.col("t_s") < end).partition_by("node", as_dict=True).items():
        times = [max(begin, float(time)) for time in rows["t_s"].to_list()]
        spans = [b - a for a, b in zip(times, [*times[1:], end], strict=True)]
        held = zip(rows["packets"].to_list(), spans, strict=True)
        means[int(str(node))] = sum(packets * span for packets, span in held) / (end - begin)
    if not means:
        return []
    node, mean = max(means.items(), key=lambda one: (one[1], -one[0]))
    if mean < 1:
        return []
    name = Nodes.of(run.summary)(node)
    text = f"was on its way while the queue of {name} was the fullest, with {mean:.0f} packets on average"
    return [Wait(end, end - begin, text)]
