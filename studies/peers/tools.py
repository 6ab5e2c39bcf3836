"""Installs and builds the simulators, and reports their versions."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from studies.peers.places import CACHE, MEASURE_SOURCE, NS3_AIR, NS3_DRIVER, NS3_SOURCES, NS3_WIRED, ROOT
from studies.peers.processes import ProgramError, run
from studies.peers.progress import say

NS3_PACKAGES = ("libns3-dev", "g++")
# The version that the drivers are written for, where none is installed.
NS3_KNOWN = "3.37"
PACKAGES = ("ns2", "ns2-examples", *NS3_PACKAGES)
NS3_MODULES = (
    "core",
    "network",
    "internet",
    "mobility",
    "wifi",
    "aodv",
    "olsr",
    "applications",
    "traffic-control",
)
WIRED_MODULES = ("core", "network", "internet", "applications", "traffic-control", "point-to-point")
AIR_MODULES = (
    "core",
    "network",
    "internet",
    "mobility",
    "propagation",
    "wifi",
    "applications",
    "traffic-control",
    "flow-monitor",
)
NS3_BINARY = CACHE / "build" / "ns3-adhoc"
NS3_WIRED_BINARY = CACHE / "build" / "ns3-wired"
NS3_AIR_BINARY = CACHE / "build" / "ns3-air"
MEASURE = CACHE / "build" / "measure"
OWN_BINARY = Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release" / "examples" / "run"
DURATIONS_BINARY = OWN_BINARY.with_name("durations")
DURATIONS_SOURCES = ("crates/tworay-radio/src/phy", "crates/tworay-radio/examples")
SUITE = Path("/usr/share/doc/ns2/examples/tcl/test")


class MissingTool(Exception):
    """Something must be installed by hand; the text has the command."""


@cache
def debian_version(package: str) -> str | None:
    """Return the version of a Debian package, or ``None`` if it is not installed."""
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Abbrev}${Version}", package]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    return answer[3:].strip() if answer.startswith("ii") else None


def install(packages: tuple[str, ...] = PACKAGES) -> None:
    """Install the other simulators from Debian's packages, as root or through sudo."""
    missing = [package for package in packages if debian_version(package) is None]
    if not missing:
        return
    line = f"apt-get install -y --no-install-recommends {' '.join(missing)}"
    as_root = os.geteuid() == 0
    has_sudo = (
        not as_root
        and shutil.which("sudo") is not None
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    )
    if shutil.which("apt-get") is None or not (as_root or has_sudo):
        raise MissingTool(f"Debian packages are missing; run:  sudo {line}")
    say(f"installing {' '.join(missing)}")
    sudo = [] if as_root else ["sudo", "-n"]
    command = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", *line.split()]
    if subprocess.run([*command, "-qq"], capture_output=True, check=False).returncode != 0:
        # Package lists of new machines are often outdated.
        subprocess.run([*sudo, "apt-get", "update", "-qq"], check=False)
        if subprocess.run(command, stdout=sys.stderr.fileno(), check=False).returncode != 0:
            raise MissingTool(f"the packages could not be installed; run:  sudo {line}")
    debian_version.cache_clear()


def build_ns3_driver() -> None:
    """Compile the ns-3 driver if its source or the libraries have changed."""
    _build("the ns-3 driver", NS3_SOURCES, NS3_BINARY, ns3_build_command())


def build_ns3_wired_driver() -> None:
    """Compile the ns-3 driver of the wired bottleneck if its source or the libraries have changed."""
    _build("the wired ns-3 driver", (NS3_WIRED,), NS3_WIRED_BINARY, ns3_wired_build_command())


def build_ns3_air_driver() -> None:
    """Compile the ns-3 driver of today's radios if its source or the libraries have changed."""
    _build("the ns-3 driver of today's radios", (NS3_AIR,), NS3_AIR_BINARY, ns3_air_build_command())


def build_durations() -> None:
    """Compile the program that prints durations; cargo determines whether it is out of date."""
    say("building the program that prints durations")
    run(_example_command("tworay-radio", "durations"))


def durations_sources() -> str:
    """Return a fingerprint of what durations depend on."""
    files = [path for name in DURATIONS_SOURCES for path in sorted((ROOT / name).rglob("*.rs"))]
    return digest(*files)


