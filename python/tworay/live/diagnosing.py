"""Compares the guesses of real kernels about their losses with the true causes in the ledger."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any

from tworay.showing.numbers import SEQUENCE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from types import TracebackType

    import polars as pl

    from tworay.kernel import Following
    from tworay.running.run import Run

OURS = "tworay_"
# True cause if the ledger has no loss of the segment: the kernel was wrong.
NONE = "none"
# Time for the last events of a run to be read, seconds: the loader looks every 50 ms.
LAST = 0.2
# How long after the network's end the guess about its last loss may be made, seconds.
AFTER = 0.1

Event = dict[str, Any]


class Listener:
    """Collects the guesses of a kernel controller while the context is active.

    Only tworay's controllers (``tworay kernel list``) report guesses; for others ``events`` stays empty. The
    events are those of the whole machine: ``diagnose`` takes the network's own.
    """

    def __init__(self, controller: str | None) -> None:
        self.events: list[Event] = []
        self._controller = controller
        self._following: Following | None = None
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Listener:
        """Start listening; raise ``kernel.Unusable`` if the guesses of this controller can't be read."""
        from tworay.errors import TworayError
        from tworay.kernel import Following, Unusable

        if self._controller is not None and self._controller.startswith(OURS):
            try:
                self._following = Following(None, self._controller)
                self._thread.start()
            except Unusable:
                raise
            except TworayError:
                # Without the loader or privileges the run continues without guesses.
                pass
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Stop listening; the events so far are in ``events``."""
        if self._following is not None:
            time.sleep(LAST)
            self._following.close()
            self._thread.join()

    def _listen(self) -> None:
        from tworay.errors import TworayError

        assert self._following is not None
        with contextlib.suppress(TworayError):
            self.events.extend(event for event in self._following if "missing" not in event)


def diagnose(run: Run, events: Iterable[Event], namespaces: Collection[int]) -> None:
    """Add the kernels' guesses to a run, as for simulated senders: table, confusion matrix, scores.

    ``events`` may contain those of other networks. Only events from ``namespaces`` (inodes) and of the run's
    connections, between its begin and its end, are taken.
    """
    import polars as pl

    from tworay.metrics.diagnosis import scores

    own = own_events(run, events, namespaces)
    if not own:
        return
    true = _Causes(run.ledger, by_sender=run.summary["live"]["settings"]["layer"] == 3)
    for event in own:
        event["cause"] = event["cause_by_outcome"] = true.of(event)
    guesses = [event for event in own if event["guess"] is not None]
    run.summary["diagnosis"] = confusion(guesses)
    # A live run is judged by outcome only: a segment that was held up and arrived later counts as not lost.
    run.summary["diagnosis_by_outcome"] = run.summary["diagnosis"]
    run.summary["diagnosis_scores"] = scores(run.summary["diagnosis"])
    run.summary["live"]["diagnoses"] = own
    # Stories are about the flow's own data, not about what flows against it.
    senders = {flow["id"]: flow["from"] for flow in run.summary["flows"]}
    rows = [event for event in guesses if senders.get(event["flow"]) == event["node"]]
    words = dict.fromkeys(("guess", "cause", "cause_by_outcome"), pl.String)
    columns = {"t_s": pl.Float64, "flow": pl.Int64, "seq": pl.Int64, **words}
    run.tables["guesses"] = pl.DataFrame(
        {name: [row[name] for row in rows] for name in columns}, schema=columns
    ).sort("t_s")


def own_events(run: Run, events: Iterable[Event], namespaces: Collection[int]) -> list[Event]:
    """Return the events of a run's connections, with the time in the run, the flow and the sender's node."""
    live = run.summary["live"]
    slow, started = live["settings"]["slow"], live["started_monotonic_ns"]
    found = []
    for event in events:
        at = (event["monotonic_ns"] - started) / 1e9 / slow
        if event["netns"] not in namespaces or not 0 <= at <= run.summary["sim_seconds"] + AFTER:
            continue
        mine = _connection(live["connections"], event)
        if mine is not None:
            flow, node = mine
            found.append(event | {"t_s": at, "flow": flow, "node": node})
    return found


def _connection(connections: list[dict[str, Any]], event: Event) -> tuple[int, int] | None:
    """Return flow and node of an event's sender.

    Of several connections between the same ports, one after the other, it is the one whose first number is
    the nearest below the event's.
    """
    here, there = (event["from"], event["from_port"]), (event["to"], event["to_port"])
    found = []
    for connection in connections:
        ends = {(end["address"], end["port"]): end for end in connection["ends"]}
        if here in ends and there in ends and ends[here]["initial_sequence"] is not None:
            distance = (event["seq"] - ends[here]["initial_sequence"]) % SEQUENCE
            found.append((distance, connection["flow"], ends[here]["node"]))
    return min(found)[1:] if found else None


class _Causes:
    """The true causes of lost data segments."""

    def __init__(self, ledger: pl.DataFrame, *, by_sender: bool) -> None:
        # On layer 2 relays send segments on, so the sender of a hop says nothing about the connection's end.
        self._by_sender = by_sender
        self._lost: dict[tuple[int, int, int | None], list[tuple[float, str]]] = {}
        for row in ledger.sort("since_s").iter_rows(named=True):
            if row["kind"] == "data":
                key = (row["flow"], row["seq"], row["from"] if by_sender else None)
                self._lost.setdefault(key, []).append((row["since_s"], row["cause"]))

    def of(self, event: Event) -> str:
        """Return the cause of the newest loss of the event's segment that had occurred by then."""
        key = (event["flow"], event["seq"], event["node"] if self._by_sender else None)
        before = [cause for since, cause in self._lost.get(key, []) if since <= event["t_s"]]
        return before[-1] if before else NONE


def confusion(events: Iterable[Event]) -> dict[str, dict[str, int]]:
    """Count guesses by the true cause of the segment's loss."""
    counts: dict[str, dict[str, int]] = {}
    for event in events:
        row = counts.setdefault(event["guess"], {})
        row[event["cause"]] = row.get(event["cause"], 0) + 1
    return counts
