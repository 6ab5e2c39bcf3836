"""A sweep of four cells with three seeds, for the tests of sweeps."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from tworay.experiment.experimentfile import read
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from pathlib import Path

TINY_TOML = """
scenario = ["string-2", "string-3"]
tcp = ["newreno", "vegas"]
seeds = 3
[set]
duration = "3s"
"""
TINY: dict[str, Any] = {"name": "tiny", **tomllib.loads(TINY_TOML)}


def sweep(out: Path, document: dict[str, Any] | None = None, **options: Any) -> Sweep:
    found = Sweep(read(document or TINY), out, **options)
    found.run(jobs=2)
    return found


def parts(out: Path) -> list[Path]:
    return sorted((out / "parts").glob("*.parquet"))
