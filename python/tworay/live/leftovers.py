"""Ends processes that remain when a network and its keeper were killed.

Each network has a file with the cookies of its namespaces (numbers that the kernel never uses twice), and
holds a lock on it. A file without a lock belongs to a network that ended without cleaning up.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from pathlib import Path

from tworay import _native

HOME = Path("/run/tworay/namespaces")


class Record:
    """The file of a running network, locked until it is closed or this process ends."""

    def __init__(self, cookies: list[int]) -> None:
        self._lock: int | None = None
        # The keeper works without this file, which needs write access to /run.
        with contextlib.suppress(OSError):
            HOME.mkdir(parents=True, exist_ok=True)
            name = f"{os.getpid()}-{cookies[0] if cookies else 0}"
            self._path, draft = HOME / name, HOME / f".{name}"
            self._lock = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            os.write(self._lock, json.dumps(cookies).encode())
            # Rename only when the file is complete and locked.
            draft.rename(self._path)

    def close(self) -> None:
        """Remove the file."""
        if self._lock is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


def sweep() -> int:
    """End the remaining processes of networks that are gone; return their number."""
    ended = 0
    for path in HOME.glob("[0-9]*") if HOME.is_dir() else []:
        with contextlib.suppress(OSError, ValueError):
            lock = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                ended += _native.live_end_left_over(json.loads(path.read_text(encoding="ascii")))
                path.unlink(missing_ok=True)
            finally:
                os.close(lock)
    return ended
