"""``tworay.json``: what every result directory says about itself, read and checked in one place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tworay._native import VERSION
from tworay.errors import InputError, OutputError
from tworay.experiment.store.formats import FORMAT, OLDEST
from tworay.metrics import parse_judge
from tworay.running.entries import check_entries

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "tworay.json"
SUMMARY = "summary.json"


def strict_json(text: str) -> Any:
    """Parse JSON as tworay writes it; raise ``ValueError`` for NaN and infinity, which JSON doesn't know."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number of 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64


def find_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest of a directory of any command; ``None`` if there is none that can be read.

    Raises ``InputError`` for that of a newer tworay, ``OutputError`` for that of a sweep with odd values.
    """
    try:
        found = strict_json((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict):
        return None
    form = found.get("format", 1)
    if not is_whole(form):
        raise _odd(path, "format", form, "a number")
    if form > FORMAT:
        raise InputError(
            f"{path} was written by tworay {found.get('tworay')}, a newer one; this is {VERSION}"
        )
    if found.get("command") == "sweep":
        _check_sweep(path, found)
    return found


def read_sweep_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a sweep; raise ``InputError`` for anything else."""
    manifest = find_manifest(path)
    if manifest is None or manifest.get("command") != "sweep":
        if path.is_file():
            raise InputError(f"{path} is a file, not the directory of a sweep; `tworay sweep` makes one")
        raise InputError(f"{path} holds no sweep; `tworay sweep EXPERIMENT.toml --out {path}` makes one")
    return manifest


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a run or a comparison; raise ``InputError`` for anything else."""
    manifest = find_manifest(path)
    if manifest is None or "tworay" not in manifest:
        if path.is_file():
            reason = "it is a file; name the directory that --out of `tworay run` or `compare` wrote"
        elif not path.is_dir():
            reason = "there is no such directory; --out of `tworay run` or `compare` writes one"
        else:
            reason = f"it has no readable {MANIFEST}"
        raise InputError(f"{path} holds no results of tworay: {reason}")
    made_with, form = manifest["tworay"], manifest.get("format", 1)
    if manifest.get("command") == "sweep":
        raise InputError(
            f"{path} holds a sweep; `tworay table {path}` shows it, with --plot FILE.svg as a figure"
        )
    if form < OLDEST:
        raise InputError(
            f"{path} was written by tworay {made_with}, which kept too little to show or resume it; its "
            f"{SUMMARY} and tables can be read, or run it again"
        )
    _check_manifest(path, manifest)
    return manifest


def _odd(path: Path, key: str, found: object, wanted: str) -> InputError:
    return InputError(
        f"{path / MANIFEST}: {key} = {str(found)[:60]!r}; it must be {wanted}, has it been edited?"
    )


def _check_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Check what a comparison or a run says about itself."""
    if manifest.get("command") not in ("run", "compare"):
        raise _odd(path, "command", manifest.get("command"), "run or compare")
    if manifest["command"] == "run":
        return
    if not isinstance(manifest.get("scenario"), str):
        raise _odd(path, "scenario", manifest.get("scenario"), "a name")
    seeds = manifest.get("seeds")
    if not isinstance(seeds, list) or not seeds or not all(map(is_whole, seeds)):
        raise _odd(path, "seeds", seeds, "a list of numbers")
    arms = manifest.get("arms")
    if not isinstance(arms, dict) or not arms:
        raise _odd(path, "arms", arms, "a table of arms")
    for name, arm in arms.items():
        if not (
            isinstance(arm, dict)
            and isinstance(arm.get("tcp"), str | None)
            and isinstance(arm.get("label"), str | None)
            and isinstance(arm.get("set"), dict)
            and _are_shares(arm.get("mix"))
        ):
            raise _odd(path, f"arms.{name}", arm, '{"tcp": NAME, "set": {}}')
    for key, kinds in OF_COMPARISON.items():
        if not isinstance(manifest.get(key), kinds):
            raise _odd(path, key, manifest.get(key), " or ".join(kind.__name__ for kind in kinds))
    if not all(isinstance(setting, str) for setting in manifest.get("set") or []):
        raise _odd(path, "set", manifest["set"], "a list of settings such as mac.queue_limit=10")
    parse_judge(manifest.get("judge"))
    if not all(isinstance(name, str) for name in manifest.get("metrics") or []):
        raise _odd(path, "metrics", manifest["metrics"], "a list of names such as goodput_bps")
    if manifest.get("entries") is not None:
        check_entries(manifest["entries"], f"{path / MANIFEST}: entries")


# Further keys of a comparison's manifest, and their types.
OF_COMPARISON: dict[str, tuple[type, ...]] = {
    "source": (str, type(None)),
    "set": (list, type(None)),
    "costs": (str, type(None)),
    "until_ci": (float, int, type(None)),
    "max_seeds": (int, type(None)),
    "resources": (bool, type(None)),
    "maxima": (dict, type(None)),
    "sources": (dict, type(None)),
    "judge": (str, type(None)),
    "metrics": (list, type(None)),
    "entries": (str, type(None)),
}


def _are_shares(found: object) -> bool:
    return found is None or (
        isinstance(found, dict) and all(isinstance(share, int | float) for share in found.values())
    )


def _check_sweep(out: Path, found: dict[str, Any]) -> None:
    """Raise ``OutputError`` for what no sweep says about itself."""
    texts, seeds = found.get("metrics", ["goodput_bps"]), found.get("seeds", [])
    right = {
        "metrics": isinstance(texts, list) and texts and all(isinstance(one, str) for one in texts),
        "seeds": isinstance(seeds, list),
        "cells": isinstance(found.get("cells", 0), int),
        "judge": isinstance(found.get("judge"), str | None),
    }
    for key, fine in right.items():
        if not fine:
            raise OutputError(
                f"{out / MANIFEST}: {key} = {str(found.get(key))[:40]!r} is odd; has it been edited?"
            )
