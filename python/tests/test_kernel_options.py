"""A controller gives back what it took: socket options, closed sockets, the machine's default."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kernel_pipe import RECEIVER, Pipe, pipe
from kernel_string import alone

from tworay import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

USABLE = os.geteuid() == 0 and Path("/sys/kernel/btf/vmlinux").exists()
pytestmark = pytest.mark.skipif(not USABLE, reason="needs root and type information of the kernel")
RTO_MAX_MS = 44
# The first kernel with TCP_RTO_MAX_MS is 6.15.
RECENT = tuple(int(part) for part in os.uname().release.split(".")[:2]) >= (6, 15)
# Linux derives from its limit of 120 s when to give up a connection: 200 ms doubled nine times, 204.6 s, and
# six times 120 s.
GIVE_UP_MS = 924_600

TAKE = """
import socket
listener = socket.create_server(("0.0.0.0", 5001))
print("ready", flush=True)
connection, _ = listener.accept()
while connection.recv(65536):
    pass
"""
# Obeys one line at a time: data is sent in small pieces, so that round trips don't grow.
SENDER = """
import json, socket, sys, time
connection = socket.socket()
connection.setsockopt(6, socket.TCP_CONGESTION, b"tworay_welcome")
connection.connect((sys.argv[1], 5001))
connection.setblocking(False)
for line in sys.stdin:
    what, *rest = line.split()
    if what == "set":
        connection.setsockopt(6, int(rest[0]), int(rest[1]))
    elif what == "send":
        for _ in range(int(rest[0])):
            connection.send(bytes(1000))
            time.sleep(0.01)
    elif what == "choose":
        connection.setsockopt(6, socket.TCP_CONGESTION, rest[0].encode())
    elif what == "close":
        connection.close()
        print("{}", flush=True)
        continue
    found = {str(option): connection.getsockopt(6, option) for option in (18, 44)}
    info = connection.getsockopt(6, 11, 104)
    found["retransmits"], found["unacked"] = info[2], int.from_bytes(info[24:28], sys.byteorder)
    found["name"] = connection.getsockopt(6, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode()
    print(json.dumps(found), flush=True)
"""


class Sender:
    """A program that sends through the pipe and tells its socket's options."""

    def __init__(self, ends: Pipe) -> None:
        self._ends = ends
        inside = ["ip", "netns", "exec"]
        self._receiver = subprocess.Popen(
            [*inside, ends.receiver, sys.executable, "-c", TAKE], stdout=subprocess.PIPE, text=True
        )
        assert self._receiver.stdout is not None
        self._receiver.stdout.readline()
        self.process = subprocess.Popen(
            [*inside, ends.sender, sys.executable, "-c", SENDER, RECEIVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self.process, self._receiver):
            process.kill()
            # Also closes its pipes.
            process.communicate()

    def __call__(self, *words: object) -> dict[str, int]:
        """Give an order, and return the socket's options and state."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(*words, file=self.process.stdin, flush=True)
        found: dict[str, int] = json.loads(self.process.stdout.readline())
        return found

    def break_link(self) -> dict[str, int]:
        """Break the pipe while data is under way, until the controller limits the backoff."""
        self._ends.turn("down")
        self("send", 1)
        return self.until(lambda found: found["retransmits"] >= 2)

    def mend_link(self) -> dict[str, int]:
        """Let everything through again, until the new path is known: four round trips."""
        self._ends.turn("up")
        self.until(lambda found: found["unacked"] == 0)
        return self("send", 20)

    def until(self, reached: object) -> dict[str, int]:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            found = self("look")
            if reached(found):  # type: ignore[operator]
                return found
            time.sleep(0.05)
        pytest.fail(f"never reached: {found}")


@pytest.fixture(scope="module")
def ends() -> Iterator[Pipe]:
    with alone(), pipe() as made:
        yield made


@pytest.fixture
def sender(ends: Pipe) -> Iterator[Sender]:
    kernel.load("welcome")
    try:
        with Sender(ends) as made:
            made("send", 60)
            yield made
    finally:
        ends.turn("up")
        if any(one.state == "loaded" for one in kernel.controllers()[0]):
            kernel.unload("welcome")


@pytest.mark.skipif(not RECENT, reason="needs TCP_RTO_MAX_MS, Linux 6.15")
def test_a_failure_changes_no_option_for_good(sender: Sender) -> None:
    usual = sender("look")
    assert (usual["44"], usual["18"]) == (120_000, 0)
    during = sender.break_link()
    # Equation 3: one and a half of a timeout of some 280 ms, and Linux takes no less than a second.
    assert 1000 <= during["44"] < 2000
    assert during["18"] == GIVE_UP_MS
    after = sender.mend_link()
    assert (after["44"], after["18"]) == (120_000, 0)


@pytest.mark.skipif(not RECENT, reason="needs TCP_RTO_MAX_MS, Linux 6.15")
def test_options_of_the_program_return(sender: Sender) -> None:
    sender("set", RTO_MAX_MS, 5000)
    during = sender.break_link()
    assert 1000 <= during["44"] < 2000
    # As long as without the controller: 0.2 to 3.2 s, then eleven times 5 s.
    assert during["18"] == 6200 + 11 * 5000
    after = sender.mend_link()
    assert (after["44"], after["18"]) == (5000, 0)


@pytest.mark.skipif(not RECENT, reason="needs TCP_RTO_MAX_MS, Linux 6.15")
def test_options_set_during_a_failure_stay(sender: Sender) -> None:
    sender.break_link()
    sender("set", RTO_MAX_MS, 3000)
    sender("set", 18, 60_000)
    after = sender.mend_link()
    assert (after["44"], after["18"]) == (3000, 60_000)


@pytest.mark.skipif(not RECENT, reason="needs TCP_RTO_MAX_MS, Linux 6.15")
@pytest.mark.parametrize("own", [None, 5000])
def test_leaving_the_controller_during_a_failure_restores(sender: Sender, own: int | None) -> None:
    if own is not None:
        sender("set", RTO_MAX_MS, own)
    sender.break_link()
    left = sender("choose", "reno")
    assert left["name"] == "reno"
    assert (left["44"], left["18"]) == (own or 120_000, 0)


@pytest.mark.skipif(not RECENT, reason="needs TCP_RTO_MAX_MS, Linux 6.15")
def test_unloading_during_a_failure_restores(sender: Sender) -> None:
    assert sender.break_link()["44"] < 2000
    done = kernel.unload("welcome")
    assert done["connections"] == {"used": 1, "moved": 0}
    assert not done["gone"]
    left = sender("look")
    assert (left["44"], left["18"], left["name"]) == (120_000, 0, "tworay_welcome")
    # Further timeouts change nothing any more.
    tried = left["retransmits"]
    later = sender.until(lambda found: found["retransmits"] > tried)
    assert (later["44"], later["18"]) == (120_000, 0)


def test_a_socket_closed_by_its_program_keeps_no_controller(sender: Sender) -> None:
    sender.break_link()
    sender("close")
    sender.process.kill()
    sender.process.wait()
    done = kernel.unload("welcome")
    assert done["connections"] == {"used": 0, "moved": 1}
    assert done["gone"]
    assert next(one.state for one in kernel.controllers()[0] if one.variant == "welcome") == "absent"


def test_unloading_resets_the_default_that_named_the_controller(ends: Pipe) -> None:
    inside = ["ip", "netns", "exec", ends.sender, "sysctl", "-n"]
    default = "net.ipv4.tcp_congestion_control"
    machine = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    kernel.load("westwood")
    try:
        subprocess.run([*inside[:4], "sysctl", "-q", "-w", f"{default}=tworay_westwood"], check=True)
    finally:
        done = kernel.unload("westwood")
    assert done["defaults"] == [{"here": False, "now": machine}]
    assert subprocess.check_output([*inside, default], text=True).strip() == machine
    assert done["gone"]
