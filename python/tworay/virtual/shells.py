"""Commands at the nodes of a network that stays up in virtual time: files between the host and the machine.

A command, or a change of the network, is ``ID.json`` in ``SHELLS``; its output is in ``ID.out`` and
``ID.err``, ``ID.code`` ends it, and ``ID.kill`` asks for its end. While the machine has nothing to do it
writes its number and time into ``REST``, computes without a pause, so that time stands still, and goes on
when the host makes the file ``go-NUMBER``. The host stops its process meanwhile.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.virtual.order import REST, SHELLS, STOP, UP, VIEW, go_name, publish

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOOK = 0.05
# As shells report a program that was killed by Ctrl-C, and one whose network has ended.
INTERRUPTED, GONE = 130, 1


@dataclass
class Keeper:
    """Lets a machine rest while no command runs, or keeps it at ``pace`` times real time."""

    scratch: Path
    pace: float | None
    ready: Callable[[dict[str, Any]], None]
    """Gets the nodes once the network is up."""
    _began: float | None = field(default=None, init=False)
    _stopped: bool = field(default=False, init=False)

    def __call__(self, process: int) -> bool:
        """Look after the machine's process; return true while it rests."""
        if self._began is None and (self.scratch / UP).is_file():
            self._began = time.monotonic()
            self.ready(json.loads((self.scratch / UP).read_text(encoding="utf-8")))
        try:
            number, at = (self.scratch / REST).read_text(encoding="ascii").split()
        except (OSError, ValueError):
            return False
        rests = not self._may_go(float(at)) and not (self.scratch / STOP).exists()
        if not rests:
            (self.scratch / go_name(number)).touch()
        if rests != self._stopped:
            os.kill(process, signal.SIGSTOP if rests else signal.SIGCONT)
            self._stopped = rests
        return rests

    def _may_go(self, at: float) -> bool:
        if self.pace is None:
            return any((self.scratch / SHELLS).glob("*.json"))
        return self._began is not None and self.pace * (time.monotonic() - self._began) >= at


def run(scratch: Path, node: int, words: Sequence[str], alive: Callable[[], bool]) -> tuple[int, str]:
    """Run a command at a node, and pass its output on; Ctrl-C ends it.

    Returns:
        Its exit code, and the machine's name for it.

    """
    place, name = scratch / SHELLS, secrets.token_hex(8)
    outputs = []
    for end in ("out", "err"):
        (place / f"{name}.{end}").touch(mode=0o600)
        outputs.append((place / f"{name}.{end}").open("rb"))
    publish(place / f"{name}.json", json.dumps({"node": node, "words": list(words)}))
    code = place / f"{name}.code"
    interrupted = False
    try:
        while True:
            over = code.is_file() or not alive()
            for file, stream in zip(outputs, (sys.stdout, sys.stderr), strict=True):
                if text := file.read():
                    stream.write(text.decode(errors="replace"))
                    stream.flush()
            if over:
                break
            try:
                time.sleep(LOOK)
            except KeyboardInterrupt:
                interrupted = True
                (place / f"{name}.kill").touch()
    finally:
        for file in outputs:
            file.close()
    with suppress(OSError, ValueError):
        ended = int(code.read_text(encoding="ascii"))
        return (INTERRUPTED if interrupted else ended), name
    return GONE, name


def steer(scratch: Path, command: str, alive: Callable[[], bool]) -> str:
    """Change the network by a command of a script; return the line of a script that was done.

    Raises:
        InputError: the command is wrong, or the network has ended.

    """
    place, name = scratch / SHELLS, secrets.token_hex(8)
    publish(place / f"{name}.json", json.dumps({"steer": command}))
    answer = place / f"{name}.code"
    while alive() and not answer.is_file():
        time.sleep(LOOK)
    try:
        told: dict[str, str] = json.loads(answer.read_text(encoding="utf-8"))
    except OSError:
        raise InputError("the network has ended") from None
    if "error" in told:
        raise InputError(told["error"])
    return told["line"]


def view(scratch: Path, alive: Callable[[], bool]) -> dict[str, Any]:
    """Return the machine's last look at its network: at rest that of this moment.

    Raises:
        InputError: the network has ended.

    """
    if not alive():
        raise InputError("the network has ended")
    try:
        found: dict[str, Any] = json.loads((scratch / VIEW).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the network does not answer ({error}); is it yours?") from error
    return found


def interact(scratch: Path, node: int, prompt: str, alive: Callable[[], bool]) -> int:
    """Read lines and run each by a shell at a node; the directory is kept from line to line."""
    where, code = str(Path.cwd()), 0
    interactive = sys.stdin.isatty()
    while alive():
        try:
            line = input(prompt if interactive else "")
        except (EOFError, KeyboardInterrupt):
            break
        if line.strip() == "exit":
            break
        script = (
            f'cd "$0" 2>/dev/null\n{line}\ncode=$?\necho "$PWD" >"$HOME/.tworay-$TWORAY_NODE"\nexit $code'
        )
        code, _ = run(scratch, node, ["sh", "-c", script, where], alive)
        asked = 'cat "$HOME/.tworay-$TWORAY_NODE" >"$0"'
        told = scratch / SHELLS / "directory"
        run(scratch, node, ["sh", "-c", asked, f"/run/tworay-machine/{SHELLS}/directory"], alive)
        with suppress(OSError):
            where = told.read_text(encoding="utf-8").strip() or where
    return code
