"""The directory of a sweep: its files besides batches and journal."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import polars as pl

from tworay._native import RESULTS, SCHEMA, VERSION
from tworay.errors import InputError
from tworay.experiment.numbering import with_numbers
from tworay.experiment.store.batches import CORRUPT, DONE, JOURNAL, PARTS, TABLES
from tworay.experiment.store.disk import write_whole
from tworay.experiment.store.formats import FORMAT
from tworay.experiment.store.manifest import MANIFEST, find_manifest
from tworay.metrics import TCP, Judge

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tworay.experiment.plan import Cell, Plan

EXPERIMENT, CELLS, RUNS, PROGRESS, FAILURES = (
    "experiment.toml",
    "cells.parquet",
    "runs.parquet",
    "progress.json",
    "failures",
)


def write_text(path: Path, content: str) -> None:
    """Write a small file in one step."""
    write_whole(path, content.encode())


def check_directory(out: Path, name: str) -> None:
    """Reject a directory with other contents, before hours of work are done."""
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"--out {out}: this is a file; name a directory")
    # Listed before the manifest is looked for, which whoever fills the directory now writes first.
    entries = list(out.iterdir())
    manifest = find_manifest(out)
    if manifest is None:
        if any(
            entry.name not in (PARTS, JOURNAL, TABLES, CORRUPT) and not entry.name.startswith(".")
            for entry in entries
        ):
            raise InputError(f"--out {out}: the directory is not empty and holds no sweep; name another one")
    elif manifest.get("command") != "sweep":
        raise InputError(
            f"--out {out}: it holds results of `tworay {manifest.get('command')}`; name another one"
        )
    elif manifest.get("name") != name:
        raise InputError(
            f"--out {out}: it holds the sweep `{manifest.get('name')}`, and this is `{name}`; "
            "name another directory"
        )


def write_head(out: Path, plan: Plan, cells: list[Cell]) -> None:
    """Write manifest, experiment and cells; the manifest first, because it says whose the directory is."""
    manifest = {
        "format": FORMAT,
        "command": "sweep",
        "tworay": VERSION,
        "results": RESULTS,
        "schema": SCHEMA,
        "name": plan.name,
        "about": plan.about,
        "axes": [{"name": axis.name, "labels": list(axis.labels)} for axis in plan.axes],
        "seeds": list(plan.seeds),
        "until_ci": plan.until_ci,
        "max_seeds": plan.max_seeds if plan.until_ci else None,
        "metrics": list(plan.metrics),
        "judge": plan.judge.name,
        "entries": plan.entries or None,
        "cells": len(cells),
    }
    write_text(out / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    write_text(out / EXPERIMENT, plan.text)
    write_whole(out / CELLS, cells_parquet(cells))


def cells_parquet(cells: list[Cell]) -> bytes:
    """Return the table of cells: number, hash, a column per axis, the complete scenario."""
    axes = list(cells[0].place)
    frame = pl.DataFrame(
        {
            "cell": pl.Series([cell.number for cell in cells], dtype=pl.UInt32),
            "world": [cell.key for cell in cells],
            **{axis: [cell.place[axis] for cell in cells] for axis in axes},
            "toml": [cell.files["scenario.toml"] for cell in cells],
        }
    )
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def stored(out: Path, columns: Iterable[str] | None = None, judge: Judge = TCP) -> pl.DataFrame:
    """Return the finished runs of a directory, one row per run, also those of other experiments."""
    from tworay.experiment.store.sweeps import batch_frame

    return batch_frame(out, columns, judge).filter(pl.col("status") == DONE)


def write_runs(out: Path, plan: Plan, seeds: dict[int, list[int]]) -> None:
    """Write the table of all runs, joined with the axes, independent of the order of work."""
    while True:
        before = sorted((out / PARTS).glob("*"))
        write_joined(out, only=seeds, judge=plan.judge)
        # Another shard may have finished meanwhile; the last one writes the runs of all.
        if before == sorted((out / PARTS).glob("*")):
            return


def write_joined(out: Path, *, only: dict[int, list[int]] | None = None, judge: Judge = TCP) -> int:
    """Write the table of all runs, or those of some seeds by cell; return their number."""
    from tworay.experiment.store.sweeps import axes, joined

    frame = with_numbers(joined(out, only=only, judge=judge), axes(out))
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    write_whole(out / RUNS, buffer.getvalue())
    return frame.height
