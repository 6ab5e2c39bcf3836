"""Counts losses of ns-2's MAC in its trace."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Columns of packet lines: event time _node_ layer reason uid type size [...]
TIME, LAYER, REASON, KIND = 1, 3, 4, 6


def count(path: Path, begin: float) -> dict[str, dict[str, int]]:
    """Count collisions and abandoned packets by content, from ``begin`` (seconds) on.

    As in Papanastasiou 2006, §5.4: collisions have ns-2's drop reason ``COL``, abandoned packets ``RET``.
    When an RTS stays unanswered, ns-2 drops the packet as well, so it counts under both kinds.
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
