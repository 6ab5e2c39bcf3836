"""Runs a command over a live network: ``tworay live run``."""

from __future__ import annotations

import shutil
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay.errors import InputError
from tworay.live.network import Ended, Network, Status
from tworay.live.sending import ends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from tworay.live.options import Options
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario

# Interval of updates of the status line, seconds.
TICK = 0.25
# The command if none is given.
DEMO = ("iperf3", "-c", "{peer}", "-t", "10")
DEMO_SERVER = "exec iperf3 -s"


class Outcome(NamedTuple):
    """The run, the exit code of the command, and the problem that ended the network early, if any."""

    run: Run
    code: int | None
    problem: str | None
    interrupted: bool


class Conducted(NamedTuple):
    """A network and its command after their end, before anything is computed from them."""

    ended: Ended
    code: int | None
    interrupted: bool
    programs: dict[str, Any]
    namespaces: frozenset[int]


def run_command(
    scenario: Scenario,
    options: Options,
    command: Sequence[str],
    serve: str | None,
    *,
    each: str | None = None,
    quietly: bool = False,
    to_stderr: bool = False,
    beside: Callable[[Network], AbstractContextManager[object]] = nullcontext,
) -> Outcome:
    """Run ``command`` at one end and ``serve`` (in a shell) at the other, until the command ends.

    ``each``, such as a routing daemon, runs in a shell at every station before that. ``to_stderr`` redirects
    the output of the programs to stderr. ``beside`` is entered with the network and left before it ends.
    """
    from tworay.live.diagnosing import Listener, diagnose

    listener = Listener(options.congestion)
    line = StatusLine(quietly)
    conducted = conduct(
        scenario, options, command, serve, each=each, listener=listener, show=line.show, to_stderr=to_stderr,
        beside=beside,
    )  # fmt: skip
    line.clear()
    run = conducted.ended.as_run(scenario, options)
    run.summary["live"]["programs"] = conducted.programs
    diagnose(run, listener.events, conducted.namespaces)
    return Outcome(run, conducted.code, conducted.ended.problem, conducted.interrupted)


def conduct(
    scenario: Scenario,
    options: Options,
    command: Sequence[str],
    serve: str | None,
    *,
    each: str | None,
    listener: AbstractContextManager[object],
    show: Callable[[Status], None],
    to_stderr: bool,
    beside: Callable[[Network], AbstractContextManager[object]] = nullcontext,
) -> Conducted:
    """Do what ``run_command`` does with the network; ``show`` gets its status a few times per second."""
    one, other = ends(scenario, options)
    programs: dict[str, Any] = {"command": list(command), "serve": serve, "each": each}
    words = list(command)
    if not words:
        words = list(DEMO)
        serve = serve or DEMO_SERVER
        if shutil.which(DEMO[0]) is None:
            raise InputError(
                "the command by default is iperf3, which is not installed: `sudo apt-get install iperf3` (or "
                "the package iperf3 of your system), or give a command after --"
            )
    if to_stderr:
        words = ["sh", "-c", 'exec "$@" >&2', "sh", *words]
        serve = None if serve is None else f"{{ {serve}\n}} >&2"
        each = None if each is None else f"{{ {each}\n}} >&2"
    elif not command:
        # The output of the demo's server is of no interest.
        serve = f"{serve} >/dev/null 2>&1"
    interrupted = False
    code = None
    with Network(scenario, options) as network, listener, beside(network):
        try:
            for node in network.stations if each is not None else ():
                network.start(node, ["sh", "-c", str(each)], apart=True)
            if serve is not None:
                network.serve(other, serve, peer=one)
            program = network.start(one, words, peer=other)
            while code is None:
                code = program.wait(TICK)
                status = network.status
                show(status)
                if not status.running and status.sim_seconds > 0:
                    break
            network.let_close()
        except KeyboardInterrupt:
            interrupted = True
        return Conducted(network.end(), code, interrupted, programs, network.namespaces)


class StatusLine:
    """The status line, on a terminal only."""

    def __init__(self, quietly: bool) -> None:
        self._on = sys.stderr.isatty() and not quietly
        self._last: Status | None = None

    def show(self, now: Status) -> None:
        """Replace the line."""
        if not self._on:
            return
        last = self._last or Status(0, 0, 0, 0, 0, {}, True)
        spent = now.sim_seconds - last.sim_seconds
        rate = 8 * (now.delivered_bytes - last.delivered_bytes) / spent if spent > 0 else 0.0
        lost = ", ".join(f"{cause} {count}" for cause, count in now.lost.items()) or "nothing"
        text = (
            f"{now.sim_seconds:7.1f} s  lag {1e3 * now.lag_seconds:.1f} ms  "
            f"{rate / 1e3:7.1f} kb/s  lost: {lost}"
        )
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        self._last = now

    def clear(self) -> None:
        """Remove the line."""
        if self._on:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
