"""Axes of an experiment: labelled values, each a set of settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tworay.errors import InputError

# Names for the scenario, the variant and the mixture among an axis's settings.
SCENARIO, TCP, MIX = "scenario", "tcp", "mix"
# The axis of a comparison.
ARM = "arm"
MAX_VALUES = 10_000


@dataclass(frozen=True)
class Axis:
    """An axis: its name, and the settings of each label (also ``scenario`` and ``tcp``)."""

    name: str
    labels: tuple[str, ...]
    settings: tuple[tuple[tuple[str, str], ...], ...]

    def __post_init__(self) -> None:
        for place, label in enumerate(self.labels):
            if label in self.labels[:place]:
                raise InputError(f"{self.name}: `{label}` is given twice; leave one out")


def refuse_blanks(where: str, label: str) -> None:
    """Refuse a label with blanks at an end, or several in a row: it would look like another one.

    Raises:
        InputError: it has some.

    """
    tidy = " ".join(label.split())
    if label != tidy:
        remedy = f"write {tidy!r}" if tidy else "name it"
        raise InputError(f"{where}: the label {label!r} has blanks that no table shows; {remedy}")


def text(value: object) -> str:
    """Format a TOML value as a setting."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(f'"{part}"' if isinstance(part, str) else text(part) for part in value) + "]"
    return str(value)


def plain(name: str, values: list[str]) -> Axis:
    """Create an axis for the setting that it is named after."""
    return Axis(name, tuple(values), tuple(((name, value),) for value in values))


def vary(where: str, table: Any) -> list[Axis]:
    """Read ``[vary]``: one axis per key."""
    return [plain(key, several(f"{where}: [vary] {key}", values)) for key, values in _table(where, table)]


def zipped(where: str, group: Any, number: int) -> Axis:
    """Read one ``[[zip]]``: keys that vary together, value by value."""
    place = f"{where}: [[zip]] {number}"
    columns = dict(_table(place, group))
    name, labels = columns.pop("name", None), columns.pop("labels", None)
    if not columns:
        raise InputError(f'{place}: no keys; give lists such as "mobility.max_speed" = ["2m/s", "5m/s"]')
    lists = {key: several(f"{place}: {key}", values) for key, values in columns.items()}
    lengths = {len(values) for values in lists.values()}
    if len(lengths) > 1:
        found = ", ".join(f"{key} has {len(values)}" for key, values in lists.items())
        raise InputError(f"{place}: lists of one zip go together and need one length; {found}")
    rows = list(zip(*([(key, value) for value in values] for key, values in lists.items()), strict=True))
    first = next(iter(lists))
    shown = lists[first] if labels is None else several(f"{place}: labels", labels)
    if len(shown) != len(rows):
        raise InputError(f"{place}: {len(shown)} labels for {len(rows)} values; give one each")
    for label in () if labels is None else shown:
        refuse_blanks(place, label)
    return Axis(str(name or first), tuple(shown), tuple(rows))


def labelled(where: str, name: str, values: Any) -> Axis:
    """Read ``[axis.NAME]``: a table of settings for each label."""
    place = f"{where}: [axis.{name}]"
    rows = []
    labels = []
    for label, settings in _table(place, values):
        refuse_blanks(place, label)
        labels.append(label)
        rows.append(tuple((key, text(value)) for key, value in _table(f"{place} {label}", settings)))
    if not labels:
        raise InputError(f'{place}: no values; write for example slow = {{ "mobility.max_speed" = "2m/s" }}')
    return Axis(name, tuple(labels), tuple(rows))


def _table(where: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: found {value!r}; write a table of keys and values")
    return list(value.items())


def several(where: str, value: Any) -> list[str]:
    """Turn a list, a range (``{from, to, step}`` or a factor) or ``string-{3..5}`` into texts."""
    if isinstance(value, dict):
        return _range(where, value)
    values = value if isinstance(value, list) else [value]
    found = [
        one
        for entry in values
        for one in (_braces(where, entry) if isinstance(entry, str) else [text(entry)])
    ]
    if not found or not all(found):
        raise InputError(f"{where}: found {value!r}; give a list of values, none of them empty")
    return found


def _braces(where: str, entry: str) -> list[str]:
    match = re.search(r"\{(\d+)\.\.(\d+)\}", entry)
    if match is None:
        return [entry]
    first, last = int(match[1]), int(match[2])
    if first > last:
        raise InputError(
            f"{where}: `{match[0]}` runs downwards; write the lower number first: {{{last}..{first}}}"
        )
    if last - first >= MAX_VALUES:
        raise InputError(
            f"{where}: `{match[0]}` has {last - first + 1} values; allowed are up to {MAX_VALUES}, take fewer"
        )
    return [f"{entry[: match.start()]}{number}{entry[match.end() :]}" for number in range(first, last + 1)]


def _range(where: str, value: dict[str, Any]) -> list[str]:
    known = {"from", "to", "step", "factor"}
    if not {"from", "to"} <= set(value) <= known or len(value) != 3:
        raise InputError(
            f"{where}: found {value!r}; a range is {{ from = 2, to = 8, step = 2 }} or has a factor"
        )
    numbers = {key: _quantity(where, one) for key, one in value.items()}
    units = {unit for key, (_, unit) in numbers.items() if key != "factor"}
    if len(units) > 1:
        raise InputError(f"{where}: from, to and step need one unit; found {', '.join(sorted(units))}")
    (unit,) = units
    at, end = numbers["from"][0], numbers["to"][0]
    step, factor = numbers.get("step", (0.0,))[0], numbers.get("factor", (1.0,))[0]
    if not at <= end or (step <= 0 and factor <= 1) or (factor > 1 and at <= 0):
        raise InputError(
            f"{where}: found {value!r}; a range runs upwards by a step above 0 or a factor above 1"
        )
    found: list[str] = []
    while at <= end * (1 + 1e-9) + 1e-12 and len(found) <= MAX_VALUES:
        found.append(f"{at:.10g}{unit}")
        at = numbers["from"][0] + len(found) * step if step > 0 else at * factor
    if len(found) > MAX_VALUES:
        raise InputError(f"{where}: more than {MAX_VALUES} values; take a larger step")
    return found


def _quantity(where: str, value: object) -> tuple[float, str]:
    match = re.fullmatch(r"(-?\d+(?:\.\d*)?)([A-Za-z/%]*)", str(value))
    if match is None or isinstance(value, bool):
        raise InputError(f"{where}: `{value}` is not a number, with or without a unit")
    return float(match[1]), match[2]
