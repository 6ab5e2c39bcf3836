"""A network in a machine as the host follows it: what it sees, and the rests in which time stands still."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.virtual.order import REST, UP, VIEW, go_name, publish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay.live.network import Network

# Where the machine sees the scratch directory.
HERE = Path("/run/tworay-machine")


def rest(number: int, at: float) -> None:
    """Let time stand still, by computing, until the host lets the machine go on.

    How often it looks depends on the host, so a look must not read the clock, which moves time: looking up a
    file that is not there does (1 us), listing an open directory does not.
    """
    go = go_name(number)
    here = os.open(HERE, os.O_RDONLY | os.O_DIRECTORY)
    publish(HERE / REST, f"{number} {at}")
    while go not in os.listdir(here):  # noqa: PTH208
        pass
    (HERE / REST).unlink()
    (HERE / go).unlink()
    os.close(here)


class Followed:
    """Keeps a command's network at the host's pace, and shows it to those who watch; no network: nothing."""

    def __init__(self) -> None:
        self._network: Network | None = None
        self._began, self._rests = 0.0, 0

    @contextmanager
    def network(self, network: Network) -> Iterator[None]:
        """Follow a network until it ends."""
        self._network, self._began = network, time.monotonic()
        publish(HERE / UP, nodes_of(network))
        yield
        self._network = None

    def look(self) -> None:
        """Show the network as it is now, and rest until the host lets time go on."""
        if self._network is not None:
            publish(HERE / VIEW, self._network.view())
            self._rests += 1
            rest(self._rests, time.monotonic() - self._began)


def nodes_of(network: Network) -> str:
    """Return the description of a network's stations for the host."""
    from tworay import _native

    return json.dumps(
        {
            str(node): {"address": network.address(node), "device": _native.live_device(node)}
            for node in network.stations
        }
    )
