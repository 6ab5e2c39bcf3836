"""One run of a sweep: simulate a cell with a seed, keep its tables, return its row."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import polars as pl

from tworay.errors import Cancelled, OutputError, RunError
from tworay.experiment.store.batches import Row, row, write_whole
from tworay.running.entries import entered

if TYPE_CHECKING:
    from pathlib import Path

    from tworay._native import RunControl, Scenario
    from tworay.experiment.plan import Cell, Plan

# The table of every two nodes' shortest paths: from the scenario, not from a run.
PAIRS = "pairs"


def do(cell: Cell, seed: int, plan: Plan, control: RunControl | None, out: Path | None) -> Row:
    """Do one run and return its row; a failure gives a row, too."""
    from tworay.running.run import run

    try:
        if plan.facts == "only":
            nothing = {"scenario": cell.world.name, "seed": seed, "flows": []}
            if out is not None and PAIRS in plan.keep:
                keep_table(out, PAIRS, cell.key, seed, pair_table(cell.world, seed))
            return row(cell.key, seed, nothing, facts=cell.world.facts(seed))
        keep = set(plan.keep)
        world = entered(cell.at(seed), seed, plan.entries)
        result = run(
            world,
            seed=seed,
            series=bool(keep & {"series", "alive"}),
            control=control,
        )
        document = result.summary
        if plan.resources:
            from tworay.running.resources import with_resources
            from tworay.running.run import throughput_max

            document = with_resources(document, throughput_max(world, seed))
        facts = cell.world.facts(seed) if plan.facts else (None, None)
        if out is not None:
            for name in plan.keep:
                if name == PAIRS:
                    keep_table(out, name, cell.key, seed, pair_table(world, seed))
                elif name in result.tables:
                    keep_table(out, name, cell.key, seed, result.tables[name])
        return row(cell.key, seed, document, facts=facts)
    except (Cancelled, OutputError):
        raise
    except RunError as error:
        return row(cell.key, seed, None, message=str(error))
    except Exception as error:
        return row(cell.key, seed, None, message=f"{type(error).__name__}: {error}")


def keep_table(out: Path, name: str, key: str, seed: int, table: pl.DataFrame) -> None:
    """Write a table of a run that the experiment keeps."""
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd")
    write_whole(out / "tables" / name / f"{key}-{seed}.parquet", buffer.getvalue())


def pair_table(world: Scenario, seed: int) -> pl.DataFrame:
    """Return the table ``pairs``: the shortest path of every two nodes over the run.

    ``hops`` is its mean length while there is a path (null if there never is), ``partitioned`` the fraction
    of time without one.
    """
    schema = {"node": pl.Int64, "other": pl.Int64, "hops": pl.Float64, "partitioned": pl.Float64}
    return pl.DataFrame(world.pair_paths(seed), schema=schema, orient="row")
