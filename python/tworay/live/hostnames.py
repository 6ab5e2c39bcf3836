"""Names of nodes as names of hosts: every station has all of them in its `/etc/hosts`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay.running.scenarios import Scenario

# Names of the station itself in `/etc/hosts`.
OWN = ("localhost", "ip6-localhost", "ip6-loopback")


def check_host_names(scenario: Scenario, where: str) -> None:
    """Check that no node is called as every station calls itself, or as another node is called by default.

    A node without a name is ``node-N``, and one with a name is so, too. Hosts' names ignore upper and lower
    case. ``where`` is the scenario as the user named it.

    Raises:
        InputError: a node is called so.

    """
    for name, node in scenario.names.items():
        low = name.lower()
        if low in OWN:
            raise InputError(
                f"{where}: names.{name} = {node}: every station calls itself so; choose another name"
            )
        plain = re.fullmatch(r"node-(0|[1-9]\d*)", low)
        if plain and int(plain[1]) != node and int(plain[1]) < scenario.nodes:
            raise InputError(
                f"{where}: names.{name} = {node}: stations know node {plain[1]} by this name; "
                f"choose another, or node-{node}"
            )
