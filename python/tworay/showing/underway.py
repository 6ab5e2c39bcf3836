"""Datagrams that had not arrived when a run ended: they are neither delivered nor lost."""

from __future__ import annotations

from typing import Any


def under_way(document: dict[str, Any]) -> int:
    """Return how many datagrams of a run without losses had not arrived when it ended.

    The ledger of a run adds up all flows, and a segment of TCP may arrive twice.
    """
    if any(sum(cell.values()) for cell in document["ledger"].values()):
        return 0
    datagrams = [flow for flow in document["flows"] if flow["tcp"] is None]
    return sum(max(flow["sent_segments"] - flow["acked_segments"], 0) for flow in datagrams)


def still_under_way(datagrams: int) -> str:
    """Say that datagrams had not arrived when a run ended; nothing of none."""
    if not datagrams:
        return ""
    return f"{datagrams:,} datagram{' was' if datagrams == 1 else 's were'} under way when it ended."
