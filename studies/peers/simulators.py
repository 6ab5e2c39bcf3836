"""Jobs for runs of ns-2, ns-3 and tworay."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from studies.peers import mactrace, tools
from studies.peers.jobs import Job, Result, run_for_json
from studies.peers.places import CACHE, NS2_DRIVER, ROOT, SCENARIOS, replace
from tworay import moves

if TYPE_CHECKING:
    from collections.abc import Mapping

Value = str | int | float

NS3_BY_THE_STANDARD: dict[str, dict[str, Value]] = {
    "static": {"rtslimit": 7},
    "aodv": {
        "rtslimit": 7,
        "destonly": 1,
        "reverse": 1,
        "countup": 1,
        "ownlinks": 1,
        "hello": 0,
        "syntimeout": 1,
    },
    "olsr": {"rtslimit": 7, "syntimeout": 1, "arpdead": 0.1},
}
"""Options that make ns-3 follow the standards, as tworay does by default, by routing protocol: RTSs are
given up; old sequence numbers answer no request and do not survive a break; requests make reverse routes
valid; AODV learns of every broken link from the MAC alone; SYNs follow RFC 6298; a neighbour that did not
answer to ARP may be asked again."""

TRACE = "TRACE"
"""Placeholder of the trace file in a command."""

STATIC_START, STATIC_STOP = 401, 520
"""Seconds; ns-2's static routes are DSDV's, which needs time to converge. The transfer lasts 119 s."""


def ns2(options: Mapping[str, Value], *, traced_from: float | None = None, weight: float = 1.0) -> Job:
    """Return a run of ns-2; with ``traced_from``, its result has the MAC's counts from that second on."""
    command = ["ns", str(NS2_DRIVER)]
    for name, value in options.items():
        command += [f"-{name}", str(value)]
    if traced_from is not None:
        command += ["-trace", TRACE]
    depends = (tools.ns2_version(), tools.digest(ROOT / NS2_DRIVER), *_movement(options))
    if traced_from is None:
        return Job("ns-2", tuple(command), depends, weight)
    depends = (*depends, f"counted from {traced_from:g} s")
    harvest = counted_from_start if traced_from == 0 else counted_from_transfer
    return Job("ns-2", tuple(command), depends, weight, harvest)


def ns2_string(hops: int, tcp: str, seed: int, *, routing: str = "static", rts: int = 0) -> Job:
    """Return a run of a string in ns-2 with a transfer of 119 s."""
    return ns2({**_string(hops, tcp, seed, routing, rts), "sample": 0.1})


def ns2_counted_string(hops: int, tcp: str, seed: int, *, routing: str, rts: int) -> Job:
    """Return a run as ``ns2_string`` does, with the MAC's collisions and drops during the transfer."""
    begin = STATIC_START - 1 if routing == "static" else 0
    return ns2(_string(hops, tcp, seed, routing, rts), traced_from=begin, weight=4.0)


def _string(hops: int, tcp: str, seed: int, routing: str, rts: int) -> dict[str, Value]:
    options: dict[str, Value] = {"string": hops, "tcp": tcp, "routing": routing, "rts": rts, "seed": seed}
    if routing == "static":
        options |= {"start": STATIC_START, "stop": STATIC_STOP}
    return options


def ns3(*, weight: float = 8.0, **options: Value) -> Job:
    """Return a run of ns-3."""
    command = [str(tools.NS3_BINARY), *(f"--{name}={value}" for name, value in options.items())]
    depends = (tools.ns3_version(), tools.ns3_driver(), *_movement(options))
    return Job("ns-3", tuple(command), depends, weight)


def tworay(
    scenario: str,
    seed: int,
    *,
    tcp: str | None = None,
    settings: Mapping[str, Value] | None = None,
    movement: Path | None = None,
    weight: float = 1.0,
) -> Job:
    """Return a run of tworay, from a file in ``studies/peers/scenarios``."""
    path = SCENARIOS / f"{scenario}.toml"
    command = [tools.tworay_command(), *tworay_arguments(path, seed, tcp, settings, movement)]
    depends = [tools.tworay_build(), tools.digest(ROOT / path)]
    if movement is not None:
        depends.append(tools.digest(ROOT / movement))
    return Job("tworay", tuple(command), tuple(depends), weight)


def builtin(
    scenario: str,
    seed: int,
    *,
    tcp: str | None = None,
    settings: Mapping[str, Value] | None = None,
    weight: float = 1.0,
) -> Job:
    """Return a run of a built-in scenario, with the command that a user would type."""
    command = [tools.tworay_command(), *_arguments(scenario, seed, tcp, settings)]
    return Job("tworay", tuple(command), (tools.tworay_build(),), weight)


def tworay_arguments(
    path: Path, seed: int, tcp: str | None, settings: Mapping[str, Value] | None, movement: Path | None
) -> list[str]:
    """Return the arguments of ``tworay``."""
    changes: dict[str, Value] = {}
    if movement is not None:
        # Paths in a scenario are relative to its file.
        up = Path(*[".."] * len(path.parent.parts))
        changes["mobility.file"] = str(up / movement)
    return _arguments(str(path), seed, tcp, changes | dict(settings or {}))


def _arguments(scenario: str, seed: int, tcp: str | None, settings: Mapping[str, Value] | None) -> list[str]:
    arguments = ["run", scenario, "--seed", str(seed)]
    if tcp is not None:
        arguments += ["--tcp", tcp]
    for key, value in (settings or {}).items():
        arguments += ["--set", f"{key}={value}"]
    return [*arguments, "--json"]


def builtin_movement(scenario: str, seed: int) -> Path:
    """Write the movement of a built-in scenario in ``setdest`` format, and return the path."""
    path = CACHE / "movement" / f"{scenario}-seed{seed}.mov"
    text = moves(scenario, seed=seed, form="ns2")
    if not (ROOT / path).is_file() or (ROOT / path).read_text() != text:
        replace(ROOT / path, text)
    return path


def counted_from_start(command: tuple[str, ...]) -> Result:
    """Run ns-2 and count the whole trace."""
    return _counted(command, 0.0)


def counted_from_transfer(command: tuple[str, ...]) -> Result:
    """Run ns-2 and count the trace from the second before the transfer over static routes."""
    return _counted(command, STATIC_START - 1)


def _counted(command: tuple[str, ...], begin: float) -> Result:
    with tempfile.TemporaryDirectory(prefix="tworay-peers-") as directory:
        trace = Path(directory) / "trace"
        result = run_for_json(tuple(str(trace) if word == TRACE else word for word in command))
        return {**result, "mac": mactrace.count(trace, begin)}


def _movement(options: Mapping[str, Value]) -> list[str]:
    path = options.get("movement")
    return [tools.digest(ROOT / str(path))] if path else []


def acked(result: Result) -> int:
    """Return the segments acknowledged over all flows, for any simulator."""
    return sum(int(flow.get("acked", flow.get("acked_segments", 0))) for flow in result["flows"])


def total(result: Result, ours: str, theirs: str) -> int:
    """Sum a counter over the flows, under tworay's or ns-2's name."""
    return sum(int(flow[ours] if ours in flow else flow[theirs]) for flow in result["flows"])


def retransmitted(result: Result) -> int:
    """Return the number of retransmitted segments."""
    return total(result, "retransmitted_segments", "retransmitted")


def route_changes(result: Result) -> int:
    """Return the number of route changes in tworay or ns-3."""
    return int(result["routing"]["route_changes"] if "routing" in result else result["route_changes"])


def timeouts(result: Result) -> int:
    """Return the number of expiries of the retransmission timer."""
    return total(result, "timeouts", "timeouts")
