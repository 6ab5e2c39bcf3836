"""The flows that a comparison judges: the TCP flows, unless the user chooses others.

A scenario may mix TCP transfers with datagram flows. Their sum says little about a TCP variant: a sender that
gives way lets datagrams through, and the sum grows while its own goodput shrinks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

Flow = dict[str, Any]


@dataclass(frozen=True)
class Judge:
    """A choice of flows: ``tcp`` (all flows if there is no TCP), ``udp``, ``all``, or ``flow.N``."""

    name: str = "tcp"

    def of(self, flows: Iterable[Flow]) -> list[Flow]:
        """Return the judged flows of a run's document; none if the run has no such flow."""
        flows = list(flows)
        if self.name == "tcp":
            return [flow for flow in flows if flow["tcp"] is not None] or flows
        if self.name == "udp":
            return [flow for flow in flows if flow["tcp"] is None]
        if self.name == "all":
            return flows
        return [flow for flow in flows if flow["id"] == int(self.name.removeprefix("flow."))]

    def words(self, flows: Iterable[Flow]) -> str | None:
        """Say which flows are judged, if they are not all flows of the run."""
        flows = list(flows)
        chosen = self.of(flows)
        if len(chosen) == len(flows):
            return None
        if self.name.startswith("flow."):
            return f"flow {self.name.removeprefix('flow.')} of {len(flows)}"
        kind = {"tcp": "TCP", "udp": "UDP"}[self.name]
        return f"the {kind} flow{'s' * (len(chosen) != 1)} ({len(chosen)} of {len(flows)})"

    def check(self, tcp: int, flows: int) -> None:
        """Raise ``InputError`` if a scenario with ``tcp`` TCP flows among its ``flows`` has none of these."""
        if self.name == "udp" and tcp == flows:
            raise InputError(
                "--judge udp: the scenario has TCP flows only; leave it out, or name one: flow.0"
            )
        if self.name.startswith("flow.") and int(self.name.removeprefix("flow.")) >= flows:
            last = f"flow.0 to flow.{flows - 1}" if flows > 1 else "flow.0 only"
            raise InputError(f"--judge {self.name}: the scenario has {last}")


TCP = Judge()


def parse_judge(text: str | Judge | None) -> Judge:
    """Turn ``tcp``, ``udp``, ``all`` or ``flow.N`` into a choice of flows."""
    if isinstance(text, Judge):
        return text
    if text is None:
        return TCP
    name = text.strip().lower()
    if not re.fullmatch(r"tcp|udp|all|flow\.\d{1,5}", name):
        raise InputError(f"--judge {text}: write tcp, udp, all, or one flow such as flow.0")
    return Judge(f"flow.{int(name.removeprefix('flow.'))}" if name.startswith("flow.") else name)
