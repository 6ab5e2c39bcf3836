"""Losses that a disturbance is said to have caused, though they are the same without it.

The scenario is run once more without each of its disturbances, and with each alone. What is lost at the very
same instant without one, while nothing is lost with it alone, that one has not cost: any change of a frame's
time or fate moves what comes after it. Only packets that a full queue rejects at their source are lost at the
same instants whatever happens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.causes.rules import Fault, Row, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.causes.drawing import Drawn, Span

# The cause of what is lost to a disturbance, by its kind.
CAUSES = {
    "down": "node-down",
    **dict.fromkeys(("away", "drive", "cut", "handoff"), "link-failure"),
    **dict.fromkeys(("errors", "bursts", "above", "loss", "deaf", "fading", "wire-errors"), "channel"),
}
# Two times are the same, and are close to each other, s.
SAME, NEAR = 1e-6, 2.0


@dataclass(frozen=True)
class Single:
    """A disturbance, and what is lost without it, and with it alone."""

    span: Span
    without: list[Row]
    alone: list[Row] | None


def of_singles(case: Drawn, rows: list[Row], singles: list[Single]) -> Iterator[Fault]:
    """Return losses of datagrams that are the same without what may have caused them, by another cause."""
    sources = [flow["from"] for flow in case.document["flow"]]
    known = [(CAUSES[of.span.kind], _Runs(of)) for of in singles]
    found: Counter[tuple[int, str, str]] = Counter()
    examples: dict[tuple[int, str, str], str] = {}
    for row in rows:
        runs = [of for cause, of in known if cause == row["cause"]]
        at_source = row["died"] in ("ifq", "buffer", "arp") and row["node"] == sources[row["flow"]]
        others = [of.untouched(row, at_source=at_source) for of in runs]
        if not others or None in others:
            continue
        (other, *_) = [other for other in others if other]
        # A hop that fading favours by chance counts as noisy or as out of reach (limits of causes).
        if case.has("fading") and "link-failure" in (row["cause"], other["cause"]):
            continue
        key = row["flow"], row["cause"], other["cause"]
        found[key] += 1
        examples.setdefault(key, f"{shown(row)}; without: {shown(other)}")
    for (flow, cause, other_cause), count in found.items():
        rule = f"{cause}, but {other_cause} at the same instant without it"
        yield Fault(rule, flow, count, examples[flow, cause, other_cause])


class _Runs:
    """The losses of a run without a disturbance, and of one with it alone."""

    def __init__(self, of: Single) -> None:
        self.without = {(row["flow"], row["seq"]): row for row in of.without}
        self.alone: dict[int, list[float]] | None = None if of.alone is None else {}
        for row in of.alone or ():
            assert self.alone is not None
            self.alone.setdefault(row["flow"], []).append(row["t_s"])

    def untouched(self, row: Row, *, at_source: bool) -> Row | None:
        """Return the same loss of the run without the disturbance, if that has another cause for it."""
        other = self.without.get((row["flow"], row["seq"]))
        if other is None or row["died"] != other["died"] or abs(row["t_s"] - other["t_s"]) > SAME:
            return None
        if row["cause"] == other["cause"]:
            return None
        if self.alone is None:
            return None if at_source else other
        times = self.alone.get(row["flow"], [])
        near = bisect_left(times, row["t_s"] - NEAR)
        return None if near < len(times) and times[near] <= row["t_s"] + NEAR else other
