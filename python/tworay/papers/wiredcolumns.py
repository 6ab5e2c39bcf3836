"""Columns of experiments over wires, by the definitions of Psaras et al. (2006): system goodput, EEE, UAR."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Causes of the ledger that a wireless link has: random errors, and a wire out of service (handoff).
OF_THE_LINK = ("channel", "link-failure")
# Outcomes of a completed probe cycle of TCP-Probing, as its sender counts them.
OUTCOMES = ("full-immediate", "three-quarters", "half", "slow-start")

Path_ = list[tuple[tuple[int, int], float]]
"""The wires of a path in order: both ends, and the rate, bit/s."""


def wired(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the system's goodput, EEE, UAR and fairness as defined by Psaras et al. (2006).

    Flows start and end, so each is weighted with its own duration. Throughput_max is the load of
    saturating sources: each fills its own access wire for the duration of its flow; in ``eee.carried``
    and ``uar.carried`` it is what the wires of the flows' paths can carry of that. ``overhead_bps`` is
    their overhead, throughput less goodput; ``lost.on_links`` is the share of the lost data segments that
    were lost to errors or handoffs, and ``cycles.full`` that of the probe cycles after which the whole
    window was kept.
    """
    import tomllib

    from tworay._native import Scenario
    from tworay.running.resources import eee, uar

    texts = dict(pl.read_parquet(where / "cells.parquet").select("world", "toml").iter_rows())
    tomls = {world: tomllib.loads(text) for world, text in texts.items()}
    rates, wires = {}, {}
    for world, toml in tomls.items():
        scenario = Scenario.from_toml(texts[world], world, "")
        rates[world] = [scenario.access_bps(flow["from"]) for flow in toml["flow"]]
        wires[world] = paths_of(toml)
    columns: dict[str, list[float | None]] = {
        "system_goodput_bps": [],
        "eee": [],
        "uar": [],
        "eee.carried": [],
        "uar.carried": [],
        "fairness.throughput": [],
        "fairness.goodput": [],
        "timeouts_a_flow": [],
        "handled.full": [],
        "handled.immediate": [],
        "handled.predicted": [],
        "cycles.full": [],
        "overhead_bps": [],
        "lost.on_links": [],
    }
    for world, text in frame.select("world", "document").iter_rows():
        document, toml = json.loads(text), tomls[world]
        bits = 8 * float(toml["tcp"]["mss"].removesuffix("B"))
        seconds = [
            flow["acked_segments"] * bits / flow["goodput_bps"] if flow["goodput_bps"] else 0.0
            for flow in document["flows"]
        ]
        total = document["sim_seconds"]
        good = sum(f["goodput_bps"] * s for f, s in zip(document["flows"], seconds, strict=True)) / total
        sent = sum(f["sent_bps"] * s for f, s in zip(document["flows"], seconds, strict=True)) / total
        most = sum(rate * s for rate, s in zip(rates[world], seconds, strict=True)) / total
        columns["system_goodput_bps"].append(good)
        columns["eee"].append(eee(sent, good, most))
        columns["uar"].append(uar(sent, good, most))
        most = carried(wires[world], seconds, total)
        columns["eee.carried"].append(eee(sent, good, most))
        columns["uar.carried"].append(uar(sent, good, most))
        flows = document["flows"]
        columns["timeouts_a_flow"].append(sum(flow["timeouts"] for flow in flows) / len(flows))
        for name, share in _handled(flows).items():
            columns[name].append(share)
        columns["cycles.full"].append(_kept_window(flows))
        columns["overhead_bps"].append(sent - good)
        columns["lost.on_links"].append(_lost_on_links(document["ledger"]))
        columns["fairness.throughput"].append(_jain([flow["sent_bps"] for flow in flows]))
        columns["fairness.goodput"].append(_jain([flow["goodput_bps"] for flow in flows]))
    # Computed here, because EEE and UAR of the document would need a saturated run.
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in columns.items()])


def _handled(flows: list[dict[str, Any]]) -> dict[str, float | None]:
    """Return the shares of losses that kept the window, were recovered immediately, or were predicted."""
    counts: Counter[str] = Counter()
    for flow in flows:
        counts.update(flow.get("counted") or {})
    total = sum(counts.values())
    full, three_quarters = counts["full-immediate"], counts["three-quarters"]
    parts = {"full": full, "immediate": full + three_quarters, "predicted": counts["predicted"]}
    return {f"handled.{name}": part / total if total else None for name, part in parts.items()}


def _lost_on_links(ledger: dict[str, dict[str, int]]) -> float | None:
    """Return the share of the lost data segments that errors and handoffs took; None if none was lost."""
    lost = {cause: counts["data"] for cause, counts in ledger.items()}
    total = sum(lost.values())
    return sum(lost.get(cause, 0) for cause in OF_THE_LINK) / total if total else None


def _kept_window(flows: list[dict[str, Any]]) -> float | None:
    """Return the share of the completed probe cycles after which the whole window was kept."""
    counts: Counter[str] = Counter()
    for flow in flows:
        counts.update(flow.get("counted") or {})
    cycles = sum(counts[name] for name in OUTCOMES)
    return counts["full-immediate"] / cycles if cycles else None


def paths_of(toml: dict[str, Any]) -> list[Path_]:
    """Return the wires of the shortest path of each flow in a wired scenario with all keys told."""
    beside: dict[int, dict[int, float]] = {}
    for wire in toml["wire"]:
        a, b, rate = wire["from"], wire["to"], rate_of(wire["rate"])
        beside.setdefault(a, {})[b] = rate
        beside.setdefault(b, {})[a] = rate
    found = []
    for flow in toml["flow"]:
        before, reached = {flow["from"]: flow["from"]}, [flow["from"]]
        for node in reached:
            for other in beside[node]:
                if other not in before:
                    before[other] = node
                    reached.append(other)
        path, node = [], flow["to"]
        while node != flow["from"]:
            path.append(((before[node], node), beside[before[node]][node]))
            node = before[node]
        found.append(path[::-1])
    return found


def rate_of(text: str) -> float:
    """Return a rate such as ``10Mbps`` in bit/s."""
    number = text.removesuffix("bps")
    factors = {"k": 1e3, "M": 1e6, "G": 1e9}
    return float(number[:-1]) * factors[number[-1]] if number[-1] in factors else float(number)


def carried(paths: Sequence[Path_], seconds: Sequence[float], total: float) -> float:
    """Return the mean rate that the wires carry of saturating sources, bit/s.

    A flow has at most the rate of its slowest wire, and flows that meet in a wire at most the rate of that.
    """
    loads = [min(rate for _, rate in path) * s / total for path, s in zip(paths, seconds, strict=True)]
    over: dict[tuple[int, int], float] = {}
    for path, load in zip(paths, loads, strict=True):
        for wire, _ in path:
            over[wire] = over.get(wire, 0.0) + load
    most = max(seconds, default=0.0) / total
    shares = [min([1.0, *(rate * most / over[wire] for wire, rate in path if over[wire])]) for path in paths]
    return sum(share * load for share, load in zip(shares, loads, strict=True))


def _jain(rates: list[float]) -> float | None:
    """Return Jain's fairness index of the rates; None if all are 0."""
    squares = sum(rate**2 for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else None
