"""The user's cache: kernels that were built, and the scratch directories of machines that run."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

RECIPE = Path(__file__).parent / "kernel"
ABOUT, PROGRAM, LOCK = "about.json", "linux", "lock"
BUILD = "`tworay live kernel build` builds it (once, a few minutes)"


@dataclass(frozen=True)
class Kernel:
    """A kernel in the cache: its version, the digest of its configuration and patches, its program."""

    version: str
    recipe: str
    program: Path

    @property
    def name(self) -> str:
        """Its name in the cache and in results."""
        return f"{self.version}-{self.recipe}"


def home() -> Path:
    """Return tworay's directory in the user's cache (``XDG_CACHE_HOME``)."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(chosen) if Path(chosen).is_absolute() else Path.home() / ".cache") / "tworay"


def kernels_home() -> Path:
    """Return the directory of the kernels."""
    return home() / "kernels"


def patches() -> list[Path]:
    """Return the patches in the order in which they are applied."""
    return sorted((RECIPE / "patches").glob("*.patch"))


def recipe() -> str:
    """Return the digest of the configuration and the patches: another one is another kernel."""
    digest = hashlib.sha256()
    for file in (RECIPE / "config", *patches()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def kernels() -> list[Kernel]:
    """Return the kernels in the cache, those of this recipe last, the newest version last of all."""
    found = []
    for place in kernels_home().glob("[0-9]*") if kernels_home().is_dir() else []:
        with contextlib.suppress(OSError, ValueError, KeyError):
            about = json.loads((place / ABOUT).read_text(encoding="utf-8"))
            found.append(Kernel(about["version"], about["recipe"], place / PROGRAM))
    return sorted(found, key=lambda one: (one.recipe == recipe(), _numbers(one.version)))


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def kernel() -> Kernel:
    """Return the kernel that machines run.

    Raises:
        InputError: there is none of this recipe.

    """
    found = [one for one in kernels() if one.recipe == recipe()]
    if not found:
        older = "has one of another version of tworay, but not this one's" if kernels() else "is empty"
        raise InputError(
            f"virtual time needs a kernel of its own; the cache {kernels_home()} {older}: {BUILD}"
        )
    return found[-1]


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Make a directory for one machine, and remove it afterwards, as well as those of processes that died."""
    place = home() / "virtual"
    place.mkdir(parents=True, exist_ok=True)
    _sweep(place)
    mine, lock = _locked(place)
    try:
        yield mine
    finally:
        shutil.rmtree(mine, ignore_errors=True)
        os.close(lock)


def _locked(place: Path) -> tuple[Path, int]:
    """Make a directory that no other process takes for one that was left; return it and its lock."""
    while True:
        # Names of equal length: the path is among the arguments of the machine's first program.
        mine = place / secrets.token_hex(8)
        mine.mkdir(mode=0o700)
        lock = os.open(mine / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:
            return mine, lock
        # Another process has swept it away before it was locked.
        os.close(lock)


def _sweep(place: Path) -> None:
    for one in place.iterdir():
        with contextlib.suppress(OSError):
            # A directory without the file is just being made, or removed.
            lock = os.open(one / LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(one, ignore_errors=True)
            finally:
                os.close(lock)
