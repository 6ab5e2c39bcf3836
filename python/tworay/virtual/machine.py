"""One machine in virtual time: boots the kernel as a process, passes its output on, and clears up."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay import errors
from tworay.errors import Cancelled, InputError, RunError
from tworay.virtual import stillness
from tworay.virtual.order import CONSOLE, ENDED, ERR, FAILURE, OUT, STATUS, STOP

if TYPE_CHECKING:
    from collections.abc import Callable

    from tworay.virtual import cache
    from tworay.virtual.order import Order

LEAST_MEMORY, MEMORY = 128, 512
"""Memory of a machine, MiB: the least allowed, and the default."""
# 2026-01-01, nanoseconds: every machine starts on the same day.
EPOCH = 1_767_225_600_000_000_000
LOOK = 0.05
# A machine that was asked to end has this time, seconds of real time.
GRACE = 10.0
SHARED_MEMORY = Path("/dev/shm")
# Kills its process group when its input ends, with the process that started it, however that one ends. The
# kernel is killed then, too, and its programs with it, but for one that it has just made and that stands
# still until it is traced.
GUARD = 'exec 3<&0; ( (read -r _ <&3; kill -KILL 0) & ); exec "$@" 3<&- </dev/null'
# Lines of the machine's console in an error.
LAST = 3


@dataclass(frozen=True)
class Machine:
    """The machine of a run: its kernel, the seed of its random numbers, its memory in MiB."""

    kernel: cache.Kernel
    seed: int
    memory: int = MEMORY

    def __post_init__(self) -> None:
        if not LEAST_MEMORY <= self.memory <= 65536:
            raise InputError(f"--memory {self.memory}: allowed are {LEAST_MEMORY} to 65536 (MiB)")

    def run(
        self,
        scratch: Path,
        order: Order,
        *,
        show: Callable[[dict[str, Any]], None] = lambda status: None,
        warn: Callable[[str], None] = lambda text: None,
        stopped: Callable[[], bool] = lambda: False,
        gently: bool = False,
        keep: Callable[[int], bool] = lambda process: False,
    ) -> dict[str, Any]:
        """Carry out an order in a machine of its own; return what it left in ``ENDED``.

        ``show`` gets the network's status, ``warn`` sentences for the user; ``stopped`` ends the machine.
        ``keep`` gets the machine's process often, and returns true while the machine rests. Ctrl-C, and a
        reader of the output who leaves, ask the machine to end with what it has if ``gently``; a second
        Ctrl-C, and a machine that does not end within ``GRACE``, ends it without.

        Raises:
            InputError: this machine has too little memory, or the order is wrong.
            RunError: the machine did not start, or died.
            Cancelled: ``stopped`` said so.

        """
        self._check_memory()
        order.write(scratch)
        for name in (OUT, ERR):
            (scratch / name).touch(mode=0o600)
        with (scratch / CONSOLE).open("wb") as console:
            process = subprocess.Popen(
                self._command(scratch),
                stdin=subprocess.PIPE,
                stdout=console,
                stderr=console,
                # Nothing of the host's environment.
                env={"PATH": os.defpath, "HOME": str(scratch)},
                cwd=scratch,
                start_new_session=True,
            )
        try:
            _attend(process, scratch, show, warn, stopped, keep)
        except (KeyboardInterrupt, _ReaderLeft):
            if not gently:
                raise
            (scratch / STOP).touch()
            until = time.monotonic() + GRACE

            def too_late() -> bool:
                return stopped() or time.monotonic() > until

            try:
                _attend(process, scratch, show, warn, too_late, keep)
            except Cancelled:
                warn("ended without results: programs computed on, so that virtual time stood still")
                raise KeyboardInterrupt from None
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            # Its programs are processes of this host that its kernel traces; one that is just stopped stays.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if process.stdin is not None:
                process.stdin.close()
        return self._left(scratch, process.returncode)

    def about(self, left: dict[str, Any]) -> dict[str, Any]:
        """Return what a run's summary says of its machine, which left ``left``."""
        return {"kernel": self.kernel.name, "memory_mib": self.memory, "loops": left["loops"]}

    def _command(self, scratch: Path) -> list[str]:
        # The kernel hands a word with "=" that it does not know to its first program's environment. A program
        # of another installation than the host's would be another version of tworay.
        searched = os.environ.get("PYTHONPATH")
        found = [f"PYTHONPATH={searched}"] if searched else []
        words = [
            str(self.kernel.program), f"mem={self.memory}M",
            "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
            "time-travel=inf-cpu", f"time-travel-start={EPOCH}", f"random_seed={self.seed}",
            f"uml_dir={scratch}/", "umid=machine", "con=null", "con0=null,fd:1", "quiet",
            "norandmaps", "panic=-1", *found,
            f"init={sys.executable}", "--", "-B", "-m", "tworay.virtual.guest", str(scratch),
        ]  # fmt: skip
        for word in words:
            if any(letter.isspace() or letter in "\"'" for letter in word):
                raise InputError(f"virtual time can't use the path {word}: it has spaces or quotation marks")
        # The machine dies with the thread that started it, and its addresses are always the same.
        started = ["setpriv", "--pdeathsig", "KILL", "setarch", "x86_64", "-R", *words]
        return ["sh", "-c", GUARD, "sh", *started]

    def _check_memory(self) -> None:
        wanted = self.memory << 20
        available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
        with suppress(OSError, ValueError, StopIteration):
            lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
            available = int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) << 10
        if SHARED_MEMORY.is_dir():
            available = min(available, shutil.disk_usage(SHARED_MEMORY).free)
        if available < wanted:
            raise InputError(
                f"a machine in virtual time needs {self.memory} MiB (memory and {SHARED_MEMORY}), but only "
                f"{available >> 20} MiB are free; end other programs, run fewer at once (--jobs), or give "
                "less with --memory"
            )

    def _left(self, scratch: Path, code: int) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            failure = json.loads((scratch / FAILURE).read_text(encoding="utf-8"))
            raise getattr(errors, failure["kind"], RunError)(failure["text"])
        with suppress(OSError, ValueError):
            left: dict[str, Any] = json.loads((scratch / ENDED).read_text(encoding="utf-8"))
            return left
        lines = (scratch / CONSOLE).read_text(encoding="utf-8", errors="replace").split("\n")
        last = " | ".join([line.strip() for line in lines if line.strip()][-LAST:]) or "it printed nothing"
        what = "died" if (scratch / STATUS).is_file() else "did not start"
        raise RunError(
            f"the machine in virtual time {what} (exit code {code}, kernel {self.kernel.name}): {last}"
        )


