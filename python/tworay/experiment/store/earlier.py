"""Runs of comparisons in the formats before 4: lines of ``runs.jsonl``, and folders in ``runs/``."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from tworay.errors import OutputError
from tworay.experiment.store.manifest import SUMMARY, is_whole, strict_json
from tworay.experiment.store.records import RECORDS, RUNS, check_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RECORD = "record.json"


def read_records(path: Path) -> tuple[dict[tuple[str, int], dict[str, Any]], list[str]]:
    """Return the record of each finished run by arm and seed, and what can't be read, by file and line."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    problems = []
    for place, read in _stored_records(path):
        try:
            record = read()
            found[record["variant"], record["seed"]] = record
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            problems.append(f"{place} can't be read ({reason})")
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


def _from_line(line: bytes) -> dict[str, Any]:
    found = strict_json(line.decode())
    # The first lines had no checksums.
    if isinstance(found, dict) and "check" in found:
        _compare(found.pop("check"), json.dumps(found))
    return _record(found)


def _from_part(file: Path) -> dict[str, Any]:
    found = strict_json(file.read_text(encoding="utf-8"))
    if isinstance(found, dict) and "throughput_max_bps" not in found:
        text = file.with_name(SUMMARY).read_text(encoding="utf-8")
        if "check" in found:
            _compare(found.pop("check"), text)
        found["document"] = check_document(strict_json(text))
        found["document"].pop("cpu_seconds", None)
    return _record(found)


def _compare(check: object, text: str) -> None:
    if check != hashlib.sha256(text.encode()).hexdigest()[:16]:
        raise ValueError("its checksum is wrong: it was edited or damaged")


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
        tables = found.setdefault("tables", None)
        if tables is not None and not (isinstance(tables, dict) and all(map(is_whole, tables.values()))):
            raise ValueError(f"tables = {str(tables)[:40]}")
    elif not isinstance(found.get("throughput_max_bps"), int | float):
        raise ValueError("it has neither a document nor throughput_max_bps")
    return found
