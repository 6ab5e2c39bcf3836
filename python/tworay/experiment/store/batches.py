"""Storage of finished runs, of sweeps and comparisons: a journal, folded into checksummed Parquet batches.

A finished run is appended to the journal of its process at once, so a killed process loses only its current
runs. Every half minute, or after a number of runs, the journal is folded into a batch, written under a hidden
name and renamed. A batch is named after the SHA-256 of its bytes: damage is detected, names don't depend on
the order of work, and copying one directory into another merges them. There is no index: the batches are read
instead. No file marks a running process: the system's lock on a journal ends with its process.
"""

from __future__ import annotations

import errno
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
from tworay.experiment.store.disk import bytes_of, told, write_whole
from tworay.experiment.store.journals import open_journal, read_journal
from tworay.metrics import EXAMPLES, values
from tworay.running.workers import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

PARTS, JOURNAL, CORRUPT, TABLES = "parts", "journal", "corrupt", "tables"
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
    "path_hops": pl.Float64,
    "partitioned": pl.Float64,
    # Each flow's share of time without a path, and the number of rows in each table that is kept of the run.
    "shares": pl.List(pl.Float64),
    "tables": pl.String,
    **dict.fromkeys(EXAMPLES, pl.Float64),
    "document": pl.String,
}
# What the journal has of a run; metrics are computed from the document.
WRITTEN = [name for name in COLUMNS if name not in EXAMPLES]


def row(
    world: str,
    seed: int,
    document: Mapping[str, Any] | None,
    *,
    message: str | None = None,
    facts: Sequence[Any] = (None, None),
    tables: Mapping[str, int] | None = None,
) -> Row:
    """Create the row of a run from its document, or from the message of its failure.

    ``facts``: mean hops, time without a path and, if known, that of each flow. ``tables``: the number of rows
    of each table.
    """
    kept = None if document is None else {k: v for k, v in document.items() if k != "cpu_seconds"}
    return {
        "world": world,
        "seed": seed,
        "status": FAILED if document is None else DONE,
        "message": message,
        "tworay": VERSION,
        # Not stored: the only value in which equal runs differ.
        "cpu_seconds": None if document is None else document.get("cpu_seconds"),
        "path_hops": facts[0],
        "partitioned": facts[1],
        "shares": facts[2] if len(facts) > 2 else None,
        "tables": None if tables is None else json.dumps(tables, separators=(",", ":")),
        "document": None if kept is None else json.dumps(kept, separators=(",", ":")),
    }


def as_parquet(rows: Iterable[Row]) -> bytes:
    """Write rows as a batch, in the order of their worlds and seeds: the same rows give the same bytes."""
    ordered = sorted(rows, key=lambda one: (one["world"], one["seed"]))
    return undisturbed(lambda: _parquet(_as_frame(ordered, COLUMNS)))


def _as_frame(rows: Iterable[Row], names: Iterable[str]) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {name: [] for name in names}
    counted = not set(columns) <= set(WRITTEN)
    for one in rows:
        found = values(json.loads(one["document"])) if counted and one["document"] else {}
        for name, column in columns.items():
            column.append(one.get(name) if name in WRITTEN else found.get(name))
    return pl.DataFrame(columns, schema={name: COLUMNS[name] for name in columns})


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.rechunk().write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def name_of(content: bytes) -> str:
    """Return the name of a batch: the checksum of its bytes."""
    return f"{hashlib.sha256(content).hexdigest()[:32]}.parquet"


