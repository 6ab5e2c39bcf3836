"""A string of two hops between network namespaces, joined by veth pairs, and transfers over it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tworay
from tworay.live import Options
from tworay.live.commanding import run_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay import Run

SERVER = "10.91.2.2"
PORT = 5001
RECEIVE = """
import hashlib, socket, sys
listener = socket.create_server(("0.0.0.0", int(sys.argv[1])))
print("ready", flush=True)
connection, _ = listener.accept()
digest = hashlib.sha256()
while data := connection.recv(65536):
    digest.update(data)
print(digest.hexdigest())
"""
STORE = """
import hashlib, os, socket, sys
listener = socket.create_server(("0.0.0.0", int(sys.argv[2])))
connection, _ = listener.accept()
digest = hashlib.sha256()
while data := connection.recv(65536):
    digest.update(data)
with open(sys.argv[1], "w") as file:
    file.write(digest.hexdigest())
"""
SEND = """
import fcntl, hashlib, random, socket, struct, sys, termios, time
_, server, size, controller, port = sys.argv
data = random.Random(1).randbytes(int(size))
connection = socket.socket()
if controller:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, controller.encode())
connection.connect((server, int(port)))
connection.sendall(data)
# The kernel may hold all data: ACKs that arrive after the FIN take another way, which is not measured.
while struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0]:
    time.sleep(0.01)
connection.shutdown(socket.SHUT_WR)
connection.recv(1)
name = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 144)
# tcpi_snd_cwnd and tcpi_segs_in of struct tcp_info.
cwnd, arrived = (int.from_bytes(info[at : at + 4], sys.byteorder) for at in (80, 140))
print(hashlib.sha256(data).hexdigest(), name.rstrip(b"\\0").decode(), cwnd, arrived)
"""


class String(NamedTuple):
    """The namespaces at both ends, and the one between them."""

    sender: str
    router: str
    receiver: str


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Keep other runs of these tests on this machine waiting: there is one kernel."""
    with (Path(tempfile.gettempdir()) / "tworay-kernel-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextlib.contextmanager
def string() -> Iterator[String]:
    """Make the string and take it away again."""
    mark = f"tworay-{os.getpid()}"
    made = String(f"{mark}-a", f"{mark}-b", f"{mark}-c")
    with contextlib.ExitStack() as stack:
        for name in made:
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("-n", name, "link", "set", "lo", "up")
        for number, (left, right) in enumerate(((made.sender, made.router), (made.router, made.receiver)), 1):
            ip("link", "add", "right", "netns", left, "type", "veth", "peer", "name", "left", "netns", right)
            ip("-n", left, "addr", "add", f"10.91.{number}.1/24", "dev", "right")
            ip("-n", right, "addr", "add", f"10.91.{number}.2/24", "dev", "left")
            ip("-n", left, "link", "set", "right", "up")
            ip("-n", right, "link", "set", "left", "up")
        ip("-n", made.sender, "route", "add", "default", "via", "10.91.1.2")
        ip("-n", made.receiver, "route", "add", "default", "via", "10.91.2.1")
        ip("netns", "exec", made.router, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
        yield made


AIR = {"mac.data_rate": "11Mbps", "mac.basic_rate": "2Mbps"}


def over_the_air(
    directory: Path,
    size: int,
    controller: str | None,
    loss: float = 0,
    *,
    scenario: str | Path = "string-2",
    before: str = "",
) -> Run:
    """Send bytes between two kernels over the air as a user without rights, and check their digests.

    ``before`` is done in the sender's namespace by a shell with all rights.
    """
    air = AIR | {"errors.pkt_err.bernoulli.rate": loss} if scenario == "string-2" else {}
    world = tworay.load(scenario, set=air)
    # A busy machine may be late: this is about bytes, not about time.
    options = Options(congestion=controller, most_late=2.0)
    stored = directory / f"{controller}.sha256"
    serve = ["exec", sys.executable, "-c", shlex.quote(STORE), str(stored), str(PORT)]
    send = ["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c", SEND]
    shell = ["sh", "-c", f'{before}\nexec "$@"', "sh", *send, "{peer}", str(size), "", str(PORT)]
    outcome = run_command(world, options, shell, " ".join(serve), quietly=True)
    assert (outcome.code, outcome.problem) == (0, None)
    data = random.Random(1).randbytes(size)
    assert stored.read_text() == hashlib.sha256(data).hexdigest()
    return outcome.run


def narrow(ends: String, rate: str) -> None:
    """Let the second hop carry no more than ``rate`` and queue ten packets, so that some are lost."""
    for name, device in zip(ends, ("right", "right", "left"), strict=True):
        off = ["gso_max_segs", "1"]
        ip("-n", name, "link", "set", device, *off)
    shape = ["tbf", "rate", rate, "burst", "5000", "limit", "15000"]
    subprocess.run(["tc", "-n", ends.router, "qdisc", "replace", "dev", "right", "root", *shape], check=True)


class Sent(NamedTuple):
    """State of the sending kernel's connection after a transfer."""

    controller: str
    cwnd: int
    """The last congestion window, segments."""
    arrived: int
    """Segments that arrived at the sender: its ACKs, and one or two at either end of the connection."""


def transfer(
    ends: String, size: int, controller: str = "", *, user: int | None = None, port: int = PORT
) -> Sent:
    """Send bytes from end to end and check their digests."""
    received = subprocess.Popen(
        ["ip", "netns", "exec", ends.receiver, sys.executable, "-c", RECEIVE, str(port)],
        stdout=subprocess.PIPE,
        text=True,
    )
    with received:
        assert received.stdout is not None
        assert received.stdout.readline() == "ready\n"
        plain = [] if user is None else ["setpriv", f"--reuid={user}", "--clear-groups"]
        command = ["ip", "netns", "exec", ends.sender, *plain, sys.executable, "-c", SEND]
        sent = subprocess.run(
            [*command, SERVER, str(size), controller, str(port)],
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        digest, name, cwnd, arrived = sent.stdout.split()
        assert received.stdout.read().strip() == digest
        assert digest != hashlib.sha256(b"").hexdigest()
    return Sent(name, int(cwnd), int(arrived))
