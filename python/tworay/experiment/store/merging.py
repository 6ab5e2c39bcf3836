"""Merge directories of comparisons: the shards of one, or more seeds from several machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.experiment.store.manifest import find_manifest
from tworay.experiment.store.place import Lock, sources_of, sweep
from tworay.experiment.store.reading import read
from tworay.experiment.store.records import COSTS, SCENARIO, read_scenario, read_warnings
from tworay.experiment.store.results import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tworay.experiment.store.reading import Stored

# What the manifests of the parts of one comparison agree in.
ALIKE = ("format", "tworay", "results", "scenario", "entries", "resources", "judge", "maxima", "sources")
# Keys that a new manifest gets by itself.
OWN = ("format", "tworay", "results", "schema", "command", "files")


def merge(directories: Sequence[Path], out: Path) -> tuple[int, list[str]]:
    """Merge the runs of comparisons into ``out``; return their number, and problems.

    The parts need the same scenario, engine and kind of judgment; their arms and seeds are united, in the
    order of the parts. A run that several have counts once. ``out`` may be one of the directories.
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
            fresh = {key: record for key, record in part.records.items() if key not in known}
            store.add_from(part.path, fresh)
            known |= set(fresh)
        whole = read(out)
        comparison = whole.comparison()
        comparison.warnings = list(dict.fromkeys(text for part in parts for text in read_warnings(part.path)))
        store.finish(comparison)
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
    if read_scenario(part.path) != read_scenario(first.path):
        raise InputError(
            f"{part.path} and {first.path} have different scenarios ({SCENARIO}); only parts of the same "
            "comparison can be merged"
        )
