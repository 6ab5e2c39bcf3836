"""Options of live networks, with the defaults for Python and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STANDING_LIMIT = 86_400.0
"""Default limit of a network of ``tworay live up``, simulated seconds."""


@dataclass(frozen=True)
class Options:
    """Options of a live network.

    Attributes:
        seed: seed of all random streams.
        layer: 3 (IPv4 packets; the scenario's routing) or 2 (Ethernet frames; routing is the user's).
        nodes: which nodes get a station; empty for the ends of the TCP flows (layer 3) or all (layer 2).
        slow: factor by which the network runs slower than real time, 1 to 1000.
        most_late: maximum lateness of the engine in real seconds; times in which it is exceeded are marked.
        strict: whether the network stops when it is exceeded.
        limit: maximum duration, simulated seconds.
        mtu: largest IP packet in bytes (68 to 2304); by default the scenario's full segments fit.
        congestion: congestion control of the kernels; ``None``: the machine's default.
        freeze: close the windows of senders while their route is broken.
        pcap: file for a capture of all frames; ``-`` for stdout, while the network runs.
        record: also keep every segment, frame, queue length, route and position, for the map of the report.
        ssh: run an SSH server at every station.

    """

    seed: int = 1
    layer: int = 3
    nodes: Sequence[int] = ()
    slow: float = 1.0
    most_late: float = 0.02
    strict: bool = False
    limit: float = 3600.0
    mtu: int | None = None
    congestion: str | None = None
    freeze: bool = False
    pcap: Path | None = None
    record: bool = False
    ssh: bool = False

    def __post_init__(self) -> None:
        if self.layer not in (2, 3):
            raise InputError(f"--layer {self.layer}: allowed are 2 (Ethernet frames) and 3 (IP packets)")
        check_nodes(self.nodes, [str(node) for node in self.nodes])
        if not 1 <= self.slow <= 1000:
            raise InputError(f"--slow {self.slow:g}: allowed are 1 (real time) to 1000")
        if self.most_late <= 0 or self.limit <= 0:
            raise InputError("--most-late and --limit must be above zero")
        if self.freeze and self.layer == 2:
            raise InputError("--freeze needs --layer 3: on layer 2 the simulated network has no routes")


def check_nodes(nodes: Sequence[int], words: Sequence[str]) -> None:
    """Check the nodes that get a station; ``words`` are what the user called them.

    Raises:
        InputError: one is named twice, or there is only one.

    """
    named = ",".join(words)
    twice = [word for place, word in enumerate(words) if nodes[place] in nodes[:place]]
    if twice:
        raise InputError(f"--nodes {named}: node {twice[0]} is named twice; leave one of them out")
    if len(nodes) == 1:
        raise InputError(f"--nodes {named}: a live network needs two stations at least; name another node")
