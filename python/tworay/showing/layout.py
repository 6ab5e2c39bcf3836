"""Lay out tables for any width: columns that don't fit go below, numbers are never cut."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from tworay.showing.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tworay.showing.text import Renderable

WIDTH = 80
NARROWEST = 20
GAP = "  "
HEADING_LINES = 3
# The largest share of the width for the rows' names.
LABEL_SHARE = 0.45


class Column(NamedTuple):
    """A column: its heading, which may be broken between words, and its cells, which may not."""

    heading: str
    cells: list[str]

    @property
    def width(self) -> int:
        """Width of the widest cell, or what the heading needs to fit into a few lines."""
        width = max(map(len, (*self.cells, *self.heading.split(" "))))
        while len(_broken(self.heading, width)) > HEADING_LINES:
            width += 1
        return width


def screen_width() -> int:
    """Width of the screen: COLUMNS if set, else the terminal's, else 80."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return max(NARROWEST, int(told))
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def fact(text: str, *, style: str = "", width: int | None = None) -> Text:
    """Lay out a line with a label in front: what doesn't fit goes below, indented by the label."""
    label = re.match(r"\S+ +", text)
    indent = " " * (label.end() if label else 0)
    width = screen_width() if width is None else width
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return Text("\n".join(lines), style=style)


def table(
    heading: str,
    labels: Sequence[str],
    columns: Iterable[Column],
    width: int | None = None,
    *,
    names: int = 0,
) -> list[Renderable]:
    """Lay out a table: rows by ``labels``, in several tables if the width doesn't suffice.

    The first ``names`` columns hold words: they are aligned to the left.
    """
    width = screen_width() if width is None else width
    room = max(8, int(width * LABEL_SHARE))
    label = min(room, max(map(len, (*labels, heading)), default=1))
    columns = list(columns)
    # Headings are not broken if there is room.
    widths = [max(map(len, (*column.cells, column.heading))) for column in columns]
    if label + sum(len(GAP) + wide for wide in widths) > width:
        widths = [min(column.width, max(8, width - label - len(GAP))) for column in columns]
    parts: list[list[tuple[Column, int, bool]]] = [[]]
    used = label
    for place, (column, wide) in enumerate(zip(columns, widths, strict=True)):
        if parts[-1] and used + len(GAP) + wide > width:
            parts.append([])
            used = label
        parts[-1].append((column, wide, place < names))
        used += len(GAP) + wide
    shown: list[Renderable] = []
    for number, part in enumerate(parts):
        if number:
            shown.append("")
        shown.append(_one(heading, labels, part, label))
    return shown


def _one(heading: str, labels: Sequence[str], columns: list[tuple[Column, int, bool]], label: int) -> Text:
    widths = [wide for _, wide, _ in columns]
    left = [True, *(words for _, _, words in columns)]
    headings = [heading, *(column.heading for column, _, _ in columns)]
    head = _row(headings, [label, *widths], left, bottom=True)
    rule = "─" * (label + sum(len(GAP) + wide for wide in widths))
    text = Text(wrap=False)
    text.append("\n".join(head), style="bold")
    text.append("\n" + rule)
    for row, name in enumerate(labels):
        cells = [name, *(column.cells[row] for column, _, _ in columns)]
        text.append("\n" + "\n".join(_row(cells, [label, *widths], left)))
    return text


def _row(cells: list[str], widths: list[int], left: list[bool], *, bottom: bool = False) -> list[str]:
    """Return the lines of a row; cells that are too wide are broken."""
    broken = [_broken(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, broken))
    if bottom:
        broken = [[""] * (height - len(lines)) + lines for lines in broken]
    return [
        GAP.join(
            (part or "").ljust(width) if to_left else (part or "").rjust(width)
            for part, width, to_left in zip(line, widths, left, strict=True)
        ).rstrip()
        for line in zip_longest(*broken, fillvalue="")
    ]


def _broken(cell: str, width: int) -> list[str]:
    """Break a cell between words; a word is broken only if it is wider than the column."""
    return textwrap.wrap(cell, max(width, 1), break_on_hyphens=False) or [""]
