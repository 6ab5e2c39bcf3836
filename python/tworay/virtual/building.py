"""Builds the kernel from the distribution's source package: ``tworay live kernel build``."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tworay.errors import InputError, RunError
from tworay.virtual import cache
from tworay.virtual.controllers import check_machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PACKAGE = "linux-source-6.1"
INSTALLED = Path("/usr/src") / f"{PACKAGE}.tar.xz"
# Two thirds of the source's 84,000 files, which no kernel of ours reads: their removal took minutes on a disk
# that frees each file's blocks at once. What configures and lists parts (Kconfig, Makefile) stays.
NEEDLESS = (
    "*/arch/[!ux]*/*.[chS]", "*/arch/[!ux]*/*.dts*", "*/arch/[!ux]*/configs/*",
    "*/Documentation/*/*", "*/samples/*.c", "*/sound/*.[ch]", "*/tools/perf/*", "*/tools/testing/*",
    *(
        f"*/drivers/{kind}/*.[ch]"
        for kind in (
            "clk", "comedi", "crypto", "gpu", "hwmon", "iio", "infiniband", "media", "mfd", "misc", "mtd",
            "net/dsa", "net/ethernet", "net/wireless", "phy", "pinctrl", "s390", "scsi", "soc", "staging",
            "usb", "video",
        )
    ),
)  # fmt: skip
# Programs, and the Debian packages that have them.
PROGRAMS = {
    "gcc": "gcc", "make": "make", "flex": "flex", "bison": "bison", "m4": "m4", "bc": "bc",
    "patch": "patch", "tar": "tar", "xz": "xz-utils",
}  # fmt: skip
# Packages whose programs work from any place, so that they need not be installed.
PORTABLE = ("flex", "bison", "m4", "bc", "patch")
# Steps of a build as make prints them, counted with Linux 6.1; only the progress depends on it.
STEPS = 1114
STEP = re.compile(rb"^  [A-Z][A-Z0-9_]+ +\S")
# Interval of lines of progress where there is no terminal, seconds.
SELDOM = 30.0
# Nothing of the machine that builds is in the kernel's version text.
ANONYMOUS = {
    "KBUILD_BUILD_USER": "tworay",
    "KBUILD_BUILD_HOST": "tworay",
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 1970",
    "KBUILD_BUILD_VERSION": "1",
    "LC_ALL": "C",
}


def build(source: Path | None = None, *, jobs: int | None = None) -> tuple[cache.Kernel, bool]:
    """Build the kernel into the cache, from the directory ``source`` or the distribution's package.

    Returns:
        The kernel, and false if the cache already had it.

    Raises:
        InputError: this machine, the source or a package is missing or wrong; the text has the remedy.
        RunError: the build failed.

    """
    check_machine()
    if source is not None and not (source / "Kconfig").is_file():
        raise InputError(f"--source {source}: this is no source of Linux (it has no Kconfig)")
    with _alone():
        if source is None:
            with contextlib.suppress(InputError):
                return cache.kernel(), False
        with TemporaryDirectory(prefix=".build-", dir=cache.kernels_home()) as place:
            return _build(Path(place), source, jobs or os.cpu_count() or 1)


def _build(place: Path, source: Path | None, jobs: int) -> tuple[cache.Kernel, bool]:
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if not _has_headers():
        missing.append("libc6-dev")
    tools = place / "tools"
    _fetch_tools(tools, missing, needs_source=source is None)
    environment = _environment(tools)
    tree = place / "tree"
    _say("unpacking the source of Linux")
    if source is None:
        _unpack(place, tree)
    else:
        ignore = shutil.ignore_patterns(".git")
        shutil.copytree(source, tree, symlinks=True, ignore=ignore, ignore_dangling_symlinks=True)
    version = _version(tree)
    kernel = cache.Kernel(version, cache.recipe(), Path())
    final = cache.kernels_home() / kernel.name
    kernel = cache.Kernel(version, cache.recipe(), final / cache.PROGRAM)
    if (final / cache.ABOUT).is_file():
        return kernel, False
    for patch in cache.patches():
        order = ["patch", "--batch", "--forward", "-p1", "-i", str(patch)]
        done = subprocess.run(order, cwd=tree, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stdout.strip().splitlines() or [""])[-1]
            raise RunError(f"{patch.name} does not apply to Linux {version}: {last}; it fits Linux 6.1")
    make = ["nice", "-n", "10", "make", "ARCH=um"]
    log = place / "log"
    _step([*make, f"KCONFIG_ALLCONFIG={cache.RECIPE / 'config'}", "allnoconfig"], tree, environment, log)
    _check_config(tree / ".config")
    _make([*make, f"-j{jobs}", "linux"], tree, environment, log, version)
    ready = place / "ready"
    ready.mkdir()
    shutil.copy2(tree / "linux", ready / cache.PROGRAM)
    shutil.copy2(tree / ".config", ready / "config")
    about = {"version": version, "recipe": cache.recipe()}
    (ready / cache.ABOUT).write_text(json.dumps(about), encoding="utf-8")
    # Complete or not at all.
    ready.rename(final)
    return kernel, True


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock of builds, and remove what killed builds have left."""
    cache.kernels_home().mkdir(parents=True, exist_ok=True)
    lock = os.open(cache.kernels_home() / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            _say("another build of the kernel is running; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for left in cache.kernels_home().glob(".build-*"):
            shutil.rmtree(left, ignore_errors=True)
        yield
    finally:
        os.close(lock)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _has_headers() -> bool:
    if shutil.which("gcc") is None:
        return False
    order = ["gcc", "-E", "-x", "c", "-o", os.devnull, "-"]
    done = subprocess.run(order, input=b"#include <stdio.h>\n", capture_output=True, check=False)
    return done.returncode == 0


def _fetch_tools(tools: Path, missing: Sequence[str], *, needs_source: bool) -> None:
    """Unpack missing packages that need no installation; refuse if others are missing."""
    left = [package for package in missing if package not in PORTABLE]
    if not left and missing:
        _say(f"fetching {', '.join(missing)}")
        left = [package for package in missing if not _fetch(package, tools)]
    if left:
        if needs_source and not INSTALLED.is_file():
            left.append(PACKAGE)
        raise InputError(f"building the kernel needs packages; run:  sudo apt-get install {' '.join(left)}")


def _fetch(package: str, place: Path) -> bool:
    """Download a package of the distribution and unpack it; no installation, so no root."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return False
    with TemporaryDirectory(dir=place.parent) as folder:
        # As root apt warns that its own user can't write here.
        order = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package]
        done = subprocess.run(order, cwd=folder, capture_output=True, check=False)
        files = list(Path(folder).glob("*.deb"))
        if done.returncode or not files:
            return False
        order = ["dpkg-deb", "-x", str(files[0]), str(place)]
        return subprocess.run(order, capture_output=True, check=False).returncode == 0


def _environment(tools: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    found = kept | ANONYMOUS
    if tools.is_dir():
        found["PATH"] = f"{tools / 'usr/bin'}:{found.get('PATH', '/usr/bin:/bin')}"
        if (tools / "usr/share/bison").is_dir():
            found["BISON_PKGDATADIR"] = str(tools / "usr/share/bison")
        if (tools / "usr/bin/m4").is_file():
            found["M4"] = str(tools / "usr/bin/m4")
    return found


def _unpack(place: Path, tree: Path) -> None:
    archive = INSTALLED
    if not archive.is_file():
        package = place / "package"
        if not _fetch(PACKAGE, package):
            raise InputError(
                f"the source of Linux is missing; run:  sudo apt-get install {PACKAGE}  (or name a directory "
                "with --source)"
            )
        archive = package / "usr/src" / INSTALLED.name
    tree.mkdir()
    needless = [f"--exclude={pattern}" for pattern in NEEDLESS]
    order = ["tar", "-xJf", str(archive), "-C", str(tree), "--strip-components=1", *needless]
    done = subprocess.run(order, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"{archive} can't be unpacked: {done.stderr.strip()}")


def _version(tree: Path) -> str:
    text = (tree / "Makefile").read_text(encoding="utf-8")
    found = [
        re.search(rf"^{name} = *(\d+)$", text, re.MULTILINE) for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL")
    ]
    if not all(found):
        raise InputError(f"{tree}/Makefile has no version of Linux")
    return ".".join(one[1] for one in found if one)


def _check_config(made: Path) -> None:
    """Refuse a source whose kernel would silently lack a part."""
    has = set(made.read_text(encoding="utf-8").splitlines())
    wanted = (cache.RECIPE / "config").read_text(encoding="utf-8").splitlines()
    lacks = [
        line for line in wanted if line.startswith("CONFIG_") and not line.endswith("=n") and line not in has
    ]
    if lacks:
        raise RunError(f"this version of Linux has no {', '.join(lacks)}")


def _step(order: Sequence[str], tree: Path, environment: Mapping[str, str], log: Path) -> None:
    with log.open("ab") as output:
        done = subprocess.run(order, cwd=tree, env=environment, stdout=output, stderr=output, check=False)
    if done.returncode:
        raise _failure(log)


def _failure(log: Path) -> RunError:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    kept = cache.kernels_home() / "failed.log"
    shutil.copy2(log, kept)
    errors = [line for line in lines if "error" in line.lower()] or lines
    return RunError(
        f"the kernel can't be built: {errors[-1] if errors else 'no output'}; the log is in {kept}"
    )


def _make(order: Sequence[str], tree: Path, environment: Mapping[str, str], log: Path, version: str) -> None:
    process = subprocess.Popen(
        order, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        process_group=0,
    )  # fmt: skip
    assert process.stdout is not None
    began = shown = time.monotonic()
    steps = 0
    terminal = sys.stderr.isatty()
    _say(f"building Linux {version} for virtual time (log: {log})")
    try:
        with log.open("ab") as output:
            for line in process.stdout:
                output.write(line)
                output.flush()
                steps += STEP.match(line) is not None
                now = time.monotonic()
                if now - shown >= (0.5 if terminal else SELDOM):
                    shown = now
                    text = progress(steps, now - began)
                    print(f"\r\x1b[K{text}" if terminal else text, end="" if terminal else "\n",
                          file=sys.stderr, flush=True)  # fmt: skip
        code = process.wait()
    finally:
        if terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        if process.poll() is None:
            # Its compilers, too.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 15)
            process.wait()
    if code:
        raise _failure(log)


def progress(steps: int, seconds: float) -> str:
    """Say how far a build is, and how long it will take."""
    share = min(0.99, steps / STEPS)
    left = f", {seconds * (1 - share) / share:.0f} s left" if steps else ""
    return f"{100 * share:3.0f} %, {seconds:.0f} s{left}"