@dataclass
class Found:
    """The contents of a directory: the status of each run, and problems."""

    runs: dict[Place, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    doubles: bool = False


def batches_of(path: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the batches of a directory with their bytes, also damaged ones.

    Another process may put batches together meanwhile, so that some of the list are gone: then the new ones
    are looked up, and a run may come twice, but none is overlooked.
    """
    seen: set[str] = set()
    while True:
        gone = False
        for file in sorted((path / PARTS).glob("[!.]*.parquet")):
            if file.name in seen:
                continue
            try:
                content = bytes_of(file)
            except FileNotFoundError:
                gone = True
                continue
            seen.add(file.name)
            yield file, content
        if not gone:
            return


class Batches:
    """The runs of one directory, read when it is opened; ``add`` stores another one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found = Found()
        self._fresh: list[Row] = []
        # Batches of this process: what it did again counts, not the copy from before.
        self._own: set[Path] = set()
        self._flushed = time.monotonic()
        self._journal: BinaryIO | None = None
        self._journal_path = (
            path / JOURNAL / f"{os.uname().nodename}-{os.getpid()}-{os.urandom(4).hex()}.jsonl"
        )
        self._read()

    def _read(self) -> None:
        for file, content in batches_of(self.path):
            if self._is_sound(file, content):
                self._count(_light(content))
        for file in sorted((self.path / JOURNAL).glob("*.jsonl")):
            self._fold(file)

    def _is_sound(self, file: Path, content: bytes) -> bool:
        """Return whether a batch is whole. A damaged one is put aside and reported; its runs are missing."""
        if name_of(content) == file.name:
            return True
        aside = self.path / CORRUPT / file.name
        with told("write", aside):
            aside.parent.mkdir(exist_ok=True)
            file.replace(aside)
        self.found.broken.append(
            f"{file}: its checksum is wrong (truncated or damaged); it is put aside in {aside.parent}, and "
            "its runs are done again"
        )
        return False

    def _count(self, rows: Iterable[Row]) -> None:
        for one in rows:
            place = (one["world"], one["seed"])
            self.found.doubles |= place in self.found.runs
            if self.found.runs.get(place) != DONE:
                self.found.runs[place] = one["status"]

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
            rows, bad = read_journal(file) if file.exists() else ([], 0)
            if bad:
                self.found.broken.append(
                    f"{file}: {bad} damaged line{'s' * (bad > 1)}; their runs are done again"
                )
            new = {(r["world"], r["seed"]): r for r in rows if self._is_news(r)}
            if new:
                content = as_parquet(new.values())
                write_whole(self.path / PARTS / name_of(content), content)
                self._count(new.values())
            with told("remove", file):
                file.unlink(missing_ok=True)
        finally:
            os.close(handle)

    def _is_news(self, one: Row) -> bool:
        return self.found.runs.get((one["world"], one["seed"])) != DONE

    def add(self, one: Row) -> None:
        """Store a finished run; one caller at a time."""
        body = json.dumps({name: one[name] for name in WRITTEN}, separators=(",", ":")).encode()
        with told("write", self._journal_path):
            if self._journal is None:
                self._journal = open_journal(self._journal_path)
            line = b"%08x %s\n" % (zlib.crc32(body), body)
            if self._journal.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._fresh.append(one)
        # A run that lost its tables is done twice.
        self.found.doubles |= (one["world"], one["seed"]) in self.found.runs
        self.found.runs[one["world"], one["seed"]] = one["status"]
        if len(self._fresh) >= FLUSH_RUNS or time.monotonic() - self._flushed > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Fold the journal into a batch."""
        self._flushed = time.monotonic()
        if not self._fresh:
            return
        content = as_parquet(self._fresh)
        target = self.path / PARTS / name_of(content)
        write_whole(target, content)
        self._own.add(target)
        self._fresh = []
        if self._journal is not None:
            with told("empty", self._journal_path):
                self._journal.truncate(0)

    def close(self) -> None:
        """Fold and remove the journal; without room for a batch it stays, for the next process."""
        journal, self._journal = self._journal, None
        try:
            self.flush()
        finally:
            if journal is not None:
                journal.close()
        if journal is not None:
            with told("remove", self._journal_path):
                self._journal_path.unlink(missing_ok=True)

    def compact(self, *, by_world: bool = False) -> None:
        """Merge small batches, and drop duplicates (such as a failed run that succeeded later).

        ``by_world`` writes one batch per world instead, whose bytes depend on its runs alone.
        """
        sound = [(file, content) for file, content in batches_of(self.path) if self._is_sound(file, content)]
        # In an order that depends only on their contents.
        frames = {file: as_columns(pl.read_parquet(io.BytesIO(content))) for file, content in sorted(sound)}
        files = list(frames)
        small = [file for file in files if frames[file].height < SMALL]
        if not (by_world or self.found.doubles or len(small) > 1):
            return
        chosen = files if by_world or self.found.doubles else small
        chosen = sorted(chosen, key=lambda file: file not in self._own)
        whole = unique(pl.concat([frames[file] for file in chosen], how="diagonal")).sort("world", "seed")
        written = set()
        for batch in whole.partition_by("world", maintain_order=True) if by_world else [whole]:
            content = _parquet(batch)
            target = self.path / PARTS / name_of(content)
            written.add(target)
            if not target.exists():
                write_whole(target, content)
        for file in chosen:
            if file not in written:
                with told("remove", file):
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


def read_stored(path: Path, names: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Return these columns of every stored run, and which batches and lines can't be read.

    Nothing is changed on disk. The columns contain ``world``, ``seed`` and ``status``.
    """
    frames, rows, problems, notes = [], [], [], []
    # Journals first: what is folded into a batch meanwhile is found twice, not overlooked.
    for file in sorted((path / JOURNAL).glob("*.jsonl")):
        try:
            found, bad = read_journal(file)
        except FileNotFoundError:
            continue
        rows += found
        notes += [f"{file} has {bad} damaged line{'s' * (bad > 1)}"] if bad else []
    for file, content in batches_of(path):
        if name_of(content) == file.name:
            frames.append(_columns_of(content, names, file))
        else:
            problems.append(f"{file} can't be read (its checksum is wrong: it was edited or damaged)")
    problems += notes
    return unique(pl.concat([*frames, _as_frame(rows, names)])), problems


def _columns_of(content: bytes, names: Sequence[str], file: Path) -> pl.DataFrame:
    """Read a batch; metrics that its version did not know are computed from its documents."""
    try:
        present = pl.read_parquet_schema(io.BytesIO(content))
        there = [name for name in names if name in present]
        more = [] if len(there) == len(names) or "document" in there else ["document"]
        return as_columns(pl.read_parquet(io.BytesIO(content), columns=[*there, *more]), names)
    except (pl.exceptions.PolarsError, ValueError, KeyError) as error:
        raise OutputError(f"{file} can't be read: {str(error).splitlines()[0]}") from error


def stored_rows(path: Path) -> tuple[list[Row], list[str]]:
    """Return every stored run, and what can't be read."""
    frame, problems = read_stored(path, WRITTEN)
    return frame.to_dicts(), problems


def unique(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep one row per run, a finished one rather than a failed one, and of equals the first."""
    ordered = frame.sort("world", "seed", "status", maintain_order=True)
    return ordered.unique(["world", "seed"], keep="first", maintain_order=True)


def _light(content: bytes) -> list[Row]:
    return pl.read_parquet(io.BytesIO(content), columns=["world", "seed", "status"]).to_dicts()
