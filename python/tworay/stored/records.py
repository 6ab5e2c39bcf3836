"""The files of result directories, and how to read their runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tworay._native import VERSION
from tworay.errors import InputError, OutputError
from tworay.stored.formats import FORMAT, OLDEST, scenario_of_today

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "tworay.json"
SUMMARY = "summary.json"
SCENARIO = "scenario.toml"
COSTS = "costs.csv"
RUNS = "runs"
RECORD = "record.json"
RECORDS = "runs.jsonl"


def read_records(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the stored record of each finished run of a comparison, by arm and seed, with its document.

    The document lacks ``cpu_seconds``, the only value in which equal runs differ.
    """
    found: dict[tuple[str, int], dict[str, Any]] = {}
    file = path / RECORDS
    try:
        for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else []:
            record = json.loads(line)
            found[record["variant"], record["seed"]] = record
        for file in sorted((path / RUNS).glob(f"[!.]*/{RECORD}")):
            record = json.loads(file.read_text(encoding="utf-8"))
            summary = file.with_name(SUMMARY)
            if summary.is_file():
                document = json.loads(summary.read_text(encoding="utf-8"))
                record["document"] = {key: value for key, value in document.items() if key != "cpu_seconds"}
            found[record["variant"], record["seed"]] = record
    except (OSError, ValueError, KeyError) as error:
        raise OutputError(
            f"{file} can't be read ({error}); delete {'it' if file.name == RECORDS else file.parent}, and "
            "`tworay compare --resume` does its runs again"
        ) from error
    return found


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a result directory."""
    try:
        manifest: dict[str, Any] = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        made_with, form = manifest["tworay"], manifest.get("format", 1)
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = "there is no such directory" if not path.is_dir() else f"it has no readable {MANIFEST}"
        raise InputError(f"{path} holds no results of tworay: {reason}") from error
    if manifest.get("command") == "sweep":
        raise InputError(f"{path} holds a sweep; `tworay table {path}` shows it")
    if form > FORMAT:
        raise InputError(f"{path} was written by tworay {made_with}, a newer one; this is {VERSION}")
    if form < OLDEST:
        raise InputError(
            f"{path} was written by tworay {made_with}, which kept too little to show or resume it; its "
            f"{SUMMARY} and tables can be read, or run it again"
        )
    return manifest


def read_scenario(path: Path) -> str:
    """Return the scenario of a result directory, in the keys of today."""
    form = read_manifest(path)["format"]
    return scenario_of_today((path / SCENARIO).read_text(encoding="utf-8"), form)


def read_warnings(path: Path) -> list[str]:
    """Return the warnings in a comparison's summary, if it exists."""
    try:
        found: list[str] = json.loads((path / SUMMARY).read_text(encoding="utf-8"))["warnings"]
    except (OSError, ValueError, KeyError):
        return []
    return found
