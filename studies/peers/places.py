"""Paths in the checkout."""

from __future__ import annotations

import os
from pathlib import Path

from tworay.files import replacing

ROOT = Path(__file__).resolve().parents[2]

# Relative to ROOT, where everything runs, so that pages can show the commands as a user would type them.
NS2_DRIVER = Path("studies/peers/ns2/adhoc.tcl")
NS3_DRIVER = Path("studies/peers/ns3/adhoc.cc")
NS3_SOURCES = (NS3_DRIVER, Path("studies/peers/ns3/olsr.h"), Path("studies/peers/ns3/rfc3561.h"))
NS3_AIR = Path("studies/peers/ns3/air.cc")
NS3_WIRED = Path("studies/peers/ns3/wired.cc")
MEASURE_SOURCE = Path("studies/peers/measure.c")
SCENARIOS = Path("studies/peers/scenarios")
CACHE = Path(".tworay-cache/peers")
VALIDATION = Path("docs/studies/validation.md")
PERFORMANCE = Path("docs/studies/performance.md")
NOTES = Path("docs/explanation/differences-from-peers.md")


def reference() -> Path | None:
    """Return the directory with earlier measurements of the peers (``TWORAY_REFERENCE``), if it exists."""
    named = os.environ.get("TWORAY_REFERENCE")
    directory = Path(named) if named else ROOT.parent / "shared" / "reference"
    return directory if directory.is_dir() else None


def replace(path: Path, text: str) -> None:
    """Write a file atomically; create its directory if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as hidden:
        hidden.write_text(text, encoding="utf-8")
