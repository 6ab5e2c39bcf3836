"""Runs a study's comparisons into its store, and continues those that are there, and those that are kept."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

import tworay
from studies.virtual import kept
from studies.virtual.plan import STORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from studies.virtual.kept import Kept
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


class Arm(NamedTuple):
    """An arm of a case, whether kernels run it, and the comparison of it alone."""

    case: str
    arm: str
    kernel: bool
    run: Callable[[], Comparison]


def completed(file: Path, metrics: Sequence[str], seeds: int, arms: Iterable[Arm]) -> Kept:
    """Run these arms but what ``file`` keeps already; return what it keeps of all."""
    runs = kept.read(file, metrics)
    for one in arms:
        key = one.case, one.arm
        if key in runs and runs[key].covers(range(1, seeds + 1)):
            continue
        found = one.run()
        (values,) = (found.values(name) for name in found.variants)
        runs[key] = kept.Runs(kept.now(kernel=one.kernel), kept.of_metrics(values, metrics))
        kept.write(file, runs, metrics)
    return runs
