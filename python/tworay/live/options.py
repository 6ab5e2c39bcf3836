"""How a live network is run: the options, and their defaults for Python and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STANDING_LIMIT = 86_400.0
"""The end of a network of ``tworay live up`` that nobody ends, simulated seconds."""


@dataclass(frozen=True)
class Options:
    """How to run a live network.

    Attributes:
        seed: of all random streams of the air.
        layer: 3 (IPv4 packets; the scenario's routing) or 2 (Ethernet frames; routing is the user's).
        nodes: which nodes get a station; empty for the ends of the TCP flows (layer 3) or all (layer 2).
        slow: so many times slower than real time, 1 or more.
        most_late: largest lateness of the engine in real seconds; past it the network stops.
        limit: the end at the latest, simulated seconds.
        mtu: largest IP packet in bytes (68 to 2304); by default the scenario's segments just fit.
        congestion: the kernels' congestion control; the machine's default if ``None``.
        freeze: answer senders whose route is broken with a closed window.
        pcap: file for a capture of the air.

    """

    seed: int = 1
    layer: int = 3
    nodes: Sequence[int] = ()
    slow: float = 1.0
    most_late: float = 0.02
    limit: float = 3600.0
    mtu: int | None = None
    congestion: str | None = None
    freeze: bool = False
    pcap: Path | None = None

    def __post_init__(self) -> None:
        if self.layer not in (2, 3):
            raise InputError(f"--layer {self.layer}: 2 (Ethernet frames) or 3 (IP packets)")
        if not 1 <= self.slow <= 1000:
            raise InputError(f"--slow {self.slow:g}: 1 (real time) to 1000 times slower")
        if self.most_late <= 0 or self.limit <= 0:
            raise InputError("--most-late and --limit are times above zero")
        if self.freeze and self.layer == 2:
            raise InputError("--freeze needs --layer 3: on layer 2 the air knows nothing of routes")
