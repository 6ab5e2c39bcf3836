"""A TCP stack of this machine's kernel in a network namespace of its own, behind a TUN device.

The rest of the machine is not affected: a namespace disappears with the last process, device or
socket that uses it. Needs root.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
MTU = 1500
SYN, ACK = 0x02, 0x10


def enter_namespace(address: str) -> int:
    """Move this process to a new network namespace and return a TUN device there that has this address."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"peer0", IFF_TUN | IFF_NO_PI))
    for words in (
        ["link", "set", "lo", "up"],
        ["addr", "add", f"{address}/24", "dev", "peer0"],
        # One segment a packet: the stack doesn't wait to send several at once (tcp_tso_should_defer).
        ["link", "set", "peer0", "mtu", str(MTU), "gso_max_segs", "1", "up"],
    ):
        subprocess.run(["ip", *words], check=True)
    return device


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep this process on one processor that doesn't sleep."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    spinner = _spin()
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, allowed)
        os.kill(spinner, 9)
        os.waitpid(spinner, 0)


def before_all_others() -> None:
    """Let no other work come between an ACK and the answer, until `undisturbed` ends."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def _spin() -> int:
    """Start a process of the least priority that keeps its processor from sleeping.

    The timers of a sleeping processor are left to others, which may be a tick late.
    """
    pid = os.fork()
    if pid:
        return pid
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        while os.getppid() != 1:
            pass
    finally:
        os._exit(0)


def tcp_options(
    data: bytes,
) -> tuple[list[tuple[int, int]], tuple[int, int] | None, int | None]:
    """Return the SACK blocks, the time stamps and the window scale of a TCP header's options."""
    sack: list[tuple[int, int]] = []
    stamps, scale, at = None, None, 0
    while at < len(data) and data[at] != 0:
        if data[at] == 1:
            at += 1
            continue
        kind, size = data[at], max(data[at + 1], 2)
        if kind == 5:
            sack = [struct.unpack_from("!II", data, i) for i in range(at + 2, at + size, 8)]
        elif kind == 8:
            stamps = struct.unpack_from("!II", data, at + 2)
        elif kind == 3:
            scale = data[at + 2]
        at += size
    return sack, stamps, scale
