"""Storage of finished runs: a journal with one line per run, folded into checksummed Parquet batches.

A finished run is appended to the journal of its process at once, so a killed process loses only its current
runs. Every half minute, or after a number of runs, the journal is folded into a batch, written under a hidden
name and renamed. A batch is named after the SHA-256 of its bytes: damage is detected, names don't depend on
the order of work, and copying one directory into another merges them. There is no index: the batches are read
instead. No file marks a running process: the system's lock on a journal ends with its process.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import json
import os
import time
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay._native import VERSION
from tworay.errors import OutputError
from tworay.files import replacing
from tworay.metrics import EXAMPLES, values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import BinaryIO

PARTS, JOURNAL, CORRUPT = "parts", "journal", "corrupt"
DONE, FAILED = "done", "failed"
FLUSH_SECONDS = 30.0
FLUSH_RUNS = 500
# Batches with fewer runs are merged at the end of a sweep.
SMALL = 100

Row = dict[str, Any]
Place = tuple[str, int]

COLUMNS: dict[str, Any] = {
    "world": pl.String,
    "seed": pl.UInt64,
    "status": pl.String,
    "message": pl.String,
    "tworay": pl.String,
    "cpu_seconds": pl.Float64,
    "path_hops": pl.Float64,
    "partitioned": pl.Float64,
    **dict.fromkeys(EXAMPLES, pl.Float64),
    "document": pl.String,
}


def row(
    world: str,
    seed: int,
    document: Mapping[str, Any] | None,
    *,
    message: str | None = None,
    facts: tuple[float | None, float | None] = (None, None),
) -> Row:
    """Create the row of a run from its document, or from the message of its failure."""
    kept = None if document is None else {k: v for k, v in document.items() if k != "cpu_seconds"}
    return {
        "world": world,
        "seed": seed,
        "status": FAILED if document is None else DONE,
        "message": message,
        "tworay": VERSION,
        "cpu_seconds": None if document is None else document.get("cpu_seconds"),
        "path_hops": facts[0],
        "partitioned": facts[1],
        "document": None if kept is None else json.dumps(kept, separators=(",", ":")),
    }


def as_parquet(rows: Iterable[Row]) -> bytes:
    """Write rows as a batch, in the order of their worlds and seeds: the same rows give the same bytes."""
    ordered = sorted(rows, key=lambda one: (one["world"], one["seed"]))
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for one in ordered:
        found = values(json.loads(one["document"])) if one["document"] else {}
        for name, column in columns.items():
            column.append(one[name] if name in one else found.get(name))
    buffer = io.BytesIO()
    pl.DataFrame(columns, schema=COLUMNS).write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def name_of(content: bytes) -> str:
    """Return the name of a batch: the checksum of its bytes."""
    return f"{hashlib.sha256(content).hexdigest()[:32]}.parquet"


@dataclass
class Found:
    """The contents of a directory: the status of each run, and problems."""

    runs: dict[Place, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    cpu_seconds: float = 0.0
    timed: int = 0
    doubles: bool = False


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one step, safe against a power cut; create its directory if necessary."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, durable=True) as hidden:
            hidden.write_bytes(content)
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"cannot write {path}: {error.strerror or error}; finished runs are kept: make room and run the same "
        "command again"
    )


def read_journal(path: Path) -> tuple[list[Row], int]:
    """Return a journal's complete lines and the number of damaged ones, ignoring an incomplete last one."""
    rows, bad = [], 0
    lines = path.read_bytes().split(b"\n")
    torn = lines.pop()
    for line in lines:
        check, _, body = line.partition(b" ")
        try:
            if int(check, 16) != zlib.crc32(body):
                raise ValueError(line)
            rows.append(json.loads(body))
        except ValueError:
            bad += 1
    del torn
    return rows, bad


