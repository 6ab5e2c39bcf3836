"""Writes files atomically."""

from __future__ import annotations

import contextlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def is_device(file: Path) -> bool:
    """Return whether this is a pipe, a terminal or another device, which is written to but never replaced."""
    return file.exists() and not file.is_file() and not file.is_dir()


@contextmanager
def replacing(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """Give the block a hidden file to write, which takes the name ``path`` in one step at the block's end.

    If the block fails, ``path`` stays as it was and the hidden file goes. With ``durable`` the file and its
    name also outlast a power cut. A device or pipe (``/dev/null``) is given itself, and not replaced.
    """
    if is_device(path):
        yield path
        return
    hidden = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield hidden
        if durable:
            with hidden.open("rb") as file:
                os.fsync(file.fileno())
        hidden.replace(path)
        if durable:
            sync(path.parent)
    finally:
        with contextlib.suppress(OSError):
            hidden.unlink(missing_ok=True)


def sync(directory: Path) -> None:
    """Make renames within a directory outlast a power cut."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
