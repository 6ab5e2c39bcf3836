"""Kernels as arms of comparisons and sweeps: the scenario's TCP flows, sent by the kernel's own TCP."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.errors import InputError, RunError
from tworay.live.network import Ended
from tworay.live.options import Options
from tworay.live.scripts import seconds
from tworay.live.sending import over_tcp
from tworay.metrics.declared import METRICS, Of
from tworay.running import air
from tworay.running.control import arm_of
from tworay.virtual import cache, carrying
from tworay.virtual.machine import MEMORY, Machine
from tworay.virtual.order import CAPTURE, Transfer
from tworay.virtual.running import order_for, write_scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario
    from tworay.virtual.daemons import Daemon

PORT = 5001
# Values of flows that are of a single hop where the stations route.
OF_HOPS = ("mean_hops", "mean_delay_seconds", "jitter_seconds")
# Values of flows per time.
RATES = ("goodput_bps", "throughput_bps", "sent_bps")
COUNTS = ("acked_segments", "sent_segments", "retransmitted_segments", "fast_retransmits")
# Headers of a segment with timestamps (IPv4, TCP), and the MTU of Ethernet, bytes.
HEADERS, ETHERNET_MTU = 52, 1500


def run_kernel(
    scenario: Scenario,
    seed: int,
    controller: str,
    *,
    daemon: Daemon | None = None,
    on_air: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Run:
    """Run a scenario whose TCP flows are sent and received by the kernel in virtual time.

    The run lasts as long as the scenario. The receiver's window is the scenario's ``tcp.window``; everything
    else of TCP is the kernel's. ``daemon`` routes in place of the scenario's protocol: every node is a
    station then, and segments have at most the scenario's ``tcp.mss`` of payload. ``on_air`` adds the section
    ``air`` to the summary.

    Raises:
        InputError: no kernel in the cache, too little memory, or traffic that is only simulated.
        RunError: the machine or a daemon died, or the network ended early.

    """
    check_carried(scenario, arm_of(controller))
    document = tomllib.loads(scenario.to_toml())
    transfers = transfers_of(document, limited=daemon is not None)
    duration = seconds(document["duration"])
    options = Options(seed=seed, limit=duration, congestion=controller)
    if daemon is not None:
        check_routable(scenario, daemon.name)
        mtu = max(ETHERNET_MTU, _bytes(document["tcp"]["mss"]) + HEADERS) + daemon.encapsulation
        options = replace(options, layer=2, mtu=mtu)
    machine = Machine(cache.kernel(), seed, MEMORY)
    with cache.scratch() as scratch:
        write_scenario(scenario, scratch)
        order = order_for(options, transfers=transfers)
        order = replace(order, capture=on_air, each=None if daemon is None else daemon.script)
        left = machine.run(scratch, order, stopped=stopped)
        extras = json.loads(left["extras"])
        report = carrying.read(scratch)
        heard = air.read(scratch / CAPTURE, document, scenario.nodes) if on_air else None
    if json.loads(report.json())["sim_seconds"] < duration:
        raise RunError(f"the network ended early: {left['problem']}")
    # The end of the scenario is not early.
    extras["ended_early"] = None
    run = Ended(report, None, json.dumps(extras)).as_run(scenario, options, sends_all=True)
    run.summary["live"]["virtual"] = machine.about(left)
    run = in_order(run, document)
    if daemon is not None:
        run.summary["routing"]["protocol"] = daemon.name
        for flow in run.summary["flows"]:
            flow |= dict.fromkeys(OF_HOPS)
        columns = [pl.lit(None, pl.Float64).alias(name) for name in OF_HOPS]
        run.tables["flows"] = run.tables["flows"].with_columns(columns)
        run.summary["live"]["routing"] = {"name": daemon.name, "digest": daemon.digest}
    if heard is not None:
        run.summary["air"] = air.measured(heard, run.summary, run.ledger)
    return run


def check_carried(scenario: Scenario, arm: str) -> None:
    """Refuse a scenario in which a kernel would not do what the simulated arms do.

    A program at each end writes or reads a stream as fast as it can. The conversations of ``web``,
    ``request`` and ``video``, and traces over TCP, are simulated only. ``arm`` is how the user wrote it.

    Raises:
        InputError: with the flow and the remedy.

    """
    document, over = tomllib.loads(scenario.to_toml()), over_tcp(scenario)
    for number, flow in enumerate(document.get("flow", [])):
        app = flow.get("app", "ftp")
        if app != "ftp" and number in over:
            kind = f'app = "{app}"' + (', over = "tcp"' if app == "replay" else "")
            raise InputError(
                f"{arm}: flow {number} of {scenario.name} ({kind}) is sent by simulated senders only; "
                f"leave it out of all arms with --set flow.{number}=off"
            )
    if seconds(document["warmup"]) > 0:
        raise InputError(
            f"{arm}: {scenario.name} has a warmup of {document['warmup']}, which figures of kernels include; "
            "set it to zero for all arms: --set warmup=0s"
        )


def check_routable(scenario: Scenario, name: str) -> None:
    """Refuse a scenario whose packets a daemon can't route.

    Raises:
        InputError: with the reason.

    """
    flows = tomllib.loads(scenario.to_toml()).get("flow", [])
    number = next((number for number, flow in enumerate(flows) if flow.get("app", "ftp") != "ftp"), None)
    if number is not None:
        app = flows[number]["app"]
        simulated = f"the simulated traffic of `{app}`"
        what = simulated if number in over_tcp(scenario) else "simulated datagrams"
        raise InputError(
            f"--routing {name}: flow {number} of {scenario.name} sends {what}, which no daemon "
            f"routes; leave it out with --set flow.{number}=off"
        )


def transfers_of(document: dict[str, Any], *, limited: bool = False) -> list[Transfer]:
    """Return the TCP flows of a scenario; ``limited`` to its segment size."""
    mss = _bytes(document["tcp"]["mss"])
    window = document["tcp"]["window"] * mss
    return [
        Transfer(
            source=flow["from"],
            to=flow["to"],
            port=PORT + number,
            start=seconds(flow.get("start", "0s")),
            stop=seconds(flow["stop"]) if "stop" in flow else seconds(document["duration"]),
            length=_bytes(flow["bytes"]) if "bytes" in flow else 0,
            window=window,
            mss=mss if limited else None,
        )
        for number, flow in enumerate(document["flow"])
        if flow.get("app", "ftp") == "ftp"
    ]


def in_order(run: Run, document: dict[str, Any]) -> Run:
    """Give flows the numbers and starts that they have in the scenario; live runs number them as they start.

    A sender that reached nobody tries again with another connection: the flow is the one that carried most,
    and the others are left out. Rates are over the time from the scenario's start of the flow, as those of
    simulated flows, not from that of the connection.
    """
    simulated = [number for number, flow in enumerate(document["flow"]) if flow.get("app", "ftp") != "ftp"]
    numbers = dict(enumerate(simulated))
    connections = run.summary["live"]["connections"]
    carried = {flow["id"]: flow for flow in run.summary["flows"]}
    chosen: dict[int, dict[str, Any]] = {}
    for connection in connections:
        ports = {end["port"] for end in connection["ends"]}
        number = next((port - PORT for port in ports if 0 <= port - PORT < len(document["flow"])), None)
        connection["number"] = number
        if number is not None:
            before = chosen.get(number)
            chosen[number] = max(filter(None, (before, connection)), key=lambda one: _carried(carried, one))
    opened = {number for number in chosen if number not in simulated}
    for number, connection in chosen.items():
        numbers[connection["flow"]] = number
        _from_start(carried[connection["flow"]], connection, document["flow"][number], run.summary)
    for connection in connections:
        connection["flow"] = connection.pop("number")
    found = [flow | {"id": numbers[flow["id"]]} for flow in run.summary["flows"] if flow["id"] in numbers]
    found += [
        unopened(number, flow["from"], flow["to"], run.summary["live"]["settings"]["congestion"])
        for number, flow in enumerate(document["flow"])
        if number not in opened and number not in simulated
    ]
    run.summary["flows"] = sorted(found, key=lambda flow: flow["id"])
    for name, table in run.tables.items():
        if "flow" in table.columns:
            known = table.filter(pl.col("flow").is_in(list(numbers)) | pl.col("flow").is_null())
            run.tables[name] = known.with_columns(pl.col("flow").replace(numbers))
    rates = {flow["id"]: flow for flow in run.summary["flows"]}
    flows = run.tables["flows"].sort("flow")
    columns = [pl.Series(name, [rates[n][name] for n in flows["flow"]], dtype=pl.Float64) for name in RATES]
    run.tables["flows"] = flows.with_columns(columns)
    return run


def unopened(number: int, source: int, to: int, controller: str) -> dict[str, Any]:
    """Return a flow of which nothing ever left its source: the kernel had no route."""
    ends = {"id": number, "from": source, "to": to, "tcp": arm_of(controller)}
    names = [metric.name for metric in METRICS if metric.of is not Of.RUN and "*" not in metric.name]
    return ends | dict.fromkeys(names) | dict.fromkeys(RATES, 0.0) | dict.fromkeys(COUNTS, 0)


def _carried(flows: dict[int, dict[str, Any]], connection: dict[str, Any]) -> float:
    return float(flows.get(connection["flow"], {}).get("acked_segments") or 0)


def _from_start(
    flow: dict[str, Any], connection: dict[str, Any], asked: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Count the time of a flow from the scenario's start of it."""
    began, end = connection["started_seconds"], summary["sim_seconds"]
    late = began - seconds(asked.get("start", "0s"))
    if flow["completion_seconds"] is not None:
        end = began + flow["completion_seconds"]
        flow["completion_seconds"] += late
    if flow["handshake_seconds"] is not None:
        flow["handshake_seconds"] += late
    spent = end - began
    for name in RATES:
        flow[name] *= spent / (spent + late)


def _bytes(text: str) -> int:
    return int(text.removesuffix("B"))
