"""The numbers of figures and tables, as readers write them: ``3.8``, ``Figure 3.8(a)``, ``tab. 5.6``."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Kind, and number of a chapter (or appendix) and within it, or a single (Roman) number; then a part, also in
# parentheses.
NUMBERED = re.compile(
    r"(?:(?:(?P<table>tab(?:le)?s?)|fig(?:ure)?s?)(?:\.\s*|\s+|(?=\d)))?"
    r"(?P<chapter>[A-Z]|\d+)(?:\.(?P<number>\d+))?"
    r"\s*(?:\(\s*(?P<enclosed>[a-z])\s*\)|(?P<plain>[a-z]?))\s*\.?\s*(?P<rest>,.*)?",
    re.IGNORECASE,
)
# Figures of the papers have up to four parts.
PARTS = frozenset("abcd")
# So many names are suggested.
MOST = 3


def parsed(text: str) -> tuple[str, str, int, str, str] | None:
    """Return kind (``figure`` or ``table``), chapter, number, letter and the rest; ``None`` if none."""
    match = NUMBERED.fullmatch(text.strip())
    if match is None:
        return None
    kind = "table" if match["table"] else "figure"
    letter = match["enclosed"] or match["plain"] or ""
    rest = re.sub(r"^,\s*", ", ", match["rest"] or "")
    return kind, match["chapter"].upper(), int(match["number"] or 0), letter.lower(), rest.lower()


def same(known: str, wanted: str) -> bool:
    """Return whether ``known`` is the figure or table that is wanted, or a part of it."""
    one, other = parsed(known), parsed(wanted)
    if one is None or other is None or one[:3] != other[:3]:
        return False
    return other[3] in ("", one[3]) and other[4] in ("", one[4])


def in_one(known: str, wanted: str) -> bool:
    """Return whether ``known`` has no parts of its own and is the figure of which a part is wanted."""
    one, other = parsed(known), parsed(wanted)
    if one is None or other is None or one[:3] != other[:3]:
        return False
    return not one[3] and other[3] in PARTS and one[4] == other[4]


def names(source: str, number: str) -> bool:
    """Return whether a source names a figure: ``figures 4 to 6`` names 4 and 6, ``table 5.1`` itself."""
    kind = "" if number[:1].isalpha() else r"figures? (?:[\d.]+[a-z]?(?:,| and| to) )*"
    return re.search(rf"(?<![\w.]){kind}{re.escape(number)}[a-d]?(?![\w]|\.\d)", source) is not None


def nearest(wanted: str, numbers: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the known names that are nearest: for a number those next to it, else those spelt alike."""
    there = parsed(wanted)
    found = {name: known for name in numbers if (known := parsed(name)) and not known[4]}
    if there is not None:
        chapter = [name for name, known in found.items() if known[:2] == there[:2]]
        if not chapter and there[1].isdigit():
            # Papers without chapters number their figures 1, 2, 3.
            chapter = [name for name, known in found.items() if known[0] == there[0] and known[1].isdigit()]
        if chapter:
            return sorted(chapter, key=lambda name: _apart(found[name], there))[:MOST]
    return difflib.get_close_matches(wanted, [*numbers, *others], MOST, 0.5)


def _apart(one: tuple[str, str, int, str, str], other: tuple[str, str, int, str, str]) -> tuple[int, int]:
    chapters = [int(x[1]) if x[1].isdigit() else 0 for x in (one, other)]
    return abs(chapters[0] - chapters[1]), abs(one[2] - other[2])
