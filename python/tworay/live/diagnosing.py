"""What real kernels think of their losses, beside the true causes that the air's ledger has."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    import polars as pl

    from tworay.running.run import Run

OURS = "tworay_"
# What a guess is compared with where the ledger has no loss of this segment: the kernel erred.
NONE = "none"


class Listener:
    """Collects the diagnoses of the kernel's controllers between ``with Listener(name)`` and its end.

    Only for controllers of ours (``tworay kernel list``), which tell them; of others nothing is heard.
    """

    def __init__(self, controller: str | None) -> None:
        self.events: list[dict[str, Any]] = []
        self._controller = controller
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Listener:
        """Begin."""
        if self._controller is not None and self._controller.startswith(OURS):
            self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """End; what was told until now is in ``events``."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _listen(self) -> None:
        from tworay import kernel
        from tworay.errors import TworayError

        # Without the loader or rights the run goes on, only without diagnoses.
        with contextlib.suppress(TworayError):
            while not self._stop.is_set():
                self.events.extend(kernel.events(0.5, self._controller))


def diagnose(run: Run, events: list[dict[str, Any]]) -> None:
    """Write the confusion matrix of a run's kernels into its summary, as a simulated sender's."""
    from tworay.metrics.diagnosis import scores

    if events:
        run.summary["diagnosis"] = confusion(events, run.ledger)
        run.summary["diagnosis_scores"] = scores(run.summary["diagnosis"])
        run.summary["live"]["diagnoses"] = events


def confusion(events: Iterable[dict[str, Any]], ledger: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Count the guesses of ``events`` by the true cause of the segment's loss.

    An event names the oldest segment not acknowledged; the ledger's newest loss of data with this first
    sequence number is the one that it was about.
    """
    causes: dict[int, str] = {}
    for row in ledger.sort("t_s").iter_rows(named=True):
        if row["kind"] == "data":
            causes[row["seq"]] = row["cause"]
    counts: dict[str, dict[str, int]] = {}
    for event in events:
        if event["guess"] is not None:
            cause = causes.get(event["seq"], NONE)
            row = counts.setdefault(event["guess"], {})
            row[cause] = row.get(cause, 0) + 1
    return counts
