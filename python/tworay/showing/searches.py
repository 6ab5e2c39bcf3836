"""Explain a pause without a loss by routing: a route that broke, and the search that packets waited for.

Reads the events of routing protocols in a record (``--record``). Without one nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tworay.naming import Nodes
from tworay.showing.spans import in_words

if TYPE_CHECKING:
    import polars as pl

    from tworay.running.run import Run

Row: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[float, str]

# The most steps of one kind that are told of a pause.
TOLD = 3


def protocol_of(run: Run) -> str:
    """Return the name of the run's routing protocol in sentences."""
    return {"aodv": "AODV", "dsr": "DSR", "olsr": "OLSR"}.get(run.summary["routing"]["protocol"], "routing")


def searches(run: Run, about: Row, pause: tuple[float, float]) -> tuple[str | None, list[Step]]:
    """Return why the flow had no route during a pause, and the steps in order of time."""
    import polars as pl

    notes: pl.DataFrame | None = run.tables.get("routing")
    if notes is None or notes.is_empty():
        return None, []
    begin, end = pause
    ends = [about["from"], about["to"]]
    ours = notes.filter(pl.col("dst").is_in(ends) & (pl.col("t_s") <= end) & (pl.col("t_s") >= begin))
    sought = ours.filter(pl.col("node").is_in(ends) & (pl.col("node") != pl.col("dst")))
    found = sought.filter((pl.col("event") == "route-found") & (pl.col("search_s") > 0)).to_dicts()
    failed = sought.filter(pl.col("event") == "search-failed").to_dicts()
    # A search may have begun before the pause, and so may the break that made it necessary.
    since = min([begin, *(row["t_s"] - row["search_s"] for row in found)])
    lost = notes.filter(
        (pl.col("event") == "route-lost")
        & pl.col("dst").is_in(ends)
        & (pl.col("t_s") >= since)
        & (pl.col("t_s") <= end)
    )
    broken = notes.filter(pl.col("event") == "link-broken").join(
        lost.select("t_s", "node"), on=["t_s", "node"], how="semi"
    )
    name, nodes = protocol_of(run), Nodes.of(run.summary)
    steps = [
        (row["t_s"], f"{name} at {nodes(row['node'])} took its link to {nodes(row['neighbour'])} as broken")
        for row in broken.sort("t_s").head(TOLD).to_dicts()
    ]
    steps += [
        (
            row["t_s"],
            f"{name} at {nodes(row['node'])} found a route to {nodes(row['dst'])}, after a search of "
            f"{in_words(row['search_s'])}",
        )
        for row in found
    ]
    steps += [
        (row["t_s"], f"{name}'s search for {nodes(row['dst'])} failed at {nodes(row['node'])}")
        for row in failed[:TOLD]
    ]
    reasons = ["the route broke"] * bool(len(broken)) + ["a route was searched for"] * bool(found or failed)
    return " and ".join(reasons) or None, sorted(steps)
