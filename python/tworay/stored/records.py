"""The files of result directories, and how to read their runs."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from tworay._native import VERSION
from tworay.errors import InputError, OutputError
from tworay.metrics import parse_judge
from tworay.running.entries import check_entries
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
    file, line = path / RECORDS, 0
    try:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        for one in text.splitlines():
            line += 1
            record = _record(strict_json(one))
            found[record["variant"], record["seed"]] = record
        line = 0
        for file in sorted((path / RUNS).glob(f"[!.]*/{RECORD}")):
            record = strict_json(file.read_text(encoding="utf-8"))
            summary = file.with_name(SUMMARY)
            if isinstance(record, dict) and summary.is_file():
                document = strict_json(summary.read_text(encoding="utf-8"))
                check_document(document)
                record["document"] = {key: value for key, value in document.items() if key != "cpu_seconds"}
            record = _record(record)
            found[record["variant"], record["seed"]] = record
    except (OSError, ValueError, KeyError, TypeError) as error:
        at = f":{line}" if line else ""
        remedy = "the file" if file.name == RECORDS else str(file.parent)
        raise OutputError(
            f"{file}{at} can't be read ({_reason(error)}); delete {remedy}, and "
            "`tworay compare --resume` does its runs again"
        ) from error
    return found


def strict_json(text: str) -> Any:
    """Parse JSON as tworay writes it; raise ``ValueError`` for NaN and infinity, which JSON doesn't know."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def _reason(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64


def _record(found: Any) -> dict[str, Any]:
    """Check a stored run; raise ``ValueError`` or ``KeyError`` for what is not one."""
    if not isinstance(found, dict):
        raise ValueError(f"found {str(found)[:40]}, not a run")
    variant, seed = found["variant"], found["seed"]
    if not isinstance(variant, str) or not _is_whole(seed):
        raise ValueError(f"variant = {variant!r}, seed = {seed!r}; a text and a number are needed")
    if "document" in found:
        check_document(found["document"])
        facts = found.setdefault("facts", None)
        if facts is not None and not (
            isinstance(facts, list) and len(facts) == 3 and isinstance(facts[2], list)
        ):
            raise ValueError(f"facts = {str(facts)[:40]}")
    elif not isinstance(found.get("throughput_max_bps"), int | float):
        raise ValueError("it has neither a document nor throughput_max_bps")
    return found


# Keys of a run's document that are needed to show it, and their types.
DOCUMENT: dict[str, tuple[type, ...]] = {
    "scenario": (str,),
    "seed": (int,),
    "sim_seconds": (int, float),
    "events": (int,),
    "flows": (list,),
    "ledger": (dict,),
    "diagnosis": (dict,),
    "mac": (dict,),
    "routing": (dict,),
    "energy": (dict,),
    "metrics": (dict,),
}
OF_SECTION = {
    "mac": ("collisions", "drops", "queue_drops"),
    "routing": ("protocol", "control_packets", "control_bytes", "route_changes", "false_link_failures"),
}
OF_WHOLE_FLOW = ("completion_seconds", "handshake_seconds", "timeouts", "retransmitted_segments")
OF_FLOW = ("id", "from", "to", "tcp", "goodput_bps")


def check_document(found: Any) -> dict[str, Any]:
    """Check the document of a run; raise ``ValueError`` if it is none."""
    if not isinstance(found, dict):
        raise ValueError(f"found {str(found)[:40]}, not the document of a run")
    for key, kinds in DOCUMENT.items():
        if not isinstance(found.get(key), kinds):
            raise ValueError(f"`{key}` is {str(found.get(key, 'missing'))[:40]}")
    for flow in found["flows"]:
        missing = [key for key in OF_FLOW if not isinstance(flow, dict) or key not in flow]
        if missing or not isinstance(flow["goodput_bps"], int | float) or not _is_whole(flow["id"]):
            raise ValueError(f"a flow has no {missing[0] if missing else 'id or goodput_bps'}")
    return found


def check_whole(found: Any) -> dict[str, Any]:
    """Check the document of a single run, which is shown with all its sections."""
    document = check_document(found)
    for section, keys in OF_SECTION.items():
        for key in keys:
            if document[section].get(key) is None:
                raise ValueError(f"`{section}.{key}` is missing")
    texts = document.setdefault("warnings", [])
    if not isinstance(texts, list) or not all(isinstance(one, dict) and "text" in one for one in texts):
        raise ValueError(f"`warnings` is {str(texts)[:40]}")
    if not isinstance(document.setdefault("cpu_seconds", 0.0), int | float):
        raise ValueError(f"`cpu_seconds` is {str(document['cpu_seconds'])[:40]}")
    for flow in document["flows"]:
        for key in OF_WHOLE_FLOW:
            if key not in flow:
                raise ValueError(f"a flow has no {key}")
    return document


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a result directory."""
    try:
        manifest: dict[str, Any] = strict_json((path / MANIFEST).read_text(encoding="utf-8"))
        made_with, form = manifest["tworay"], manifest.get("format", 1)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = "there is no such directory" if not path.is_dir() else f"it has no readable {MANIFEST}"
        raise InputError(f"{path} holds no results of tworay: {reason}") from error
    if manifest.get("command") == "sweep":
        raise InputError(f"{path} holds a sweep; `tworay table {path}` shows it")
    if not _is_whole(form):
        raise _odd(path, "format", form, "a number")
    if form > FORMAT:
        raise InputError(f"{path} was written by tworay {made_with}, a newer one; this is {VERSION}")
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
    if not isinstance(seeds, list) or not seeds or not all(map(_is_whole, seeds)):
        raise _odd(path, "seeds", seeds, "a list of numbers")
    arms = manifest.get("arms")
    if not isinstance(arms, dict) or not arms:
        raise _odd(path, "arms", arms, "a table of arms")
    for name, arm in arms.items():
        if not (
            isinstance(arm, dict)
            and isinstance(arm.get("tcp"), str | None)
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
    "entries": (str, type(None)),
}


def _are_shares(found: object) -> bool:
    return found is None or (
        isinstance(found, dict) and all(isinstance(share, int | float) for share in found.values())
    )


def read_scenario(path: Path) -> str:
    """Return the scenario of a result directory, in the keys of today."""
    form = read_manifest(path)["format"]
    file = path / SCENARIO
    try:
        text = scenario_of_today(file.read_text(encoding="utf-8"), form)
        tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise OutputError(
            f"{file} can't be read ({error}); the runs need it, restore it or run anew"
        ) from error
    return text


def read_warnings(path: Path) -> list[str]:
    """Return the warnings in a comparison's summary, if it exists."""
    try:
        found = json.loads((path / SUMMARY).read_text(encoding="utf-8"))["warnings"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
