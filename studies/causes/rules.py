"""Rules that each loss keeps, by geometry and times, and counts of a flow's losses that its twin allows.

None asks the program: where nodes are follows from the drawing, when something was disturbed as well, and
what load costs from the same scenario run without its disturbances.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studies.causes.drawing import REACH, SENSED
from studies.twins import slack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.causes.drawing import Drawn, Span

Row = dict[str, Any]

OF_LOAD = ("congestion", "contention", "no-route", "ttl")
# Ends of a packet whose frames are known.
ON_HOPS = ("rts-retries", "data-retries", "expired", "late", "purged", "repetition")
AWAY = ("away", "drive", "cut", "handoff")
# What is lost to an outage dies at most so long after it, s: tables, searches and their backoff (metrics.md).
AFTER = 45.0
# Losses of a time are compared with the twin's of that time and this much before and after, s.
WINDOW, AROUND = 4.0, 10.0


@dataclass(frozen=True)
class Fault:
    """A loss, or so many of a flow, that contradict what is known."""

    rule: str
    flow: int
    count: float
    example: str


def of_rows(case: Drawn, rows: list[Row]) -> Iterator[Fault]:
    """Return the losses that contradict geometry or times, by rule and flow."""
    found: Counter[tuple[str, int]] = Counter()
    examples: dict[tuple[str, int], str] = {}
    for row in rows:
        for rule in _broken(case, row):
            key = rule, row["flow"]
            found[key] += 1
            examples.setdefault(key, shown(row))
    for (rule, flow), count in found.items():
        yield Fault(rule, flow, count, examples[rule, flow])


def shown(row: Row) -> str:
    """Return a loss in one line."""
    hop = f"{row['root_node']}->{row['next_hop']}"
    times = f"{row['t_s']:.3f} s, since {row['since_s']:.3f} s"
    return f"{row['cause']} at {hop}, {row['died']} at {row['node']}, {times}, interferer {row['interferer']}"


def _broken(case: Drawn, row: Row) -> Iterator[str]:
    """Return the rules that one loss breaks."""
    cause, since, node, hop = row["cause"], row["since_s"], row["root_node"], row["next_hop"]
    if cause in ("unknown", "ttl"):
        yield f"{cause} in a small network"
    if since is not None and since > row["t_s"] + 1e-6:
        yield "since after the loss"
    if row["interferer"] is not None and cause != "contention":
        yield "an interferer of what no signal destroyed"
    if cause == "node-down" and not _during(case.has("down"), row, (node, hop)):
        yield "node-down where no node of the hop was off"
    if cause == "channel" and not _noise(case, row):
        yield "channel where there is no noise"
    if cause == "rate" and case.document["radio"]["preset"].startswith("b"):
        yield "rate of a radio whose rate is set"
    if cause == "no-route" and case.document["routing"]["protocol"] == "static" and not case.has("down"):
        yield "no-route with routes that are set"
    if cause == "link-failure":
        yield from _apart(case, row)
    elif hop is not None and not case.has("fading", "shadowing") and not _ever_near(case, node, hop):
        yield "a hop that is no hop"


def _during(spans: list[Span], row: Row, of: tuple[int | None, int | None]) -> bool:
    """Return true if a root cause lies in one of these times at one of two nodes, the loss soon after."""
    since = row["since_s"]
    named = [span for span in spans if of == (None, None) or span.node is None or span.node in of]
    return any(
        span.begin - 0.01 <= since <= span.end + AFTER and row["t_s"] <= span.end + AFTER for span in named
    )


def _noise(case: Drawn, row: Row) -> bool:
    """Return true if noise could have touched the hop of a loss."""
    hop = row["root_node"], row["next_hop"]
    if case.has("errors", "bursts", "above", "fading", "shadowing"):
        return True
    if case.has("wire-errors") and (None in hop or frozenset(hop) in case.wires):
        return True
    local = case.has("loss", "deaf")
    return bool(local) and _during(local, row, hop if None not in hop else (None, None))


def _apart(case: Drawn, row: Row) -> Iterator[str]:
    """Return what is wrong with a link-failure."""
    lucky = bool(case.has("fading", "shadowing"))
    if not case.has(*AWAY):
        if not lucky:
            yield "link-failure where no link has failed"
        return
    if not _during(case.has(*AWAY), row, (None, None)) and not lucky:
        yield "link-failure at another time"
    node, hop = row["root_node"], row["next_hop"]
    moving = {span.node for span in case.has("away", "drive")}
    if hop is not None and not case.has("cut", "handoff") and not lucky and not {node, hop} & moving:
        yield "link-failure of a hop that never moved"


def _ever_near(case: Drawn, one: int, other: int) -> bool:
    """Return true if two nodes are neighbours by wire or radio, where they stand or where one has gone."""
    if frozenset((one, other)) in case.wires or {one, other} & {s.node for s in case.has("away", "drive")}:
        return True
    return math.dist(case.at[one], case.at[other]) <= REACH


def _parts(case: Drawn, span: Span) -> float:
    """Return when a node that drives away is out of reach of the first of its neighbours, s."""
    moves = [event for event in case.document["event"] if "speed" in event and event["node"] == span.node]
    there, speed = moves[0]["to"], float(moves[0]["speed"].removesuffix("m/s"))
    here = case.at[span.node or 0]
    near = [at for at in case.at if math.dist(at, here) <= REACH]
    way = math.dist(here, there)
    for step in range(math.ceil(way) + 1):
        done = min(step / way, 1.0)
        now = [begin + (end - begin) * done for begin, end in zip(here, there, strict=True)]
        if any(math.dist(now, at) > REACH for at in near if at != here):
            return span.begin + step / speed
    return span.end


def of_interferers(case: Drawn, rows: list[Row]) -> Iterator[Fault]:
    """Return losses whose interferer is too far from both ends of the hop, where nothing moves."""
    if case.has("away", "drive"):
        return
    for row in rows:
        far, node, hop = row["interferer"], row["root_node"], row["next_hop"]
        if far is None or hop is None:
            continue
        near = min(math.dist(case.at[far], case.at[end]) for end in (node, hop))
        if near > SENSED:
            yield Fault("an interferer out of reach", row["flow"], 1, shown(row))


def of_counts(case: Drawn, rows: list[Row], twins: list[list[Row]]) -> Iterator[Fault]:
    """Return what a flow of datagrams loses to load beyond each of its twins, in all and at a time.

    Twins of several seeds show how much chance makes of the same load.
    """
    if not case.datagrams_only() or not case.spans:
        return
    of_load = list(_of_load(case, rows))
    by_twin = [{fault.flow: fault for fault in _beyond(case, (rows, of_load), twin)} for twin in twins]
    for flow in sorted(set.intersection(*(set(of) for of in by_twin))):
        yield min((of[flow] for of in by_twin), key=lambda fault: fault.count)


def _beyond(case: Drawn, lost: tuple[list[Row], list[Row]], twin: list[Row]) -> Iterator[Fault]:
    """Return the same of one twin; ``lost``: all losses of the run, and those to load."""
    rows, of_load = lost
    for flow in range(len(case.document["flow"])):
        own = [row["t_s"] for row in of_load if row["flow"] == flow]
        anyway = sorted(row["t_s"] for row in twin if row["flow"] == flow)
        if (more := len(own) - len(anyway) - slack(len(anyway))) > 0:
            yield Fault("more lost to load than without disturbances", flow, more, shares(rows, twin, flow))
            continue
        worst, when = 0.0, 0.0
        for begin in sorted({math.floor(at) for at in own}):
            here = sum(begin <= at < begin + WINDOW for at in own)
            there = sum(begin - AROUND <= at < begin + WINDOW + AROUND for at in anyway)
            worst, when = max((worst, when), (here - there - slack(there), float(begin)))
        if worst > 0:
            yield Fault(
                "more lost to load at a time than without disturbances", flow, worst,
                f"{WINDOW:.0f} s from {when:.0f} s on; {shares(rows, twin, flow)}",
            )  # fmt: skip


def of_light_loads(case: Drawn, rows: list[Row], twins: list[list[Row]]) -> Iterator[Fault]:
    """Return what flows lose to load that lose nothing in any twin, whatever its seed: that is no chance."""
    lossy = {row["flow"] for twin in twins for row in twin}
    found: dict[int, list[Row]] = {}
    for row in _of_load(case, rows):
        if row["flow"] not in lossy:
            found.setdefault(row["flow"], []).append(row)
    for flow, lost in found.items():
        rule = "lost to load, though nothing is lost without disturbances"
        yield Fault(rule, flow, len(lost), shown(lost[0]))


def _of_load(case: Drawn, rows: list[Row]) -> Iterator[Row]:
    """Return what is lost to load, but for collisions on hops, and for longer hops, which carry less.

    A twin has no longer hops: those of a node that drives, while it is in reach of all its neighbours.
    """
    stretched = [(span.begin, _parts(case, span)) for span in case.has("drive")]
    for row in rows:
        longer = any(begin <= row["t_s"] <= end for begin, end in stretched)
        if row["cause"] in OF_LOAD and not _collided(row) and not longer:
            yield row


def _collided(row: Row) -> bool:
    """Return true if the loss is known by its frames: other routes bring other collisions."""
    return row["cause"] == "contention" and row["died"] in ON_HOPS


def shares(rows: list[Row], twin: list[Row], flow: int) -> str:
    """Return a flow's losses by cause, and those of its twin."""

    def counts(of: list[Row]) -> str:
        found = Counter(row["cause"] for row in of if row["flow"] == flow)
        return ", ".join(f"{cause} {number}" for cause, number in sorted(found.items())) or "nothing"

    return f"{counts(rows)}; without: {counts(twin)}"
