"""The cases of ``make bench``: the same work for each simulator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studies.peers.movement import Waypoints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.peers.simulators import Value

BARE, COMMAND, STANDARD = "tworay", "tworay command", "tworay standard"
NS2, NS3 = "ns-2", "ns-3"


@dataclass(frozen=True)
class Case:
    """The same work for each simulator."""

    name: str
    title: str
    scenario: str
    settings: Mapping[str, Value]
    peers: Mapping[str, float]
    """The other simulators that run it, with the estimated CPU time in seconds."""
    options: Mapping[str, Value]
    """The same work as options of the ns-2 and ns-3 drivers."""
    movement: Waypoints | None = None
    sack: bool = False
    """With selective acknowledgments, the default of ns-3's NewReno (which hardly works without them)."""

    segment_kbits = 1460 * 8 / 1000

    @property
    def transfer_seconds(self) -> float:
        """Seconds from the start of the flows to the end."""
        return float(self.options["stop"]) - 1


@dataclass
class Measured:
    """All runs of one simulator for one case."""

    command: str = ""
    cpu: list[float] = field(default_factory=list)
    own_cpu: list[float] = field(default_factory=list)
    """CPU seconds that the run reports itself, without start-up."""
    peak: list[float] = field(default_factory=list)
    events: list[float] = field(default_factory=list)
    acked: list[float] = field(default_factory=list)


def cases() -> list[Case]:
    """Return the cases: strings, a moving network with one and five flows, a grid."""
    grid_flows = (
        "157-287,129-47,289-250,399-398,234-210,397-216,280-131,145-229,"
        "108-338,220-72,371-22,127-317,395-3,197-157,316-117,209-112"
    )
    strings = [_string(4, 6.0), _string(8, 11.0), _string(4, 6.0, sack=True), _string(8, 11.0, sack=True)]
    pairs = [(2 * i, 2 * i + 1) for i in range(5)]
    moving = [
        _moving("moving-1-900s", "1 flow", pairs[:1], 900, {NS2: 10.0}),
        _moving("moving-1-100s", "1 flow", pairs[:1], 100, {NS2: 1.1, NS3: 6.0}),
        _moving("moving-5-900s", "5 flows", pairs, 900, {NS2: 14.0}),
        _moving("moving-5-100s", "5 flows", pairs, 100, {NS2: 1.6, NS3: 20.0}),
        # ns-3 delivers almost nothing over the 4 to 5 hops between nodes 0 and 1.
        _moving("moving-hop-100s", "1 flow over one hop", [(6, 7)], 100, {NS2: 1.5, NS3: 14.0}),
    ]
    grid = Case(
        "grid-400",
        "grid of 400 nodes, 16 flows, 30 s",
        "grid",
        {},
        {NS2: 5.0, NS3: 160.0},
        {"grid": 20, "flows": grid_flows, "stop": 30},
    )
    return [*strings, *moving, grid]


def _moving(
    name: str, flows: str, pairs: list[tuple[int, int]], seconds: int, peers: Mapping[str, float]
) -> Case:
    settings: dict[str, Value] = {"duration": f"{seconds}s"}
    for i, (source, sink) in enumerate(pairs):
        settings |= {f"flow.{i}.from": source, f"flow.{i}.to": sink}
    return Case(
        name,
        f"50 nodes, random waypoint, {flows}, {seconds} s",
        "moving" if len(pairs) == 1 else "moving-5",
        settings,
        peers,
        {"flows": ",".join(f"{source}-{sink}" for source, sink in pairs), "stop": seconds},
        Waypoints(seconds=900, max_speed=5, seed=101),
    )


def _string(hops: int, ns3_seconds: float, *, sack: bool = False) -> Case:
    settings: dict[str, Value] = {"topology.hops": hops, "flow.0.to": hops}
    settings |= {"duration": "300s", "routing.protocol": "aodv"}
    if sack:
        settings["tcp.variant"] = "sack"
    return Case(
        f"string-{hops}-sack" if sack else f"string-{hops}",
        f"string of {hops} hops, 300 s" + (", SACK" if sack else ""),
        "string",
        settings,
        {NS2: 0.6, NS3: ns3_seconds},
        {"string": hops, "stop": 300},
        sack=sack,
    )
