"""Stores the cells of a paper's claims beside its page, so that every verdict follows from stored data.

A CSV file per paper: claim, reading, labels of the cell, estimate, ends of its 95 % interval, seeds. Numbers
are in percent for differences, else in the unit of the metric, with nine significant digits.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from tworay.errors import InputError
from tworay.files import replacing
from tworay.papers.verdicts import Measured

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COLUMNS = ("claim", "reading", "cell", "estimate", "low", "high", "seeds")
# Between the labels of a cell; no label has it.
BETWEEN = " / "
DIGITS = 9

Stored = dict[str, dict[str, list[Measured]]]
"""By claim, then by reading: its cells."""


def file_of(folder: Path, key: str) -> Path:
    """Return the file of the paper with this key."""
    return folder / f"{key}.csv"


def write(cells: Mapping[str, Mapping[str, list[Measured]]], file: Path) -> None:
    """Write the cells of a paper's claims atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as hidden, hidden.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        for claim, readings in cells.items():
            for reading, measured in readings.items():
                for one in measured:
                    numbers = [_text(one.estimate), _text(one.low), _text(one.high), str(one.seeds)]
                    rows.writerow([claim, reading, BETWEEN.join(one.labels), *numbers])


def read(file: Path) -> Stored:
    """Return the stored cells.

    Raises:
        InputError: the file is missing, or a line is not as written here.

    """
    if not file.is_file():
        raise InputError(
            f"{file}: there are no stored cells; `tworay reproduce PAPER --pages {file.parent}` runs the "
            "paper and writes them"
        )
    found: Stored = {}
    with file.open(encoding="utf-8", newline="") as text:
        lines = csv.reader(text)
        if tuple(next(lines, ())) != COLUMNS:
            raise InputError(f"{file}:1: the columns must be {','.join(COLUMNS)}")
        for number, line in enumerate(lines, 2):
            try:
                claim, reading, labels, *numbers = line
                estimate, low, high, seeds = numbers
                one = Measured(
                    tuple(labels.split(BETWEEN)) if labels else (),
                    _number(estimate),
                    _number(low),
                    _number(high),
                    int(seeds),
                )
            except ValueError as error:
                raise InputError(
                    f"{file}:{number}: {error}; each line has {','.join(COLUMNS)}, numbers or nothing"
                ) from error
            found.setdefault(claim, {}).setdefault(reading, []).append(one)
    return found


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.{DIGITS}g}"


def _number(text: str) -> float | None:
    return float(text) if text else None
