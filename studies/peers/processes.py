"""Runs child processes, collects their output, and leaves none behind after Ctrl-C."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from typing import TYPE_CHECKING

from studies.peers.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()
_stopped = threading.Event()


class ProgramError(Exception):
    """A program could not be started or failed; the text says which and why."""


def run(command: Sequence[str], *, cwd: Path = ROOT, may_fail: bool = False) -> str:
    """Run a program and return its output.

    Raises:
        ProgramError: it cannot be started, or fails without ``may_fail``.

    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with _lock:
            if _stopped.is_set():
                raise ProgramError("stopped")
            try:
                child = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            except OSError as error:
                raise ProgramError(f"{command[0]}: {error.strerror}") from error
            _running.add(child)
        try:
            code = child.wait()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        finally:
            with _lock:
                _running.discard(child)
        out.seek(0)
        output = out.read().decode(errors="replace")
        if code != 0 and not may_fail:
            err.seek(0)
            said = (err.read().decode(errors="replace").strip() or output.strip())[-2000:]
            raise ProgramError(f"{' '.join(command)}\nended with exit code {code}: {said}")
    return output


def stop_all() -> None:
    """Terminate all running children and start no further ones."""
    with _lock:
        _stopped.set()
        for child in _running:
            child.terminate()
