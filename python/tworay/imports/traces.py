"""Wireless traces of ns-2: the fate of every packet, goodput, and where the rest was lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay import _native
from tworay.running.frames import from_tables

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Trace", "read_trace"]


class Trace(NamedTuple):
    """A trace as tables. Layers and reasons are ns-2's: ``MAC RET``, ``IFQ IFQ``, ``RTR NRTE``."""

    packets: pl.DataFrame
    """Each packet of a transport agent, and how it ended."""
    flows: pl.DataFrame
    """Packets of one kind between two agents: sent, received, goodput, delay."""
    losses: pl.DataFrame
    """Each flow's packets that did not arrive, by layer and reason."""
    drops: pl.DataFrame
    """All drop lines: also those of frames that were repeated, and of routing's messages."""
    routing: pl.DataFrame
    """Packets of routing itself, each hop counted."""

    @property
    def summary(self) -> dict[str, Any]:
        """Return everything except the packets as one document."""
        flows = self.flows.to_dicts()
        for flow in flows:
            ends = {key: flow[key] for key in ("from", "to", "kind")}
            flow["losses"] = {
                f"{loss['layer']} {loss['reason']}": loss["packets"]
                for loss in self.losses.to_dicts()
                if all(loss[key] == value for key, value in ends.items())
            }
        return {"flows": flows, "drops": self.drops.to_dicts(), "routing": self.routing.to_dicts()[0]}


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Read a wireless trace of ns-2 in the old or new format, optionally gzip.

    Raises ``ScenarioError`` with file and line for any other content.
    """
    return Trace(**from_tables(_native.read_ns2_trace(os.fspath(path))))
