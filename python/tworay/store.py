"""Result directories: Parquet tables and ``summary.json``, never half written.

A directory appears when the first run is done, and each finished run goes into ``runs/`` at once,
written beside its place and renamed into it: whatever stops the program (Ctrl-C, a full disk, a power
cut), the runs under ``runs/`` are whole. At the end they are merged into one table a kind.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay._native import VERSION
from tworay.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tworay.comparison import Comparison
    from tworay.running import Run
    from tworay.scenarios import Scenario

MANIFEST = "tworay.json"
SUMMARY = "summary.json"
SCENARIO = "scenario.toml"
COSTS = "costs.csv"
RUNS = "runs"


class Store:
    """One result directory. Creating the object only checks; nothing is written before a run is done."""

    def __init__(
        self, path: Path, command: str, *, force: bool, scenario: Scenario, details: dict[str, Any]
    ) -> None:
        self.path = path
        self._manifest = {"tworay": VERSION, "command": command, "scenario": scenario.name, **details}
        # The table of costs is kept too: the scenario names it, beside itself, with its digest.
        self._scenario, self._costs = scenario.to_keep(COSTS)
        self._lock = threading.Lock()
        self._created = False
        _check_place(path, command, force)

    def add_run(self, variant: str, seed: int, run: Run) -> None:
        """Keep a finished run; safe to call from several threads."""
        with self._lock, _writing(self.path):
            self._create()
            with _new_directory(self.path / RUNS / _part_name(variant, seed)) as directory:
                _write_run(directory, run, tcp=variant)

    def write_single(self, run: Run) -> None:
        """Write the directory of a single run."""
        with _writing(self.path), self._new() as directory:
            _write_run(directory, run)

    def finish(self, comparison: Comparison) -> None:
        """Merge the finished runs into one table a kind and write the summary."""
        with self._lock, _writing(self.path):
            parts = self._parts(comparison)
            with _new_file(self.path / SUMMARY) as file:
                file.write_text(_json(comparison.summary), encoding="utf-8")
            with _new_file(self.path / "runs.parquet") as file:
                file.write_bytes(_parquet(comparison.runs))
            for table in sorted({table.name for part in parts for table in part.glob("*.parquet")}):
                with _new_file(self.path / table) as file:
                    _merge([part / table for part in parts if (part / table).is_file()], file)
            shutil.rmtree(self.path / RUNS)

    def _parts(self, comparison: Comparison) -> list[Path]:
        """Return the finished runs, by variant and seed."""
        places = [
            self.path / RUNS / _part_name(variant, seed)
            for variant in comparison.variants
            for seed in comparison.seeds
        ]
        return [place for place in places if place.is_dir()]

    def _create(self) -> None:
        if not self._created:
            with self._new() as directory:
                (directory / RUNS).mkdir()
            self._created = True

    @contextmanager
    def _new(self) -> Iterator[Path]:
        with _new_directory(self.path) as directory:
            _write(directory / MANIFEST, _json(self._manifest).encode())
            _write(directory / SCENARIO, self._scenario.encode())
            if self._costs is not None:
                _write(directory / COSTS, self._costs.encode())
            yield directory


def _check_place(path: Path, command: str, force: bool) -> None:
    """Refuse a place that is not free, before hours of work end there."""
    if path.exists() and not path.is_dir():
        raise InputError(f"--out {path}: this is a file; name a directory that is new or empty")
    if path.is_dir() and any(path.iterdir()):
        made_by = _made_by(path)
        if made_by != command:
            whose = (
                f"holds results of `tworay {made_by}`"
                if made_by
                else "is not empty and was not made by tworay"
            )
            raise InputError(f"--out {path}: the directory {whose}; name one that is new or empty")
        if not force:
            raise InputError(
                f"--out {path}: the directory already holds results of `tworay {command}`; "
                "add --force to replace them, or name another directory"
            )
    parent = next(place for place in path.absolute().parents if place.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(
            f"--out {path}: {parent} is not a directory that can be written to; name another place"
        )


def _made_by(path: Path) -> str | None:
    try:
        return str(json.loads((path / MANIFEST).read_text(encoding="utf-8"))["command"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn whatever the system says into one line."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        kept = f"; the finished runs are in {path / RUNS}" if (path / RUNS).is_dir() else ""
        raise OutputError(f"cannot write results to {path}: {reason}{kept}") from error


@contextmanager
def _new_directory(path: Path) -> Iterator[Path]:
    """Fill a directory out of sight, then put it in its place in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        hidden.mkdir()
        yield hidden
        if path.is_dir() and any(path.iterdir()):
            path.rename(old)
        try:
            hidden.rename(path)
        except OSError:
            old.rename(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


@contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """Write a file out of sight, then put it in its place in one step."""
    hidden = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield hidden
        with hidden.open("rb") as file:
            os.fsync(file.fileno())
        hidden.rename(path)
    finally:
        hidden.unlink(missing_ok=True)


def _write_run(directory: Path, run: Run, tcp: str | None = None) -> None:
    for name, table in run.tables.items():
        _write(directory / f"{name}.parquet", _parquet(_labelled(table, run, tcp)))
    _write(directory / SUMMARY, _json(run.summary).encode())


def _labelled(frame: pl.DataFrame, run: Run, tcp: str | None) -> pl.DataFrame:
    """Say in every row which run it is from, so that the merged tables can be grouped."""
    labels = {"seed": pl.lit(run.seed, pl.UInt64)}
    if tcp is not None:
        labels = {"variant": pl.lit(tcp), **labels}
    return frame.with_columns(**labels).select(*labels, *frame.columns)


def _parquet(frame: pl.DataFrame) -> bytes:
    # By way of memory: a full disk then shows as a plain OSError of write().
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _merge(parts: list[Path], target: Path) -> None:
    pl.scan_parquet(parts).sink_parquet(target, compression="zstd")


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _part_name(variant: str, seed: int) -> str:
    return f"{re.sub(r'[^A-Za-z0-9.+=-]', '_', variant)}-seed-{seed}"
