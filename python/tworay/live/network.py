"""A live network: start it, read its status, start programs in it, and end it as a run."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay import _native
from tworay.errors import InputError
from tworay.live import leftovers, ssh
from tworay.live.options import Options
from tworay.naming import Nodes
from tworay.sudo import with_sudo

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from tworay.running.run import Report, Run
    from tworay.running.scenarios import Scenario

# Time for programs to end by themselves, and for a server to listen, seconds.
GRACE = 2.0
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
# State "listening" in /proc/net/tcp.
LISTENING = "0A"


def require() -> None:
    """Check that this machine can run live networks.

    Raises:
        InputError: privileges, a device or a program are missing; the text says which.

    """
    missing = _native.live_missing()
    if missing is not None:
        raise InputError(f"{missing}: {with_sudo('live')}" if missing.endswith("with sudo") else missing)


def _check_controller(name: str | None) -> None:
    """Check that a controller of tworay's is loaded."""
    if name is None or not name.startswith("tworay_") or not AVAILABLE.is_file():
        return
    if name not in AVAILABLE.read_text(encoding="ascii").split():
        raise InputError(
            f"--congestion {name}: it is not loaded; `tworay kernel load {name.removeprefix('tworay_')}` "
            "loads it (as root)"
        )


class Status(NamedTuple):
    """State of a network: times in seconds, bytes, connections that are closing, segments lost by cause."""

    sim_seconds: float
    lag_seconds: float
    lateness_p99_seconds: float
    delivered_bytes: int
    closing: int
    lost: dict[str, int]
    running: bool


class Ended(NamedTuple):
    """Results of a network that has ended.

    Attributes:
        report: its report.
        problem: why it ended early, if it did.
        extras: what only live runs have, as JSON.
        shared_files: why its stations had no files of their own, if they had none.

    """

    report: Report
    problem: str | None
    extras: str
    shared_files: str | None = None

    def as_run(self, scenario: Scenario, options: Options, *, sends_all: bool = False) -> Run:
        """Return the run, marked where the machine was too slow.

        Flows over TCP that nobody sent are named in its warnings, unless the caller ``sends_all`` of them.
        """
        # Not needed while a network runs, and slow to import where that matters: in virtual time.
        from tworay.live import marking, sending
        from tworay.running.run import Run

        run = Run(self.report, scenario)
        run.summary["live"] = live_part(
            options, json.loads(self.extras) | {"shared_files": self.shared_files}
        )
        marking.mark(run, None if sends_all else sending.not_sent(scenario, options))
        return run


# Networks of one process start one after the other. Twice, one of six that threads started together never got
# to the end of its start; why is not known.
_STARTING = threading.Lock()


