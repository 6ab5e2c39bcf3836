"""The place of results: which directory is free, which of its files are tworay's, one writer at a time."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError, OutputError
from tworay.experiment.store.batches import CORRUPT, JOURNAL, PARTS, TABLES
from tworay.experiment.store.formats import FORMAT
from tworay.experiment.store.manifest import MANIFEST, SUMMARY
from tworay.experiment.store.records import COSTS, RECORDS, RUNS, SCENARIO
from tworay.files import sync

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Tables that may be in directories whose manifest doesn't list its files.
UNLISTED = (
    *("alive", "battery", "energy", "flows", "frames", "guesses", "ledger", "moves", "packets", "paths"),
    *(
        "phases",
        "queues",
        "ranges",
        "rates",
        "retransmissions",
        "routes",
        "routing",
        "runs",
        "sacks",
        "segments",
    ),
    *("series", "trace"),
)
# The folders that hold the runs of a comparison.
HOLD_RUNS = (PARTS, JOURNAL, TABLES, CORRUPT)
# In the head of every page that tworay writes.
MARK = '<meta name="generator" content="tworay'
HEAD_BYTES = 4096


class Lock:
    """Prevents other processes from writing to a directory, until released or until the process ends."""

    def __init__(self, path: Path) -> None:
        self._made: list[Path] = []
        self._handle: int | None = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise InputError(
                f"{path}: another tworay is writing results there; wait until it has ended"
            ) from None
        except OSError:
            # Some network file systems have no locks.
            self.release()

    @classmethod
    def claim(cls, path: Path) -> Lock:
        """Create the directory if there is none, and lock it; released while empty, it goes again."""
        while True:
            made = [place for place in (path, *path.parents) if not place.exists()]
            path.mkdir(parents=True, exist_ok=True)
            try:
                lock = cls(path)
                # Its last holder may have removed the directory between these two lines.
                if lock._handle is None or os.path.samestat(os.fstat(lock._handle), path.stat()):
                    lock._made = made
                    return lock
            except FileNotFoundError:
                continue
            lock.release()

    def release(self) -> None:
        """Let others write. Releasing twice is allowed."""
        made, self._made = self._made, []
        with suppress(OSError):
            for place in made:
                place.rmdir()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    __del__ = release


def sweep(path: Path) -> None:
    """Remove what a killed process left half written or half deleted."""
    hidden = (*path.glob(".*"), *(file for name in HOLD_RUNS for file in (path / name).rglob(".*")))
    for left in hidden:
        if not _is_left(left):
            continue
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink()


def _is_left(file: Path) -> bool:
    """Return whether a killed process left a file behind."""
    return re.fullmatch(r"\..+\.\d+\.(tmp|old)", file.name) is not None


def check_place(path: Path, command: str, force: bool, kept: Iterable[str] = ()) -> None:
    """Reject a directory that is not free for the files ``kept``, before hours of work are done."""
    if path.exists() and not path.is_dir():
        raise InputError(f"--out {path}: this is a file; name a directory that is new or empty")
    if path.is_dir() and not all(map(_is_left, path.iterdir())):
        made_by = _manifest(path).get("command")
        if made_by != command:
            whose = (
                f"holds results of `tworay {made_by}`"
                if made_by
                else "is not empty and was not made by tworay"
            )
            raise InputError(f"--out {path}: the directory {whose}; name one that is new or empty")
        if not force:
            more = f", --resume {path} to go on with them" if command == "compare" else ""
            raise InputError(
                f"--out {path}: the directory already holds results of `tworay {command}`; "
                f"add --force to replace them{more}, or name another directory"
            )
        own = own_files(path)
        for name in kept:
            if name not in own and (path / name).exists():
                raise InputError(
                    f"--out {path}: {path / name} is not a file of tworay's, and the results need its name; "
                    "move it, or name another directory"
                )
    whole = path.absolute()
    parent = next(place for place in (whole, *whole.parents) if place.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(
            f"--out {path}: {parent} is not a directory that can be written to; name another place"
        )


def _manifest(path: Path) -> dict[str, Any]:
    try:
        found = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def listed(path: Path) -> list[str] | None:
    """Return the files that a directory's manifest lists; ``None``: it is from before they were listed."""
    found = _manifest(path).get("files")
    if not isinstance(found, list):
        return None
    # Never a way out of the directory, whatever an edited manifest says.
    return [one for one in found if isinstance(one, str) and not re.search(r"^/|(^|/)\.\.(/|$)|\0", one)]


