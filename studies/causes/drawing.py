"""Draws scenarios as a stranger would: any network, any traffic, and up to three disturbances at once."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studies.twins import Document, Place, hops, text

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

# Goodput that a hop roughly has, bit/s; how far a frame at the lowest rate reaches at most, and is sensed, m.
NOMINAL = {"b-2": 1.2e6, "b-11": 4e6, "g": 12e6, "n20": 20e6, "n40x2": 40e6, "ac80x2": 60e6}
REACH, SENSED = 258.0, 1200.0
# Distance within which nodes of random fields count as connected, m.
NEAR = 235.0
# Packets per second of a flow, at most: a run is to take a second or two.
MOST = 1500
# Distance that a node goes away at most, m, and the least speed at which it drives, m/s.
FARTHEST, SLOWEST = 1300, 20
# Part of a hop's goodput that a flow of datagrams sends.
LOADS = {"light": (0.01, 0.05), "moderate": (0.1, 0.3), "overload": (0.8, 1.6)}
LIGHT = ("light", "moderate")
VARIANTS = ("newreno", "sack", "reno", "vegas", "cubic", "westwood")
KINDS = ("errors", "bursts", "above", "loss", "deaf", "down", "away", "drive", "cut", "fading", "shadowing")
OF_WIRES = ("handoff", "wire-errors")


@dataclass(frozen=True)
class Span:
    """A disturbance: its kind, its time, and the node that it is about, if it is about one."""

    kind: str
    begin: float = 0.0
    end: float = math.inf
    node: int | None = None
    # Numbers of its events.
    events: tuple[int, ...] = ()


@dataclass
class Drawn:
    """A scenario, what disturbs it, and where its radios and wires are."""

    document: Document
    spans: list[Span] = field(default_factory=list)
    at: list[Place] = field(default_factory=list)
    wires: set[frozenset[int]] = field(default_factory=set)

    def has(self, *kinds: str) -> list[Span]:
        """Return the disturbances of these kinds."""
        return [span for span in self.spans if span.kind in kinds]

    def datagrams_only(self) -> bool:
        """Return true if no flow reacts to losses."""
        return all(flow["app"] == "cbr" for flow in self.document["flow"])

    def disturbances(self) -> list[Span]:
        """Return what does not belong to the network, as shadowing does."""
        return [span for span in self.spans if span.kind != "shadowing"]

    def twin(self) -> Document:
        """Return the same network and traffic without disturbances."""
        return self.without(*self.disturbances())

    def without(self, *spans: Span) -> Document:
        """Return the same scenario without some of its disturbances."""
        found: Document = copy.deepcopy(self.document)
        gone = {number for span in spans for number in span.events}
        events = [event for i, event in enumerate(found.pop("event", [])) if i not in gone]
        for span in spans:
            match span.kind:
                case "errors" | "bursts":
                    del found["errors"]["frame_err"]
                case "above":
                    del found["errors"]["pkt_err"]
                case "fading":
                    del found["radio"]["fading"]
            keys = {"handoff": ("handoffs",), "wire-errors": ("errors", "errors_back")}.get(span.kind, ())
            for wire in found.get("wire", []):
                for key in keys:
                    wire.pop(key, None)
        if not found.get("errors", True):
            del found["errors"]
        return found | ({"event": events} if events else {})

    def text(self) -> str:
        """Return the scenario's file."""
        return text(self.document)


def places(draw: random.Random, gap: int) -> list[Place]:
    """Draw a string, a grid, a cross or a connected field."""
    kind = draw.choice(["string", "string", "grid", "cross", "field"])
    if kind == "string":
        return [(gap * i, 0) for i in range(draw.randint(2, 7))]
    if kind == "grid":
        wide, high = draw.randint(2, 4), draw.randint(2, 4)
        return [(gap * x, gap * y) for y in range(high) for x in range(wide)]
    if kind == "cross":
        arm = draw.randint(1, 2)
        steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
        return [(0, 0), *((gap * k * x, gap * k * y) for x, y in steps for k in range(1, arm + 1))]
    while True:
        nodes, wide, high = draw.randint(5, 15), draw.randint(300, 800), draw.randint(200, 600)
        field_: list[Place] = [(draw.randint(0, wide), draw.randint(0, high)) for _ in range(nodes)]
        if len(hops(field_, 0, NEAR)) == nodes:
            return field_


def flows(
    draw: random.Random,
    radios: int,
    hosts: list[int],
    preset: str,
    *,
    datagrams: bool,
    loads: Sequence[str] = tuple(LOADS),
) -> list[Document]:
    """Draw one to four flows; of those with wired hosts most end or begin there."""
    found: list[Document] = []
    for _ in range(draw.randint(1, 4)):
        start, end = draw.sample(range(radios), 2)
        if hosts and draw.random() < 0.7:
            end = draw.choice(hosts)
            start, end = draw.sample([start, end], 2)
        flow: Document = {"from": start, "to": end, "start": f"{draw.uniform(0, 5):.2f}s"}
        if not datagrams and draw.random() < 0.4:
            found.append(flow | {"app": "ftp", "tcp": draw.choice(VARIANTS)})
            continue
        size = draw.choice([200, 512, 1000, 1400])
        rate = min(NOMINAL[preset] * draw.uniform(*LOADS[draw.choice(loads)]), MOST * 8 * size)
        found.append(flow | {"app": "cbr", "rate": f"{max(rate, 5000):.0f}bps", "size": f"{size}B"})
    return found


