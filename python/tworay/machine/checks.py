"""Checks of the machine: each part of tworay that needs more than Python, and the line that adds it."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

from tworay.errors import InputError, RunError, TworayError, with_options

# From here on, a comparison of small networks runs on all cores.
ENOUGH_MEMORY = 500_000_000
BTF = Path("/sys/kernel/btf/vmlinux")
TUN = Path("/dev/net/tun")
# linux/capability.h
CAP_SYS_ADMIN = 21
# linux/sched.h: a network namespace of its own.
CLONE_NEWNET = 0x40000000
# Extras and the modules that they install.
EXTRAS = {
    "pandas": (("pandas", "pyarrow"), ".to_pandas() of data frames"),
    "cluster": (("distributed",), "tworay sweep --cluster"),
    "tune": (("optuna",), "tworay tune"),
    "env": (("gymnasium",), "tworay.Env"),
}
# Not in every user's path.
SYSTEM_PATH = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"


class Check(NamedTuple):
    """One part: whether it works, what was found, what it is for, and what adds it."""

    name: str
    works: bool
    found: str
    used_for: str
    remedy: str | None
    """A command, or a step in words; None if the part works."""


def checks() -> list[Check]:
    """Check everything; takes about a second and changes nothing."""
    return [
        simulator(),
        memory(),
        *(extra(name) for name in EXTRAS),
        _program("valgrind", "tworay costs", "sudo apt-get install valgrind"),
        energy_counter(),
        namespaces(),
        tun(),
        _program("ip", "tworay live run", "sudo apt-get install iproute2"),
        _program("iperf3", "traffic of tworay live run", "sudo apt-get install iperf3"),
        left_over(),
        virtual_kernel(),
        loader(),
        btf(),
        bpf_rights(),
        _program("clang", "make kernel, in a checkout of the sources", "sudo apt-get install clang"),
    ]


def simulator() -> Check:
    """Run two seconds of a short string."""
    from tworay._native import VERSION
    from tworay.running.run import run

    began = time.perf_counter()
    try:
        run("string-2", set={"duration": "2s"}, series=False)
    except TworayError as error:
        return Check(
            "simulator", False, with_options(error), "everything", "pip install --force-reinstall tworay"
        )
    took = (time.perf_counter() - began) * 1000
    python = platform.python_version()
    found = f"tworay {VERSION}, Python {python}, {platform.machine()}: 2 s of string-2 in {took:.0f} ms"
    return Check("simulator", True, found, "everything", None)


def memory() -> Check:
    """Check the memory that is free for runs."""
    from tworay.running.memory import available

    free = available()
    cores = len(os.sched_getaffinity(0))
    found = f"{cores} processors, " + ("free memory unknown" if free is None else f"{free / 1e9:.1f} GB free")
    works = free is None or free >= ENOUGH_MEMORY
    remedy = None if works else "end other programs, or run one simulation at a time: --jobs 1"
    return Check("memory", works, found, "runs on all processors", remedy)


def extra(name: str) -> Check:
    """Check whether an extra of the package is installed."""
    modules, used_for = EXTRAS[name]
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    found = f"{' and '.join(missing)} not installed" if missing else f"{' and '.join(modules)} installed"
    remedy = f"{sys.executable} -m pip install 'tworay[{name}]'" if missing else None
    return Check(f"extra {name}", not missing, found, used_for, remedy)


def energy_counter() -> Check:
    """Check for a counter of the processors' or the battery's energy."""
    from tworay.costs import meters

    try:
        meter = meters.find(None)
    except InputError as error:
        remedy = "a machine with RAPL or a battery's fuel gauge; --readings FILE.csv takes other instruments"
        return Check("energy counter", False, with_options(error).partition(";")[0], "tworay energy", remedy)
    return Check("energy counter", True, type(meter).__name__, "tworay energy", None)


def namespaces() -> Check:
    """Check whether this user may make network namespaces."""
    name, used_for = "network namespaces", "tworay live run"
    if _unshares():
        return Check(name, True, "may be made", used_for, None)
    from tworay.sudo import with_sudo

    found = "this user may not make them"
    if os.geteuid() == 0:
        remedy = "give the container CAP_SYS_ADMIN and CAP_NET_ADMIN: --cap-add SYS_ADMIN,NET_ADMIN"
        return Check(name, False, found, used_for, remedy)
    return Check(name, False, found, used_for, with_sudo("live", "run"))


def _unshares() -> bool:
    """Leave the network namespace in a thread of its own, which ends then."""
    libc = ctypes.CDLL(None, use_errno=True)
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(libc.unshare(CLONE_NEWNET)))
    thread.start()
    thread.join()
    return codes == [0]


def tun(device: Path = TUN) -> Check:
    """Check whether this user may open the device of tunnels."""
    name, used_for = "TUN device", "tworay live run"
    try:
        os.close(os.open(device, os.O_RDWR))
    except FileNotFoundError:
        remedy = "sudo modprobe tun; a container is given it with --device /dev/net/tun"
        return Check(name, False, f"there is no {device}", used_for, remedy)
    except OSError as error:
        from tworay.sudo import with_sudo

        return Check(name, False, f"{device}: {error.strerror}", used_for, with_sudo("live", "run"))
    return Check(name, True, f"{device} opens", used_for, None)


def left_over() -> Check:
    """Check whether live networks were killed and left their directories, perhaps with programs."""
    from tworay.live import standing
    from tworay.sudo import with_sudo

    name, used_for = "ended live networks", "tworay live"
    gone = standing.gone()
    if not gone:
        return Check(name, True, "none has left anything", used_for, None)
    # With a name: without one, it would end a network that is up. One call clears them all.
    words = ("live", "down", gone[0])
    remedy = " ".join(("tworay", *words)) if os.access(standing.HOME, os.W_OK) else with_sudo(*words)
    return Check(name, False, f"{', '.join(gone)} left a directory", used_for, remedy)


def virtual_kernel() -> Check:
    """Check the cache for the kernel of virtual time, and the machine for what builds it."""
    from tworay.virtual import building, cache
    from tworay.virtual.controllers import check_machine

    name, used_for = "virtual time", "tworay live run --virtual, arms such as kernel:cubic"
    try:
        check_machine()
    except InputError as error:
        return Check(name, False, with_options(error), used_for, "an x86-64 machine")
    try:
        return Check(name, True, f"{cache.kernel().name} in the cache", used_for, None)
    except InputError:
        lacking = [package for program, package in building.PROGRAMS.items() if not shutil.which(program)]
        install = [package for package in lacking if package not in building.PORTABLE]
        remedy = "tworay live kernel build"
        if install:
            remedy = f"sudo apt-get install {' '.join([*install, 'libc6-dev'])} && {remedy}"
        return Check(name, False, f"no kernel in {cache.kernels_home()}", used_for, remedy)


def loader() -> Check:
    """Check the program that loads the controllers."""
    from tworay import kernel

    name, used_for = "kernel controllers", "tworay kernel load, list"
    try:
        found, _ = kernel.controllers()
    except RunError as error:
        remedy = "install the wheel for x86-64, or `make kernel` in a checkout of the sources"
        return Check(name, False, with_options(error).partition(":")[0], used_for, remedy)
    if not found:
        return Check(name, False, "the loader was built without clang", used_for, "make kernel")
    return Check(name, True, f"{len(found)} can be loaded", used_for, None)


def btf(file: Path = BTF) -> Check:
    """Check whether the kernel describes its types, which BPF programs need."""
    name, used_for = "kernel with BTF", "tworay kernel load"
    release = platform.release()
    if file.is_file():
        return Check(name, True, f"Linux {release}, {file}", used_for, None)
    remedy = "a kernel with CONFIG_DEBUG_INFO_BTF=y, as those of Debian, Ubuntu and Fedora"
    return Check(name, False, f"Linux {release} has no {file}", used_for, remedy)


def bpf_rights(status: Path = Path("/proc/self/status")) -> Check:
    """Check the capability that loading BPF programs takes."""
    from tworay.sudo import with_sudo

    name, used_for = "rights for BPF", "tworay kernel load"
    lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    words = [line.split()[1] for line in lines if line.startswith("CapEff:")]
    if words and int(words[0], 16) >> CAP_SYS_ADMIN & 1:
        return Check(name, True, "CAP_SYS_ADMIN", used_for, None)
    return Check(name, False, "this user lacks CAP_SYS_ADMIN", used_for, with_sudo("kernel", "load"))


def _program(name: str, used_for: str, remedy: str) -> Check:
    place = shutil.which(name, path=SYSTEM_PATH)
    if place is None:
        return Check(name, False, "not installed", used_for, remedy)
    return Check(name, True, place, used_for, None)
