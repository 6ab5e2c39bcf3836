"""The order to a machine: a file that the host writes and the machine's first program reads."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tworay.files import replacing

if TYPE_CHECKING:
    from pathlib import Path

# Files in the scratch directory of a machine.
ORDER, SCENARIO, ENDED, STATUS, CAPTURE = (
    "order.json",
    "scenario.toml",
    "ended.json",
    "status.json",
    "capture.pcapng",
)
OUT, ERR, CONSOLE, FILES, FAILURE = "out", "err", "console", "files", "failure"
# The host makes this file to end a command early.
STOP = "stop"
# Of a network that stays up: its nodes, commands for them, and the machine's rests (``shells``).
UP, SHELLS, REST = "up.json", "shells", "rest"
# What somebody who watches such a network sees.
VIEW = "view.json"


def go_name(number: int | str) -> str:
    """Return the name of the file by which the host ends a rest of the machine."""
    return f"go-{number}"


def publish(path: Path, text: str) -> None:
    """Write a file in one step: the other side, which looks again and again, never reads half of it."""
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Transfer:
    """A TCP flow of a scenario: nodes, port, start and stop in simulated seconds, bytes (0: no end)."""

    source: int
    to: int
    port: int
    start: float
    stop: float
    length: int
    window: int
    mss: int | None = None
    """Most payload per segment, bytes; ``None``: as the device's MTU allows."""


@dataclass(frozen=True)
class Order:
    """A network to run, and what runs over it.

    Attributes:
        options: the attributes of ``tworay.live.Options`` but ``pcap``.
        command: the program and its arguments.
        serve: shell command at the other end.
        each: shell command at every station.
        to_stderr: true if programs print on stderr only.
        capture: true to write a capture.
        keep: true to hand over the files that programs wrote.
        directory: the working directory.
        environment: all variables of the programs.
        transfers: flows to run in place of a command, until the network's limit; ``each`` is the routing.

    """

    options: dict[str, Any]
    command: list[str]
    serve: str | None
    each: str | None
    to_stderr: bool
    capture: bool
    keep: bool
    directory: str
    environment: dict[str, str]
    transfers: list[Transfer] | None = None
    stands: bool = False
    """True for a network that stays up and waits for commands of shells."""
    paced: bool = False
    """True if the host tells it at what pace to run."""

    def write(self, place: Path) -> None:
        """Write it into the scratch directory."""
        (place / ORDER).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, place: Path) -> Order:
        """Read it there."""
        found = json.loads((place / ORDER).read_text(encoding="utf-8"))
        if found["transfers"] is not None:
            found["transfers"] = [Transfer(**one) for one in found["transfers"]]
        return cls(**found)
