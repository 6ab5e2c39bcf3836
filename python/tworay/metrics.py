"""The numbers of one run that comparisons are made of.

Flow quantities that add up (bits a second, segments, events) are summed over the flows of a run;
means, round-trip times and completion times are averaged over the flows that have one. Every other
number of the document goes by its path: ``mac.queue_drops``, ``routing.control_packets``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Values: TypeAlias = "dict[str, float | None]"

SUMMED = (
    "goodput_bps",
    "throughput_bps",
    "acked_segments",
    "sent_segments",
    "retransmitted_segments",
    "timeouts",
    "rto_idle_seconds",
    "fast_retransmits",
)
AVERAGED = ("mean_cwnd_segments", "mean_in_flight_segments", "mean_rtt_seconds", "completion_seconds")
SECTIONS = ("mac", "routing", "energy", "metrics")

# Metrics whose pairwise differences are tested: what a sender does, and what becomes of it.
TESTED = (*SUMMED, *AVERAGED, "metrics.jain_fairness")
# The same where a run has them: with an energy model, with Throughput_max.
TESTED_IF_KNOWN = (
    "energy.joules_total",
    "energy.joules_per_received_bit",
    "energy.joules_computation",
    "energy.dead_nodes",
    "metrics.eee",
    "metrics.uar",
)


def values(document: dict[str, Any]) -> Values:
    """Return every metric of a run's document; ``None`` where the run has no such value."""
    flows = document["flows"]
    result: Values = {}
    for key in SUMMED:
        result[key] = (
            sum(flow[key] for flow in flows) if all(flow[key] is not None for flow in flows) else None
        )
    for key in AVERAGED:
        present = [flow[key] for flow in flows if flow[key] is not None]
        result[key] = sum(present) / len(present) if present else None
    for section in SECTIONS:
        result.update(_leaves(section, document.get(section) or {}))
    return result


def _leaves(path: str, node: dict[str, Any]) -> Iterator[tuple[str, float | None]]:
    for key, value in node.items():
        name = f"{path}.{key}"
        if isinstance(value, dict):
            yield from _leaves(name, value)
        elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            yield name, value


def add_counts(total: dict[str, dict[str, Any]], part: dict[str, dict[str, Any]]) -> None:
    """Add a table of counts (ledger, diagnosis) to a running total."""
    for row, cells in part.items():
        into = total.setdefault(row, {})
        for column, count in cells.items():
            into[column] = into.get(column, 0) + count
