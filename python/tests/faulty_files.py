"""A file layer that fails: it numbers every operation within a directory, and one of them goes wrong.

It takes the place of the functions through which Python writes (``open``, ``os.replace``, ``os.fsync`` and so
on) and of polars' ``sink_parquet``, which writes by itself. The modules that are tested know nothing of it.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import fcntl
import gc
import io
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

# What a fault does.
CRASH, POWER, FULL, SHORT, ERROR = "crash", "power cut", "full disk", "short write", "input/output error"
FAULTS = (CRASH, POWER, FULL, SHORT, ERROR)
# Operations that a full disk refuses.
NEED_ROOM = ("create", "write", "mkdir")
# Operations after which the disk is another.
CHANGES = (*NEED_ROOM, "truncate", "rename", "unlink", "rmdir", "fsync")
# Above every number of a real process.
PROCESS = 2**22 + 1


class Crash(BaseException):
    """The process is gone: nothing that it does afterwards reaches the disk."""


@dataclass(frozen=True)
class Fault:
    """The operation ``at`` fails; a full disk stays full, a process that is gone stays gone."""

    kind: str = "none"
    at: int = -1


@dataclass
class Layer:
    """The operations within ``root``: what each was, and what has reached the disk."""

    root: Path
    fault: Fault = Fault()
    # Called before each operation.
    pause: Callable[[], None] = field(default=lambda: None)
    done: list[tuple[str, str]] = field(default_factory=list)
    struck: bool = False
    # Files whose latest bytes a power cut would lose.
    unsynced: set[str] = field(default_factory=set)

    def within(self, path: object, dir_fd: int | None = None) -> str | None:
        """Return a path's absolute name if it is in the directory, or is the directory."""
        if isinstance(path, int):
            name = str(Path(f"/proc/self/fd/{path}").readlink())
        elif isinstance(path, str | bytes | os.PathLike):
            name = os.fsdecode(path)
            if dir_fd is not None and not name.startswith("/"):
                name = f"{Path(f'/proc/self/fd/{dir_fd}').readlink()}/{name}"
            name = os.path.normpath(Path.cwd() / name)
        else:
            return None
        inside = name == str(self.root) or name.startswith(f"{self.root}/")
        return name if inside else None

    def step(self, kind: str, name: str) -> bool:
        """Count an operation; return whether it is to be cut short, or raise what goes wrong with it."""
        gone = self.struck and self.fault.kind in (CRASH, POWER)
        if gone:
            raise Crash
        self.pause()
        number = len(self.done)
        self.done.append((kind, os.path.relpath(name, self.root)))
        hit = number == self.fault.at
        self.struck |= hit
        if self.struck and self.fault.kind == FULL and kind in NEED_ROOM:
            if hit and kind == "write":
                return True
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        if not hit:
            return False
        if self.fault.kind in (CRASH, POWER, SHORT):
            if kind == "write":
                return True
            if self.fault.kind != SHORT:
                raise Crash
        if self.fault.kind == ERROR:
            raise OSError(errno.EIO, os.strerror(errno.EIO), name)
        return False

    def cut(self, name: str) -> None:
        """Go on after half a write: the process is gone, or the disk is full."""
        if self.fault.kind in (CRASH, POWER):
            raise Crash
        if self.fault.kind == FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)

    def cut_power(self) -> None:
        """Lose what no ``fsync`` has brought to the disk."""
        for name in self.unsynced:
            with contextlib.suppress(FileNotFoundError):
                os.truncate(name, 0)


