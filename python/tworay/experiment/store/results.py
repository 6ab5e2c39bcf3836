"""Write result directories: the runs, their tables, and ``summary.json``, each complete or absent.

The directory is locked before the first run. Files appear in it when that run is done, and each finished
run is stored at once, its tables before its row: whatever stops the program (Ctrl-C, a full disk, a power
cut), stored runs are complete. At the end their tables are merged into one per kind.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay._native import RESULTS, SCHEMA, VERSION
from tworay.errors import InputError, OutputError
from tworay.experiment.store.batches import DONE, JOURNAL, TABLES, Batches
from tworay.experiment.store.disk import remedy, write_whole
from tworay.experiment.store.formats import FORMAT
from tworay.experiment.store.manifest import MANIFEST, SUMMARY, read_manifest, strict_json
from tworay.experiment.store.namedfiles import replaced
from tworay.experiment.store.place import (
    HOLD_RUNS,
    Lock,
    check_place,
    listed,
    new_directory,
    sources_of,
    sweep,
    tables_of,
)
from tworay.experiment.store.records import COSTS, SCENARIO, check_whole, read_scenario
from tworay.experiment.store.tables import (
    Rows,
    drop_parts,
    kinds,
    labelled,
    merge_tables,
    parquet,
    read_table,
    table_file,
    take_apart,
)
from tworay.running.frames import Table
from tworay.running.sources import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tworay.experiment.comparison import Comparison
    from tworay.experiment.store.batches import Place, Row
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario


def _whole(path: Path) -> str:
    """Return the whole path of a file as a value of a scenario."""
    return json.dumps(str(path.absolute()), ensure_ascii=False)


def keep(scenario: Scenario, classes: Mapping[str, object] = MappingProxyType({})) -> dict[str, str]:
    """Return the files that a scenario needs to run again, by name: the scenario and the files it names.

    ``classes`` are further Python variants to keep.
    """
    own = [*scenario.custom, *((name, one) for name, one in classes.items() if isinstance(one, type))]
    names, files = kept(own)
    text, costs = scenario.to_keep(COSTS, names)
    # A directory of results is elsewhere, and may be read from anywhere.
    text = replaced(text, _whole)
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
        self._batches: Batches | None = None
        if not resume:
            check_place(path, command, force, self._names)

    @property
    def _names(self) -> list[str]:
        """Names in the directory that no file of the user's can have."""
        return [*self._manifest["files"], *(HOLD_RUNS if self._manifest["command"] == "compare" else ())]

    @classmethod
    def of_run(cls, path: Path, run: Run, *, force: bool) -> Store:
        """Check the directory for a finished run, which may come from another process."""
        details = {"scenario": run.scenario, "seed": run.seed}
        return cls(path, "run", force=force, scenario=None, details=details, kept=run.to_keep())

    @property
    def runs(self) -> dict[Place, str]:
        """The status of each stored run."""
        return {} if self._batches is None else self._batches.found.runs

    def keep(self, key: str, seed: int, name: str, table: pl.DataFrame) -> None:
        """Store a table of a run, before its row; safe to call from several threads."""
        self._create()
        write_whole(table_file(self.path, name, key, seed), parquet(labelled(table, variant=key, seed=seed)))

    def add(self, row: Row) -> None:
        """Store a finished run; one caller at a time. Failed runs are done again, so they are not stored."""
        if row["status"] == DONE:
            self._create().add(row)

    def claim(self) -> None:
        """Lock the directory, which is created if necessary; refuse it if another process got there first."""
        if self._resume or self._lock is not None:
            return
        with _writing(self.path):
            self._lock = Lock.claim(self.path)
            try:
                sweep(self.path)
                # Another process may have filled the directory since this object was created.
                check_place(self.path, self._manifest["command"], self._force, self._names)
            except BaseException:
                self.release()
                raise

    def write_single(self, run: Run) -> None:
        """Write the directory of a single run."""
        try:
            self.claim()
            self._list_tables(f"{name}.parquet" for name in run.tables)
            with _writing(self.path), self._new() as directory:
                for name, table in run.tables.items():
                    _write(directory / f"{name}.parquet", parquet(labelled(table, seed=run.seed)))
                _write(directory / SUMMARY, _json(run.summary))
        finally:
            self.release()

    def _list_tables(self, names: Iterable[str]) -> None:
        """Add tables to the files that the manifest lists."""
        del self._manifest["files"]
        self._manifest |= {"files": sorted({*self._kept, *names})}

    def finish(self, comparison: Comparison, rows: Mapping[Place, Rows | None]) -> None:
        """Merge the tables of the runs into one per kind, and write the summary.

        ``rows`` has the number of rows of each table, by arm and seed. Tables of single runs stay until all
        are merged: after a kill at any point, resuming finds every finished run.
        """
        with self._mutex:
            if self._resume and not (self.path / TABLES).is_dir() and (self.path / SUMMARY).is_file():
                self._show_anew(comparison)  # Nothing was added.
                return
            batches = self._open()
            batches.close()
            batches.compact(by_world=True)
            order = [(variant, seed) for variant in comparison.variants for seed in comparison.seeds]
            # A run that failed or was interrupted may have left some of its tables.
            order = [place for place in order if place in rows]
            take_apart(self.path, {place: rows[place] for place in order}, self.path)
            self._list_tables(["runs.parquet", *(f"{name}.parquet" for name in kinds(self.path))])
            write_whole(self.path / MANIFEST, _json(self._manifest))
            write_whole(self.path / SUMMARY, _json(comparison.summary))
            write_whole(self.path / "runs.parquet", parquet(comparison.runs))
            with _writing(self.path):
                merge_tables(self.path, order)
                drop_parts(self.path)
            with suppress(OSError):  # Unless it has the journal of another process.
                (self.path / JOURNAL).rmdir()
        self.release()

    def _show_anew(self, comparison: Comparison) -> None:
        """Store a new choice of flows or metrics, which changes the verdict and no run."""
        known = read_manifest(self.path)
        chosen = {key: self._manifest.get(key) for key in ("judge", "metrics")}
        if any(known.get(key) != value for key, value in chosen.items()):
            write_whole(self.path / MANIFEST, _json(known | chosen))
            write_whole(self.path / SUMMARY, _json(comparison.summary))

    def release(self) -> None:
        """Let other processes write."""
        try:
            if self._batches:
                self._batches.close()
        finally:
            if self._lock:
                self._lock.release()

    def add_from(self, other: Path, rows: Iterable[Row], tables: Mapping[Place, Rows | None]) -> None:
        """Store runs of another comparison's directory, and their tables."""
        batches = self._create()
        take_apart(other, tables, self.path)
        for row in rows:
            batches.add(row)

    def _open(self) -> Batches:
        if self._batches is None:
            self._batches = Batches(self.path)
        return self._batches

    def _create(self) -> Batches:
        with self._mutex:
            if not self._created:
                self.claim()
                try:
                    with _writing(self.path):
                        self._begin()
                except BaseException:
                    self.release()
                    raise
                self._created = True
            return self._open()

    def _begin(self) -> None:
        """Write the files that describe the runs, before the first one is stored."""
        if not self._resume:
            with self._new() as directory:
                (directory / TABLES).mkdir()
            return
        (self.path / TABLES).mkdir(exist_ok=True)
        # The merged tables stay listed until they are merged anew.
        self._list_tables(listed(self.path) or [file.name for file in tables_of(self.path)])
        # Sources of new variants.
        for name, text in self._kept.items():
            if not (self.path / name).exists():
                write_whole(self.path / name, text.encode())
        write_whole(self.path / MANIFEST, _json(self._manifest))

    @contextmanager
    def _new(self) -> Iterator[Path]:
        with new_directory(self.path) as directory:
            _write(directory / MANIFEST, _json(self._manifest))
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


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn errors of the system into one line."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        kept = (
            f"continue with `tworay compare --resume {path}`, which keeps finished runs"
            if (path / TABLES).is_dir()
            else "run the same command again"
        )
        raise OutputError(f"cannot write results to {path}: {reason}; {remedy(error)} and {kept}") from error


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=2, allow_nan=False) + "\n").encode()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
