"""Numbers and units in the labels of an experiment's axes, such as ``2 m/s`` or ``string-4``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A number with a unit, as in `2m/s`.
UNIT = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?\s*([A-Za-zµ%][A-Za-z/%]*)")
NUMBER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def seeds_in_words(least: int, most: int) -> str:
    """Return the numbers of seeds of several means: ``20 seeds``, or ``5 to 190 seeds``."""
    if least != most:
        return f"{least} to {most} seeds"
    return f"{least} seed{'s' * (least != 1)}"


def numbers(label: str) -> list[float]:
    """Return all numbers in a label; a hyphen before a number is no sign."""
    return [float(found) for found in NUMBER.findall(label.replace("-", " "))]


def number(label: str) -> float | None:
    """Return the number in a label such as ``2m/s`` or ``string-4``; ``None`` if there is not exactly one."""
    found = numbers(label)
    return found[0] if len(found) == 1 else None


def places(labels: Sequence[str], known: Mapping[str, float] | None = None) -> list[float] | None:
    """Return where labels stand on an axis of numbers, or ``None`` if they name no different numbers.

    Labels with several numbers stand at the one that differs: ``string-4x2`` and ``string-6x2`` at 4 and 6.
    ``known`` gives the places of labels without a number, such as a parameter that is switched off.
    """
    known = known or {}
    found = {label: numbers(label) for label in labels if label not in known}
    if not found or len({len(row) for row in found.values()}) != 1:
        return None
    if len({unit(label) for label in found}) != 1:
        return None  # 500ms and 1s are 500 and 1 in different units.
    differing = [i for i, column in enumerate(zip(*found.values(), strict=True)) if len(set(column)) > 1]
    if len(differing) != 1:
        return None
    at = [known[label] if label in known else found[label][differing[0]] for label in labels]
    return at if len(set(at)) == len(at) else None


def unit(label: str) -> str | None:
    """Return the unit of a label such as ``2m/s``."""
    match = UNIT.fullmatch(label)
    return match[1] if match else None


def with_unit(axis: str, labels: Sequence[str]) -> str:
    """Return an axis's name with the unit that all its labels have: ``olsr.tc_interval (s)``."""
    units = {unit(label) for label in labels}
    (one,) = units if len(units) == 1 else (None,)
    return f"{axis} ({one})" if one else axis
