"""Real routing as arms: ``--routing babeld``. Each has a template, a shell script that every station runs.

``NAME:FILE`` replaces the template by a script of the user's.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

HERE = Path(__file__).parent
KEY = "routing.protocol"
"""The setting of scenarios in whose place a daemon can stand."""
# Directories of daemons that users who are not root lack in PATH.
SYSTEM = ("/usr/local/sbin", "/usr/sbin", "/sbin")
# The machine's PATH may be the user's, too.
HEAD = f"PATH=$PATH:{':'.join(SYSTEM)}\n"


@dataclass(frozen=True)
class Kind:
    """Program that the template needs, the package of Debian that has it, and its packets' extra bytes."""

    program: str
    package: str
    encapsulation: int = 0


KINDS = {
    "babeld": Kind("babeld", "babeld"),
    # A header of 18 B at most, and the Ethernet header within.
    "batman-adv": Kind("ip", "iproute2", 32),
    "batman-adv-v": Kind("ip", "iproute2", 32),
    "bird-babel": Kind("bird", "bird2"),
}


@dataclass(frozen=True)
class Daemon:
    """Routing by a real program or the kernel: name, the script of each station, digest of what runs."""

    name: str
    script: str
    digest: str

    @property
    def encapsulation(self) -> int:
        """Bytes that it adds to an IP packet at most."""
        return KINDS[self.name].encapsulation


def is_daemon(protocol: str) -> bool:
    """Tell whether a value of ``routing.protocol`` names a daemon: ``babeld`` or ``babeld:FILE``."""
    return protocol.partition(":")[0] in KINDS


def daemon_of(settings: Iterable[tuple[str, str]]) -> str | None:
    """Return the daemon among settings, as the user wrote it."""
    return next((value for key, value in settings if key == KEY and is_daemon(value)), None)


def simulated(settings: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the settings without a daemon, which no scenario knows."""
    return [(key, value) for key, value in settings if key != KEY or not is_daemon(value)]


def daemons_beside(settings: Iterable[tuple[str, str]]) -> str:
    """Return what to add to a message about a simulated protocol that doesn't exist; else an empty string."""
    from tworay._native import nearest
    from tworay.imports.answers import ROUTING

    wrong = next((value for key, value in settings if key == KEY and value not in ROUTING), None)
    if wrong is None:
        return ""
    near = nearest(wrong.partition(":")[0], list(KINDS))
    meant = f"; did you mean {near}?" if near else ""
    return f"\nWith kernels also {', '.join(KINDS)} (`tworay live routing`){meant}"


def template(name: str) -> str:
    """Return the script that stations run."""
    return (HERE / f"{name}.sh").read_text(encoding="utf-8")


def program(name: str) -> str | None:
    """Return the path of the program of a daemon, if it is installed."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *SYSTEM))
    return shutil.which(KINDS[name].program, path=path)


def routed(protocol: str, *, kernel: bool) -> Daemon:
    """Return the daemon of an arm, whose TCP must be a kernel's (``kernel``).

    Raises:
        InputError: it is not, or the daemon can't be loaded.

    """
    if not kernel:
        raise InputError(
            f"--routing {protocol}: it routes packets of real kernels, and there are arms with simulated "
            "senders; name only kernels: --tcp kernel:cubic"
        )
    return load(protocol)


def load(protocol: str) -> Daemon:
    """Return the daemon that ``NAME`` or ``NAME:FILE`` stands for.

    Raises:
        InputError: it is not installed, or the file can't be read.

    """
    name, _, file = protocol.partition(":")
    try:
        script = Path(file).read_text(encoding="utf-8") if file else template(name)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"--routing {protocol}: {file} can't be read ({error}); `tworay live routing {name} > FILE` "
            "writes the template to change"
        ) from error
    found = program(name)
    if found is None:
        raise InputError(
            f"--routing {name}: the program {KINDS[name].program} is not installed; run:  "
            f"sudo apt-get install {KINDS[name].package}"
        )
    # Another version of a daemon gives other results.
    digest = hashlib.sha256(script.encode() + Path(found).read_bytes()).hexdigest()[:16]
    return Daemon(name, HEAD + script, digest)
