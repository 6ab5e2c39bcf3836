"""Names of nodes as names of hosts: every station has all of them in its `/etc/hosts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.errors import InputError
from tworay.naming import OWN, other_host

if TYPE_CHECKING:
    from tworay.running.scenarios import Scenario


def check_host_names(scenario: Scenario, where: str) -> None:
    """Check that no node is called as every station calls itself, or as another node is called by default.

    ``where`` is the scenario as the user named it.

    Raises:
        InputError: a node is called so.

    """
    for name, node in scenario.names.items():
        reason = other_host(name, node, scenario.nodes)
        if reason is not None:
            instead = "choose another name" if name.lower() in OWN else f"choose another, or node-{node}"
            raise InputError(f"{where}: names.{name} = {node}: {reason}; {instead}")
