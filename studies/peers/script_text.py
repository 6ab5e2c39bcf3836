"""Reads the scripts of ``crates/tworay-tcp/tests/scripts``; the README there describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from studies.peers.places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "crates" / "tworay-tcp" / "tests" / "scripts"
PROBE = 0
"""The number of a probe of a closed window, which has no segment."""


class Write(NamedTuple):
    """The application writes."""

    at: float
    segments: int


@dataclass(frozen=True)
class Arrives:
    """An ACK arrives."""

    at: float
    ack: int
    blocks: tuple[tuple[int, int], ...]
    """First and last segments, in the order in which they are sent."""
    window: int | None
    echo: tuple[int, int | None] | None
    """A segment, and one of its transmissions, from 1."""


class Expected(NamedTuple):
    """A line of what must be sent."""

    text: str
    at: float
    """Milliseconds from the SYN, or from the segment before."""
    after_sent: bool
    numbers: tuple[int, ...]
    timer: float | None
    """Milliseconds that the timer waits."""


class Script(NamedTuple):
    """A script as one player sees it."""

    events: list[Write | Arrives]
    expected: list[Expected]
    handshake: float
    """When the answer to the SYN arrives, milliseconds."""
    end: float


def scripts() -> list[Path]:
    """Return the files of all scripts."""
    return sorted(FOLDER.glob("*.txt"))


def players(text: str) -> list[str]:
    """Return the names of a script's players."""
    line = next(line for line in text.splitlines() if line.startswith("players:"))
    return [name.strip() for name in line.removeprefix("players:").split(",")]


def read(text: str, player: str) -> Script:
    """Read the lines for a player. ``cargo test`` refuses what is no script at all."""
    events: list[Write | Arrives] = []
    expected: list[Expected] = []
    handshake, end = 40.0, 0.0
    groups = {player, "kernel" if player.startswith("kernel/") else "simulated"}
    for line in text.splitlines():
        names, colon, rest = line.rpartition(":")
        if names == "handshake":
            handshake = float(rest)
            continue
        if not line.strip() or line.startswith(("#", "about:", "rfc:", "players:")):
            continue
        if colon and not groups & {name.strip() for name in names.split(",")}:
            continue
        first, *words = rest.split()
        at = float(first)
        match words:
            case ["end"]:
                end = at
            case ["write", count]:
                events.append(Write(at, int(count)))
            case ["<", "ack", number, *options]:
                events.append(_arrives(at, int(number), options))
            case ["timer", ">", *listed]:
                expected.append(Expected(line, at, True, _numbers(listed), at))
            case ["timer", wait, ">", *listed]:
                expected.append(Expected(line, at, False, _numbers(listed), float(wait)))
            case [">", *listed]:
                expected.append(Expected(line, at, False, _numbers(listed), None))
            case _:
                raise ValueError(f"not a line of a script: {line}")
    return Script(events, expected, handshake, end)


def _range(word: str) -> tuple[int, int]:
    first, _, last = word.partition("-")
    return int(first), int(last or first)


def _numbers(words: list[str]) -> tuple[int, ...]:
    if words == ["probe"]:
        return (PROBE,)
    ranges = map(_range, words)
    return tuple(number for first, last in ranges for number in range(first, last + 1))


def _arrives(at: float, ack: int, words: list[str]) -> Arrives:
    given: dict[str, list[str]] = {}
    values: list[str] = []
    for word in words:
        if word in ("sack", "dsack", "window", "echo"):
            values = given[word] = []
        else:
            values.append(word)
    blocks = [_range(word) for word in given.get("dsack", [])]
    blocks += [_range(word) for word in reversed(given.get("sack", []))]
    window = int(given["window"][0]) if "window" in given else None
    echo = None
    if "echo" in given:
        segment, _, transmission = given["echo"][0].partition(".")
        echo = int(segment), int(transmission) if transmission else None
    return Arrives(at, ack, tuple(blocks), window, echo)
