"""Who sends in a live network: the ends of the command, the flows that nobody sends, connections refused."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.naming import Nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay.live.options import Options
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario


def ends(scenario: Scenario, options: Options) -> tuple[int, int]:
    """Return the nodes of the command and its peer: the ends of the first TCP flow, or the first two named.

    Raises:
        InputError: there is no TCP flow, and fewer than two nodes are named.

    """
    if len(options.nodes) >= 2:
        return options.nodes[0], options.nodes[1]
    first = next(iter(over_tcp(scenario).values()), None)
    if first is not None:
        return first["from"], first["to"]
    if options.layer == 2 and scenario.nodes > 1:
        return 0, scenario.nodes - 1
    raise InputError(
        f"{scenario.name} has no flow over TCP, between whose ends the command would run; name two "
        "nodes with --nodes FROM,TO"
    )


def over_tcp(scenario: Scenario) -> dict[int, dict[str, Any]]:
    """Return the flows of a scenario that go over TCP, by number."""
    flows = tomllib.loads(scenario.to_toml()).get("flow", [])
    return {number: flows[number] for number in scenario.over_tcp}


def not_sent(scenario: Scenario, options: Options) -> str | None:
    """Return a sentence on the flows of a scenario that nobody sends in a live network, if there are any.

    The simulator sends its datagrams only. The command takes the place of the bulk transfer between its ends.
    """
    flows = over_tcp(scenario)
    first = next(iter(flows), None)
    if first is not None and flows[first].get("app", "ftp") == "ftp" and len(options.nodes) < 2:
        del flows[first]
    if not flows:
        return None
    named = ", ".join(f"flow {number} ({flow.get('app', 'ftp')})" for number, flow in flows.items())
    return (
        f"Not sent: {named} of {scenario.name}; in a live network programs send over TCP, and the simulator "
        "sends the scenario's datagrams only"
    )


def refused(run: Run, command: Sequence[str], serve: str | None) -> str | None:
    """Return what to do about a connection that the other end refused, if no server was asked for.

    Such a connection ends, by the RST that answers its SYN, without having opened.
    """
    shut = [
        flow
        for flow in run.summary["flows"]
        if flow["tcp"] is not None
        and flow["handshake_seconds"] is None
        and flow["completion_seconds"] is not None
    ]
    if not shut or serve is not None or not command:
        return None
    server = "'iperf3 -s'" if command[0].rpartition("/")[2] == "iperf3" else "CMD"
    at = Nodes.of(run.summary)(shut[0]["to"])
    return f"{at} refused a connection: no program listens there; --serve {server} starts one first"
