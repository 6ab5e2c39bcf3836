"""The metrics of one run, and how they are found by name.

``tworay.metrics.declared`` defines each metric. A metric of flows is summed or averaged over the judged
flows of a run (``tworay.metrics.judged``); any other is identified by its path in the document:
``mac.queue_drops``.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from tworay import _native
from tworay.metrics.declared import GROUPS, METRICS, OF_ONE_FLOW, Metric, Of
from tworay.metrics.judged import TCP, Judge

if TYPE_CHECKING:
    from collections.abc import Iterator

Values: TypeAlias = "dict[str, float | None]"

SECTIONS = ("ledger", "mac", "routing", "air", "energy", "metrics")
# Keys that identify a flow, and keys that are metrics of the run only.
NAMES = ("id", "from", "to", "tcp")
ONE_FLOW = re.compile(r"flow\.(\d+)\.(\w+)")

# Default columns of tables.
SHOWN = (
    "goodput_bps",
    "latency_under_load_seconds",
    "retransmitted_segments",
    "timeouts",
    "rto_idle_seconds",
    "mean_cwnd_segments",
    "mean_rtt_seconds",
)
# Further columns for scenarios with several flows, with datagrams, with both kinds, with transfers, with
# video, with energy, with T_max.
OF_SEVERAL_FLOWS = ("metrics.jain_fairness", "metrics.least_goodput_bps")
OF_DATAGRAMS = ("delivery_ratio", "mean_delay_seconds")
OF_BOTH_KINDS = ("metrics.udp_goodput_bps", "metrics.total_goodput_bps")
OF_TRANSFERS = (
    "completed_transfers",
    "transfer_seconds",
    "transfer_p95_seconds",
    *(f"transfer_seconds_by_size.{size}" for size in ("to_10kB", "to_100kB", "to_1MB", "above_1MB")),
)
OF_VIDEO = ("stalls", "stalled_seconds", "startup_seconds")
OF_ENERGY = (
    "energy.joules_total",
    "energy.joules_per_received_bit",
    "energy.joules_computation",
    "energy.dead_nodes",
    "energy.first_death_seconds",
    "energy.half_dead_seconds",
)
# Units at the end of a heading.
UNITS = frozenset({"kb/s", "ms", "s", "%", "J", "mJ", "kB", "µJ/bit"})
OF_AIR = (
    "air.routing_bytes",
    "air.routing_airtime_seconds",
    "air.next_hop_changes",
    "air.breaks",
    "air.heal_seconds",
)
OF_RESOURCES = ("metrics.eee", "metrics.uar", "metrics.throughput_max_bps")


@cache
def find(name: str) -> Metric | None:
    """Return the declaration of a metric, if there is one; ``flow.2.stalls`` has that of ``stalls``."""
    if (of_one := ONE_FLOW.fullmatch(name)) and of_one[2] in {*OF_ONE_FLOW[True], *OF_ONE_FLOW[False]}:
        metric = find(of_one[2])
        assert metric is not None
        return replace(metric, name=name, of=Of.RUN, heading=f"flow {of_one[1]} {metric.title}")
    # A family's name may be a prefix of another metric's name: the longest declaration applies.
    return max((m for m in METRICS if m.holds(name)), key=lambda m: len(m.name), default=None)


def title(name: str) -> str:
    """Return a metric's heading in tables; for families with the member's name."""
    metric = find(name)
    if metric is None:
        return name
    if not metric.name.endswith(".*"):
        return metric.title
    member = name.removeprefix(metric.name[:-1])
    if metric.name == "flow.*":
        return f"flow {member.partition('.')[0]} {metric.heading}"
    return f"{metric.name[:-2].rpartition('.')[2]} {member}".replace("_", " ").replace(".", " ")


def words(name: str) -> tuple[str, str]:
    """Return a metric's heading as words, and the unit shown in tables: ``("goodput", "kb/s")``."""
    head, _, unit = title(name).rpartition(" ")
    return (head, unit) if head and unit in UNITS else (title(name), "")


