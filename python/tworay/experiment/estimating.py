"""Estimate the cost of a sweep from short samples of a few cells."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tworay._native import RunControl
from tworay.errors import Cancelled, RunError
from tworay.experiment.store.batches import PARTS
from tworay.running.run import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tworay.experiment.engines import Todo

SAMPLES = 8
SAMPLE_SECONDS = 0.7
# A row with its document, compressed, in batches of hundreds (docs/guide/sweeps.md has the measurement).
BYTES_A_RUN = 800


@dataclass(frozen=True)
class Estimate:
    """Time and disk space for the missing runs."""

    runs: int
    seconds_a_run: float | None
    jobs: int
    bytes: int | None
    """Of a comparison unknown: it keeps the tables of all runs."""

    @property
    def seconds(self) -> float | None:
        """Estimated time on a number of cores, s."""
        return (
            None
            if self.seconds_a_run is None
            else self.seconds_a_run * self.runs / max(1, min(self.jobs, self.runs))
        )

    def document(self) -> dict[str, Any]:
        """Return the JSON document."""
        return {
            "runs": self.runs,
            "seconds_a_run": self.seconds_a_run,
            "seconds": self.seconds,
            "bytes": self.bytes,
        }


def estimate(todo: Sequence[Todo], jobs: int, out: Path | None) -> Estimate:
    """Start a run in a few cells spread over the experiment, and measure its progress."""
    # Sorted by cell, not by seed, and evenly from the first to the last, so that early and late values of
    # every axis are sampled.
    by_cell = sorted({task.number: task for task in todo}.values(), key=lambda task: task.number)
    samples = min(SAMPLES, len(by_cell))
    chosen = [by_cell[(2 * i + 1) * len(by_cell) // (2 * samples)] for i in range(samples)]
    found = [seconds for seconds in map(_sample, chosen) if seconds is not None]
    space = None
    if out is not None:
        space = sum(file.stat().st_size for file in (out / PARTS).glob("*.parquet")) + len(todo) * BYTES_A_RUN
    return Estimate(len(todo), sum(found) / len(found) if found else None, jobs, space)


def _sample(task: Todo) -> float | None:
    """Return the processor time of a run, s, extrapolated from its progress in a short time.

    The time of this process: other load on the machine does not count.
    """
    control = RunControl()
    timer = threading.Timer(SAMPLE_SECONDS, control.cancel)
    began = time.process_time()
    timer.start()
    try:
        run(task.cell.at(task.seed), seed=task.seed, series=False, losses=False, control=control)
    except Cancelled:
        share = control.progress()
        return (time.process_time() - began) / share if share > 0 else None
    except RunError:
        return None
    finally:
        timer.cancel()
    return time.process_time() - began
