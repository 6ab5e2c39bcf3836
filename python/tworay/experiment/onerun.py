"""One run of a sweep or a comparison: simulate a cell with a seed, keep its tables, return its row."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tworay.errors import Cancelled, OutputError, RunError
from tworay.experiment.store.batches import Row, row
from tworay.experiment.store.reading import capacity_of
from tworay.running import air
from tworay.running.entries import entered
from tworay.running.relays import relay_table
from tworay.running.resources import carried, with_resources
from tworay.running.run import run, throughput_max
from tworay.running.switching import renumbered
from tworay.virtual.arms import run_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tworay._native import RunControl, Scenario
    from tworay.experiment.plan import Cell, Plan
    from tworay.running.run import Run

# Takes a table's name and the table.
Keep: TypeAlias = "Callable[[str, pl.DataFrame], None]"
# The table of every two nodes' shortest paths: from the scenario, not from a run.
PAIRS = "pairs"
# The table of the relays that nodes announce over OLSR: from a capture of the run.
RELAYS = "relays"


def do(
    cell: Cell,
    seed: int,
    plan: Plan,
    control: RunControl | None,
    keep: Keep,
    stopped: Callable[[], bool] = lambda: False,
) -> Row:
    """Do one run and return its row; a failure gives a row, too.

    ``keep`` gets the tables that the experiment keeps, with their names. ``stopped`` ends a kernel's run, as
    ``control`` does a simulation.
    """
    try:
        if plan.facts == "only":
            nothing = {"scenario": cell.world.name, "seed": seed, "flows": []}
            if PAIRS in plan.keep:
                keep(PAIRS, pair_table(cell.world, seed))
            return row(cell.key, seed, nothing, facts=cell.world.facts(seed))
        world = entered(cell.at(seed), seed, plan.entries, cell.flows)
        if cell.saturated:
            most = carried(run(world, seed=seed, series=False, losses=False, control=control))
            return row(cell.key, seed, capacity_of(most))
        if cell.kernel is None:
            result, relays = _done(world, seed, plan, control)
        else:
            daemon, relays = cell.daemon, {}
            result = run_kernel(world, seed, cell.kernel, daemon=daemon, on_air=plan.air, stopped=stopped)
        result = renumbered(result, cell.flows)
        document = result.summary
        if plan.resources:
            document = with_resources(document, throughput_max(world, seed))
        facts = cell.world.facts(seed) if plan.facts else (None, None)
        found = (result.tables if plan.whole or plan.keep else {}) | relays
        if PAIRS in plan.keep:
            found = found | {PAIRS: pair_table(world, seed)}
        kept = {name: one for name, one in found.items() if plan.whole or name in plan.keep}
        for name, table in kept.items():
            keep(name, table)
        heights = {name: table.height for name, table in kept.items()} if plan.whole else None
        return row(cell.key, seed, document, facts=facts, tables=heights)
    except (Cancelled, OutputError):
        raise
    except RunError as error:
        return row(cell.key, seed, None, message=str(error))
    except Exception as error:
        return row(cell.key, seed, None, message=f"{type(error).__name__}: {error}")


def _done(
    world: Scenario, seed: int, plan: Plan, control: RunControl | None
) -> tuple[Run, dict[str, pl.DataFrame]]:
    """Run a world; return the run, and the table ``relays`` if the plan keeps it."""
    do_run = partial(run, world, seed=seed, series=plan.series, record=plan.record, control=control)
    if RELAYS not in plan.keep and not plan.air:
        return do_run(), {}
    with TemporaryDirectory() as place:
        capture = Path(place) / "run.pcapng"
        result = do_run(pcap=capture)
        if plan.air:
            heard = air.read(capture, tomllib.loads(world.to_toml()), world.nodes)
            result.summary["air"] = air.measured(heard, result.summary, result.ledger)
        return result, {RELAYS: relay_table(capture)} if RELAYS in plan.keep else {}


def pair_table(world: Scenario, seed: int) -> pl.DataFrame:
    """Return the table ``pairs``: the shortest path of every two nodes over the run.

    ``hops`` is its mean length while there is a path (null if there never is), ``partitioned`` the fraction
    of time without one.
    """
    schema = {"node": pl.Int64, "other": pl.Int64, "hops": pl.Float64, "partitioned": pl.Float64}
    return pl.DataFrame(world.pair_paths(seed), schema=schema, orient="row")
