"""The tables of runs: one file per run and kind, which a comparison merges into one file per kind at its end.

Files of a kept table have names of world (in a comparison: the arm) and seed.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tworay.errors import OutputError
from tworay.experiment.store.batches import TABLES
from tworay.experiment.store.disk import write_whole
from tworay.experiment.store.place import tables_of
from tworay.experiment.store.records import RUNS
from tworay.files import replacing
from tworay.running.workers import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tworay.experiment.store.batches import Place

Rows: TypeAlias = "dict[str, int]"

# A file name of at most 255 bytes must also hold the seed and a suffix.
LONGEST_NAME = 120


def part_name(key: str, seed: int, between: str = "-") -> str:
    """Return the name of a run's files; a digest distinguishes names that a file name can't hold."""
    name = re.sub(r"[^A-Za-z0-9.+=-]", "_", key)[:LONGEST_NAME]
    if name != key:
        name += f"-{zlib.crc32(key.encode()):08x}"
    return f"{name}{between}{seed}"


def table_file(out: Path, name: str, key: str, seed: int) -> Path:
    """Return the file of a table that is kept of a run."""
    return out / TABLES / name / f"{part_name(key, seed)}.parquet"


def table_files(out: Path, name: str) -> list[Path]:
    """Return the files of a table: one, or one per run of an interrupted comparison."""
    # Directories of format 3 and before had a folder per run.
    parts = [*(out / TABLES / name).glob("[!.]*.parquet"), *(out / RUNS).glob(f"[!.]*/{name}.parquet")]
    merged = out / f"{name}.parquet"
    return sorted(parts) or ([merged] if merged.is_file() else [])


def kept_tables(out: Path) -> list[str]:
    """Return the names of the tables of runs that a comparison keeps."""
    return sorted({*kinds(out), *_named(tables_of(out))})


def is_merged(out: Path) -> bool:
    """Return whether no tables of single runs are there, which are left by an interrupted comparison."""
    return not (out / TABLES).is_dir() and not (out / RUNS).is_dir()


def parquet(table: pl.DataFrame) -> bytes:
    """Return a table as Parquet. A full disk is then a plain ``OSError`` of writing it."""

    def whole() -> bytes:
        buffer = io.BytesIO()
        table.write_parquet(buffer, compression="zstd")
        return buffer.getvalue()

    return undisturbed(whole)


def labelled(frame: pl.DataFrame, **labels: str | int) -> pl.DataFrame:
    """Add the run to every row, so that merged tables can be grouped."""
    # Without a query for each table: a short run takes less than these.
    columns = [
        pl.Series(name, [value], pl.UInt64 if isinstance(value, int) else pl.String)
        for name, value in labels.items()
    ]
    return pl.DataFrame([*(one.new_from_index(0, frame.height) for one in columns), *frame.get_columns()])


class Merged:
    """The merged tables of a comparison, taken apart into those of its runs."""

    def __init__(self, out: Path) -> None:
        frames = {name: read_table(file) for name, file in _named(tables_of(out)).items()}
        self._empty = {name: frame.clear() for name, frame in frames.items()}
        self._runs = {
            name: frame.partition_by("variant", "seed", as_dict=True) for name, frame in frames.items()
        }

    def of(self, place: Place, known: Iterable[str]) -> dict[str, pl.DataFrame]:
        """Return the tables of a run, also those in which it has no rows if they are ``known``."""
        return {
            name: runs.get(place, self._empty[name])
            for name, runs in self._runs.items()
            if place in runs or name in known
        }


def take_apart(source: Path, places: Mapping[Place, Rows | None], target: Path) -> None:
    """Write the tables of these runs into ``target``, one file per run and kind, unless they are there.

    ``places``: how many rows of each table a run has, if that is known.
    """
    merged: Merged | None = None
    for (key, seed), rows in places.items():
        folder = source / RUNS / part_name(key, seed, "-seed-")
        names = rows if rows is not None else _names(source, folder)
        own = {name: table_file(source, name, key, seed) for name in names}
        own = {name: file if file.is_file() else folder / f"{name}.parquet" for name, file in own.items()}
        if not all(file.is_file() for file in own.values()):
            merged = merged or Merged(source)
        found = {} if merged is None else merged.of((key, seed), names)
        for name, file in own.items():
            goal = table_file(target, name, key, seed)
            if goal.is_file():
                continue
            if file.is_file():
                write_whole(goal, file.read_bytes())
            elif name in found:
                write_whole(goal, parquet(found[name]))


def _names(out: Path, folder: Path) -> list[str]:
    return sorted(_named([*folder.glob("*.parquet"), *tables_of(out)]))


def _named(files: Iterable[Path]) -> dict[str, Path]:
    """Return files of tables by name; the table of all runs is not one of a run."""
    return {file.stem: file for file in files if file.name != "runs.parquet"}


def kinds(out: Path) -> list[str]:
    """Return the names of the tables that are there as files of single runs."""
    return sorted(folder.name for folder in (out / TABLES).glob("[!.]*") if folder.is_dir())


def merge_tables(out: Path, places: Iterable[Place]) -> None:
    """Merge every table of these runs, in their order, into one file; those of single runs stay."""
    order = [part_name(*place) for place in places]
    for name in kinds(out):
        files = [out / TABLES / name / f"{part}.parquet" for part in order]
        files = [file for file in files if file.is_file()]
        with replacing(out / f"{name}.parquet", durable=True) as target:
            _merge(files, target)


def drop_parts(out: Path) -> None:
    """Remove the files of single runs. Renamed first: a half-deleted directory must never look complete."""
    doomed = out / f".{TABLES}.{os.getpid()}.old"
    (out / TABLES).rename(doomed)
    shutil.rmtree(doomed)


def _merge(parts: list[Path], target: Path) -> None:
    """Merge the tables of several runs; a column that a run of another schema lacks is null there."""
    if len({tuple(pl.read_parquet_schema(part).items()) for part in parts}) == 1:
        pl.scan_parquet(parts).sink_parquet(target, compression="zstd")
    else:
        whole = pl.concat([pl.scan_parquet(part) for part in parts], how="diagonal_relaxed")
        whole.sink_parquet(target, compression="zstd")


def lacking(out: Path, runs: Mapping[Place, Rows]) -> dict[str, list[Place]]:
    """Return the runs that lack rows in a table, by the table's file."""
    missing: dict[str, list[Place]] = {}
    heights: dict[Path, dict[Place, int]] = {}
    for (key, seed), wanted in sorted(runs.items()):
        folder = out / RUNS / part_name(key, seed, "-seed-")
        for name, rows in wanted.items():
            own = table_file(out, name, key, seed)
            if own.is_file() or (folder / f"{name}.parquet").is_file():
                continue
            merged = out / f"{name}.parquet"
            if merged not in heights:
                heights[merged] = _heights(merged)
            if heights[merged].get((key, seed), 0) != rows or not merged.is_file():
                named = own if own.parent.is_dir() and not merged.is_file() else merged
                missing.setdefault(str(named), []).append((key, seed))
    return missing


def _heights(file: Path) -> dict[Place, int]:
    """Return how many rows a merged table has of each run; none, if it can't be read."""
    try:
        rows = pl.scan_parquet(file).group_by("variant", "seed").len().collect().iter_rows()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return {}
    return {(variant, seed): number for variant, seed, number in rows}


def tables_of_run(out: Path, key: str, seed: int) -> dict[str, pl.DataFrame]:
    """Return the tables of one run of a comparison, merged already or not."""
    name = f"{part_name(key, seed)}.parquet"
    folder = out / RUNS / part_name(key, seed, "-seed-")
    own = {file.parent.name: file for file in (out / TABLES).glob(f"*/{name}")}
    own |= {file.stem: file for file in folder.glob("*.parquet")}
    mine = (pl.col("variant") == key) & (pl.col("seed") == seed)
    merged = _named(tables_of(out))
    return {
        kind: (read_table(own[kind]) if kind in own else read_table(merged[kind], mine)).drop(
            "variant", "seed"
        )
        for kind in sorted(own or merged)
    }


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
