"""Boots a kernel in an emulator and reads its console; a machine that hangs is ended, and its step named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from studies.kernel_matrix.packages import EMULATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

MEMORY = 768
# Lines of the console in the text of a failure.
LAST = 5


class Step(NamedTuple):
    """A step of the machine: name, controller, exit code (``None``: it did not end), output."""

    name: str
    controller: str
    code: int | None
    output: str

    def documents(self) -> list[dict[str, Any]]:
        """Return the JSON documents among the lines of the output."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


class Booted(NamedTuple):
    """A machine that has ended: its steps, console, real seconds, and the reason if it ended early."""

    steps: list[Step]
    console: list[str]
    seconds: float
    problem: str | None

    def of(self, name: str, controller: str = "-") -> Step | None:
        """Return a step, if the machine came to it."""
        return next((s for s in self.steps if (s.name, s.controller) == (name, controller)), None)


def command(kernel: Path, initramfs: Path) -> list[str]:
    """Return the emulator's command. It translates instructions (TCG), so it needs no /dev/kvm."""
    return [
        EMULATOR, "-accel", "tcg", "-machine", "pc", "-cpu", "max", "-m", str(MEMORY), "-smp", "1",
        "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot", "-nic", "none",
        "-kernel", str(kernel), "-initrd", str(initramfs),
        "-append", "console=ttyS0 panic=-1 quiet loglevel=1 mitigations=off",
    ]  # fmt: skip


def boot(words: Sequence[str], limit: float, tell: Callable[[str], None] = lambda line: None) -> Booted:
    """Run a machine to its end, at most ``limit`` seconds; ``tell`` gets each line of its console."""
    began = time.monotonic()
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    ended = False

    def end() -> None:
        nonlocal ended
        ended = True
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(limit, end)
    timer.start()
    console: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            text = line.decode(errors="replace").rstrip("\r\n")
            console.append(text)
            tell(text)
    finally:
        timer.cancel()
        if process.stdout is not None:
            process.stdout.close()
        if process.poll() is None and not ended:
            process.terminate()
        code = process.wait()
    steps = read(console)
    problem = None
    if "@done" not in console:
        where = (
            f"in step {steps[-1].name} {steps[-1].controller}"
            if steps and steps[-1].code is None
            else "between steps"
        )
        if not steps:
            where = "before its first step"
        how = f"was ended after {limit:.0f} s, {where}" if ended else f"ended with code {code}, {where}"
        last = " | ".join([line for line in console if line.strip()][-LAST:]) or "it printed nothing"
        problem = f"the machine {how}; its last lines: {last}"
    return Booted(steps, console, time.monotonic() - began, problem)


def read(console: Iterable[str]) -> list[Step]:
    """Return the steps that a console tells."""
    steps: list[Step] = []
    for line in console:
        if line.startswith("@begin "):
            _, name, controller = line.split(" ", 2)
            steps.append(Step(name, controller, None, ""))
        elif steps and steps[-1].code is None and line.startswith("|"):
            steps[-1] = steps[-1]._replace(output=f"{steps[-1].output}{line[1:]}\n")
        elif steps and line.startswith("@end "):
            steps[-1] = steps[-1]._replace(code=int(line.split(" ")[1]))
    return steps
