"""Numbers of an experiment's axes, whose values are stored as the texts that the user wrote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

# TOML's numbers; at most 18 digits fit into 64 bits. A whole number with zeros in front is a name.
WHOLE = re.compile(r"[+-]?(0|[1-9]\d{0,17})")
DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
# A number with a unit: 2m/s, 512B, 10%.
QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([A-Za-zµ%][A-Za-z/%]*)")


def with_numbers(frame: pl.DataFrame, axes: Iterable[str]) -> pl.DataFrame:
    """Turn the axes of numbers into numbers; axes with one unit get a further column, ``KEY (unit)``.

    An axis is one of numbers if all its values are, and different texts are different numbers. Other axes
    stay texts, also those whose values have several units.
    """
    for axis in axes:
        frame = _one(frame, axis)
    return frame


def _one(frame: pl.DataFrame, axis: str) -> pl.DataFrame:
    labels = frame[axis].drop_nulls().unique(maintain_order=True).to_list()
    if not labels or not all(isinstance(label, str) for label in labels):
        return frame
    plain = _numbers(labels)
    if plain is not None:
        kind = pl.Int64 if all(isinstance(number, int) for number in plain) else pl.Float64
        return frame.with_columns(_replaced(frame[axis], labels, plain, kind))
    found = [QUANTITY.fullmatch(label) for label in labels]
    units = {match[2] if match else None for match in found}
    if len(units) != 1 or None in units:
        return frame
    numbers = _numbers([match[1] for match in found if match])
    name = f"{axis} ({units.pop()})"
    if numbers is None or name in frame.columns:
        return frame
    place = frame.columns.index(axis) + 1
    return frame.insert_column(place, _replaced(frame[axis], labels, numbers, pl.Float64).alias(name))


def _numbers(texts: list[str]) -> list[int | float] | None:
    """Return the numbers of texts; ``None`` if one is no number, or two are the same number."""
    if not all(DECIMAL.fullmatch(text) for text in texts):
        return None
    whole = all(WHOLE.fullmatch(text) for text in texts)
    found: list[int | float] = [int(text) if whole else float(text) for text in texts]
    return found if len(set(found)) == len(found) else None


def _replaced(
    column: pl.Series, labels: list[str], numbers: list[int | float], kind: type[pl.DataType]
) -> pl.Series:
    known = dict(zip(labels, numbers, strict=True))
    return pl.Series(column.name, [known.get(label) for label in column], dtype=kind)
