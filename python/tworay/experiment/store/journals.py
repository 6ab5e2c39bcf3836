"""Journals: a line per finished run, with its checksum, in a file that its process has locked."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
import zlib
from typing import TYPE_CHECKING

from tworay.experiment.store.disk import bytes_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, BinaryIO

# Wait for a process that is about to remove a journal, s.
SOON = 0.001


def read_journal(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return a journal's complete lines and the number of damaged ones, ignoring an incomplete last one."""
    rows, bad = [], 0
    lines = bytes_of(path).split(b"\n")
    torn = lines.pop()
    for line in lines:
        check, _, body = line.partition(b" ")
        try:
            if int(check, 16) != zlib.crc32(body):
                raise ValueError(line)
            rows.append(json.loads(body))
        except ValueError:
            bad += 1
    del torn
    return rows, bad


def open_journal(path: Path) -> BinaryIO:
    """Create the journal of this process and lock it, so that no other process takes it over."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        journal = path.open("ab", buffering=0)
        try:
            fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another process takes it for one that was left behind, and is about to remove it.
            journal.close()
            time.sleep(SOON)
            continue
        except OSError:
            return journal  # Some network file systems have no locks.
        with contextlib.suppress(FileNotFoundError):
            # It may have been taken away before it was locked.
            if os.path.samestat(os.fstat(journal.fileno()), path.stat()):
                return journal
        journal.close()