class Batches:
    """The runs of one directory, read when it is opened; ``add`` stores another one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found = Found()
        self._fresh: list[Row] = []
        self._flushed = time.monotonic()
        self._journal: BinaryIO | None = None
        self._journal_path = (
            path / JOURNAL / f"{os.uname().nodename}-{os.getpid()}-{os.urandom(4).hex()}.jsonl"
        )
        self._read()

    def _read(self) -> None:
        for file in sorted((self.path / PARTS).glob("[!.]*.parquet")):
            content = self._checked(file)
            if content is not None:
                self._count(_light(content))
        for file in sorted((self.path / JOURNAL).glob("*.jsonl")):
            self._fold(file)

    def _checked(self, file: Path) -> bytes | None:
        """Return a batch's bytes. A damaged batch is moved aside and reported; its runs count as missing."""
        content = file.read_bytes()
        if name_of(content) == file.name:
            return content
        aside = self.path / CORRUPT / file.name
        try:
            aside.parent.mkdir(exist_ok=True)
            file.replace(aside)
        except OSError as error:
            raise _failed(aside, error) from error
        self.found.broken.append(
            f"{file}: its checksum is wrong (truncated or damaged); it is put aside in {aside.parent}, and "
            "its runs are done again"
        )
        return None

    def _count(self, rows: Iterable[Row]) -> None:
        for one in rows:
            place = (one["world"], one["seed"])
            self.found.doubles |= place in self.found.runs
            if self.found.runs.get(place) != DONE:
                self.found.runs[place] = one["status"]
            if one["cpu_seconds"] is not None:
                self.found.cpu_seconds += one["cpu_seconds"]
                self.found.timed += 1

    def _fold(self, file: Path) -> None:
        """Take over the journal of a process that has ended; leave that of a running process alone."""
        try:
            handle = os.open(file, os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            except OSError:
                pass  # Some network file systems have no locks. A run that is done twice counts once.
            rows, bad = read_journal(file)
            if bad:
                self.found.broken.append(
                    f"{file}: {bad} damaged line{'s' * (bad > 1)}; their runs are done again"
                )
            new = {(r["world"], r["seed"]): r for r in rows if self._is_news(r)}
            if new:
                content = as_parquet(new.values())
                write_whole(self.path / PARTS / name_of(content), content)
                self._count(new.values())
            file.unlink(missing_ok=True)
        finally:
            os.close(handle)

    def _is_news(self, one: Row) -> bool:
        return self.found.runs.get((one["world"], one["seed"])) != DONE

    def add(self, one: Row) -> None:
        """Store a finished run; one caller at a time."""
        body = json.dumps(one, separators=(",", ":")).encode()
        try:
            if self._journal is None:
                self._journal_path.parent.mkdir(parents=True, exist_ok=True)
                self._journal = self._journal_path.open("ab", buffering=0)
                with contextlib.suppress(OSError):
                    fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            line = b"%08x %s\n" % (zlib.crc32(body), body)
            if self._journal.write(line) != len(line):
                raise OSError(28, os.strerror(28))
        except OSError as error:
            raise _failed(self._journal_path, error) from error
        self._fresh.append(one)
        # A run that lost its tables is done twice.
        self.found.doubles |= (one["world"], one["seed"]) in self.found.runs
        self.found.runs[one["world"], one["seed"]] = one["status"]
        if len(self._fresh) >= FLUSH_RUNS or time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    def add_batch(self, content: bytes) -> list[Row]:
        """Store a batch from elsewhere; return its runs."""
        rows = _light(content)
        write_whole(self.path / PARTS / name_of(content), content)
        for one in rows:
            self.found.runs[one["world"], one["seed"]] = one["status"]
        return rows

    def flush(self) -> None:
        """Fold the journal into a batch."""
        self._flushed = time.monotonic()
        if not self._fresh:
            return
        content = as_parquet(self._fresh)
        write_whole(self.path / PARTS / name_of(content), content)
        self._fresh = []
        if self._journal is not None:
            self._journal.truncate(0)

    def close(self) -> None:
        """Fold and remove the journal."""
        self.flush()
        if self._journal is not None:
            self._journal.close()
            self._journal = None
            self._journal_path.unlink(missing_ok=True)

    def files(self) -> list[Path]:
        """Return the batches in an order that depends only on their contents."""
        return sorted((self.path / PARTS).glob("[!.]*.parquet"))

    def compact(self) -> None:
        """Merge small batches, and drop duplicates (such as a failed run that succeeded later)."""
        files = self.files()
        frames = {file: as_columns(pl.read_parquet(file)) for file in files}
        small = [file for file in files if frames[file].height < SMALL]
        if not self.found.doubles and len(small) < 2:
            return
        chosen = files if self.found.doubles else small
        whole = unique(pl.concat([frames[file] for file in chosen], how="diagonal")).sort("world", "seed")
        buffer = io.BytesIO()
        whole.write_parquet(buffer, compression="zstd", statistics=False)
        content = buffer.getvalue()
        target = self.path / PARTS / name_of(content)
        write_whole(target, content)
        for file in chosen:
            if file != target:
                file.unlink(missing_ok=True)
        self.found.doubles = False


def as_columns(frame: pl.DataFrame, names: Iterable[str] = COLUMNS) -> pl.DataFrame:
    """Return the named columns of a batch.

    A batch of another schema may lack columns of metrics; they come from its documents if these have the
    value, and are null if the runs never counted it.
    """
    wanted = list(names)
    absent = [name for name in wanted if name not in frame.columns]
    if absent and "document" in frame.columns:
        found = [values(json.loads(text)) if text else {} for text in frame["document"]]
        more = {name: [one.get(name) for one in found] for name in absent}
    else:
        more = {name: [None] * frame.height for name in absent}
    columns = [pl.Series(name, cells, dtype=COLUMNS[name]) for name, cells in more.items()]
    return frame.with_columns(columns).select(wanted)


def unique(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep one row per run, a finished one rather than a failed one."""
    return frame.sort("world", "seed", "status").unique(["world", "seed"], keep="first", maintain_order=True)


def _light(content: bytes) -> list[Row]:
    return pl.read_parquet(io.BytesIO(content), columns=["world", "seed", "status", "cpu_seconds"]).to_dicts()
