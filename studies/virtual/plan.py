"""Plan of the studies: scenarios, pairs of the kernel's and our controllers, settings."""

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
# What Linux does at both ends (tcp.timestamps: RFC 7323; RFC 6928; delayed ACKs of at least 40 ms). Its first
# slow start is not limited by the receiver's window (TCP_INFINITE_SSTHRESH).
AS_LINUX = {
    "tcp.initial_ssthresh": "2147483647",
    "tcp.timestamps": "true",
    "tcp.initial_window": "rfc6928",
    "tcp.receiver.acks": "stretched",
    "tcp.receiver.interval": "40ms",
    "tcp.rto.arithmetic": "linux",
    "tcp.sack.dsack": "true",
}


def one_by_one(window: int, mss: int) -> dict[str, str]:
    """Return the setting by which a receiver acknowledges its first segments one by one, as Linux does.

    These are as many as fill half of its first window (``tcp_incr_quickack``: of at least 536 bytes each, at
    most 16), and those that open the window to its full size, two segments with each (``tcp_grow_window``).
    ``window`` and ``mss`` are bytes.
    """
    first = min(window, 65535 // mss * mss)
    quick = min(16, first // (2 * max(mss, 536)))
    opening = -(-(window - first) // (2 * mss))
    return {"tcp.receiver.stretched.from": f"[{quick + opening + 1}]"}


class Case(NamedTuple):
    """A scenario with its settings, and words for it."""

    name: str
    title: str
    scenario: str
    settings: dict[str, str]


# Fixed routes where nothing moves: differences are then TCP's. The queue can't hold such a window.
STATIC = {"routing.protocol": "static"}
WIDE = {"tcp.window": "128", **one_by_one(128 * 1460, 1460)}
CASES = (
    Case("string-4", "four hops", "string-4", {**STATIC, **WIDE, "duration": "30s"}),
    Case(
        "errors",
        "two hops, 3 % of the packets corrupted",
        "channel-errors",
        {**STATIC, **one_by_one(20 * 512, 512), "duration": "30s"},
    ),
    Case(
        "moving",
        "50 walking nodes over AODV",
        "square-50",
        {**one_by_one(64 * 1460, 1460), "duration": "30s"},
    ),
    Case("string-2", "two hops", "string-2", {**STATIC, **WIDE, "duration": "30s"}),
)
