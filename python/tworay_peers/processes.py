"""Child processes: output, CPU seconds and peak memory, and no orphan after Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay_peers.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()
_stopped = threading.Event()


class ProgramError(Exception):
    """A program could not be started or did not end well; the text says which and why."""


@dataclass(frozen=True)
class Outcome:
    """What a finished process left."""

    output: str
    cpu_seconds: float
    """User and system time of the process (``wait4``)."""
    peak_bytes: int
    """Largest resident set."""
    wall_seconds: float


def run(command: Sequence[str], *, cwd: Path = ROOT, may_fail: bool = False) -> Outcome:
    """Run a program to its end; raise ``ProgramError`` if it fails."""
    if _stopped.is_set():
        raise ProgramError("stopped")
    began = time.monotonic()
    # Files, not pipes: nobody has to read while wait4 waits.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            child = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        except OSError as error:
            raise ProgramError(f"{command[0]}: {error.strerror}") from error
        with _lock:
            _running.add(child)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        finally:
            with _lock:
                _running.discard(child)
        # Popen must not wait for a child that is gone.
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        out.seek(0)
        output = out.read().decode(errors="replace")
        if child.returncode != 0 and not may_fail:
            err.seek(0)
            said = (err.read().decode(errors="replace").strip() or output.strip())[-2000:]
            raise ProgramError(f"{' '.join(command)}\nended with {child.returncode}: {said}")
    peak = usage.ru_maxrss * 1024  # kilobytes on Linux
    return Outcome(output, usage.ru_utime + usage.ru_stime, peak, wall)


def stop_all() -> None:
    """End every child that runs, and let none start any more."""
    _stopped.set()
    with _lock:
        for child in _running:
            child.terminate()