class _File(io.FileIO):
    """A file in the directory, whose writes are operations."""

    layer: Layer
    place: str

    def write(self, data: Any) -> int:
        name, whole = self.place, bytes(data)
        if not whole:
            return 0
        self.layer.unsynced.add(name)
        if not self.layer.step("write", name):
            return super().write(whole)
        written = super().write(whole[: len(whole) // 2])
        self.layer.cut(name)
        return written

    def truncate(self, size: int | None = None) -> int:
        self.layer.step("truncate", self.place)
        self.layer.unsynced.add(self.place)
        return super().truncate(size)


def _opened(layer: Layer, plain: Callable[..., Any]) -> Callable[..., Any]:
    def opening(
        file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None, *rest: Any, **more: Any
    ) -> Any:
        name = None if isinstance(file, int) else layer.within(file)
        if name is None:
            return plain(file, mode, buffering, encoding, *rest, **more)
        if not set(mode) & set("wax+"):
            layer.step("read", name)
            return plain(file, mode, buffering, encoding, *rest, **more)
        layer.step("create", name)
        raw = _File(file, mode.replace("b", "").replace("t", ""))
        raw.layer, raw.place = layer, name
        layer.unsynced.add(name)
        if buffering == 0:
            return raw
        buffered = io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding or "utf-8")

    return opening


def _one_path(layer: Layer, kind: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    def changing(path: Any, *arguments: Any, dir_fd: int | None = None, **more: Any) -> Any:
        name = layer.within(path, dir_fd)
        # That a directory is there already is seen before the disk is asked for room.
        if name is not None and not (kind == "mkdir" and Path(name).is_dir()):
            layer.step(kind, name)
        # ``os.rmdir`` of a path alone has no ``dir_fd`` on some systems.
        found = plain(path, *arguments, **(more if dir_fd is None else more | {"dir_fd": dir_fd}))
        if name is not None:
            layer.unsynced.discard(name)
        return found

    return changing


def _renaming(layer: Layer, plain: Callable[..., Any]) -> Callable[..., Any]:
    def renaming(source: Any, target: Any, **more: Any) -> Any:
        name, goal = layer.within(source), layer.within(target)
        if name is not None or goal is not None:
            layer.step("rename", goal or name or "")
        found = plain(source, target, **more)
        moved = {one for one in layer.unsynced if name and (one == name or one.startswith(f"{name}/"))}
        layer.unsynced -= moved
        layer.unsynced |= {f"{goal}{one[len(name or '') :]}" for one in moved}
        return found

    return renaming


def _syncing(layer: Layer, plain: Callable[..., Any]) -> Callable[..., Any]:
    def syncing(handle: int) -> None:
        name = layer.within(handle)
        if name is None:
            return plain(handle)
        # Only counted: a real one takes milliseconds, and no test cuts the power.
        layer.step("fsync", name)
        layer.unsynced.discard(name)
        return None

    return syncing


def _sinking(layer: Layer, plain: Callable[..., Any]) -> Callable[..., Any]:
    def sinking(frame: pl.LazyFrame, target: Any, **more: Any) -> Any:
        name = layer.within(target)
        if name is None:
            return plain(frame, target, **more)
        cut = layer.step("write", name)
        found = plain(frame, target, **more)
        layer.unsynced.add(name)
        if cut:
            os.truncate(name, Path(name).stat().st_size // 2)
            layer.cut(name)
            # Polars writes the rest of a write that was cut short, as every buffered writer does.
            plain(frame, target, **more)
        return found

    return sinking


@contextlib.contextmanager
def layer_over(root: Path, patch: pytest.MonkeyPatch, fault: Fault = Fault()) -> Iterator[Layer]:
    """Put a layer over a directory; at its end the process has died as far as files and locks show."""
    layer = Layer(root.resolve(), fault)
    # What is there holds no file that is opened below: it need not be searched at the end.
    gc.freeze()
    with patch.context() as own:
        opening = _opened(layer, io.open)
        own.setattr(io, "open", opening)
        own.setattr(builtins, "open", opening)
        for kind, names in {"mkdir": ["mkdir"], "unlink": ["unlink", "remove"], "rmdir": ["rmdir"]}.items():
            for name in names:
                own.setattr(os, name, _one_path(layer, kind, getattr(os, name)))
        for name in ("rename", "replace"):
            own.setattr(os, name, _renaming(layer, getattr(os, name)))
        own.setattr(os, "fsync", _syncing(layer, os.fsync))
        own.setattr(pl.LazyFrame, "sink_parquet", _sinking(layer, pl.LazyFrame.sink_parquet))
        # Another process has another number, and so other hidden files.
        own.setattr(os, "getpid", lambda: PROCESS)
        # Copies then go through ``open`` and ``write``.
        own.setattr(shutil, "_USE_CP_SENDFILE", False)
        try:
            yield layer
        finally:
            _let_go(layer)


def _let_go(layer: Layer) -> None:
    """Give up the locks that a process which ended would have given up."""
    gc.collect()
    gc.unfreeze()
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if layer.within(int(entry.name)) is not None:
                fcntl.flock(int(entry.name), fcntl.LOCK_UN)
    if layer.struck and layer.fault.kind == POWER:
        layer.cut_power()
