"""Two network namespaces joined by a pipe of constant delay that can be broken."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from kernel_string import ip

if TYPE_CHECKING:
    from collections.abc import Iterator

# The delay of the sender's packets, seconds. WELCOME takes a round trip for longer than usual from 5 % on,
# here 4 ms: no scheduler delays five in a row by that.
DELAY = 0.08
SENDER, RECEIVER = "10.92.0.1", "10.92.0.2"

# Relays packets between TUN devices in two namespaces. Each line of its input lets everything through ("up")
# or nothing ("down").
RELAY = """
import errno, fcntl, heapq, os, select, struct, sys, time
from tworay import _native
delay, devices = float(sys.argv[1]), []
for place in sys.argv[2:]:
    _native.join_namespace(place)
    device = os.open("/dev/net/tun", os.O_RDWR)
    # TUNSETIFF: IFF_TUN, IFF_NO_PI.
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH22x", b"pipe", 0x1001))
    devices.append(device)
print("ready", flush=True)
queue, up, number = [], True, 0
while True:
    wait = max(queue[0][0] - time.monotonic(), 0) if queue else None
    ready, _, _ = select.select([sys.stdin, *devices], [], [], wait)
    if sys.stdin in ready:
        line = sys.stdin.readline()
        if not line:
            break
        up = line == "up\\n"
        print("done", flush=True)
    for side, device in enumerate(devices):
        if device in ready:
            packet = os.read(device, 65536)
            if up:
                number += 1
                later = 0.0 if side else delay
                heapq.heappush(queue, (time.monotonic() + later, number, devices[1 - side], packet))
    while queue and queue[0][0] <= time.monotonic():
        *_, device, packet = heapq.heappop(queue)
        try:
            os.write(device, packet)
        except OSError as error:
            # The other end is not up yet: the first one already sends of itself (IPv6).
            if error.errno != errno.EIO:
                raise
"""


class Pipe(NamedTuple):
    """The namespaces of both ends, and what relays between them."""

    sender: str
    receiver: str
    relay: subprocess.Popen[str]

    def turn(self, how: str) -> None:
        """Let everything through (``up``) or nothing (``down``)."""
        assert self.relay.stdin is not None
        assert self.relay.stdout is not None
        print(how, file=self.relay.stdin, flush=True)
        assert self.relay.stdout.readline() == "done\n"


@contextlib.contextmanager
def pipe() -> Iterator[Pipe]:
    """Make the pipe and take it away again."""
    mark = f"tworay-pipe-{os.getpid()}"
    names = (f"{mark}-a", f"{mark}-b")
    with contextlib.ExitStack() as stack:
        for name in names:
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
        relay = subprocess.Popen(
            [sys.executable, "-c", RELAY, str(DELAY), *(f"/run/netns/{name}" for name in names)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(relay.communicate)
        stack.callback(relay.kill)
        assert relay.stdout is not None
        assert relay.stdout.readline() == "ready\n"
        for name, address in zip(names, (SENDER, RECEIVER), strict=True):
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "pipe")
            ip("-n", name, "link", "set", "pipe", "up")
        yield Pipe(*names, relay)