def build_measure() -> None:
    """Compile the program that measures CPU time and memory of others."""
    _build(
        "the measuring program",
        (MEASURE_SOURCE,),
        MEASURE,
        ["gcc", "-O2", str(MEASURE_SOURCE), "-o", str(MEASURE)],
    )


def _build(what: str, sources: tuple[Path, ...], binary: Path, command: list[str]) -> None:
    stamp = ROOT / binary.with_suffix(".stamp")
    wanted = (
        f"{digest(*(ROOT / source for source in sources))} {' '.join(command)} {debian_version('libns3-dev')}"
    )
    if (ROOT / binary).is_file() and stamp.is_file() and stamp.read_text() == wanted:
        return
    say(f"building {what}")
    (ROOT / binary).parent.mkdir(parents=True, exist_ok=True)
    run(command)
    stamp.write_text(wanted)


def ns3_build_command() -> list[str]:
    """Return the command that compiles the ns-3 driver, run in the root of the checkout."""
    return _ns3_compiler(NS3_DRIVER, NS3_BINARY, NS3_MODULES)


def ns3_wired_build_command() -> list[str]:
    """Return the command that compiles the driver of the wired bottleneck."""
    return _ns3_compiler(NS3_WIRED, NS3_WIRED_BINARY, WIRED_MODULES)


def ns3_air_build_command() -> list[str]:
    """Return the command that compiles the driver of today's radios."""
    return _ns3_compiler(NS3_AIR, NS3_AIR_BINARY, AIR_MODULES)


def _ns3_compiler(source: Path, binary: Path, modules: tuple[str, ...]) -> list[str]:
    version = (debian_version("libns3-dev") or NS3_KNOWN).split("-")[0]
    libraries = [f"-lns3-{module}" for module in modules]
    include = f"-I/usr/include/ns{version}"
    return ["g++", "-std=c++17", "-O2", include, str(source), "-o", str(binary), *libraries]


def build_own_binary() -> None:
    """Compile the bare runner, which needs no Python; cargo determines whether it is out of date."""
    say("building the bare runner")
    run(own_build_command())


def own_build_command() -> list[str]:
    """Return cargo's command, run in the root of the checkout."""
    return _example_command("tworay-py", "run")


def _example_command(package: str, example: str) -> list[str]:
    target = ["--target-dir", str(OWN_BINARY.parents[2])]
    options = ["--release", "--locked", "--quiet", "-p", package, "--example", example]
    return ["cargo", "build", *options, *target]


@cache
def tworay_command() -> str:
    """Return the ``tworay`` next to the running Python, relative to the root if it is inside."""
    path = Path(sys.executable).parent / "tworay"
    if not path.is_file():
        raise MissingTool("the command tworay is not installed beside this Python; run:  make setup")
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


@cache
def tworay_version() -> str:
    """Return the version of tworay."""
    from tworay import __version__

    return __version__


@cache
def tworay_build() -> str:
    """Return a fingerprint of the compiled core: cached results of other builds are not used."""
    import tworay._native

    return digest(Path(str(tworay._native.__file__)))


def ns2_version() -> str:
    """Return the version of Debian's ns-2."""
    return debian_version("ns2") or "?"


def ns3_version() -> str:
    """Return the version of Debian's ns-3."""
    return debian_version("libns3-dev") or "?"


def commit() -> str:
    """Return the commit of the checkout, marked if there are uncommitted changes."""
    try:
        name = run(["git", "rev-parse", "--short=12", "HEAD"]).strip()
        changed = run(["git", "status", "--porcelain", "--", "crates", "python", "studies"]).strip()
    except ProgramError:
        return "unknown"
    return f"{name} with changes" if changed else name


def machine() -> str:
    """Return a one-line description of this machine."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").is_file() else ""
    names = [line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = os.cpu_count() or 1
    processor = names[0] if names else platform.processor() or platform.machine()
    return (
        f"{processor}, {cores} cores, {memory:.0f} GiB, Linux {platform.release().split('-')[0]}, {_system()}"
    )


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return platform.system()


def digest(*paths: Path) -> str:
    """Return a fingerprint of one or more files."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def fingerprint(text: str) -> str:
    """Return a short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@cache
def ns3_driver() -> str:
    """Return a fingerprint of the ns-3 driver's sources."""
    return digest(*(ROOT / source for source in NS3_SOURCES))
