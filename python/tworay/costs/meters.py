"""The meters of a computer's energy: RAPL's counters and a battery's fuel gauge, as Linux shows them in /sys.

RAPL (Running Average Power Limit) counts the energy of processor packages and their memory, in
``class/powercap``, where the domain ``psys`` counts the whole computer. The others contain no wireless card.
A fuel gauge counts what is left in a battery, in ``class/power_supply``, so it contains everything.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

from tworay.errors import InputError, RunError

SYS = Path("/sys")
# A fuel gauge counts microwatt hours, or microampere hours and microvolts.
_JOULES_PER_MICROWATT_HOUR = 3600e-6


class Meter(Protocol):
    """A counter of energy."""

    name: str
    """The name of the meter and what it covers, for people."""
    covers_radio: bool
    """True if it includes the energy of a wireless card."""

    def joules(self) -> float:
        """Return the energy drawn since the meter was made, J."""


class _Domain(NamedTuple):
    """A counter of RAPL, which starts again at zero after its range."""

    folder: Path
    name: str
    range: int
    """Largest value, µJ."""


class Rapl:
    """RAPL's counters. Read them more often than they wrap: their range lasts a minute at the least."""

    def __init__(self, domains: list[_Domain]) -> None:
        self.domains = domains
        self.name = "RAPL: " + ", ".join(one.name for one in domains)
        self.covers_radio = [one.name for one in domains] == ["psys"]
        self._last = [self._read(one) for one in domains]
        self._micro = 0

    def joules(self) -> float:
        """Return the energy drawn since the meter was made, J."""
        for place, domain in enumerate(self.domains):
            now = self._read(domain)
            grown = now - self._last[place]
            self._micro += grown if grown >= 0 else grown + domain.range
            self._last[place] = now
        return self._micro * 1e-6

    @staticmethod
    def _read(domain: _Domain) -> int:
        return _number(domain.folder / "energy_uj")


class Battery:
    """The fuel gauges of the batteries, while they discharge."""

    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders
        self.name = "battery: " + ", ".join(folder.name for folder in folders)
        self.covers_radio = True
        self._first = self._left()

    def joules(self) -> float:
        """Return the energy drawn since the meter was made, J.

        Raises:
            RunError: a charger was connected meanwhile.

        """
        for folder in self.folders:
            if _text(folder / "status") == "Charging":
                raise RunError(
                    f"{folder}: the battery is being charged; disconnect the charger and measure again"
                )
        return self._first - self._left()

    def _left(self) -> float:
        return sum(map(_energy_left, self.folders))


def find(kind: str | None, root: Path = SYS) -> Meter:
    """Return the meter: ``rapl``, ``battery``, or the one that covers more; ``root`` stands for /sys.

    A battery that discharges covers the whole computer and is taken first.

    Raises:
        InputError: there is none, or none that can be read.

    """
    batteries, charging = _batteries(root)
    domains = _domains(root)
    if kind == "battery" or (kind is None and batteries and not charging):
        if not batteries:
            raise InputError(f"--meter battery: {root}/class/power_supply has no battery with a fuel gauge")
        if charging:
            raise InputError(
                f"--meter battery: {', '.join(charging)} is not discharging, so its gauge counts "
                "nothing; disconnect the charger"
            )
        return Battery(batteries)
    if domains:
        return Rapl(domains)
    if kind == "rapl":
        raise InputError(f"--meter rapl: {root}/class/powercap has no counter of a package; {_REMEDY}")
    if charging:
        raise InputError(
            f"{', '.join(charging)} is not discharging, and {root}/class/powercap has no counter of RAPL; "
            "disconnect the charger"
        )
    raise InputError(
        f"nothing counts energy here: neither RAPL ({root}/class/powercap) nor a battery's fuel gauge "
        f"({root}/class/power_supply); {_REMEDY}"
    )


_REMEDY = (
    "measure on hardware (virtual machines have neither), or read another instrument into a file: "
    "tworay energy --readings FILE.csv"
)


def _domains(root: Path) -> list[_Domain]:
    """Return ``psys`` if there is one, otherwise packages and the memory that isn't in them."""
    found = {}
    for folder in sorted((root / "class/powercap").glob("intel-rapl:*")):
        if (folder / "energy_uj").exists():
            name = _text(folder / "name")
            found[folder.name] = _Domain(folder, name, _number(folder / "max_energy_range_uj"))
    whole = [one for one in found.values() if one.name == "psys"]
    if whole:
        return whole[:1]
    # intel-rapl:0 is a package; intel-rapl:0:1 is a part of it, except for its memory.
    return [
        one._replace(name=f"{one.name} of {found[place.rpartition(':')[0]].name}" if inner else one.name)
        for place, one in found.items()
        for inner in [place.count(":") > 1]
        if one.name.startswith("package") or (inner and one.name == "dram")
    ]


def _batteries(root: Path) -> tuple[list[Path], list[str]]:
    """Return the batteries of the computer, and the names of those that don't discharge."""
    found = []
    for folder in sorted((root / "class/power_supply").glob("*")):
        if not (folder / "type").exists() or _text(folder / "type") != "Battery":
            continue
        # A mouse or a keyboard has a battery too: its scope is the device.
        if (folder / "scope").exists() and _text(folder / "scope") == "Device":
            continue
        if (folder / "energy_now").exists() or (folder / "charge_now").exists():
            found.append(folder)
    drawn = [folder for folder in found if _text(folder / "status") == "Discharging"]
    # The second battery of a computer rests while the first one discharges.
    return found, [] if drawn else [folder.name for folder in found]


def _energy_left(folder: Path) -> float:
    if (folder / "energy_now").exists():
        return _number(folder / "energy_now") * _JOULES_PER_MICROWATT_HOUR
    volts = _number(folder / "voltage_now") * 1e-6
    return _number(folder / "charge_now") * volts * _JOULES_PER_MICROWATT_HOUR


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except PermissionError as error:
        raise InputError(
            f"{file} may only be read by root; run it with sudo, or allow it: sudo chmod a+r {file}"
        ) from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; is its driver loaded?") from error


def _number(file: Path) -> int:
    text = _text(file)
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{file}: found `{text[:40]}` instead of a whole number") from None
