"""What a network leaves running when its process and its keeper are killed: found and ended later.

Each network keeps a file with the cookies of its namespaces, numbers that the kernel gives to no others,
and holds a lock on it. A lock that nobody holds belongs to a network that has gone without cleaning up.
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
    """The file of a network that runs, locked as long as this process lives or until closed."""

    def __init__(self, cookies: list[int]) -> None:
        self._lock: int | None = None
        # The keeper does without the file: who has the rights to networks alone, not to /run, has none.
        with contextlib.suppress(OSError):
            HOME.mkdir(parents=True, exist_ok=True)
            name = f"{os.getpid()}-{cookies[0] if cookies else 0}"
            self._path, draft = HOME / name, HOME / f".{name}"
            self._lock = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            os.write(self._lock, json.dumps(cookies).encode())
            # Complete and locked before anybody finds it.
            draft.rename(self._path)

    def close(self) -> None:
        """Remove the file: nothing is left to find."""
        if self._lock is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


def sweep() -> int:
    """End what networks that have gone left running; return how many processes that were."""
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
