"""Merge directories: shards of one sweep or comparison, or parts from several machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.experiment.store.batches import FAILED, PARTS, TABLES, Batches, batches_of, name_of
from tworay.experiment.store.directory import CELLS, EXPERIMENT, FAILURES, check_directory, write_joined
from tworay.experiment.store.disk import bytes_of, write_whole
from tworay.experiment.store.manifest import MANIFEST, find_manifest, read_sweep_manifest
from tworay.experiment.store.place import Lock, sources_of, sweep
from tworay.experiment.store.reading import read, row_of
from tworay.experiment.store.records import COSTS, SCENARIO, read_scenario, read_warnings
from tworay.experiment.store.results import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tworay.experiment.store.reading import Stored

# What the manifests of the parts of one comparison agree in.
ALIKE = ("tworay", "results", "scenario", "entries", "resources", "judge", "maxima", "sources")
# Keys that a new manifest gets by itself.
OWN = ("format", "schema", "command", "files")


def merge(directories: Sequence[Path], out: Path) -> tuple[int, list[str]]:
    """Merge the runs of sweeps or of comparisons into ``out``; return their number, and problems.

    A run that several have counts once. ``out`` may be one of the directories. Comparisons of an earlier
    format are converted.
    """
    manifest = find_manifest(directories[0])
    if manifest is None:
        raise InputError(f"{directories[0]} holds neither a sweep nor a comparison; check the path")
    join = _merge_comparisons if manifest.get("command") == "compare" else _merge_sweeps
    return join(directories, out)


def _merge_comparisons(directories: Sequence[Path], out: Path) -> tuple[int, list[str]]:
    """Merge comparisons: they need the same scenario, engine and kind of judgment.

    Their arms and seeds are united, in the order of the parts.
    """
    parts = [read(place) for place in directories]
    for part in parts:
        _refuse_other(parts[0], part)
        part.forget_without_tables()
    first = parts[0].path
    resume = any(place.resolve() == out.resolve() for place in directories)
    if not resume and (find_manifest(out) or {}).get("command") == "compare":
        raise InputError(
            f"--out {out}: it holds a comparison; name it among the parts, too, or name another directory"
        )
    details: dict[str, Any] = {key: one for key, one in parts[0].manifest.items() if key not in OWN}
    details["arms"] = {name: about for part in parts for name, about in part.manifest["arms"].items()}
    details["seeds"] = list(dict.fromkeys(seed for part in parts for seed in part.manifest["seeds"]))
    kept = {SCENARIO: read_scenario(first)} | {
        name: (part.path / name).read_text(encoding="utf-8")
        for part in reversed(parts)
        for name in (COSTS, *sources_of(part.path))
        if (part.path / name).is_file()
    }
    lock = Lock(out) if resume else None
    store = Store(out, "compare", force=False, scenario=None, details=details, resume=resume, kept=kept)
    try:
        if resume:
            sweep(out)
        store.claim()
        known = {key for part in parts if part.path.resolve() == out.resolve() for key in part.records}
        for part in parts:
            if part.path.resolve() == out.resolve():
                continue
            fresh = {key: one for key, one in sorted(part.records.items()) if key not in known}
            tables = {key: rows for key, rows in part.tables.items() if key in fresh}
            store.add_from(part.path, map(row_of, fresh.values()), tables)
            known |= set(fresh)
        whole = read(out)
        comparison = whole.comparison()
        comparison.warnings = list(dict.fromkeys(text for part in parts for text in read_warnings(part.path)))
        store.finish(comparison, whole.tables)
    finally:
        store.release()
        if lock:
            lock.release()
    notes = [text for part in parts for text in part.problems]
    missing = len(details["arms"]) * len(details["seeds"]) - len(comparison)
    if missing > 0:
        notes.append(f"{missing} runs are missing; `tworay compare --resume {out}` does them")
    return len(comparison), notes


def _refuse_other(first: Stored, part: Stored) -> None:
    for key in ALIKE:
        here, there = part.manifest.get(key), first.manifest.get(key)
        if here != there:
            raise InputError(
                f"{part.path} and {first.path} differ in {key}: {str(here)[:60]} and {str(there)[:60]}; only "
                "parts of the same comparison can be merged"
            )
    arms, known = part.manifest["arms"], first.manifest["arms"]
    for name in arms.keys() & known.keys():
        if arms[name]["tcp"] != known[name]["tcp"]:
            raise InputError(
                f"{part.path} and {first.path}: the arm `{name}` is {arms[name]['tcp']} and "
                f"{known[name]['tcp']}; only parts of the same comparison can be merged"
            )
    if read_scenario(part.path) != read_scenario(first.path):
        raise InputError(
            f"{part.path} and {first.path} have different scenarios ({SCENARIO}); only parts of the same "
            "comparison can be merged"
        )


def _merge_sweeps(directories: Sequence[Path], out: Path) -> tuple[int, list[str]]:
    """Merge sweeps of one experiment.

    Batches are named by their checksum, so copying an existing one changes nothing. Files that don't match
    their name are not copied, but reported.
    """
    heads = {}
    for place in directories:
        manifest = read_sweep_manifest(place)
        heads[place] = (manifest.get("name"), manifest.get("tworay"), manifest.get("results"))
    first = directories[0]
    for place, head in heads.items():
        if head != heads[first]:
            raise InputError(
                f"{place} holds `{head[0]}` of {_engine(head)}, {first} `{heads[first][0]}` of "
                f"{_engine(heads[first])}; only parts of the same sweep can be merged"
            )
        if (place / EXPERIMENT).read_bytes() != (first / EXPERIMENT).read_bytes():
            raise InputError(
                f"{place} and {first} hold different versions of experiment.toml; sweep both with one"
            )
    check_directory(out, str(heads[first][0]))
    for name in (MANIFEST, EXPERIMENT, CELLS):
        if not (out / name).exists():
            write_whole(out / name, bytes_of(first / name))
    if bytes_of(out / EXPERIMENT) != bytes_of(first / EXPERIMENT):
        raise InputError(
            f"--out {out}: it holds another version of the sweep `{heads[first][0]}`; name another directory"
        )
    notes = []
    for place in directories:
        if place.resolve() == out.resolve():
            continue
        # First turn the journal of a killed process into a batch.
        notes += Batches(place).found.broken
        # Tables before the runs that have them.
        for folder in (TABLES, FAILURES):
            for file in sorted((place / folder).rglob("[!.]*")):
                if file.is_file():
                    write_whole(out / file.relative_to(place), bytes_of(file))
        for file, content in batches_of(place):
            if name_of(content) == file.name and not (out / PARTS / file.name).exists():
                write_whole(out / PARTS / file.name, content)
    batches = Batches(out)
    notes += batches.found.broken
    batches.compact()
    failed = sum(status == FAILED for status in batches.found.runs.values())
    if failed:
        notes.append(f"{failed} runs failed; `tworay sweep --retry-failed` does them again")
    # From the directory alone: the experiment's files may be elsewhere.
    return write_joined(out), notes


def _engine(head: tuple[Any, Any, Any]) -> str:
    """Say which simulator a directory is of; directories from before results were numbered say none."""
    return f"tworay {head[1]}" + ("" if head[2] is None else f", results {head[2]}")
