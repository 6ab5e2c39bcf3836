"""Scripts of a network: what was done to it, one line each, replayed live and in simulation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tworay.errors import InputError, OutputError
from tworay.times import UNITS

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.running.scenarios import Scenario

FILE = "script.txt"
# Of the words that begin lines; what is no time is refused where the script is applied.
TIME = re.compile(rf"^\s*(\d+\.?\d*)({'|'.join(UNITS)}|)(?!\S)", re.MULTILINE)


def read(file: Path) -> str:
    """Return the text of a script.

    Raises:
        InputError: it can't be read, or is no text.

    """
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"--script {file}: {error.strerror}; give a file of lines such as `12s off 3`"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"--script {file}: it is no text (byte {error.start} is 0x{error.object[error.start]:02x}); "
            "give a file of lines such as `12s off 3`"
        ) from error


def last(text: str) -> float:
    """Return the latest time of a script, seconds."""
    return max((float(number) * UNITS.get(unit, 1.0) for number, unit in TIME.findall(text)), default=0.0)


def seconds(word: str) -> float:
    """Return a time such as ``12.5s`` of a script or a scenario that was written by the simulator."""
    found = TIME.match(word)
    if found is None:
        raise ValueError(f"{word!r} is no time")
    return float(found[1]) * UNITS.get(found[2], 1.0)


def applied(scenario: Scenario, file: Path) -> Scenario:
    """Return the scenario with a script's lines as events.

    Raises:
        InputError: the file can't be read.
        ScenarioError: a line is wrong; the text shows it.

    """
    return scenario.with_script(read(file), str(file))


def write(place: Path, lines: list[str], *, scenario: str, seed: int) -> None:
    """Write what was done to a network into its results.

    Raises:
        OutputError: the file can't be written.

    """
    head = f"# what was done to {scenario} while it ran, seed {seed}\n"
    try:
        (place / FILE).write_text(head + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot write {place / FILE}: {error.strerror}") from error
