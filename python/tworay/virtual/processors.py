"""A processor of its own for each machine, as long as there are enough.

The kernel of a machine traces its programs, and only one of its processes runs at a time. Where these are on
different processors, each system call wakes the other processor, which takes more time than the call.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

from tworay.virtual import cache

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def one() -> Iterator[int | None]:
    """Claim a processor that no other machine of this user has; ``None`` if there is none."""
    place = cache.home() / "processors"
    place.mkdir(parents=True, exist_ok=True)
    for number in sorted(os.sched_getaffinity(0)):
        lock = os.open(place / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        try:
            yield number
        finally:
            os.close(lock)
        return
    yield None


@contextlib.contextmanager
def only(number: int | None) -> Iterator[None]:
    """Start processes on this processor alone, if there is one."""
    if number is None:
        yield
        return
    # Those of this thread, which its children inherit.
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {number})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
