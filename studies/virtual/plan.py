"""What the studies run: scenarios, pairs of the kernel's and our controllers, settings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/studies"
STORE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "virtual-study"
"""Finished runs are kept here: more seeds continue, another kernel or version begins anew."""

# The kernel's controllers that the simulator has, too. Segments, timers and repair are those of `linux`.
PAIRS = {
    "reno": "linux",
    "cubic": "linux+cubic(form=linux)",
    "westwood": "linux+westwood+(1)",
    "veno": "linux+veno",
    "vegas": "linux+vegas-growth",
    "bbr": "linux+bbr(form=linux)",
}
# What Linux does at both ends (tcp.timestamps: RFC 7323; RFC 6928; delayed ACKs of at least 40 ms).
AS_LINUX = {
    "tcp.timestamps": "true",
    "tcp.initial_window": "rfc6928",
    "tcp.receiver.acks": "delayed",
    "tcp.receiver.interval": "40ms",
    "tcp.rto.arithmetic": "linux",
    "tcp.sack.dsack": "true",
}


class Case(NamedTuple):
    """A scenario with its settings, and words for it."""

    name: str
    title: str
    scenario: str
    settings: dict[str, str]


# Fixed routes where nothing moves: differences are then TCP's. The queue can't hold such a window.
STATIC = {"routing.protocol": "static"}
WIDE = {"tcp.window": "128"}
CASES = (
    Case("string-4", "four hops", "string-4", {**STATIC, **WIDE, "duration": "30s"}),
    Case("errors", "two hops, 3 % of the packets corrupted", "channel-errors", {**STATIC, "duration": "30s"}),
    Case("moving", "50 walking nodes over AODV", "square-50", {"duration": "30s"}),
    Case("string-2", "two hops", "string-2", {**STATIC, **WIDE, "duration": "30s"}),
)
