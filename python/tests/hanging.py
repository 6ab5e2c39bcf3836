"""Of a test that hangs in native code: what each thread and each child of the process waits for.

Python's stack names the line that called native code, and no more. This is written a moment before the
process ends (``faulthandler_timeout`` in pyproject.toml).
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

BEFORE = 10.0


def waiting(process: int) -> Iterator[str]:
    """Yield a line for each thread of a process and its children: state, name, system call, place."""
    for task in sorted(Path(f"/proc/{process}/task").glob("[0-9]*"), key=lambda path: int(path.name)):
        found = []
        for name in ("comm", "syscall", "wchan"):
            # Without root, and for a thread that has just ended, some can't be read.
            with suppress(OSError):
                found.append((task / name).read_text(encoding="utf-8", errors="replace").strip())
        with suppress(OSError, IndexError):
            stat = (task / "stat").read_text(encoding="utf-8", errors="replace")
            found.insert(0, stat.rpartition(")")[2].split()[0])
        yield f"{process}/{task.name} {' | '.join(found)}"
        with suppress(OSError):
            for child in (task / "children").read_text(encoding="ascii").split():
                yield from waiting(int(child))


class Watcher:
    """Writes to the real standard error, which tests have redirected."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.stderr = os.dup(2)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Wait beside each test."""
        timer = threading.Timer(self.seconds, self._tell, [item.nodeid])
        timer.daemon = True
        timer.start()
        try:
            return (yield)
        finally:
            timer.cancel()

    def _tell(self, test: str) -> None:
        lines = [f"{test} hangs; its threads and children:", *waiting(os.getpid())]
        os.write(self.stderr, ("\n".join(lines) + "\n").encode())


def pytest_configure(config: Any) -> None:
    """Register the watcher, if a hanging test ends the process."""
    if seconds := float(config.getini("faulthandler_timeout") or 0):
        config.pluginmanager.register(Watcher(max(0.0, seconds - BEFORE)))
