"""Compares the guesses of real kernels about their losses with the true causes in the ledger."""

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
# True cause if the ledger has no loss of the segment: the kernel was wrong.
NONE = "none"


class Listener:
    """Collects the guesses of a kernel controller while the context is active.

    Only tworay's controllers (``tworay kernel list``) report guesses; for others ``events`` stays empty.
    """

    def __init__(self, controller: str | None) -> None:
        self.events: list[dict[str, Any]] = []
        self._controller = controller
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Listener:
        """Start listening."""
        if self._controller is not None and self._controller.startswith(OURS):
            self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Stop listening; the events so far are in ``events``."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _listen(self) -> None:
        from tworay import kernel
        from tworay.errors import TworayError

        # Without the loader or privileges the run continues without guesses.
        with contextlib.suppress(TworayError):
            while not self._stop.is_set():
                self.events.extend(kernel.events(0.5, self._controller))


def diagnose(run: Run, events: list[dict[str, Any]]) -> None:
    """Add the confusion matrix of the kernels to the summary of a run, as for simulated senders."""
    from tworay.metrics.diagnosis import scores

    if events:
        run.summary["diagnosis"] = confusion(events, run.ledger)
        run.summary["diagnosis_by_outcome"] = run.summary["diagnosis"]
        run.summary["diagnosis_scores"] = scores(run.summary["diagnosis"])
        run.summary["live"]["diagnoses"] = events


def confusion(events: Iterable[dict[str, Any]], ledger: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Count the guesses of ``events`` by the true cause of the segment's loss.

    An event names the oldest unacknowledged segment. It is matched with the ledger's newest loss of data with
    this first sequence number.
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
