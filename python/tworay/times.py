"""Times with a unit, as scenarios and scripts have them: ``0.5s``, ``200ms``."""

from __future__ import annotations

import re

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
TIME = re.compile(rf"\s*(\d+\.?\d*|\.\d+)\s*({'|'.join(UNITS)})\s*")


def seconds(text: str) -> float | None:
    """Return a time in seconds; ``None`` if the text is not a number with a unit."""
    found = TIME.fullmatch(text)
    return None if found is None else float(found[1]) * UNITS[found[2]]
