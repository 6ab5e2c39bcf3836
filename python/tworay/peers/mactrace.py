"""What ns-2's MAC lost, and what was on its way, counted from its trace."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

# Lines of packets: what time _node_ layer reason uid type size [...]
TIME, NODE, LAYER, REASON, UID, KIND = 1, 2, 3, 4, 5, 6


def count(path: Path, begin: float) -> dict[str, dict[str, int]]:
    """Count collisions and packets given up, from the second ``begin`` on, by what the frame carried.

    As in section 5.4 of the thesis: collisions are ns-2's drop reason ``COL``, give-ups ``RET``. Behind an
    RTS that stays unanswered ns-2 drops the packet too, so that it counts under both kinds.
    """
    seen: Counter[tuple[bytes, bytes]] = Counter()
    with path.open("rb") as lines:
        for line in lines:
            if line.startswith(b"D "):
                words = line.split(None, KIND + 1)
                if words[LAYER] == b"MAC" and float(words[TIME]) >= begin:
                    seen[words[REASON], words[KIND]] += 1
    return {"collisions": _by_kind(seen, b"COL"), "drops": _by_kind(seen, b"RET")}


def _by_kind(seen: Counter[tuple[bytes, bytes]], reason: bytes) -> dict[str, int]:
    return {
        "rts_cts": seen[reason, b"RTS"] + seen[reason, b"CTS"],
        "data": seen[reason, b"tcp"],
        "ack": seen[reason, b"ack"],
    }


class Alive(NamedTuple):
    """Mean numbers of segments alive in the network: over time, and over the instants of change."""

    data_over_time: float
    ack_over_time: float
    data_at_changes: float
    ack_at_changes: float


def alive(path: Path, begin: float, end: float, *, source: int, sink: int) -> Alive:
    """Count the segments of one flow that were sent and neither delivered nor lost.

    A segment lives from its first word in the trace (the routing layer's of the node that sent it) until the
    MAC of its destination has it or a routing layer drops it.
    """
    ends = {b"tcp": b"_%d_" % sink, b"ack": b"_%d_" % source}
    origins = {b"tcp": ends[b"ack"], b"ack": ends[b"tcp"]}
    born: dict[bytes, tuple[bytes, float]] = {}
    delivered: dict[bytes, float] = {}
    lost: dict[bytes, float] = {}
    with path.open("rb") as lines:
        for line in lines:
            words = line.split(None, KIND + 1)
            if len(words) <= KIND or words[KIND] not in ends:
                continue
            what, node, layer, uid, kind = words[0], words[NODE], words[LAYER], words[UID], words[KIND]
            if uid not in born and layer == b"RTR" and node == origins[kind]:
                born[uid] = kind, float(words[TIME])
            elif what == b"r" and layer == b"MAC" and node == ends[kind]:
                delivered.setdefault(uid, float(words[TIME]))
            elif what == b"D" and layer != b"MAC":
                lost.setdefault(uid, float(words[TIME]))
    means = {kind: _means(kind, born, lost | delivered, begin, end) for kind in ends}
    return Alive(means[b"tcp"][0], means[b"ack"][0], means[b"tcp"][1], means[b"ack"][1])


def _means(
    kind: bytes, born: dict[bytes, tuple[bytes, float]], gone: dict[bytes, float], begin: float, end: float
) -> tuple[float, float]:
    mine = [(uid, at) for uid, (which, at) in born.items() if which == kind]
    changes = sorted([(gone[uid], -1) for uid, _ in mine if uid in gone] + [(at, 1) for _, at in mine])
    area, now, last, seen = 0.0, 0, begin, []
    for at, change in changes:
        area += now * (at - last)
        now, last = now + change, at
        seen.append(now)
    area += now * (end - last)
    return area / (end - begin), sum(seen) / len(seen) if seen else 0.0
