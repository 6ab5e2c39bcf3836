"""Runs drawn scenarios with one disturbance beside their twins, and counts causes that contradict these.

    .venv/bin/python studies/twins.py --seed 1 --count 100

All flows send datagrams, whatever becomes of them. So a flow's losses by load, or for want of a first route,
are at most as many as those of its twin. Where noise is named for what a queue loses, they are not fewer
either. A disturbance has no other name than its own. Three standard deviations and three losses are allowed
beyond that, because random numbers differ from the first lost frame on.

The twin is the same scenario with the same seed, written without the disturbance here: the program's own
twin is not asked.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tworay
from tworay.experiment.experimentfile import toml_value
from tworay.running.scenarios import load_text

Place = tuple[float, float]
Document = dict[str, Any]

# Causes that need no disturbance.
OF_LOAD = ("congestion", "contention", "no-route", "ttl")
# Names of each disturbance.
NAMES = {
    "errors": ("channel", "rate"),
    "loss": ("channel", "rate"),
    "down": ("node-down",),
    "away": ("link-failure",),
}
IN_QUEUES = ("ifq", "codel", "link-red", "wire-queue")
# Rate at which a preset sends near by, bit/s.
RATES = {"b-2": 2e6, "b-11": 11e6, "g": 54e6, "n20": 65e6}
# Distance within which nodes count as neighbours, m.
REACH = 240.0


def slack(losses: int) -> float:
    """Return how many more losses may be chance."""
    return 3 + 3 * math.sqrt(losses)


def hops(at: list[Place], start: int, reach: float = REACH) -> dict[int, int]:
    """Return the number of hops to each node that can be reached over links up to ``reach`` metres."""
    found, todo = {start: 0}, [start]
    for node in todo:
        for other in range(len(at)):
            if other not in found and math.dist(at[node], at[other]) < reach:
                found[other] = found[node] + 1
                todo.append(other)
    return found


def places(draw: random.Random) -> list[Place]:
    """Draw a string, a cross, a grid or a field."""
    kind, gap = draw.choice(["string", "string", "cross", "grid", "field"]), draw.choice([150, 180, 200, 220])
    if kind == "string":
        return [(gap * i, 0) for i in range(draw.randint(2, 6))]
    if kind == "cross":
        return [(0, 0), (gap, 0), (2 * gap, 0), (gap, gap), (gap, -gap)]
    if kind == "grid":
        return [(gap * x, gap * y) for y in range(3) for x in range(3)]
    while True:
        nodes = draw.randint(6, 12)
        field_: list[Place] = [(draw.randint(0, 600), draw.randint(0, 500)) for _ in range(nodes)]
        if len(hops(field_, 0)) == nodes:
            return field_


def flows(draw: random.Random, at: list[Place], preset: str) -> list[Document]:
    """Draw one to three flows that together take a drawn part of the medium's time."""
    load, count = draw.choice([0.2, 0.4, 0.6, 0.8, 1.2]), draw.randint(1, 3)
    size = draw.choice([200, 512, 1000, 1400])
    access = 0.0015 if preset.startswith("b") else 0.0003
    found: list[Document] = []
    for _ in range(count):
        start, end = draw.sample(range(len(at)), 2)
        # Up to four hops share the medium.
        time = (8 * size / RATES[preset] + access) * min(hops(at, start).get(end, 1), 4)
        rate = max(load / count / time * 8 * size, 5000)
        begins = draw.choice([1, 2, 5, 12]) + draw.random()
        found.append(
            {"from": start, "to": end, "app": "cbr", "size": f"{size}B"}
            | {"rate": f"{rate:.0f}bps", "start": f"{begins:.2f}s"}
        )
    return found


@dataclass
class Case:
    """A scenario with one disturbance."""

    what: str
    document: Document

    def twin(self) -> Document:
        """Return the scenario without the disturbance."""
        return {key: value for key, value in self.document.items() if key not in ("errors", "event")}


def drawn(draw: random.Random) -> Case:
    """Draw a scenario and its disturbance."""
    at, preset = places(draw), draw.choice(list(RATES))
    routing: Document = {"protocol": draw.choice(["static", "aodv", "dsr", "olsr"])}
    if routing["protocol"] == "olsr":
        routing["olsr"] = {"link_layer_feedback": draw.random() < 0.5}
    mac: Document = {"queue_limit": draw.choice([5, 20, 50]), "rts_threshold": draw.choice(["0B", "1MB"])}
    if preset == "n20":
        mac["queue"] = draw.choice(["fifo", "fq-codel"])
    sent = flows(draw, at, preset)
    what = draw.choice(list(NAMES))
    node = draw.choice([sent[0]["to"], sent[0]["from"], draw.randrange(len(at))])
    begin, end = draw.uniform(6, 14), draw.uniform(16, 28)
    document: Document = {
        "duration": "40s",
        "topology": {"kind": "explicit", "positions": [list(place) for place in at]},
        "radio": {"preset": preset},
        "mac": mac,
        "routing": routing,
        "flow": sent,
    }
    if what == "errors":
        document["errors"] = {"frame_err": {"bernoulli": {"rate": draw.choice([0.05, 0.2, 0.4])}}}
        return Case(what, document)
    rate = draw.choice([0.2, 0.5, 0.9, 1.0])
    steps: dict[str, tuple[Document, Document]] = {
        "loss": ({"what": "loss", "rate": rate}, {"what": "loss", "rate": 0.0}),
        "down": ({"what": "down"}, {"what": "up"}),
        "away": ({"what": "move", "to": [5000, 5000]}, {"what": "move", "to": list(at[node])}),
    }
    first, second = steps[what]
    document["event"] = [
        {"at": f"{begin:.2f}s", "node": node} | first,
        {"at": f"{end:.2f}s", "node": node} | second,
    ]
    return Case(what, document)


