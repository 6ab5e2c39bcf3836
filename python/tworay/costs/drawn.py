"""The energy that a command's computing draws: total - radio - idle (Ghaleb-Seddik et al. 2012, §V.B)."""

from __future__ import annotations

import csv
import io
import itertools
import math
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tworay import _native
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tworay.costs.meters import Meter

# Interval of readings, seconds; RAPL's counters wrap after a minute or more.
INTERVAL = 0.2
IDLE, COMMAND = "idle", "command"
COLUMNS = ("seconds", "phase", "joules")


class Reading(NamedTuple):
    """A reading of a meter."""

    seconds: float
    """Time since the first reading."""
    phase: str
    """``idle`` before the command, ``command`` while it runs."""
    joules: float
    """Energy drawn since the first reading."""


class Span(NamedTuple):
    """One phase of the readings."""

    seconds: float
    joules: float

    @property
    def watts(self) -> float:
        """Mean power."""
        return self.joules / self.seconds


@dataclass(frozen=True)
class Drawn:
    """The energy of a command, by what drew it."""

    idle: Span
    command: Span
    radio_joules: float
    step_joules: float
    """The smallest step between two readings: the resolution of the meter."""
    readings: list[Reading] = field(repr=False)

    @property
    def idle_joules(self) -> float:
        """Energy that the computer would have drawn in the time of the command without it, J."""
        return self.idle.watts * self.command.seconds

    @property
    def computing_joules(self) -> float:
        """Total - radio - idle."""
        return self.command.joules - self.radio_joules - self.idle_joules

    @property
    def uncertainty_joules(self) -> float:
        """The most by which steps of the meter can falsify the result: one at each end of both phases."""
        return 2 * self.step_joules * (1 + self.command.seconds / self.idle.seconds)

    def document(self) -> dict[str, object]:
        """Return the numbers of ``tworay energy --json``."""
        return {
            "tworay": _native.VERSION,
            "idle": {"seconds": self.idle.seconds, "joules": self.idle.joules, "watts": self.idle.watts},
            "command": {
                "seconds": self.command.seconds,
                "joules": self.command.joules,
                "watts": self.command.watts,
            },
            "total_joules": self.command.joules,
            "radio_joules": self.radio_joules,
            "idle_joules": self.idle_joules,
            "computing_joules": self.computing_joules,
            "uncertainty_joules": self.uncertainty_joules,
        }


class Radio(NamedTuple):
    """The energy of the wireless card above its idle power: an energy, or a power while the command runs."""

    joules: float = 0.0
    watts: float = 0.0

    def of(self, seconds: float) -> float:
        """Return its energy in this time, J."""
        return self.joules + self.watts * seconds


def measure(
    meter: Meter,
    idle: float,
    command: Sequence[str],
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    start: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen,
) -> tuple[list[Reading], int]:
    """Read the meter for ``idle`` seconds, then while the command runs; return readings and exit code.

    Raises:
        InputError: the command can't be started.

    """
    readings: list[Reading] = []
    began = clock()

    def take(phase: str) -> None:
        readings.append(Reading(clock() - began, phase, meter.joules()))

    take(IDLE)
    while (left := began + idle - clock()) > 0:
        sleep(min(left, INTERVAL))
        take(IDLE)
    try:
        process = start(list(command))
    except OSError as error:
        raise InputError(f"{command[0]}: {error.strerror}; write the command after `--`") from error
    take(COMMAND)
    try:
        while (code := process.poll()) is None:
            sleep(INTERVAL)
            take(COMMAND)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    take(COMMAND)
    return readings, code


def evaluate(readings: list[Reading], radio: Radio) -> Drawn:
    """Return the energy of the command in these readings.

    Raises:
        InputError: a phase has less than two readings.

    """
    spans = {}
    for phase in (IDLE, COMMAND):
        part = [one for one in readings if one.phase == phase]
        if len(part) < 2 or part[-1].seconds <= part[0].seconds:
            raise InputError(
                f"the readings have no two different times of the phase `{phase}`; both are needed, `{IDLE}` "
                f"before the command and `{COMMAND}` while it runs"
            )
        spans[phase] = Span(part[-1].seconds - part[0].seconds, part[-1].joules - part[0].joules)
    grown = [b.joules - a.joules for a, b in itertools.pairwise(readings)]
    step = min((one for one in grown if one > 0), default=0.0)
    command = spans[COMMAND]
    return Drawn(spans[IDLE], command, radio.of(command.seconds), step, readings)


def as_csv(readings: Sequence[Reading]) -> str:
    """Return the readings as CSV."""
    rows = [",".join(COLUMNS), *(f"{r.seconds:.6f},{r.phase},{r.joules:.9g}" for r in readings)]
    return "\n".join(rows) + "\n"


def read(file: Path) -> list[Reading]:
    """Read what ``as_csv`` writes, or what another instrument measured.

    Raises:
        InputError: the file has no such readings.

    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise InputError(f"--readings {file}: {reason}") from error
    rows = csv.DictReader(io.StringIO(text))
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise InputError(
            f"--readings {file}: there is no column {', '.join(missing)}; needed are {', '.join(COLUMNS)}"
        )
    readings: list[Reading] = []
    for line, row in enumerate(rows, 2):
        try:
            one = Reading(float(row["seconds"]), row["phase"].strip(), float(row["joules"]))
        except (TypeError, ValueError, AttributeError):
            raise InputError(f"--readings {file}, line {line}: seconds and joules are numbers") from None
        if one.phase not in (IDLE, COMMAND):
            raise InputError(
                f"--readings {file}, line {line}: phase `{one.phase}`; allowed are {IDLE} and {COMMAND}"
            )
        before = readings[-1] if readings else one
        if not math.isfinite(one.joules) or not one.seconds >= before.seconds:
            raise InputError(f"--readings {file}, line {line}: times grow, and energies are finite")
        readings.append(one)
    return readings
