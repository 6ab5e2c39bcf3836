"""Write result directories: Parquet tables and ``summary.json``, each complete or absent.

A directory appears when the first run is done, and each finished run goes into ``runs/`` at once,
written under another name and renamed: whatever stops the program (Ctrl-C, a full disk, a power cut),
the runs under ``runs/`` are complete. At the end they are merged into one table per kind.
"""

from __future__ import annotations

import fcntl
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
from tworay.files import replacing, sync
from tworay.running.frames import Table
from tworay.running.sources import kept
from tworay.stored.formats import FORMAT
from tworay.stored.records import (
    COSTS,
    MANIFEST,
    RECORD,
    RECORDS,
    RUNS,
    SCENARIO,
    SUMMARY,
    check_whole,
    read_manifest,
    read_records,
    read_scenario,
    strict_json,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tworay.comparing.comparison import Comparison, Paths
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
    """One result directory. Creating the object only checks; nothing is written before a run has finished."""

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
    ) -> None:
        self.path = path
        self._manifest = {
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
        self._manifest |= details
        self._mutex = threading.Lock()
        self._resume = resume
        self._created = False
        self._lock: Lock | None = None
        if not resume:
            _check_place(path, command, force)

    @classmethod
    def of_run(cls, path: Path, run: Run, *, force: bool) -> Store:
        """Check the directory for a finished run, which may come from another process."""
        details = {"scenario": run.scenario, "seed": run.seed}
        store = cls(path, "run", force=force, scenario=None, details=details)
        store._kept = run.to_keep()
        return store

    def add_run(self, variant: str, seed: int, run: Run, facts: Paths | None = None) -> None:
        """Store a finished run; safe to call from several threads."""
        with self._part(variant, seed) as directory:
            _write_run(directory, run, tcp=variant)
            # Written last: a part that has it is complete.
            _write(directory / RECORD, _json({"variant": variant, "seed": seed, "facts": facts}).encode())

    def add_maximum(self, name: str, seed: int, throughput_max: float) -> None:
        """Store the capacity of a seed's scenario."""
        record = {"variant": name, "seed": seed, "throughput_max_bps": throughput_max}
        with self._part(name, seed) as directory:
            _write(directory / RECORD, _json(record).encode())

    @contextmanager
    def _part(self, name: str, seed: int) -> Iterator[Path]:
        with self._mutex, _writing(self.path):
            self._create()
            with _new_directory(self.path / RUNS / _part_name(name, seed)) as directory:
                yield directory

    def write_single(self, run: Run) -> None:
        """Write the directory of a single run."""
        with _writing(self.path), self._new() as directory:
            _write_run(directory, run)

    def finish(self, comparison: Comparison) -> None:
        """Merge the finished runs into one table per kind and write the summary.

        Runs in ``runs/`` count until all are merged: after a kill at any point, resuming finds every
        finished run.
        """
        with self._mutex, _writing(self.path):
            if self._resume and not (self.path / RUNS).is_dir() and (self.path / SUMMARY).is_file():
                return  # Nothing was added.
            records = read_records(self.path)
            self._take_apart(records)
            for text, name in (
                (_json(self._manifest), MANIFEST),
                (_json(comparison.summary), SUMMARY),
                (_lines(records[key] for key in sorted(records)), RECORDS),
            ):
                with replacing(self.path / name, durable=True) as file:
                    file.write_text(text, encoding="utf-8")
            with replacing(self.path / "runs.parquet", durable=True) as file:
                file.write_bytes(_parquet(comparison.runs))
            parts = self._parts(comparison)
            for table in sorted({table.name for part in parts for table in part.glob("*.parquet")}):
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
        tables = {
            file.name: read_table(file).partition_by("variant", "seed", as_dict=True)
            for file in self.path.glob("*.parquet")
            if file.name != "runs.parquet"
        }
        for key, place in missing.items():
            with _new_directory(place) as directory:
                for name, pieces in tables.items():
                    if key in pieces:
                        _write(directory / name, _parquet(pieces[key]))
                document = records[key]["document"]
                _write(directory / SUMMARY, _json(document).encode())
                record = {name: value for name, value in records[key].items() if name != "document"}
                _write(directory / RECORD, _json(record).encode())

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
        if self._resume:
            (self.path / RUNS).mkdir(exist_ok=True)
            # Sources of new variants.
            for name, text in self._kept.items():
                if not (self.path / name).exists():
                    (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                    with replacing(self.path / name, durable=True) as file:
                        file.write_text(text, encoding="utf-8")
            with replacing(self.path / MANIFEST, durable=True) as file:
                file.write_text(_json(self._manifest), encoding="utf-8")
        else:
            with self._new() as directory:
                (directory / RUNS).mkdir()
            self._lock = Lock(self.path)
        self._created = True

    @contextmanager
    def _new(self) -> Iterator[Path]:
        with _new_directory(self.path) as directory:
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
        names = [COSTS, *(str(file.relative_to(path)) for file in sorted(path.rglob("*.py")))]
        kept = {SCENARIO: read_scenario(path)} | {
            name: (path / name).read_text(encoding="utf-8") for name in names if (path / name).is_file()
        }
    except (OSError, ValueError) as error:
        raise OutputError(f"{path / SUMMARY} can't be read: {error}; run it again") from error
    frames = {
        file.stem: Table(read_table(file).drop("seed", strict=False))
        for file in sorted(path.glob("*.parquet"))
    }
    return {"text": None, "frames": frames, "kept": kept, "summary": summary}


def read_part(path: Path, variant: str, seed: int, document: dict[str, Any]) -> dict[str, Any]:
    """Return one run of a comparison as the state of a ``Run``, merged already or not."""
    part = path / RUNS / _part_name(variant, seed)
    place = part if part.is_dir() else path
    mine = (pl.col("variant") == variant) & (pl.col("seed") == seed)
    frames = {
        file.stem: Table(read_table(file, mine).drop("variant", "seed"))
        for file in sorted(place.glob("*.parquet"))
        if file.stem != "runs"
    }
    return {"text": None, "frames": frames, "kept": None, "summary": document}


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


class Lock:
    """Prevents other processes from writing to a directory, until released or until the process ends."""

    def __init__(self, path: Path) -> None:
        self._handle: int | None = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise InputError(
                f"{path}: another tworay is writing results there; wait until it has ended"
            ) from None
        except OSError:
            # Some network file systems have no locks.
            self.release()

    def release(self) -> None:
        """Let others write. Releasing twice is allowed."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    __del__ = release


def sweep(path: Path) -> None:
    """Remove what a killed process left half written or half deleted."""
    for pattern in (".*.tmp", ".*.old", f"{RUNS}/.*.tmp", f"{RUNS}/.*.old"):
        for left in path.glob(pattern):
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()


def _check_place(path: Path, command: str, force: bool) -> None:
    """Reject a directory that is not free, before hours of work are done."""
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
    whole = path.absolute()
    parent = next(place for place in (whole, *whole.parents) if place.exists())
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
    """Turn errors of the system into one line."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        kept = f"; the finished runs are in {path / RUNS}" if (path / RUNS).is_dir() else ""
        raise OutputError(f"cannot write results to {path}: {reason}{kept}") from error


@contextmanager
def _new_directory(path: Path) -> Iterator[Path]:
    """Fill a hidden directory, then rename it in one step."""
    # An existing directory stays, because somebody may work in it, or it may be a mount point. Only its
    # contents are replaced.
    stays = path.is_dir()
    place = path if stays else path.parent
    place.mkdir(parents=True, exist_ok=True)
    hidden = place / f".{path.name}.{os.getpid()}.tmp"
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        hidden.mkdir()
        yield hidden
        if stays:
            _exchange(path, hidden)
        else:
            hidden.rename(path)
        sync(place)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _exchange(path: Path, new: Path) -> None:
    """Replace the contents of ``path`` by those of ``new``; on failure nothing has changed."""
    old = path / f".{path.name}.{os.getpid()}.old"
    shutil.rmtree(old, ignore_errors=True)
    old.mkdir()
    steps = [(entry, old / entry.name) for entry in path.iterdir() if entry not in (old, new)]
    steps += [(entry, path / entry.name) for entry in new.iterdir()]
    done = []
    try:
        for source, target in steps:
            source.rename(target)
            done.append((source, target))
    except BaseException:
        for source, target in reversed(done):
            target.rename(source)
        old.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write_run(directory: Path, run: Run, tcp: str | None = None) -> None:
    for name, table in run.tables.items():
        _write(directory / f"{name}.parquet", _parquet(_labelled(table, run, tcp)))
    _write(directory / SUMMARY, _json(run.summary).encode())


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
    return "".join(json.dumps(record, allow_nan=False) + "\n" for record in records)


def _part_name(variant: str, seed: int) -> str:
    """Return the name of a run's directory; a digest distinguishes names that a file name can't hold."""
    name = re.sub(r"[^A-Za-z0-9.+=-]", "_", variant)[:LONGEST_NAME]
    if name != variant:
        name += f"-{zlib.crc32(variant.encode()):08x}"
    return f"{name}-seed-{seed}"