def text(document: Document) -> str:
    """Return a scenario's file."""
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in document.items())


@dataclass
class Losses:
    """Losses of a run by flow and cause: all, and those of queues."""

    all: Counter[tuple[int, str]] = field(default_factory=Counter)
    in_queues: Counter[tuple[int, str]] = field(default_factory=Counter)

    @classmethod
    def of(cls, document: Document, seed: int) -> Losses:
        """Run a scenario."""
        scenario = load_text(text(document), Path("drawn.toml"), {})
        ledger = tworay.run(scenario, seed=seed, series=False).ledger
        found = cls()
        for flow, cause, died in zip(ledger["flow"], ledger["cause"], ledger["died"], strict=True):
            found.all[flow, cause] += 1
            found.in_queues[flow, cause] += died in IN_QUEUES
        return found

    def by(self, flow: int, causes: tuple[str, ...]) -> int:
        """Return a flow's losses by these causes."""
        return sum(self.all[flow, cause] for cause in causes)

    def queued_by(self, flow: int, causes: tuple[str, ...]) -> int:
        """Return what queues lose of a flow by these causes."""
        return sum(self.in_queues[flow, cause] for cause in causes)

    def shown(self, flow: int) -> str:
        """Return a flow's losses in words."""
        return ", ".join(f"{cause} {n}" for (of, cause), n in sorted(self.all.items()) if of == flow and n)


@dataclass
class Contradiction:
    """Losses of one flow that contradict the twin."""

    flow: int
    too_many: float
    """By load, beyond the twin's."""
    misnamed: float
    """By a disturbance that there is not."""
    too_few: float
    """By load, where the twin has more, and noise is named for a queue."""


def contradictions(case: Case, run: Losses, twin: Losses) -> list[Contradiction]:
    """Return what contradicts the twin, by flow."""
    found = []
    for flow in range(len(case.document["flow"])):
        anyway = sum(n for (of, _), n in twin.all.items() if of == flow)
        too_many = max(0.0, run.by(flow, OF_LOAD) - anyway - slack(anyway))
        named = {cause for of, cause in run.all if of == flow} - {*OF_LOAD, *NAMES[case.what]}
        misnamed = sum(
            max(0.0, run.all[flow, cause] - twin.all[flow, cause] - slack(twin.all[flow, cause]))
            for cause in named
        )
        lacking = anyway - run.by(flow, OF_LOAD) - slack(anyway)
        noise = run.queued_by(flow, NAMES[case.what]) if case.what in ("errors", "loss") else 0
        too_few = max(0.0, min(float(noise), lacking))
        if too_many or misnamed or too_few:
            found.append(Contradiction(flow, too_many, misnamed, too_few))
    return found


def main() -> None:
    """Draw, run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw; runs have seed 1")
    parser.add_argument("--count", type=int, default=150, help="number of scenarios")
    parser.add_argument("--out", type=Path, help="write scenarios with contradictions to this directory")
    asked = parser.parse_args()
    losses, wrong, strange = 0, 0.0, 0
    for number in range(asked.count):
        case = drawn(random.Random(f"{asked.seed}/{number}"))
        run, twin = Losses.of(case.document, 1), Losses.of(case.twin(), 1)
        losses += run.all.total()
        found = contradictions(case, run, twin)
        strange += bool(found)
        for one in found:
            count = one.too_many + one.misnamed + one.too_few
            wrong += count
            kind = f"{case.document['radio']['preset']}, {case.document['routing']}"
            print(f"{number}: {case.what}, {kind}, flow {one.flow}: {count:.0f} of {run.all.total()}")
            print(f"    {run.shown(one.flow)}; without: {twin.shown(one.flow) or 'nothing'}", flush=True)
        if found and asked.out:
            asked.out.mkdir(parents=True, exist_ok=True)
            (asked.out / f"{asked.seed}-{number}.toml").write_text(text(case.document))
    share = 100 * wrong / losses if losses else 0.0
    where = f"in {strange} of {asked.count} scenarios"
    print(f"{wrong:.0f} of {losses} losses contradict their twins ({share:.2f} %), {where}")


if __name__ == "__main__":
    main()
