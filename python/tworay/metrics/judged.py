"""The flows that a comparison judges: the TCP flows, unless the user chooses others.

A scenario may mix TCP transfers with datagram flows. Their sum says little about a TCP variant: a sender that
gives way lets datagrams through, and the sum grows while its own goodput shrinks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError, with_options
from tworay.naming import BETWEEN, Nodes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Flow = dict[str, Any]

# Metrics of a whole run that are computed from the judged flows only.
OF_JUDGED = ("metrics.jain_fairness", "metrics.least_goodput_bps", "metrics.most_goodput_bps")

# The name of a node, which stands for its only flow.
END = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Judge:
    """A choice of flows: ``tcp`` (all flows if there is no TCP), ``udp``, ``all``, or ``flow.0,flow.2``.

    ``ends``: the name has ends of flows, ``bob:alice``, whose numbers follow from a scenario.
    """

    name: str = "tcp"
    ends: bool = False

    @property
    def numbers(self) -> list[int]:
        """The flows that are named one by one; none if a kind of flows is judged."""
        return [int(found) for found in re.findall(r"flow\.(\d+)", self.name)]

    def of(self, flows: Iterable[Flow]) -> list[Flow]:
        """Return the judged flows of a run's document; none if the run has no such flow."""
        flows = list(flows)
        if self.name == "tcp":
            return [flow for flow in flows if flow["tcp"] is not None] or flows
        if self.name == "udp":
            return [flow for flow in flows if flow["tcp"] is None]
        if self.name == "all":
            return flows
        return [flow for flow in flows if flow["id"] in self.numbers]

    def words(self, flows: Iterable[Flow], nodes: Nodes | None = None) -> str | None:
        """Say which flows are judged, if they are not all flows of the run; ``nodes`` has the ends' names."""
        flows = list(flows)
        chosen = self.of(flows)
        if len(chosen) == len(flows):
            return None
        if self.numbers:
            named = (nodes or Nodes()).list_flows(chosen) or ", ".join(map(str, self.numbers))
            # Flows that are switched off are not in the document, but have their numbers.
            many = max(flow["id"] for flow in flows) + 1
            return f"flow{'s' * (len(self.numbers) > 1)} {named}, of {many} flows"
        kind = {"tcp": "TCP", "udp": "UDP"}[self.name]
        return f"the {kind} flow{'s' * (len(chosen) != 1)} ({len(chosen)} of {len(flows)})"

    def check(self, tcp: int, flows: int, on: Collection[int] | None = None) -> None:
        """Raise ``InputError`` if a scenario with ``tcp`` TCP flows among its ``flows`` has none of these.

        ``on`` are the numbers of flows that are not switched off; by default all.
        """
        if self.name == "udp" and tcp == flows:
            raise InputError(
                "--judge udp: the scenario has TCP flows only; leave it out, or name one: flow.0"
            )
        for number in self.numbers:
            if number >= flows:
                last = f"flow.0 to flow.{flows - 1}" if flows > 1 else "flow.0 only"
                raise InputError(f"--judge {self.name}: there is no flow.{number}; the scenario has {last}")
            if on is not None and number not in on:
                raise InputError(
                    f"--judge {self.name}: flow.{number} is switched off in every arm; judge one that is on"
                )


TCP = Judge()


def parse_judge(text: str | Judge | None) -> Judge:
    """Turn ``tcp``, ``udp``, ``all``, or flows by number (``flow.0,flow.2``) into a choice of flows."""
    if isinstance(text, Judge):
        return text
    if text is None:
        return TCP
    names = [part.strip() for part in text.lower().split(",")]
    if names[0] in ("tcp", "udp", "all") and len(names) == 1:
        return Judge(names[0])
    if not all(re.fullmatch(r"flow\.\d{1,5}", name) for name in names):
        raise InputError(f"--judge {text}: write tcp, udp, all, or flows such as flow.0 or flow.0,flow.2")
    numbers = [int(name.removeprefix("flow.")) for name in names]
    for number in numbers:
        if numbers.count(number) > 1:
            raise InputError(f"--judge {text}: flow.{number} is given twice; leave one out")
    return Judge(",".join(f"flow.{number}" for number in sorted(numbers)))


def parse_ends(text: str | None) -> Judge:
    """Turn a choice of flows into one whose ``ends`` are numbers only once the scenario is known."""
    try:
        return parse_judge(text)
    except InputError:
        if text is None or not any(
            BETWEEN.search(part) or END.fullmatch(part.strip()) for part in text.split(",")
        ):
            raise
        return Judge(text, ends=True)


def judge_named(text: str | Judge | None, nodes: Nodes, flows: Iterable[Flow]) -> Judge:
    """Turn a choice of flows into numbers where it names their ends: ``bob:alice``, or ``bob``.

    ``flows`` are those of the scenario, with ``id``, ``from`` and ``to``.
    """
    if not isinstance(text, str):
        return parse_judge(text)
    there = list(flows)
    parts = []
    for part in map(str.strip, text.split(",")):
        named = BETWEEN.search(part) is not None or nodes.has(part)
        try:
            parts.append(f"flow.{nodes.flow_number(part, there)}" if named else part)
        except InputError as error:
            raise InputError(f"--judge {text}: {with_options(error)}") from None
    return parse_judge(",".join(parts))


def follows_judge(metric: str) -> bool:
    """Return whether a metric is computed from the judged flows, not from one flow or all."""
    return "." not in metric or metric in OF_JUDGED
