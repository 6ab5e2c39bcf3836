"""The files of result directories, and the form of a run's document."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from tworay.errors import OutputError
from tworay.experiment.store.formats import scenario_of_today
from tworay.experiment.store.manifest import SUMMARY, is_whole, read_manifest

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = "scenario.toml"
COSTS = "costs.csv"
# Of formats before 4.
RUNS = "runs"
RECORDS = "runs.jsonl"

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
# Null where the stations route: nobody counts them.
MAY_BE_NULL = ("control_packets", "control_bytes", "route_changes")
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
            counted = key not in MAY_BE_NULL or key not in document[section]
            if counted and document[section].get(key) is None:
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
