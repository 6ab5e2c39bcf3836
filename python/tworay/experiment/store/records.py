"""The files of result directories, and how to read their runs."""

from __future__ import annotations

import hashlib
import json
import tomllib
from functools import partial
from typing import TYPE_CHECKING, Any

from tworay.errors import OutputError
from tworay.experiment.store.formats import scenario_of_today
from tworay.experiment.store.manifest import SUMMARY, is_whole, read_manifest, strict_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SCENARIO = "scenario.toml"
COSTS = "costs.csv"
RUNS = "runs"
RECORD = "record.json"
RECORDS = "runs.jsonl"


def read_records(path: Path) -> tuple[dict[tuple[str, int], dict[str, Any]], list[str]]:
    """Return the stored record of each finished run of a comparison by arm and seed, and what can't be read.

    A record has the run's document, without ``cpu_seconds``, the only value in which equal runs differ. What
    can't be read is named by file and line; its runs count as missing.
    """
    found: dict[tuple[str, int], dict[str, Any]] = {}
    problems = []
    for place, read in _stored_records(path):
        try:
            record = read()
            found[record["variant"], record["seed"]] = record
        except (OSError, ValueError, KeyError, TypeError) as error:
            problems.append(
                f"{place} can't be read ({_reason(error)}); "
                f"`tworay compare --resume {path}` does that run again"
            )
    return found, problems


def _stored_records(path: Path) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Give the place of each stored run, and how to read it."""
    file = path / RECORDS
    try:
        lines = file.read_bytes().splitlines() if file.is_file() else []
    except OSError as error:
        raise OutputError(f"{file} can't be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        yield f"{file}:{number}", partial(_from_line, line)
    for file in sorted((path / RUNS).glob(f"[!.]*/{RECORD}")):
        yield str(file.parent), partial(_from_part, file)


def digest(text: str) -> str:
    """Return the checksum of a stored run."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def checked_line(record: dict[str, Any]) -> str:
    """Return a line of ``runs.jsonl``: the record after a checksum of it."""
    return json.dumps({"check": digest(json.dumps(record, allow_nan=False))} | record, allow_nan=False)


def _from_line(line: bytes) -> dict[str, Any]:
    found = strict_json(line.decode())
    # Lines from before there were checksums have none.
    if isinstance(found, dict) and "check" in found:
        _compare(found.pop("check"), json.dumps(found))
    return _record(found)


def _from_part(file: Path) -> dict[str, Any]:
    found = strict_json(file.read_text(encoding="utf-8"))
    summary = file.with_name(SUMMARY)
    if isinstance(found, dict) and "throughput_max_bps" not in found:
        text = summary.read_text(encoding="utf-8")
        if "check" in found:
            _compare(found.pop("check"), text)
        document = check_document(strict_json(text))
        found["document"] = {key: value for key, value in document.items() if key != "cpu_seconds"}
    return _record(found)


def _compare(check: object, text: str) -> None:
    if check != digest(text):
        raise ValueError("its checksum is wrong: it was edited or damaged")


def _reason(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error)


def _record(found: Any) -> dict[str, Any]:
    """Check a stored run; raise ``ValueError`` or ``KeyError`` for what is not one."""
    if not isinstance(found, dict):
        raise ValueError(f"found {str(found)[:40]}, not a run")
    variant, seed = found["variant"], found["seed"]
    if not isinstance(variant, str) or not is_whole(seed):
        raise ValueError(f"variant = {variant!r}, seed = {seed!r}; a text and a number are needed")
    if "document" in found:
        check_document(found["document"])
        facts = found.setdefault("facts", None)
        if facts is not None and not (
            isinstance(facts, list) and len(facts) == 3 and isinstance(facts[2], list)
        ):
            raise ValueError(f"facts = {str(facts)[:40]}")
        tables = found.get("tables", {})
        if not isinstance(tables, dict) or not all(map(is_whole, tables.values())):
            raise ValueError(f"tables = {str(tables)[:40]}")
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
        if missing or not isinstance(flow["goodput_bps"], int | float) or not is_whole(flow["id"]):
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
