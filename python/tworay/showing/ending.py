"""Find the acknowledgment that ended a pause, and the losses that came too late to have caused it.

Reads every segment of a record (``--record``). Without one, acknowledgments are told apart by their numbers.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import polars as pl

    from tworay.running.run import Run

Row: TypeAlias = dict[str, Any]

# Tolerance for times in tables, which are floats, s.
INSTANT = 1e-6


def arrivals(run: Run, about: Row) -> pl.DataFrame:
    """Return the segments of a flow that arrived; the run has a record."""
    import polars as pl

    return run.tables["segments"].filter((pl.col("flow") == about["id"]) & pl.col("arrived_s").is_not_null())


def ending(arrived: pl.DataFrame, about: Row, pause: tuple[float, float]) -> tuple[int, Row] | None:
    """Return what was acknowledged before a pause, and the segment that acknowledged more and ended it."""
    import polars as pl

    begin, end = pause
    answers = arrived.filter((pl.col("to") == about["from"]) & pl.col("ack").is_not_null())
    # Sequence numbers don't wrap in what is compared here: at most a window lies between them.
    before = answers.filter(pl.col("arrived_s") <= begin + INSTANT)["ack"].max()
    if before is None:
        return None
    # The state of a kernel's sender is looked at now and then: its ACK may have come before the pause's end.
    ended = answers.filter((pl.col("arrived_s") <= end + INSTANT) & (pl.col("ack") > before))
    if ended.is_empty():
        return None
    first = ended.filter(pl.col("arrived_s") <= ended["arrived_s"].min())
    return int(str(before)), first.sort("ack").row(-1, named=True)


class Endings:
    """The segments of a flow, asked which losses came too late to cause a pause."""

    def __init__(self, run: Run, about: Row) -> None:
        self._run, self._about = run, about
        self.known = "segments" in run.tables and about["tcp"] is not None

    @cached_property
    def _arrived(self) -> pl.DataFrame:
        return arrivals(self._run, self._about)

    @cached_property
    def _lost(self) -> dict[tuple[str, int, int], float]:
        """When a segment that is lost was sent, by kind, number and time of its loss."""
        import polars as pl

        lost = self._run.tables["segments"].filter(
            (pl.col("flow") == self._about["id"]) & pl.col("lost_s").is_not_null()
        )
        return {
            (row["kind"], row["ack"] if row["kind"] == "ack" else row["seq"], _tick(row["lost_s"])): row[
                "t_s"
            ]
            for row in lost.iter_rows(named=True)
        }

    def latest(self, pause: tuple[float, float]) -> dict[str, float]:
        """Return the last times at which lost data and a lost ACK can have been sent to cause a pause.

        Data that is sent after the oldest segment arrived is not needed, and an ACK sent after the one that
        ended the pause would have come later than that one. Nothing without a record, or for a pause that
        nothing ended.
        """
        import polars as pl

        found = ending(self._arrived, self._about, pause) if self.known else None
        if found is None:
            return {}
        before, answer = found
        oldest = self._arrived.filter(
            (pl.col("from") == self._about["from"]) & (pl.col("bytes") > 0) & (pl.col("seq") == before)
        )["arrived_s"].min()
        times = {"ack": float(answer["t_s"])}
        return times if oldest is None else times | {"data": float(str(oldest))}

    def too_late(self, loss: Row, latest: dict[str, float]) -> bool:
        """Return whether a row of the ledger was sent after these times."""
        if loss["kind"] not in latest:
            return False
        sent = self._lost.get((loss["kind"], loss["seq"], _tick(loss["t_s"])))
        return sent is not None and sent > latest[loss["kind"]] + INSTANT


def _tick(time: float) -> int:
    return round(time / INSTANT)
