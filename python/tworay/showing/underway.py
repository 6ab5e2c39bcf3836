"""Datagrams that had not arrived when a run ended: they are neither delivered nor lost."""

from __future__ import annotations

from typing import Any


def under_way(document: dict[str, Any], warmup: float) -> int:
    """Return how many datagrams of a run without losses had not arrived when it ended.

    The ledger of a run adds up all flows, and a segment of TCP may arrive twice. With a warm-up, which the
    figures of flows leave out, that can't be told.
    """
    if warmup or any(sum(cell.values()) for cell in document["ledger"].values()):
        return 0
    datagrams = [flow for flow in document["flows"] if flow["tcp"] is None]
    return sum(max(flow["sent_segments"] - flow["acked_segments"], 0) for flow in datagrams)


def with_rest(sentence: str, datagrams: int) -> str:
    """Return a sentence about a run without losses, and that so many datagrams had not arrived at its end."""
    if not datagrams:
        return sentence
    return (
        f"{sentence} {datagrams:,} datagram{' was' if datagrams == 1 else 's were'} under way when it ended."
    )


def none_lost(datagrams: int) -> str:
    """Say that a run lost nothing, but for what was under way."""
    return with_rest("No segment was lost.", datagrams)