def tables_of(path: Path) -> list[Path]:
    """Return the tables that tworay wrote into a directory; others in it are not read."""
    names = listed(path)
    if names is None:
        names = [f"{name}.parquet" for name in UNLISTED]
    return sorted(path / name for name in names if name.endswith(".parquet") and (path / name).is_file())


def sources_of(path: Path) -> list[str]:
    """Return the names of the sources of Python variants that tworay kept in a directory."""
    names = listed(path)
    if names is None:
        names = [str(file.relative_to(path)) for file in path.rglob("*.py")]
    return sorted(name for name in names if name.endswith(".py"))


def own_files(path: Path) -> list[str]:
    """Return the names of files and folders in a directory that tworay wrote, as far as they exist."""
    names = listed(path)
    if names is None:
        names = [SCENARIO, COSTS, *(f"{name}.parquet" for name in UNLISTED)]
    pages = [file.name for file in path.glob("report*.html") if _is_page(file)]
    runs = _folders(path)
    known = dict.fromkeys([MANIFEST, SUMMARY, *runs, *pages, *names])
    return [name for name in known if (path / name).exists()]


def _folders(path: Path) -> tuple[str, ...]:
    """Return the names of what holds the runs of a directory."""
    manifest = _manifest(path)
    if manifest.get("command") != "compare":
        return ()
    form = manifest.get("format")
    return (RECORDS, RUNS) if not isinstance(form, int) or form < FORMAT else HOLD_RUNS


def _is_page(file: Path) -> bool:
    try:
        with file.open(encoding="utf-8", errors="replace") as text:
            return MARK in text.read(HEAD_BYTES)
    except OSError:
        return False


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """Fill a hidden directory, then rename it in one step; in an existing one only tworay's files go."""
    # An existing directory stays, because somebody may work in it, or it may be a mount point.
    stays = path.is_dir()
    place = path if stays else path.parent
    place.mkdir(parents=True, exist_ok=True)
    hidden = place / f".{path.name}.{os.getpid()}.tmp"
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        hidden.mkdir()
        yield hidden
        if stays:
            _exchange(path, hidden)
        else:
            hidden.rename(path)
        sync(place)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _exchange(path: Path, new: Path) -> None:
    """Replace tworay's files in ``path`` by those of ``new``; on failure nothing has changed.

    The manifest changes in one step, after the other old files have gone and before the new ones come: a
    process that is killed at any point leaves a directory that says whose it is, and may be replaced.
    """
    old = path / f".{path.name}.{os.getpid()}.old"
    shutil.rmtree(old, ignore_errors=True)
    old.mkdir()
    steps = [(path / name, old / name) for name in own_files(path) if name != MANIFEST]
    if (path / MANIFEST).exists():
        shutil.copyfile(path / MANIFEST, old / MANIFEST)
    steps.append((new / MANIFEST, path / MANIFEST))
    steps += [(leaf, path / leaf.relative_to(new)) for leaf in _leaves(new) if leaf != new / MANIFEST]
    done = []
    try:
        for source, target in steps:
            if target.exists() and target != path / MANIFEST:
                raise OutputError(
                    f"{target} is not a file of tworay's, and the results need its name; move it away"
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
            done.append((source, target))
    except BaseException:
        for source, target in reversed(done):
            source.parent.mkdir(parents=True, exist_ok=True)
            target.rename(source)
            if target == path / MANIFEST and (old / MANIFEST).exists():
                (old / MANIFEST).rename(target)
        with suppress(OSError):
            (old / MANIFEST).unlink(missing_ok=True)
        for folder in [*sorted(old.rglob("*"), reverse=True), old]:
            with suppress(OSError):
                folder.rmdir()
        raise
    for source, target in done:
        if target.is_relative_to(old):
            _prune(source.parent, path)
    shutil.rmtree(old, ignore_errors=True)


def _leaves(folder: Path) -> list[Path]:
    """Return the files and the empty folders within a folder."""
    return [one for one in sorted(folder.rglob("*")) if not one.is_dir() or not any(one.iterdir())]


def _prune(folder: Path, within: Path) -> None:
    """Remove folders that have become empty."""
    while folder != within:
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                return
            raise
        folder = folder.parent
