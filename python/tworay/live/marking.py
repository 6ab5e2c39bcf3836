"""Marks what a live network could not keep: times in which the machine was too slow, and an early end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from tworay.running.run import Run

# IP protocols by number (IANA), without those of TCP.
TCP, PROTOCOLS = 6, {1: "icmp", 2: "igmp", 17: "udp", 47: "gre", 58: "icmpv6", 89: "ospf", 132: "sctp"}
# The most spans that a warning names.
NAMED = 3


def mark(run: Run, not_sent: str | None) -> None:
    """Add the table ``late``, and warnings of late times, an early end, and flows that nobody sent.

    Flows without TCP get their ``protocol``.
    """
    live = run.summary["live"]
    spoken = {one["flow"]: one.get("protocol", TCP) for one in live["connections"]}
    for flow in run.summary["flows"]:
        number = spoken.get(flow["id"], TCP)
        if number != TCP:
            flow["protocol"] = PROTOCOLS.get(number, f"ip-{number}")
    spans = live["late_spans"]
    warnings = run.summary.setdefault("warnings", [])
    if spans:
        warnings.append(
            {"kind": "late", "text": late_text(spans, live["settings"], run.summary["sim_seconds"])}
        )
    if live["ended_early"] is not None:
        warnings.append({"kind": "ended-early", "text": f"The network ended early: {live['ended_early']}"})
    if live.get("shared_files") is not None:
        warnings.append({"kind": "shared-files", "text": shared_text(live["shared_files"])})
    if not_sent is not None:
        warnings.append({"kind": "not-sent", "text": not_sent})
    columns = {"from_s": "from_seconds", "to_s": "to_seconds", "late_s": "max_seconds"}
    run.tables["late"] = pl.DataFrame(
        {name: [span[key] for span in spans] for name, key in columns.items()},
        schema=dict.fromkeys(columns, pl.Float64),
    )


def shared_text(why: str) -> str:
    """Say that stations had no files of their own, and what to do."""
    return (
        f"Stations shared /etc, /var/lib and /run with the host, because mounts are refused here ({why}): "
        "daemons share their state, and names of nodes are unknown. A container needs CAP_SYS_ADMIN, and "
        "with AppArmor --security-opt apparmor=unconfined."
    )


def late_text(spans: list[dict[str, Any]], settings: dict[str, Any], seconds: float) -> str:
    """Say when the machine was too slow, by how much, and what to do."""
    whole = sum(span["to_seconds"] - span["from_seconds"] for span in spans)
    worst = max(span["max_seconds"] for span in spans)
    longest = sorted(spans, key=lambda span: span["from_seconds"] - span["to_seconds"])[:NAMED]
    named = ", ".join(
        f"{span['from_seconds']:.2f} to {span['to_seconds']:.2f} s"
        for span in sorted(longest, key=lambda span: span["from_seconds"])
    )
    more = f", and {len(spans) - NAMED} more" if len(spans) > NAMED else ""
    return (
        f"This machine was late for {whole:.2f} of {seconds:.2f} s, by {1e3 * worst:.0f} ms at most "
        f"(allowed: {1e3 * settings['most_late_seconds']:g} ms): {named}{more}. What the kernels did then is "
        f"no result of the network alone; --slow {2 * settings['slow']:g} gives the machine more time."
    )
