"""Merge directories of sweeps: shards of one experiment, or parts from several machines."""

from __future__ import annotations

import io
import shutil
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.experiment.store.batches import FAILED, PARTS, Batches, name_of, write_whole
from tworay.experiment.store.directory import CELLS, EXPERIMENT, RUNS
from tworay.experiment.store.manifest import MANIFEST, find_manifest, read_sweep_manifest
from tworay.experiment.store.sweeps import joined

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def merge(directories: Sequence[Path], out: Path) -> tuple[int, list[str]]:
    """Merge the runs of ``directories`` into ``out``; return their number, and problems.

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
    if out.exists() and find_manifest(out) is None and any(out.iterdir()):
        raise InputError(f"--out {out}: the directory is not empty and holds no sweep; name another one")
    notes = []
    for place in directories:
        if place.resolve() == out.resolve():
            continue
        # First turn the journal of a killed process into a batch.
        notes += Batches(place).found.broken
        for file in sorted((place / PARTS).glob("[!.]*.parquet")):
            content = file.read_bytes()
            if name_of(content) == file.name and not (out / PARTS / file.name).exists():
                write_whole(out / PARTS / file.name, content)
        for folder in ("tables", "failures"):
            if (place / folder).is_dir():
                shutil.copytree(place / folder, out / folder, dirs_exist_ok=True)
    for name in (CELLS, EXPERIMENT, MANIFEST):
        if not (out / name).exists():
            write_whole(out / name, (first / name).read_bytes())
    batches = Batches(out)
    notes += batches.found.broken
    batches.compact()
    failed = sum(status == FAILED for status in batches.found.runs.values())
    if failed:
        notes.append(f"{failed} runs failed; `tworay sweep --retry-failed` does them again")
    return _finish(out), notes


def _engine(head: tuple[Any, Any, Any]) -> str:
    """Say which simulator a directory is of; directories from before results were numbered say none."""
    return f"tworay {head[1]}" + ("" if head[2] is None else f", results {head[2]}")


def _finish(out: Path) -> int:
    """Write the table of all runs from the directory alone; the experiment's files may be elsewhere."""
    frame = joined(out)
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    write_whole(out / RUNS, buffer.getvalue())
    return frame.height
