"""Carries a report from the machine to the host: JSON, and the columns as bytes beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tworay._native import _Column
    from tworay.running.run import Report

HEAD, COLUMNS = "report.json", "columns.bin"
TEXTS = ("str", "str?")


@dataclass(frozen=True)
class Carried:
    """A report that was written by ``write``."""

    _head: dict[str, Any]
    _columns: bytes

    def json(self) -> str:
        """Return the document."""
        return str(self._head["json"])

    def lost_at_source(self) -> list[int]:
        """Return the data segments of each flow that were lost at their own source."""
        return list(self._head["lost"])

    def tables(self) -> list[tuple[str, list[_Column]]]:
        """Return all tables."""
        return [(name, [self._column(*one) for one in columns]) for name, columns in self._head["tables"]]

    def _column(self, name: str, kind: Any, begin: int, end: int, texts: list[str] | None) -> _Column:
        part = self._columns[begin:end]
        return (name, kind, part) if texts is None else (name, kind, (texts, part))


def write(place: Path, report: Report) -> None:
    """Write a report into a directory."""
    blobs: list[bytes] = []
    at = 0
    tables = []
    for name, columns in report.tables():
        rows: list[tuple[str, str, int, int, list[str] | None]] = []
        for column in columns:
            texts, blob = column[2] if isinstance(column[2], tuple) else (None, column[2])
            rows.append((column[0], column[1], at, at + len(blob), texts))
            blobs.append(blob)
            at += len(blob)
        tables.append((name, rows))
    (place / COLUMNS).write_bytes(b"".join(blobs))
    head = {"json": report.json(), "lost": report.lost_at_source(), "tables": tables}
    (place / HEAD).write_text(json.dumps(head), encoding="utf-8")


def read(place: Path) -> Carried:
    """Read a report that ``write`` wrote."""
    head = json.loads((place / HEAD).read_text(encoding="utf-8"))
    return Carried(head, (place / COLUMNS).read_bytes())