def shown(name: str) -> tuple[str, float]:
    """Return a metric's heading on pages, with its unit, and the factor to it: ``goodput, kb/s``, 0.001."""
    metric = find(name)
    return ", ".join(filter(None, words(name))), metric.scale if metric else 1.0


def values(document: dict[str, Any], judge: Judge = TCP) -> Values:
    """Return every metric of a run's document; ``None`` where the run has no such value.

    Metrics of flows, fairness and the flows' extremes are those of the flows that ``judge`` chooses.
    """
    judged = judge.of(document["flows"])
    flows = [dict(_leaves("", flow)) for flow in judged]
    result: Values = {}
    for key in dict.fromkeys(name for flow in flows for name in flow if name not in NAMES):
        metric = find(key)
        if metric is not None and metric.of is not Of.RUN:
            result[key] = _over_flows(metric.of, [flow.get(key) for flow in flows])
    for flow in document["flows"]:
        result[f"flow.{flow['id']}.goodput_bps"] = flow["goodput_bps"]
        # Also of a single flow: in another arm there may be more.
        alone = {key: flow.get(key) for key in OF_ONE_FLOW[flow["tcp"] is not None]}
        result |= {f"flow.{flow['id']}.{key}": found for key, found in alone.items() if found is not None}
    for section in SECTIONS:
        result.update(_leaves(f"{section}.", document.get(section) or {}))
    if document["flows"]:
        result.update(_shares(document["flows"], judged, by_number=bool(judge.numbers)))
    return result


def _shares(flows: list[dict[str, Any]], judged: list[dict[str, Any]], *, by_number: bool) -> Values:
    """Return fairness and extremes of the judged flows, and the sums by kind of flow.

    The simulator computes both, but earlier versions judged all flows, and knew no sums. Flows that the user
    names ``by_number`` are judged whatever they had to send.
    """
    jain, least, most = _native.shares(
        [
            (
                flow["goodput_bps"],
                None if by_number else flow["tcp"],
                flow.get("mean_in_flight_segments"),
                flow.get("completion_seconds") is not None,
            )
            for flow in judged
        ]
    )
    datagrams = [flow["goodput_bps"] for flow in flows if flow["tcp"] is None]
    return {
        "metrics.jain_fairness": jain,
        "metrics.least_goodput_bps": least,
        "metrics.most_goodput_bps": most,
        "metrics.udp_goodput_bps": math.fsum(datagrams) if datagrams else None,
        "metrics.total_goodput_bps": math.fsum(flow["goodput_bps"] for flow in flows),
    }


def _over_flows(of: Of, found: list[float | None]) -> float | None:
    """Sum over the flows that can have a value, or average over those that have one."""
    present = [value for value in found if value is not None]
    if not present:
        return None
    return sum(present) if of is Of.SUM else sum(present) / len(present)


def _leaves(path: str, node: dict[str, Any]) -> Iterator[tuple[str, float | None]]:
    for key, value in node.items():
        name = f"{path}{key}"
        if isinstance(value, dict):
            yield from _leaves(f"{name}.", value)
        elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            yield name, value


EXAMPLES = [metric.name for metric in METRICS if not metric.name.endswith(".*")]


def markdown(group: str) -> str:
    """Return the table of a group of metrics for their page of the documentation."""
    lines = ["| key | unit | of a run | better | definition | source |", "|---|---|---|---|---|---|"]
    lines += [
        f"| `{m.name}` | {m.unit} | {_OF[m.of]} | {m.better.value} | {m.definition} | {m.source} |"
        for m in GROUPS[group]
    ]
    return "\n".join(lines) + "\n"


_OF = {Of.SUM: "sum", Of.MEAN: "mean", Of.RUN: "–"}


def add_counts(total: dict[str, dict[str, Any]], part: dict[str, dict[str, Any]]) -> None:
    """Add a table of counts (ledger, diagnosis) to a running total."""
    for row, cells in part.items():
        into = total.setdefault(row, {})
        for column, count in cells.items():
            into[column] = into.get(column, 0) + count