def drawn(draw: random.Random, loads: Sequence[str] = tuple(LOADS)) -> Drawn:
    """Draw a scenario whose flows of datagrams are loads of these names."""
    duration = draw.randint(20, 45)
    preset = draw.choice(["b-2", "b-2", "b-11", "g", "n20", "n40x2", "ac80x2"])
    at = places(draw, draw.randint(90, 235) if preset.startswith("b") else draw.randint(40, 210))
    radios = len(at)
    wires: list[Document] = []
    if draw.random() < 0.25:
        gateway = draw.randrange(radios)
        for _ in range(draw.randint(1, 2)):
            at.append((50_000 + 3000 * len(wires), 50_000))
            wire: Document = {
                "from": gateway,
                "to": len(at) - 1,
                "rate": draw.choice(["500kbps", "2Mbps", "10Mbps"]),
            }
            wires.append(wire | {"delay": draw.choice(["2ms", "20ms"]), "queue": draw.choice([5, 20, 50])})
    routing = "static" if wires else draw.choice(["static", "aodv", "aodv", "dsr", "olsr"])
    datagrams = draw.random() < 0.7
    document: Document = {
        "duration": f"{duration}s",
        "topology": {"kind": "explicit", "positions": [list(place) for place in at]},
        "radio": {"preset": preset},
        "mac": {"rts_threshold": draw.choice(["0B", "3000B"])},
        "routing": {"protocol": routing},
        "flow": flows(draw, radios, list(range(radios, len(at))), preset, datagrams=datagrams, loads=loads),
    }
    if draw.random() < 0.3:
        document["mac"]["queue_limit"] = draw.randint(2, 20)
    if wires:
        document["wire"] = wires
    found = Drawn(document, at=at, wires={frozenset((wire["from"], wire["to"])) for wire in wires})
    kinds = [*KINDS, *(OF_WIRES if wires else ())]
    for kind in draw.sample(kinds, draw.choice([0, 1, 1, 2, 2, 3])):
        disturb(draw, found, kind, radios, duration)
    return found


def disturb(draw: random.Random, into: Drawn, kind: str, radios: int, duration: int) -> None:
    """Add a disturbance to a scenario."""
    document = into.document
    begin = draw.uniform(4, duration * 0.6)
    end = begin + draw.uniform(2, duration * 0.3)
    node = draw.randrange(radios)
    rate = draw.choice([0.02, 0.1, 0.3])
    independent = {"bernoulli": {"rate": rate}}
    bursts = {"gilbert-elliott": {"good_to_bad": rate / 20, "bad_to_good": 0.05, "bad_error": 0.9}}
    always = Span(kind)
    first = len(document.get("event", ()))

    def event(at: float, what: Document) -> None:
        document.setdefault("event", []).append({"at": f"{at:.2f}s"} | what)

    def struck(until: float, node: int | None = None) -> None:
        """Note the disturbance that these events are."""
        events = tuple(range(first, len(document["event"])))
        into.spans.append(Span(kind, begin, until, node, events))

    match kind:
        case "errors" | "bursts":
            document.setdefault("errors", {})["frame_err"] = bursts if kind == "bursts" else independent
            into.spans = [span for span in into.spans if span.kind not in ("errors", "bursts")] + [always]
        case "above":
            document.setdefault("errors", {})["pkt_err"] = independent
            into.spans.append(always)
        case "fading":
            document["radio"]["fading"] = {"k": draw.choice([0.0, 6.0, 12.0])} | {
                "coherence": draw.choice(["0s", "10ms", "500ms"])
            }
            into.spans.append(always)
        case "shadowing":
            document["radio"]["shadowing"] = {"sigma": draw.choice(["0dB", "2dB", "4dB"])} | {
                "coherence": draw.choice(["0s", "1s"])
            }
            into.spans.append(always)
        case "wire-errors":
            wire = draw.choice(document["wire"])
            wire["errors"] = wire["errors_back"] = {"bernoulli": {"rate": draw.choice([0.01, 0.05])}}
            into.spans.append(always)
        case "handoff":
            wire = draw.choice(document["wire"])
            wire["handoffs"] = {"length": f"{end - begin:.2f}s", "at": [f"{begin:.2f}s"]}
            into.spans.append(Span(kind, begin, end))
        case "cut":
            flow = draw.randrange(len(document["flow"]))
            event(begin, {"what": "cut", "flow": flow, "for": f"{end - begin:.2f}s"})
            struck(end)
        case "loss" | "deaf":
            lost = 1.0 if kind == "deaf" else draw.choice([0.2, 0.5, 0.8])
            event(begin, {"node": node, "what": "loss", "rate": lost})
            event(end, {"node": node, "what": "loss", "rate": 0.0})
            struck(end, node)
        case "down":
            event(begin, {"node": node, "what": "down"})
            event(end, {"node": node, "what": "up"})
            struck(end, node)
        case "away" | "drive":
            here = into.at[node]
            away = [here[0] + draw.choice([-1, 1]) * draw.randint(300, 900), here[1] + draw.randint(300, 900)]
            speed = {"speed": f"{draw.choice([SLOWEST, 100])}m/s"} if kind == "drive" else {}
            event(begin, {"node": node, "what": "move", "to": away} | speed)
            event(end, {"node": node, "what": "move", "to": list(here)} | speed)
            struck(end + (FARTHEST / SLOWEST if speed else 0), node)