@dataclass
class Network:
    """A running network. As a context manager it always stops at the end."""

    scenario: Scenario
    options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        require()
        options = self.options
        _check_controller(options.congestion)
        leftovers.sweep()
        self._ended: Ended | None = None
        with _STARTING:
            self._network = self._start(options)
        self._record = leftovers.Record(self._network.cookies())
        self.namespaces = frozenset(Path(path).stat().st_ino for path in self.stations.values())
        if options.ssh:
            try:
                ssh.start(self)
            except BaseException:
                self.stop()
                raise

    def _start(self, options: Options) -> _native.LiveNetwork:
        return _native.LiveNetwork.start(
            self.scenario,
            seed=options.seed,
            layer=options.layer,
            nodes=list(options.nodes),
            slow=options.slow,
            most_late=options.most_late,
            limit=options.limit,
            mtu=options.mtu,
            congestion=options.congestion,
            freeze=options.freeze,
            strict=options.strict,
            pcap=None if options.pcap is None else os.fspath(options.pcap),
            record=options.record,
        )

    def __enter__(self) -> Network:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def stations(self) -> dict[int, str]:
        """The nodes with a station, each with the file of its network namespace."""
        return {node: places[0] for node, places in self.places.items()}

    @property
    def places(self) -> dict[int, list[str]]:
        """The nodes with a station, each with the files of its namespaces, for ``join_station``."""
        own = f"/proc/{os.getpid()}/fd"
        return {node: [f"{own}/{number}" for number in held] for node, held in self._network.stations()}

    @property
    def status(self) -> Status:
        """The current status."""
        seconds, lag, late, delivered, closing, lost, running = self._network.status()
        return Status(seconds, lag, late, delivered, closing, dict(lost), running)

    def steer(self, command: str) -> str:
        """Change the network by a command of a script, such as ``move roof 120,80``.

        Returns:
            The line of a script that was done, with its time.

        Raises:
            ScenarioError: the command is wrong, or the network has ended.

        """
        nanoseconds, words = self._network.steer(command)
        return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09}s {words}"

    def view(self) -> str:
        """Return what somebody who watches sees, as JSON."""
        return self._network.view()

    @staticmethod
    def address(node: int) -> str:
        """Return the IPv4 address of a node's station."""
        return _native.live_address(node)

    def about(self, node: int) -> dict[str, str]:
        """Return what programs at a node find in their environment."""
        return {
            "TWORAY_NODE": str(node),
            "TWORAY_NAME": Nodes(self.scenario.names).short(node),
            "TWORAY_ADDRESS": self.address(node),
            "TWORAY_DEVICE": _native.live_device(node),
        }

    @property
    def shared_files(self) -> str | None:
        """Why stations share all files with the host, if they do."""
        return self._network.shared_files()

    @staticmethod
    def listens(pid: int) -> bool:
        """Return whether a program listens on a TCP port in the namespace of a process."""
        return _listens(pid)

    def host(self, node: int) -> str:
        """Return the host name of a node's station."""
        return _native.live_host_name(self.scenario.names, node)

    def start(
        self,
        node: int,
        command: Sequence[str],
        *,
        peer: int | None = None,
        env: Mapping[str, str] | None = None,
        apart: bool = False,
    ) -> _native.LiveChild:
        """Start a program at ``node``; ``{peer}`` in it becomes the address of the node ``peer``.

        ``apart`` gives it its own process group, which Ctrl-C does not reach. It is killed when this process
        ends, however that happens.
        """
        known = self.about(node) | dict(env or {})
        words = list(command)
        if peer is not None:
            known["TWORAY_PEER"] = self.address(peer)
            words = [word.replace("{peer}", known["TWORAY_PEER"]) for word in words]
        return self._network.spawn(node, words, known, apart)

    def serve(self, node: int, command: str, *, peer: int | None = None) -> _native.LiveChild:
        """Start a server at ``node`` in a shell, and wait up to ``GRACE`` until it listens on a TCP port."""
        program = self.start(node, ["sh", "-c", command], peer=peer, apart=True)
        until = time.monotonic() + GRACE
        while time.monotonic() < until and program.wait(0.02) is None and not _listens(program.pid):
            pass
        return program

    def let_close(self) -> None:
        """Wait until the connections that a program has closed are closed, up to ``GRACE``.

        A program ends once its last bytes are handed to the kernel or read; FINs and their acknowledgments
        are still on the air.
        """
        # What was sent until now is in a status of a later moment; the network gives one every 0.1 s.
        began = self.status.sim_seconds + 0.1
        until = time.monotonic() + GRACE * self.options.slow
        while time.monotonic() < until:
            status = self.status
            if not status.running or (status.sim_seconds > began and not status.closing):
                break
            time.sleep(0.02)

    def stop(self) -> None:
        """End the network and all processes in its namespaces, whoever started them."""
        self._network.end_processes(GRACE)
        self._record.close()
        if self._ended is None:
            self._network.stop()
            # The engine checks every 20 ms; it may have to write a capture.
            found = self._network.wait(60.0)
            self._ended = None if found is None else Ended(*found, self.shared_files)

    def end(self) -> Ended:
        """Stop; return what the network leaves."""
        self.stop()
        if self._ended is None:
            raise InputError("the network does not end; kill the process")
        return self._ended

    def finish(self) -> tuple[Run, str | None]:
        """Stop; return the run, and the reason if the network had ended by itself."""
        ended = self.end()
        return ended.as_run(self.scenario, self.options), ended.problem


def live_part(options: Options, extras: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the summary that only live runs have."""
    settings = {
        "layer": options.layer,
        "nodes": list(options.nodes),
        "limit_seconds": options.limit,
        "mtu": options.mtu,
        "slow": options.slow,
        "most_late_seconds": options.most_late,
        "strict": options.strict,
        "congestion": options.congestion,
        "freeze": options.freeze,
        "ssh": options.ssh,
    }
    return {"settings": settings} | extras


def _listens(pid: int) -> bool:
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/net/{name}").read_text(encoding="ascii").splitlines()[1:]
            if any(line.split()[3] == LISTENING for line in lines):
                return True
    return False