class _ReaderLeft(RunError):
    """The reader of the programs' output has closed the pipe, as `head` does: a program there would end."""


def _attend(
    process: subprocess.Popen[bytes],
    scratch: Path,
    show: Callable[[dict[str, Any]], None],
    warn: Callable[[str], None],
    stopped: Callable[[], bool],
    keep: Callable[[int], bool],
) -> None:
    """Pass on output and status until the machine is off."""
    outputs = [(scratch / OUT).open("rb"), (scratch / ERR).open("rb")]
    streams = [sys.stdout, sys.stderr]
    last, warned, still = "", False, stillness.Stillness(process.pid)

    def forward() -> None:
        for file, stream in zip(outputs, streams, strict=True):
            if text := file.read():
                try:
                    stream.write(text.decode(errors="replace"))
                    stream.flush()
                except (BrokenPipeError, SystemExit) as error:
                    if (scratch / STOP).exists():
                        continue
                    raise _ReaderLeft("nobody reads what the programs print") from error

    try:
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK)
            forward()
            if stopped():
                raise Cancelled("the run was cancelled")
            now = ""
            with suppress(OSError):
                now = (scratch / STATUS).read_text(encoding="utf-8")
            if keep(process.pid):
                still.moved()
            if now != last:
                last, warned = now, False
                still.moved()
                with suppress(ValueError):
                    show(json.loads(now))
            seconds = still.seconds()
            if seconds > stillness.SLOW and not warned:
                warned = True
                warn(
                    f"virtual time has stood still for {seconds:.0f} s: a program computes, or waits without "
                    "sleeping"
                )
            if seconds > stillness.STUCK:
                raise RunError(
                    f"virtual time stood still for {seconds:.0f} s of computing: a program computes, or "
                    "waits in a loop; virtual time only moves when all programs sleep"
                )
        forward()
    finally:
        for file in outputs:
            file.close()
