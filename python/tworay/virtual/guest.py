"""The first program of a machine in virtual time: sets the machine up, runs the network, switches off.

It runs as process 1 and sees the host's files through hostfs, read-only; what programs write goes to memory.
It avoids imports that are slow, because every system call is.
"""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import shutil
import signal
import stat
import sys
import time
import traceback
import zlib
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.virtual import carrying
from tworay.virtual.following import HERE, Followed, nodes_of, rest
from tworay.virtual.loops import Loops
from tworay.virtual.order import (
    CAPTURE,
    ENDED,
    ERR,
    FAILURE,
    FILES,
    OUT,
    SCENARIO,
    SHELLS,
    STATUS,
    STOP,
    UP,
    VIEW,
    Order,
    publish,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tworay._native import LiveChild, Scenario
    from tworay.live.network import Ended, Network, Status
    from tworay.live.options import Options
    from tworay.virtual.order import Transfer

# A directory that every system has, hidden by the memory that holds what programs write.
MEMORY = Path("/mnt")
HOST = b"virtual"
POWER_OFF = 0x4321FEDC
READ_ONLY = 1
# Programs' output reaches the host within this time, hundredths of a (virtual) second.
WRITE_BACK = 100
# Programs such as ping take a clock that is near zero for one that was never read, seconds.
UPTIME = 10.0
# Interval at which transfers report their status, (virtual) seconds.
LOOK = 0.5
# Stations start their routing within this time: the interval of Babel's hellos, seconds.
START_WITHIN = 4.0
# Interval at which commands of shells are looked for, (virtual) seconds.
SHELL_LOOK = 0.05
# One look of so many is written for those who watch, whether somebody does or not: writing moves time.
VIEW_EVERY = 5
# Interval at which the network's engine looks at it (``REPORT_NANOS`` of tworay-live), (virtual) seconds.
ENGINE_LOOK = 0.1
SETTINGS = {
    # The limits of a machine with some GB, whatever the memory of this one.
    "net/ipv4/tcp_rmem": "4096 131072 6291456",
    "net/ipv4/tcp_wmem": "4096 16384 4194304",
    "vm/dirty_writeback_centisecs": WRITE_BACK,
    "vm/dirty_expire_centisecs": WRITE_BACK,
    # Addresses must not depend on where a program happens to be.
    "kernel/randomize_va_space": 0,
}

libc = ctypes.CDLL(None, use_errno=True)


def mount(kind: str, where: Path, data: str = "") -> None:
    """Mount a file system."""
    done = libc.mount(kind.encode(), os.fsencode(where), kind.encode(), 0, data.encode())
    if done:
        raise OSError(ctypes.get_errno(), f"can't mount {kind} on {where}")


def set_up(scratch: str) -> int:
    """Put memory over the host's files, and mount what a system has.

    Returns:
        The directory of what is written from now on.

    """
    mount("tmpfs", MEMORY, "size=75%")
    upper, work, root = (MEMORY / name for name in ("upper", "work", "root"))
    for place in (upper, work, root):
        place.mkdir()
    mount("overlay", root, f"lowerdir=/,upperdir={upper},workdir={work}")
    for kind, name in (("proc", "proc"), ("sysfs", "sys"), ("devtmpfs", "dev"), ("tmpfs", "run")):
        mount(kind, root / name)
    for name in ("dev/pts", "dev/shm", "dev/net", "run/tworay-machine"):
        (root / name).mkdir(exist_ok=True)
    mount("devpts", root / "dev/pts")
    mount("tmpfs", root / "dev/shm")
    if not (root / "dev/net/tun").exists():
        os.mknod(root / "dev/net/tun", 0o20666, os.makedev(10, 200))
    mount("hostfs", root / "run/tworay-machine", scratch)
    written = os.open(upper, os.O_RDONLY | os.O_DIRECTORY)
    os.chroot(root)
    os.chdir("/")
    for name, value in SETTINGS.items():
        (Path("/proc/sys") / name).write_text(str(value), encoding="ascii")
    libc.sethostname(HOST, len(HOST))
    time.sleep(UPTIME)
    return written


def hand_over(written: int) -> None:
    """Copy what programs wrote to the host: directories, files and symbolic links."""

    def others(folder: str, names: list[str]) -> list[str]:
        # Removed files of the host are devices here.
        modes = [(name, os.lstat(Path(folder) / name).st_mode) for name in names]
        return [
            name
            for name, mode in modes
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
        ]

    os.fchdir(written)
    shutil.copytree(".", HERE / FILES, symlinks=True, ignore=others)


def redirect() -> None:
    """Let this process and its programs print into the scratch directory."""
    for number, name in ((0, os.devnull), (1, HERE / OUT), (2, HERE / ERR)):
        descriptor = os.open(
            name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600
        )
        os.dup2(descriptor, number)
        os.close(descriptor)


def work(order: Order) -> None:
    """Run the network, and write what it leaves."""
    from tworay._native import Scenario
    from tworay.live.commanding import conduct
    from tworay.live.options import Options

    os.environ.clear()
    os.environ.update(order.environment)
    os.chdir(order.directory)
    text = (HERE / SCENARIO).read_text(encoding="utf-8")
    world = Scenario.from_toml(text, SCENARIO, str(HERE), [], True)
    options = Options(**order.options, pcap=HERE / CAPTURE if order.capture else None)
    loops = Loops(own=frozenset((1, os.getpid())))
    followed = Followed()

    def show(status: Status) -> None:
        publish(HERE / STATUS, json.dumps(status._asdict()))
        loops.look(status.sim_seconds)
        followed.look()
        if (HERE / STOP).exists():
            # As if Ctrl-C were typed here: the network ends, and what it left is kept.
            raise KeyboardInterrupt

    if order.stands:
        leave(stand(world, options, show, paced=order.paced), None, None, loops)
        return
    if order.transfers is not None:
        leave(transfer(world, options, order.transfers, order.each, show), None, None, loops)
        return
    conducted = conduct(
        world, options, order.command, order.serve,
        each=order.each, listener=nullcontext(), show=show, to_stderr=order.to_stderr,
        beside=followed.network if order.paced else nullcontext,
    )  # fmt: skip
    leave(conducted.ended, conducted.code, conducted.programs, loops, interrupted=conducted.interrupted)


def transfer(
    world: Scenario,
    options: Options,
    transfers: list[Transfer],
    routing: str | None,
    show: Callable[[Status], None],
) -> Ended:
    """Run the flows of a scenario until the network's limit; ``routing`` is the script of every station."""
    from tworay.live.network import Network

    def start(node: int, *words: object) -> None:
        # Without the environment's and the user's packages: it needs none.
        program = [sys.executable, "-I", "-S", "-B", os.fspath(Path(__file__).with_name("transfer.py"))]
        network.start(node, [*program, *map(str, words)], apart=True)

    with Network(world, options) as network:
        began = time.monotonic()
        routed = {}
        for node in network.stations if routing is not None else ():
            # Nodes that start at the same instant would send at the same instants for minutes.
            wait = START_WITHIN * zlib.crc32(f"routing {options.seed} {node}".encode()) / 2**32
            line = f"{{ sleep {wait:.3f}\n{routing}\n}} >{routing_log(node)} 2>&1"
            routed[node] = network.start(node, ["sh", "-c", line], apart=True)
        for one in transfers:
            start(one.to, "serve", one.port, one.window, one.mss or 0)
        for one in transfers:
            when, until = began + one.start, began + one.stop
            words = (one.port, when, until, one.length, one.mss or 0)
            start(one.source, "send", network.address(one.to), *words)
        while True:
            time.sleep(LOOK)
            check_routing(routed)
            status = network.status
            show(status)
            if not status.running and status.sim_seconds > 0:
                return network.end()


def stand(world: Scenario, options: Options, show: Callable[[Status], None], *, paced: bool) -> Ended:
    """Keep a network up, and run the commands of shells, until the host ends it or its limit is reached."""
    from tworay.live.network import Network

    shells, rests, looks = HERE / SHELLS, 0, 0
    running: dict[str, LiveChild] = {}
    with Network(world, options) as network:
        began = time.monotonic()
        publish(HERE / UP, nodes_of(network))
        with suppress(KeyboardInterrupt):
            while True:
                for asked in sorted(shells.glob("*.json")):
                    order = json.loads(asked.read_text(encoding="utf-8"))
                    if "steer" in order:
                        publish(asked.with_suffix(".code"), steer(network, order["steer"]))
                    else:
                        running[asked.stem] = begin(network, order, asked)
                    asked.unlink()
                if not running and not paced:
                    # What has just happened shall be seen while time stands still. The engine looks when
                    # this process sleeps the second time.
                    time.sleep(ENGINE_LOOK)
                    time.sleep(SHELL_LOOK)
                if not running or looks % VIEW_EVERY == 0:
                    publish(HERE / VIEW, network.view())
                looks += 1
                if paced or not running:
                    rests += 1
                    rest(rests, time.monotonic() - began)
                    if not paced:
                        show(network.status)
                        continue
                time.sleep(SHELL_LOOK)
                for name, program in list(running.items()):
                    if (shells / f"{name}.kill").exists():
                        with suppress(ProcessLookupError):
                            os.killpg(program.pid, signal.SIGTERM)
                    code = program.wait(0.0)
                    if code is not None:
                        del running[name]
                        publish(shells / f"{name}.code", str(code))
                status = network.status
                show(status)
                if not status.running and status.sim_seconds > 0:
                    break
        return network.end()


def steer(network: Network, command: str) -> str:
    """Change the network; return the answer for the host."""
    from tworay.errors import TworayError, with_options

    try:
        return json.dumps({"line": network.steer(command)})
    except TworayError as error:
        return json.dumps({"error": with_options(error)})


def begin(network: Network, order: dict[str, Any], asked: Path) -> LiveChild:
    """Start the command of a shell at its node."""
    outputs = [shlex.quote(str(asked.with_suffix(end))) for end in (".out", ".err")]
    line = f'exec "$@" >>{outputs[0]} 2>>{outputs[1]} </dev/null'
    return network.start(order["node"], ["sh", "-c", line, "sh", *order["words"]], apart=True)


def routing_log(node: int) -> Path:
    """Return the file of what the routing of a station prints."""
    return Path(f"/tmp/tworay-routing-{node}.log")


def check_routing(routed: dict[int, LiveChild]) -> None:
    """Raise ``RunError`` if the routing of a station has failed. Scripts that end with 0 have set it up."""
    from tworay.errors import RunError

    for node, program in routed.items():
        if code := program.wait(0.0):
            lines = routing_log(node).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            last = lines[-1] if lines else "it printed nothing"
            raise RunError(f"the routing of node {node} ended with exit code {code}: {last}")


def leave(
    ended: Ended,
    code: int | None,
    programs: dict[str, Any] | None,
    loops: Loops,
    *,
    interrupted: bool = False,
) -> None:
    """Write the results for the host."""
    carrying.write(HERE, ended.report)
    left = {
        "problem": ended.problem,
        "extras": ended.extras,
        "code": code,
        "programs": programs,
        "interrupted": interrupted,
        "loops": loops.programs(),
    }
    (HERE / ENDED).write_text(json.dumps(left), encoding="utf-8")


def child(order: Order) -> int:
    """Do the work in a process of its own; its errors become those of the command on the host."""
    from tworay.errors import TworayError, with_options

    try:
        redirect()
        work(order)
    except TworayError as error:
        document = {"kind": type(error).__name__, "text": with_options(error)}
        (HERE / FAILURE).write_text(json.dumps(document), encoding="utf-8")
    except BaseException:
        document = {"kind": "RunError", "text": traceback.format_exc()}
        (HERE / FAILURE).write_text(json.dumps(document), encoding="utf-8")
    return 0


def main(scratch: str) -> None:
    """Run as process 1."""
    try:
        written = set_up(scratch)
        order = Order.read(HERE)
        number = os.fork()
        if number == 0:
            code = 1
            try:
                code = child(order)
            finally:
                os._exit(code)
        # Orphans of the programs are this process's, too.
        while os.wait()[0] != number:
            pass
        if order.keep:
            hand_over(written)
    except BaseException:
        traceback.print_exc()
        with suppress(OSError):
            (HERE / FAILURE).write_text(
                json.dumps({"kind": "RunError", "text": traceback.format_exc()}), encoding="utf-8"
            )
    finally:
        sys.stderr.flush()
        libc.sync()
        libc.reboot(POWER_OFF)


if __name__ == "__main__":
    main(sys.argv[1])
