"""Explain a pause without a loss: where packets waited, reordering, and acknowledgments that were held back.

Reads every segment of a record (``--record``). Without one nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tworay.showing.ending import arrivals, ending
from tworay.showing.spans import in_words
from tworay.showing.waits import longest_wait

if TYPE_CHECKING:
    import polars as pl

    from tworay.running.run import Run

Row: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[float, str]

# An acknowledgment that leaves later than this after the data it answers was held back, s: more than a host
# takes to process a packet, less than timers of delayed ACKs (RFC 1122: up to 0.5 s; Linux: from 0.04 s).
HELD = 5e-3
# The way of an ACK is told if it took at least this share of the pause.
SHARE = 0.2


def delays(run: Run, about: Row, pause: tuple[float, float]) -> tuple[list[Step], float]:
    """Return what delayed the acknowledgment that ended a pause, in order of time, and since when.

    That is when the oldest segment was sent, maybe before the pause, if it arrived in the pause.
    """
    import polars as pl

    if "segments" not in run.tables or about["tcp"] is None:
        return [], pause[0]
    begin, end = pause
    mine = arrivals(run, about)
    answered = ending(mine, about, pause)
    if answered is None:
        return [], begin
    before, answer = answered
    data = mine.filter(
        (pl.col("from") == about["from"]) & (pl.col("bytes") > 0) & (pl.col("arrived_s") <= answer["t_s"])
    ).sort("arrived_s", "t_s")
    awaited = data.filter(pl.col("seq") == before).head(1)
    steps: list[Step] = []
    if awaited.height:
        oldest = awaited.row(0, named=True)
        steps += [*_waited(run, oldest, "the oldest segment"), *_awaited(oldest, data)]
        if oldest["arrived_s"] > begin:
            begin = min(begin, oldest["t_s"])
    # The receiver answers what arrived last, if that is what the acknowledgment covers.
    covered = data.filter((pl.col("seq") >= before) & (pl.col("seq") < answer["ack"]))
    if covered.height:
        held = answer["t_s"] - float(str(covered["arrived_s"].max()))
        if held > HELD:
            text = f"the receiver sent the ACK that it had held back for {in_words(held)} (delayed ACK)"
            steps.append((answer["t_s"], text))
    if answer["arrived_s"] - answer["t_s"] >= SHARE * (end - begin):
        steps += _waited(run, answer, "the ACK")
    return steps, begin


def _waited(run: Run, segment: Row, what: str) -> list[Step]:
    """Return where a segment waited longest, if the record has its way."""
    wait = longest_wait(run, segment)
    return [] if wait is None else [(wait.end_s, f"{what} {wait.text}")]


def _awaited(segment: Row, data: pl.DataFrame) -> list[Step]:
    """Return how the oldest segment arrived: after how long, and overtaken by how many."""
    import polars as pl

    took = segment["arrived_s"] - segment["t_s"]
    overtaking = data.filter(
        (pl.col("seq") > segment["seq"])
        & (pl.col("t_s") >= segment["t_s"])
        & (pl.col("arrived_s") < segment["arrived_s"])
    )["seq"].n_unique()
    text = f"sent {in_words(took)} before"
    if overtaking:
        later = "a later one" if overtaking == 1 else f"{overtaking} later ones"
        text += f" and overtaken by {later} (reordering)"
    return [(segment["arrived_s"], f"the oldest segment, {text}, arrived")]
