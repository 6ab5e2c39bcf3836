"""Commands of the documentation's shell blocks: which of them run here, and how (`check_blocks.py`)."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tworay.machine.checks import SYSTEM_PATH, checks

# Programs that change the machine, need root or a checkout: named by their first word.
ELSEWHERE = {"sudo", "make", "pip", "pipx", "uv", "apt", "apt-get", "git", "cargo", "source", "alias", "cd"}
# Words in capitals that a reader replaces, and programs that wait for a person.
PLACEHOLDER = re.compile(r"\b(HOST|DIR|YOUR)\b|--open\b|^tworay view\b")
# What the comment of a line says about the way in which it runs.
BESIDE = re.compile(r" # .*in another terminal")
ENDLESS = re.compile(r" # .*until Ctrl-C")
SECONDS = 900
# Time for a server to listen, and for a command that goes on until Ctrl-C to see something.
MOMENT = 3
# The exit code of a command that ended by Ctrl-C, as a shell gives it.
INTERRUPTED = 128 + signal.SIGINT


def commands(text: str) -> list[str]:
    """Return the commands of a block; a line that ends in a backslash goes on."""
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def is_elsewhere(command: str) -> bool:
    """Return whether a command is left out by its first word, or waits for a person."""
    words = [word for word in command.split() if "=" not in word]
    return not words or words[0] in ELSEWHERE or PLACEHOLDER.search(command.split(" #")[0]) is not None


def as_root(command: str) -> str:
    """Return a command of a block that needs root: its user is root already."""
    return re.sub(r"(^|[|&;] *)sudo ", r"\1", command)


@functools.cache
def _works() -> dict[str, bool]:
    return {one.name: one.works for one in checks()}


def lacking(needs: str) -> str:
    """Return what this machine lacks of a mark's list: `root`, parts of `tworay doctor`, and programs."""
    there = _works() | {"root": os.geteuid() == 0}
    missing = list[str]()
    for need in needs.split(", "):
        if " " in need and need not in there:
            raise ValueError(f"`tworay doctor` has no part {need}: {', '.join(there)}")
        if not there.get(need, shutil.which(need, path=SYSTEM_PATH) is not None):
            missing.append(need)
    return ", ".join(missing)


@dataclass
class Terminals:
    """The terminals of a page's reader: one for all lines, and one for each that runs beside them."""

    folder: Path
    beside: list[subprocess.Popen[str]] = field(default_factory=list)

    def run(self, command: str) -> tuple[str, str]:
        """Run a command and return its output and what went wrong, which is empty if nothing did."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            child = subprocess.Popen(
                ["bash", "-c", command],
                cwd=self.folder,
                env=os.environ | {"PATH": path, "COLUMNS": "80", "MPLBACKEND": "agg"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                text=True,
                # Its own group: a signal reaches what it has started.
                start_new_session=True,
            )
            problem = self._finish(child, command)
            out.seek(0)
            err.seek(0)
            printed = out.read()
            if child.returncode and not (ENDLESS.search(command) and child.returncode == INTERRUPTED):
                last = (err.read().strip() or printed.strip() or "no output").splitlines()[-1]
                problem = problem or f"ends with {child.returncode}: {last}"
        return printed, problem

    def _finish(self, child: subprocess.Popen[str], command: str) -> str:
        is_beside = BESIDE.search(command) is not None
        try:
            if is_beside or ENDLESS.search(command):
                _ended(child, MOMENT)
                if child.returncode is None and is_beside:
                    self.beside.append(child)
                    return ""
                if child.returncode is None:
                    _signal(child, signal.SIGINT)
            child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            _signal(child, signal.SIGKILL)
            child.wait()
            return f"still running after {SECONDS} s"
        return ""

    def close(self) -> None:
        """End what still runs beside, with all that it has started."""
        for child in self.beside:
            _signal(child, signal.SIGINT)
            _ended(child, MOMENT)
            _signal(child, signal.SIGKILL)
            child.wait()


def _ended(child: subprocess.Popen[str], seconds: float) -> None:
    """Wait for a command, but no longer than this."""
    end = time.monotonic() + seconds
    while child.poll() is None and time.monotonic() < end:
        time.sleep(0.05)


def _signal(child: subprocess.Popen[str], number: signal.Signals) -> None:
    """Send a signal to a command and to all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)
