"""Data of the map and of the stories of losses, from the tables of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tworay.naming import Nodes
from tworay.report.packing import MICROSECOND
from tworay.report.rundata import Tables, column, words
from tworay.report.thinning import levels
from tworay.showing.linkrates import busiest, of_link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tworay.running.run import Run

# Frames that a page keeps at most.
FRAMES = 250_000
# Around a loss and the beginning and end of a silence all frames are kept, s.
AROUND = 0.25
# Shortest interval between two queue lengths of a node on the map, relative to the run.
STEPS = 1500
# Queues and links that are plotted: the fullest, and those with the most frames.
PLOTTED = 6
MILLIMETRE = 1e-3


def write_map(run: Run, tables: Tables, moments: Iterable[float]) -> list[dict[str, Any]]:
    """Pack moves, routes, frames, queues, rates and batteries; return queues and links to be plotted.

    ``moments``: times around which every frame is kept, if all are too many.
    """
    moves = run.tables["moves"]
    place = {"x": "x_m", "y": "y_m", "vx": "vx_mps", "vy": "vy_mps"}
    tables.add(
        "moves",
        {
            "node": (column(moves, "node"), 1.0),
            "t": (column(moves, "t_s"), MICROSECOND),
            **{name: (column(moves, of), MILLIMETRE) for name, of in place.items()},
        },
    )
    routes = run.tables["routes"]
    tables.add(
        "routes",
        {
            "t": (column(routes, "t_s"), MICROSECOND),
            **{name: (column(routes, name), 1.0) for name in ("node", "dst", "next_hop")},
        },
    )
    notes = run.tables["routing"]
    tables.add(
        "routing",
        {
            "t": (column(notes, "t_s"), MICROSECOND),
            **{name: (column(notes, name), 1.0) for name in ("node", "dst", "neighbour", "hops")},
            "event": words(notes, "event"),
        },
    )
    _write_frames(run, tables, list(moments))
    if "battery" in run.tables:
        battery = run.tables["battery"]
        tables.add(
            "battery",
            {
                "t": (column(battery, "t_s"), MICROSECOND),
                "node": (column(battery, "node"), 1.0),
                "joules": (column(battery, "joules_left"), 1e-4),
            },
        )
    return [*_write_queues(run, tables), *_write_links(run, tables)]


def _write_frames(run: Run, tables: Tables, moments: list[float]) -> None:
    frames = run.tables["frames"]
    total = frames.height
    if total > FRAMES:
        frames = _fewer(frames, moments)
        tables.thinned.append(
            f"Frames: {frames.height:,} of {total:,} are kept: those within {AROUND:g} s of losses and "
            "pauses as far as there is room, and an even selection of other frames with data."
        )
    tables.add(
        "frames",
        {
            "t": (column(frames, "t_s"), MICROSECOND),
            "dur": (column(frames, "airtime_s"), MICROSECOND),
            **{
                name: (column(frames, name), 1.0)
                for name in ("from", "to", "flow", "uid", "interferer", "readers")
            },
            **{name: words(frames, name) for name in ("kind", "carries", "fate")},
        },
    )


def _fewer(frames: pl.DataFrame, moments: list[float]) -> pl.DataFrame:
    """Choose the frames that a page keeps: those near the moments, then the others evenly."""
    at = column(frames, "t_s")
    near = np.zeros(len(at), dtype=bool)
    if moments:
        sorted_moments = np.sort(np.asarray(moments))
        place = np.searchsorted(sorted_moments, at)
        after = np.abs(sorted_moments[np.minimum(place, len(sorted_moments) - 1)] - at)
        before = np.abs(at - sorted_moments[np.maximum(place - 1, 0)])
        near = np.minimum(after, before) <= AROUND
    lost = (frames["uid"].is_not_null() & (frames["fate"] != "received")).fill_null(value=False).to_numpy()
    keep = near
    if keep.sum() > FRAMES * 2 // 3:
        # Still too many: frames of lost segments come first.
        keep = near & lost
    if keep.sum() > FRAMES * 2 // 3:
        keep &= np.cumsum(keep) % (1 + int(keep.sum()) // (FRAMES * 2 // 3)) == 0
    others = ~keep & (frames["kind"] == "data").to_numpy()
    step = max(1, int(np.ceil(others.sum() / max(1, FRAMES - int(keep.sum())))))
    keep = keep | (others & (np.cumsum(others) % step == 0))
    return frames.filter(pl.Series(keep))


def _write_queues(run: Run, tables: Tables) -> list[dict[str, Any]]:
    queues = run.tables["queues"]
    seconds = run.summary["sim_seconds"]
    # On the map: the maximum of each short interval.
    step = seconds / STEPS
    coarse = (
        queues.with_columns(slot=(pl.col("t_s") / step).floor())
        .group_by("slot", "node")
        .agg(pl.col("packets").max(), pl.col("packets").last().alias("last"))
        .sort("node", "slot")
    )
    # A queue that became empty is shown as empty in the next interval.
    after = coarse.filter(pl.col("last") != pl.col("packets")).select(
        pl.col("slot") + 1, "node", pl.col("last").alias("packets")
    )
    coarse = (
        pl.concat([coarse.select("slot", "node", "packets"), after])
        .group_by("slot", "node")
        .agg(pl.col("packets").max())
        .sort("node", "slot")
        .filter((pl.col("packets") != pl.col("packets").shift(1)).over("node").fill_null(value=True))
        .sort("slot", "node")
    )
    tables.add(
        "node-queues",
        {
            "t": (column(coarse, "slot") * step, MICROSECOND),
            "node": (column(coarse, "node"), 1.0),
            "packets": (column(coarse, "packets"), 1.0),
        },
    )
    fullest = (
        queues.group_by("node").agg(pl.col("packets").sum()).sort("packets", "node", descending=[True, False])
    )
    chosen = sorted(fullest.filter(pl.col("packets") > 0)["node"].head(PLOTTED).to_list())
    if fullest.height > len(chosen):
        tables.thinned.append(
            f"Queues: plots of the {len(chosen)} nodes with the longest; the map shows all, as the "
            f"maximum of every {step:.2g} s."
        )
    nodes = Nodes.of(run.summary)
    found = []
    for node in chosen:
        mine = queues.filter(pl.col("node") == node)
        columns = {"t": column(mine, "t_s"), "packets": column(mine, "packets")}
        whose = f"of {nodes(node)}"
        found.append(
            {
                "id": f"queue-{node}",
                "title": f"Queue {whose}",
                "unit": "packets",
                "column": "packets",
                "about": f"Packets in the interface queue {whose} over time.",
                "levels": tables.add_levels(f"queue-{node}", levels(columns, 40_000)),
            }
        )
    return found


def _write_links(run: Run, tables: Tables) -> list[dict[str, Any]]:
    """Pack rates and aggregates of the links with the most frames; return their plots, two a link."""
    rates = run.tables.get("rates")
    if rates is None or rates.is_empty():
        return []
    chosen, links = busiest(rates, PLOTTED)
    if links > len(chosen):
        tables.thinned.append(f"Rates: plots of {len(chosen)} of {links} links, those with the most frames.")
    nodes = Nodes.of(run.summary)
    found = []
    for sender, receiver in chosen:
        mine = of_link(rates, sender, receiver)
        link, name = f"{nodes.short(sender)} → {nodes.short(receiver)}", f"{sender}-{receiver}"
        columns = {
            "t": column(mine, "t_s"),
            "mbps": column(mine, "rate_bps") / 1e6,
            "frames": column(mine, "packets"),
        }
        shared = {"levels": tables.add_levels(f"rate-{name}", levels(columns, 40_000))}
        for what, title, unit, of in (
            ("mbps", "Rate", "Mb/s", "Rate of the frames"),
            ("frames", "Aggregates", "frames", "Frames in each transmission"),
        ):
            found.append(
                {
                    "id": f"{what}-{name}",
                    "title": f"{title} {link}",
                    "unit": unit,
                    "column": what,
                    "about": f"{of} {link} over time.",
                    **shared,
                }
            )
    return found
