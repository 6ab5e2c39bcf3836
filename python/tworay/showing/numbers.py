"""Sequence numbers of a flow: counted from its SYN, and by direction.

Simulated connections start at the scenario's ``tcp.iss`` and carry data in one direction. Real kernels choose
a random number for each direction, which the summary of a live run keeps, and programs send data both ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from numpy.typing import NDArray

    from tworay.running.run import Run

# Sequence numbers are counted modulo this.
SEQUENCE = 2**32


class Numbers:
    """The sequence numbers of one flow.

    Attributes:
        initial: the number of the sender's SYN.
        known: whether the run is live and both ends' numbers are kept in it.

    """

    def __init__(self, run: Run, about: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self._ends: tuple[int, int] = (about["from"], about["to"])
        kept: dict[int, int] = {}
        for connection in (run.summary.get("live") or {}).get("connections", []):
            # Runs of earlier versions kept only the addresses.
            if isinstance(connection, dict) and connection["flow"] == about["id"]:
                ends = [end for end in connection["ends"] if end["initial_sequence"] is not None]
                kept = {end["node"]: end["initial_sequence"] for end in ends}
        self.known = bool(kept)
        usual = int(settings.get("tcp", {}).get("iss", 0))
        self.initial, self._other = (kept.get(node, usual) for node in self._ends)

    def against(self, row: Mapping[str, Any]) -> bool:
        """Return whether a segment belongs to the data that flows against the flow's direction."""
        sender = row.get("from")
        if sender is None or sender not in self._ends or not self.known:
            return False
        return bool((sender == self._ends[0]) == (row.get("kind", "data") == "ack"))

    def all_against(self, frame: pl.DataFrame) -> NDArray[np.bool_]:
        """Return this for each row of a table."""
        if "from" not in frame.columns or not self.known:
            return np.zeros(frame.height, dtype=bool)
        return np.array([self.against(row) for row in frame.iter_rows(named=True)], dtype=bool)

    def relative(self, row: Mapping[str, Any]) -> int:
        """Return a segment's number counted from the SYN of its direction, as Wireshark shows it."""
        return int((row["seq"] - (self._other if self.against(row) else self.initial)) % SEQUENCE)
