"""Read the directory of a sweep, finished or not, as data frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tworay.analysis.repeats import fingerprint
from tworay.errors import InputError
from tworay.experiment.store.batches import COLUMNS, DONE, read_stored
from tworay.experiment.store.manifest import read_sweep_manifest
from tworay.metrics import EXAMPLES, TCP, Judge, find, values

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

KEYS = ("world", "seed", "status")
# Columns that are not metrics, and columns that differ between equal runs.
BESIDE = ("message", "tworay", "shares", "tables", "document")
# Name of the column with the fingerprints of runs; no metric and no axis can have it.
PRINT = "~run"


def batch_frame(out: Path, columns: Iterable[str] | None = None, judge: Judge = TCP) -> pl.DataFrame:
    """Return every stored run once, with ``columns`` (also families) besides world, seed and status.

    The stored columns are those of the default judge; with another one they are computed from the documents.
    """
    wanted = None if columns is None else list(columns)
    ready = [c for c in COLUMNS if judge == TCP or c not in EXAMPLES]
    plain = ready if wanted is None else [*KEYS, *(c for c in wanted if c in ready and c not in KEYS)]
    families = [c for c in (COLUMNS if wanted is None else wanted) if c not in ready]
    read = [*plain, "document"] if families and "document" not in plain else plain
    frame, _ = read_stored(out, read)
    if not families:
        return frame
    found = [values(json.loads(text), judge) if text else {} for text in frame["document"]]
    extra = [pl.Series(name, [one.get(name) for one in found], dtype=pl.Float64) for name in families]
    return frame.with_columns(extra).select([*plain, *families])


def cells(out: Path) -> pl.DataFrame:
    """Return the table of cells."""
    try:
        return pl.read_parquet(out / "cells.parquet")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"{out} holds no sweep: {error}; `tworay sweep EXPERIMENT.toml` makes one"
        ) from error


def axes(out: Path) -> list[str]:
    """Return the names of the axes, in the experiment's order."""
    return [name for name in cells(out).columns if name not in ("cell", "world", "toml")]


def joined(out: Path, *, only: dict[int, list[int]] | None = None, judge: Judge = TCP) -> pl.DataFrame:
    """Return the finished runs by cell and seed, with a column per axis and per metric.

    Has all metrics that occur, also families, except those of single flows if there are more than 20.
    """
    return with_prints(out, only=only, judge=judge).drop(PRINT)


def with_prints(out: Path, *, only: dict[int, list[int]] | None = None, judge: Judge = TCP) -> pl.DataFrame:
    """Return ``joined`` with a fingerprint of each run in the column ``PRINT``."""
    table = cells(out).drop("toml")
    frame = batch_frame(out, [c for c in COLUMNS if c not in EXAMPLES]).filter(pl.col("status") == DONE)
    mine = table.join(frame, on="world", how="inner").sort("cell", "seed")
    if only is not None:
        wanted = pl.DataFrame(
            {
                "cell": pl.Series([c for c, seeds in only.items() for _ in seeds], dtype=pl.UInt32),
                "seed": pl.Series([s for seeds in only.values() for s in seeds], dtype=pl.UInt64),
            }
        )
        mine = mine.join(wanted, on=["cell", "seed"], how="semi").sort("cell", "seed")
    documents = [json.loads(text) for text in mine["document"]]
    found = [values(one, judge) for one in documents]
    names = sorted({name for one in found for name in one if name not in EXAMPLES})
    many = sum(name.startswith("flow.") and name.endswith(".goodput_bps") for name in names) > 20
    families = [name for name in names if not (many and name.startswith("flow.")) and find(name) is not None]
    extra = [
        pl.Series(name, [one.get(name) for one in found], dtype=pl.Float64) for name in (*EXAMPLES, *families)
    ]
    prints = pl.Series(PRINT, [fingerprint(one) for one in documents], dtype=pl.String)
    return mine.drop("status", *BESIDE).with_columns([*extra, prints])


def failures(out: Path) -> pl.DataFrame:
    """Return the failed runs of the sweep's cells: cell, axes, seed and message."""
    frame = batch_frame(out, ["message"]).filter(pl.col("status") != DONE)
    return cells(out).drop("toml").join(frame, on="world", how="inner").sort("cell", "seed")


def open_directory(out: str | PathLike[str]) -> Path:
    """Return a sweep's directory; raise ``InputError`` for anything else."""
    path = Path(out)
    read_sweep_manifest(path)
    return path
