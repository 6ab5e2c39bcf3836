"""Write result directories: Parquet tables and ``summary.json``, each complete or absent.

The directory is locked before the first run. Files appear in it when that run is done, and each finished
run goes into ``runs/`` at once, written under another name and renamed: whatever stops the program (Ctrl-C, a
full disk, a power cut), the runs under ``runs/`` are complete. At the end they are merged into one table per
kind.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import threading
import zlib
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay._native import RESULTS, SCHEMA, VERSION
from tworay.errors import InputError, OutputError
from tworay.experiment.store.formats import FORMAT
from tworay.experiment.store.manifest import MANIFEST, SUMMARY, read_manifest, strict_json
from tworay.experiment.store.place import (
    Lock,
    check_place,
    listed,
    new_directory,
    sources_of,
    sweep,
    tables_of,
)
from tworay.experiment.store.records import (
    COSTS,
    RECORD,
    RECORDS,
    RUNS,
    SCENARIO,
    check_whole,
    checked_line,
    digest,
    read_records,
    read_scenario,
)
from tworay.files import replacing
from tworay.running.frames import Table
from tworay.running.sources import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tworay.experiment.comparison import Comparison, Paths
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario

# A file name of at most 255 bytes must also hold the seed and a suffix.
LONGEST_NAME = 120


def keep(scenario: Scenario, classes: Mapping[str, object] = MappingProxyType({})) -> dict[str, str]:
    """Return the files that a scenario needs to run again, by name: the scenario and the files it names.

    ``classes`` are further Python variants to keep.
    """
    own = [*scenario.custom, *((name, one) for name, one in classes.items() if isinstance(one, type))]
    names, files = kept(own)
    text, costs = scenario.to_keep(COSTS, names)
    return {SCENARIO: text} | ({} if costs is None else {COSTS: costs}) | files


class Store:
    """One result directory. Creating the object only checks; ``claim`` locks the directory."""

    def __init__(
        self,
        path: Path,
        command: str,
        *,
        force: bool,
        scenario: Scenario | None,
        details: dict[str, Any],
        resume: bool = False,
        classes: Mapping[str, object] = MappingProxyType({}),
        kept: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.path = path
        self._kept = dict(kept)
        self._manifest: dict[str, Any] = {
            "format": FORMAT,
            "tworay": VERSION,
            "results": RESULTS,
            "schema": SCHEMA,
            "command": command,
        }
        if scenario is not None:
            self._manifest["scenario"] = scenario.name
            # Also the files that the scenario names: the table of costs, classes of variants.
            self._kept = keep(scenario, classes)
        self._manifest["files"] = sorted(self._kept)
        self._manifest |= details
        self._mutex = threading.Lock()
        self._resume = resume
        self._created = False
        self._force = force
        self._lock: Lock | None = None
        if not resume:
            check_place(path, command, force, self._manifest["files"])

    @classmethod
    def of_run(cls, path: Path, run: Run, *, force: bool) -> Store:
        """Check the directory for a finished run, which may come from another process."""
        details = {"scenario": run.scenario, "seed": run.seed}
        return cls(path, "run", force=force, scenario=None, details=details, kept=run.to_keep())

    def add_run(self, variant: str, seed: int, run: Run, facts: Paths | None = None) -> None:
        """Store a finished run; safe to call from several threads."""
        record = {"variant": variant, "seed": seed, "facts": facts}
        with self._part(variant, seed) as directory:
            _write_run(directory, run, tcp=variant)
            record["tables"] = {name: frame.height for name, frame in run.tables.items()}
            # Written last: a part that has it is complete.
            _write(directory / RECORD, _part_record(record, _json(run.summary)))

    def add_maximum(self, name: str, seed: int, throughput_max: float) -> None:
        """Store the capacity of a seed's scenario."""
        record = {"variant": name, "seed": seed, "throughput_max_bps": throughput_max}
        with self._part(name, seed) as directory:
            _write(directory / RECORD, _json(record).encode())

    @contextmanager
    def _part(self, name: str, seed: int) -> Iterator[Path]:
        with self._mutex, _writing(self.path):
            self._create()
            place = self.path / RUNS / _part_name(name, seed)
            # Of a run that can't be read, or that lacks tables.
            shutil.rmtree(place, ignore_errors=True)
            with new_directory(place) as directory:
                yield directory

    def claim(self) -> None:
        """Lock the directory, which is created if necessary; refuse it if another process got there first."""
        if self._resume or self._lock is not None:
            return
        with _writing(self.path):
            self._lock = Lock.claim(self.path)
            try:
                sweep(self.path)
                # Another process may have filled the directory since this object was created.
                check_place(self.path, self._manifest["command"], self._force, self._manifest["files"])
            except BaseException:
                self.release()
                raise

    def write_single(self, run: Run) -> None:
        """Write the directory of a single run."""
        try:
            self.claim()
            self._list_tables(f"{name}.parquet" for name in run.tables)
            with _writing(self.path), self._new() as directory:
                _write_run(directory, run)
        finally:
            self.release()

    def _list_tables(self, names: Iterable[str]) -> None:
        """Add tables to the files that the manifest lists."""
        del self._manifest["files"]
        self._manifest |= {"files": sorted({*self._kept, *names})}

    def finish(self, comparison: Comparison) -> None:
        """Merge the finished runs into one table per kind and write the summary.

        Runs in ``runs/`` count until all are merged: after a kill at any point, resuming finds every
        finished run.
        """
        with self._mutex, _writing(self.path):
            if self._resume and not (self.path / RUNS).is_dir() and (self.path / SUMMARY).is_file():
                return  # Nothing was added.
            records, _ = read_records(self.path)
            self._take_apart(records)
            parts = self._parts(comparison)
            tables = sorted({table.name for part in parts for table in part.glob("*.parquet")})
            self._list_tables(["runs.parquet", *tables])
            for text, name in (
                (_json(self._manifest), MANIFEST),
                (_json(comparison.summary), SUMMARY),
                (_lines(records[key] for key in sorted(records)), RECORDS),
            ):
                with replacing(self.path / name, durable=True) as file:
                    file.write_text(text, encoding="utf-8")
            with replacing(self.path / "runs.parquet", durable=True) as file:
                file.write_bytes(_parquet(comparison.runs))
            for table in tables:
                with replacing(self.path / table, durable=True) as file:
                    _merge([part / table for part in parts if (part / table).is_file()], file)
            # Renamed first: a half-deleted directory must never look complete.
            doomed = self.path / f".{RUNS}.{os.getpid()}.old"
            (self.path / RUNS).rename(doomed)
            shutil.rmtree(doomed)
        self.release()

    def release(self) -> None:
        """Let other processes write."""
        if self._lock:
            self._lock.release()

    def _take_apart(self, records: dict[tuple[str, int], dict[str, Any]]) -> None:
        """Move runs of earlier merges back to ``runs/``, so that all are merged in the same way."""
        names = {
            (v, s): self.path / RUNS / _part_name(v, s) for v, s in records if "document" in records[v, s]
        }
        missing = {key: place for key, place in names.items() if not place.is_dir()}
        if not missing:
            return
        merged = _Merged(self.path)
        for key, place in missing.items():
            _write_part(place, records[key], merged.of(key, records[key]))

    def add_from(self, other: Path, records: Mapping[tuple[str, int], dict[str, Any]]) -> None:
        """Store runs of another comparison's directory."""
        with self._mutex, _writing(self.path):
            self._create()
            merged = _Merged(other)
            for key, record in sorted(records.items()):
                place = self.path / RUNS / _part_name(*key)
                part = other / RUNS / place.name
                pieces = (
                    {file.name: read_table(file) for file in part.glob("*.parquet")}
                    if part.is_dir()
                    else merged.of(key, record)
                )
                _write_part(place, record, pieces)

    def _parts(self, comparison: Comparison) -> list[Path]:
        """Return the finished runs, by variant and seed."""
        places = [
            self.path / RUNS / _part_name(variant, seed)
            for variant in comparison.variants
            for seed in comparison.seeds
        ]
        return [place for place in places if place.is_dir()]

    def _create(self) -> None:
        if self._created:
            return
        self.claim()
        if self._resume:
            (self.path / RUNS).mkdir(exist_ok=True)
            # The merged tables stay listed until they are merged anew.
            self._list_tables(listed(self.path) or [file.name for file in tables_of(self.path)])
            # Sources of new variants.
            for name, text in self._kept.items():
                if not (self.path / name).exists():
                    (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                    with replacing(self.path / name, durable=True) as file:
                        file.write_text(text, encoding="utf-8")
            with replacing(self.path / MANIFEST, durable=True) as file:
                file.write_text(_json(self._manifest), encoding="utf-8")
        else:
            try:
                with self._new() as directory:
                    (directory / RUNS).mkdir()
            except BaseException:
                self.release()
                raise
        self._created = True

    @contextmanager
    def _new(self) -> Iterator[Path]:
        with new_directory(self.path) as directory:
            _write(directory / MANIFEST, _json(self._manifest).encode())
            for name, text in self._kept.items():
                (directory / name).parent.mkdir(parents=True, exist_ok=True)
                _write(directory / name, text.encode())
            yield directory


def read_run(path: Path) -> dict[str, Any]:
    """Return what ``write_single`` wrote, as the state of a ``Run``."""
    manifest = read_manifest(path)
    if manifest["command"] != "run":
        raise InputError(f"{path} holds results of `tworay {manifest['command']}`, not of a run")
    try:
        summary = check_whole(strict_json((path / SUMMARY).read_text(encoding="utf-8")))
        names = [COSTS, *sources_of(path)]
        kept = {SCENARIO: read_scenario(path)} | {
            name: (path / name).read_text(encoding="utf-8") for name in names if (path / name).is_file()
        }
    except (OSError, ValueError) as error:
        raise OutputError(f"{path / SUMMARY} can't be read: {error}; run it again") from error
    frames = {file.stem: Table(read_table(file).drop("seed", strict=False)) for file in tables_of(path)}
    return {"text": None, "frames": frames, "kept": kept, "summary": summary}


def read_part(path: Path, variant: str, seed: int, document: dict[str, Any]) -> dict[str, Any]:
    """Return one run of a comparison as the state of a ``Run``, merged already or not."""
    part = path / RUNS / _part_name(variant, seed)
    tables = sorted(part.glob("*.parquet")) if part.is_dir() else tables_of(path)
    mine = (pl.col("variant") == variant) & (pl.col("seed") == seed)
    frames = {
        file.stem: Table(read_table(file, mine).drop("variant", "seed"))
        for file in tables
        if file.stem != "runs"
    }
    return {"text": None, "frames": frames, "kept": None, "summary": document}


def without_tables(
    path: Path, records: Mapping[tuple[str, int], dict[str, Any]]
) -> dict[str, list[tuple[str, int]]]:
    """Return the finished runs that lack rows in a table, by the table's file."""
    lacking: dict[str, list[tuple[str, int]]] = {}
    heights: dict[str, dict[tuple[str, int], int]] = {}
    for key, record in sorted(records.items()):
        if "document" not in record:
            continue
        part = path / RUNS / _part_name(*key)
        # Records from before they had the number of rows: every run has a row per flow.
        wanted = record.get("tables", {"flows": len(record["document"]["flows"])})
        for name, rows in wanted.items():
            file = f"{name}.parquet"
            if part.is_dir():
                fine = (part / file).is_file()
            else:
                if file not in heights:
                    heights[file] = _heights(path / file)
                fine = heights[file].get(key, 0) == rows and (path / file).is_file()
            if not fine:
                lacking.setdefault(str((part if part.is_dir() else path) / file), []).append(key)
    return lacking


def _heights(file: Path) -> dict[tuple[str, int], int]:
    """Return how many rows a merged table has of each run; none, if it can't be read."""
    try:
        rows = pl.scan_parquet(file).group_by("variant", "seed").len().collect().iter_rows()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return {}
    return {(variant, seed): number for variant, seed, number in rows}


@contextmanager
def known_tables(place: Path) -> Iterator[None]:
    """Turn errors about tables that lack columns or rows into one line with the directory."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = (str(error) or "damaged").splitlines()[0]
        raise OutputError(
            f"{place}: its tables are not as tworay writes them ({reason}); run it again"
        ) from error


def read_table(file: Path, rows: pl.Expr | None = None) -> pl.DataFrame:
    """Read a stored table, or some of its rows; raise ``OutputError`` with its name if it is damaged."""
    try:
        frame = pl.scan_parquet(file)
        return (frame if rows is None else frame.filter(rows)).collect()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = (getattr(error, "strerror", None) or str(error) or "it is damaged").splitlines()[0]
        raise OutputError(f"{file} can't be read: {reason}; restore the file, or run it again") from error


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn errors of the system into one line."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        kept = f"; the finished runs are in {path / RUNS}" if (path / RUNS).is_dir() else ""
        raise OutputError(f"cannot write results to {path}: {reason}{kept}") from error


def _write_run(directory: Path, run: Run, tcp: str | None = None) -> None:
    for name, table in run.tables.items():
        _write(directory / f"{name}.parquet", _parquet(_labelled(table, run, tcp)))
    _write(directory / SUMMARY, _json(run.summary).encode())


class _Merged:
    """The merged tables of a comparison, taken apart into those of its runs."""

    def __init__(self, path: Path) -> None:
        frames = {file.name: read_table(file) for file in tables_of(path) if file.name != "runs.parquet"}
        self._empty = {name: frame.clear() for name, frame in frames.items()}
        self._runs = {
            name: frame.partition_by("variant", "seed", as_dict=True) for name, frame in frames.items()
        }

    def of(self, key: tuple[str, int], record: dict[str, Any]) -> dict[str, pl.DataFrame]:
        """Return the tables of a run, also those in which it has no rows."""
        known = [f"{name}.parquet" for name in record.get("tables", ())]
        return {
            name: runs.get(key, self._empty[name])
            for name, runs in self._runs.items()
            if key in runs or name in known
        }


def _write_part(place: Path, record: dict[str, Any], tables: Mapping[str, pl.DataFrame]) -> None:
    """Write a stored run into ``runs/``."""
    with new_directory(place) as directory:
        for name, frame in tables.items():
            _write(directory / name, _parquet(frame))
        if "document" not in record:
            _write(directory / RECORD, _json(record).encode())
            return
        summary = _json(record["document"])
        _write(directory / SUMMARY, summary.encode())
        rest = {name: value for name, value in record.items() if name != "document"}
        _write(directory / RECORD, _part_record(rest, summary))


def _labelled(frame: pl.DataFrame, run: Run, tcp: str | None) -> pl.DataFrame:
    """Add the run to every row, so that merged tables can be grouped."""
    labels = {"seed": pl.lit(run.seed, pl.UInt64)}
    if tcp is not None:
        labels = {"variant": pl.lit(tcp), **labels}
    return frame.with_columns(**labels).select(*labels, *frame.columns)


def _parquet(frame: pl.DataFrame) -> bytes:
    # Written to memory first: a full disk is then a plain OSError of write().
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _merge(parts: list[Path], target: Path) -> None:
    """Merge the tables of several runs; a column that a run of another schema lacks is null there."""
    if len({tuple(pl.read_parquet_schema(part).items()) for part in parts}) == 1:
        pl.scan_parquet(parts).sink_parquet(target, compression="zstd")
    else:
        whole = pl.concat([pl.scan_parquet(part) for part in parts], how="diagonal_relaxed")
        whole.sink_parquet(target, compression="zstd")


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(checked_line(record) + "\n" for record in records)


def _part_record(record: dict[str, Any], summary: str) -> bytes:
    """Return the record of a run in ``runs/``, with a checksum of its document."""
    return _json({"check": digest(summary)} | record).encode()


def _part_name(variant: str, seed: int) -> str:
    """Return the name of a run's directory; a digest distinguishes names that a file name can't hold."""
    name = re.sub(r"[^A-Za-z0-9.+=-]", "_", variant)[:LONGEST_NAME]
    if name != variant:
        name += f"-{zlib.crc32(variant.encode()):08x}"
    return f"{name}-seed-{seed}"
