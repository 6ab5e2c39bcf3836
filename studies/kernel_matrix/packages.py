"""Kernels and programs from the distribution's packages; nothing is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PLACE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "kernel-matrix"
# Debian's packages that name the newest kernel of a series: the oldest supported one, and a newer one.
KERNELS = ("linux-image-amd64", "linux-image-6.12-amd64")
BUSYBOX = "busybox-static"
EMULATOR = "qemu-system-x86_64"
IMAGE = re.compile(r"^\s*(?:Pre)?Depends: (linux-image-[0-9]\S*)$", re.MULTILINE)


class Image(NamedTuple):
    """A kernel of the distribution: its package and version, its image, its modules' directory."""

    package: str
    version: str
    program: Path
    modules: Path


def require() -> None:
    """Refuse a machine that lacks a program; the text has the line that installs it."""
    needs = {
        EMULATOR: "qemu-system-x86",
        "apt-get": "apt",
        "dpkg-deb": "dpkg",
        "gcc": "gcc",
        "tc": "iproute2",
    }
    missing = sorted({package for program, package in needs.items() if shutil.which(program) is None})
    if missing:
        raise SystemExit(
            "the kernel matrix needs packages of Debian; run:  sudo apt-get install --no-install-recommends "
            + " ".join(missing)
        )


def image(package: str) -> Image:
    """Return the kernel that a package is or depends on, downloaded and unpacked once."""
    named = package if re.match(r"linux-image-[0-9.]+-[0-9]|linux-image-[0-9.]+\+", package) else None
    if named is None:
        found = IMAGE.search(_output(["apt-cache", "depends", package]))
        if found is None:
            raise SystemExit(
                f"{package}: the package lists have no kernel of this name; `apt-cache search linux-image` "
                "lists them, and --kernels NAME,NAME chooses"
            )
        named = found[1]
    place, version = unpacked(named)
    programs, modules = sorted(place.glob("boot/vmlinuz-*")), sorted(place.glob("lib/modules/*"))
    modules = modules or sorted(place.glob("usr/lib/modules/*"))
    if not programs or not modules:
        raise SystemExit(
            f"{named} {version} has no boot/vmlinuz-* or no lib/modules: it is no kernel's package"
        )
    return Image(named, version, programs[0], modules[0])


def busybox() -> Path:
    """Return a static busybox."""
    return unpacked(BUSYBOX)[0] / "bin/busybox"


def unpacked(package: str) -> tuple[Path, str]:
    """Download a package's candidate and unpack it; return the directory, and the version."""
    shown = _output(["apt-cache", "policy", package])
    found = re.search(r"^\s*Candidate: (\S+)$", shown, re.MULTILINE)
    if found is None or found[1] == "(none)":
        raise SystemExit(f"{package}: the package lists have none; run `sudo apt-get update`")
    version = found[1]
    place = PLACE / f"{package}_{version.replace(':', '-')}"
    if not place.is_dir():
        archives = PLACE / "archives"
        archives.mkdir(parents=True, exist_ok=True)
        # As root apt warns that its own user can't write here.
        words = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", f"{package}={version}"]
        subprocess.run(words, cwd=archives, check=True)
        (archive,) = archives.glob(f"{package}_*.deb")
        draft = place.with_name(f".{place.name}")
        shutil.rmtree(draft, ignore_errors=True)
        subprocess.run(["dpkg-deb", "-x", str(archive), str(draft)], check=True)
        draft.rename(place)
        archive.unlink()
    return place, version


def _output(words: list[str]) -> str:
    return subprocess.run(
        words, capture_output=True, text=True, check=True, env=os.environ | {"LC_ALL": "C"}
    ).stdout
