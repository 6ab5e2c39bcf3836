"""Runs a study's comparisons into its store, and continues those that are there."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import tworay
from studies.virtual.plan import STORE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tworay import Comparison


def compared(
    name: str,
    scenario: str,
    arms: Sequence[str],
    settings: Mapping[str, str],
    seeds: int,
    *,
    routing: str | None = None,
    jobs: int | None = None,
) -> Comparison:
    """Return a comparison of these arms with at least ``seeds`` seeds; stored runs are not done again."""
    out = STORE / re.sub(r"[^\w.]+", "-", name)
    print(f"{name}: {', '.join(arms)}; {seeds} seeds", file=sys.stderr, flush=True)
    STORE.mkdir(parents=True, exist_ok=True)
    stored = out.is_dir()
    # Stored runs of other settings are refused.
    found = tworay.compare(
        scenario,
        tcp=list(arms),
        set=dict(settings),
        routing=routing,
        seeds=seeds,
        out=None if stored else out,
        resume=out if stored else None,
        jobs=jobs,
    )
    for failure in found.failures:
        print(f"{name}: {failure.variant}, seed {failure.seed}: {failure.message}", file=sys.stderr)
    return found
