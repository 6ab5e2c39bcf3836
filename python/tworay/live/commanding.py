"""A command run over a live network, as ``tworay live run`` does it."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING, NamedTuple

from tworay.errors import InputError
from tworay.live.diagnosing import Listener, diagnose
from tworay.live.network import Network, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay.live.options import Options
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario

# How often the status line is renewed, seconds.
TICK = 0.25
# What is run if no command is given.
DEMO = ("iperf3", "-c", "{peer}", "-t", "10")
DEMO_SERVER = "exec iperf3 -s"


class Outcome(NamedTuple):
    """What is left of a command: the run, the command's exit code, and what ended the network too early."""

    run: Run
    code: int | None
    problem: str | None
    interrupted: bool


def ends(scenario: Scenario, options: Options) -> tuple[int, int]:
    """Return where the command and its peer run: the first TCP flow's ends, or the first two nodes named.

    Raises:
        InputError: there is no TCP flow, and fewer than two nodes are named.

    """
    if len(options.nodes) >= 2:
        return options.nodes[0], options.nodes[1]
    for flow in tomllib.loads(scenario.to_toml()).get("flow", []):
        if flow.get("app", "ftp") == "ftp":
            return flow["from"], flow["to"]
    if options.layer == 2 and scenario.nodes > 1:
        return 0, scenario.nodes - 1
    raise InputError(
        f"{scenario.name} has no TCP flow whose ends could talk; name two nodes with --nodes FROM,TO"
    )


def run_command(
    scenario: Scenario,
    options: Options,
    command: Sequence[str],
    serve: str | None,
    *,
    each: str | None = None,
    quietly: bool = False,
    to_stderr: bool = False,
) -> Outcome:
    """Run ``command`` at the first end and ``serve`` (in a shell) at the other, until the command ends.

    ``each`` is run in a shell at every station before that, such as a routing daemon. ``to_stderr`` sends
    what the command prints there.
    """
    one, other = ends(scenario, options)
    words = list(command)
    if not words:
        words = list(DEMO)
        serve = serve or DEMO_SERVER
    if to_stderr:
        words = ["sh", "-c", 'exec "$@" >&2', "sh", *words]
        serve = None if serve is None else f"{{ {serve}\n}} >&2"
        each = None if each is None else f"{{ {each}\n}} >&2"
    elif not command:
        # The demo's server has nothing to add.
        serve = f"{serve} >/dev/null 2>&1"
    interrupted = False
    code = None
    with Network(scenario, options) as network, Listener(options.congestion) as listener:
        line = _Line(quietly)
        try:
            for node in network.stations if each is not None else ():
                network.start(node, ["sh", "-c", str(each)], apart=True)
            if serve is not None:
                network.serve(other, serve, peer=one)
            program = network.start(one, words, peer=other)
            while code is None:
                code = program.wait(TICK)
                status = network.status
                line.show(status)
                if not status.running and status.sim_seconds > 0:
                    break
        except KeyboardInterrupt:
            interrupted = True
        line.clear()
        run, problem = network.finish()
    diagnose(run, listener.events)
    return Outcome(run, code, problem, interrupted)


class _Line:
    """The status line, on a terminal only."""

    def __init__(self, quietly: bool) -> None:
        self._on = sys.stderr.isatty() and not quietly
        self._last: Status | None = None

    def show(self, now: Status) -> None:
        if not self._on:
            return
        last = self._last or Status(0, 0, 0, 0, {}, True)
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
        if self._on:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
