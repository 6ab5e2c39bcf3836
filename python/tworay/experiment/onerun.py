"""One run of a sweep: simulate a cell with a seed, keep its tables, return its row."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tworay.errors import Cancelled, OutputError, RunError
from tworay.experiment.store.batches import Row, row, write_whole
from tworay.running.entries import entered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tworay._native import RunControl, Scenario
    from tworay.experiment.plan import Cell, Plan

# Takes a table's name and its content.
Store: TypeAlias = "Callable[[str, bytes], None]"
# Tables that need the time series of a run.
SERIES = frozenset({"series", "alive"})
# The table of every two nodes' shortest paths: from the scenario, not from a run.
PAIRS = "pairs"


def do(cell: Cell, seed: int, plan: Plan, control: RunControl | None, store: Store) -> Row:
    """Do one run and return its row; a failure gives a row, too.

    ``store`` gets the tables that the experiment keeps, with their names.
    """
    from tworay.running.run import run

    try:
        if plan.facts == "only":
            nothing = {"scenario": cell.world.name, "seed": seed, "flows": []}
            if PAIRS in plan.keep:
                store(PAIRS, parquet(pair_table(cell.world, seed)))
            return row(cell.key, seed, nothing, facts=cell.world.facts(seed))
        world = entered(cell.at(seed), seed, plan.entries)
        result = run(
            world,
            seed=seed,
            series=bool(SERIES & set(plan.keep)),
            control=control,
        )
        document = result.summary
        if plan.resources:
            from tworay.running.resources import with_resources
            from tworay.running.run import throughput_max

            document = with_resources(document, throughput_max(world, seed))
        facts = cell.world.facts(seed) if plan.facts else (None, None)
        for name in plan.keep:
            if name == PAIRS:
                store(name, parquet(pair_table(world, seed)))
            elif name in result.tables:
                store(name, parquet(result.tables[name]))
        return row(cell.key, seed, document, facts=facts)
    except (Cancelled, OutputError):
        raise
    except RunError as error:
        return row(cell.key, seed, None, message=str(error))
    except Exception as error:
        return row(cell.key, seed, None, message=f"{type(error).__name__}: {error}")


def parquet(table: pl.DataFrame) -> bytes:
    """Return a table as Parquet."""
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def table_file(out: Path, name: str, key: str, seed: int) -> Path:
    """Return the file of a table that a sweep keeps of a run."""
    return out / "tables" / name / f"{key}-{seed}.parquet"


def keeper(out: Path, key: str, seed: int) -> Store:
    """Return what writes the tables of a run."""
    return lambda name, content: write_whole(table_file(out, name, key, seed), content)


def pair_table(world: Scenario, seed: int) -> pl.DataFrame:
    """Return the table ``pairs``: the shortest path of every two nodes over the run.

    ``hops`` is its mean length while there is a path (null if there never is), ``partitioned`` the fraction
    of time without one.
    """
    schema = {"node": pl.Int64, "other": pl.Int64, "hops": pl.Float64, "partitioned": pl.Float64}
    return pl.DataFrame(world.pair_paths(seed), schema=schema, orient="row")
