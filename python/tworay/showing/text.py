"""Styled text on a terminal. Rich could print it too, but importing Rich takes longer than a short run."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# ECMA-48, select graphic rendition.
CODES = {"bold": "1", "dim": "2", "yellow": "33"}
COLOURS = ("yellow",)


class Text:
    """Text with styles: "bold", "dim", "yellow" or none. Lines that are too long are broken between words."""

    def __init__(self, text: str = "", style: str = "", *, wrap: bool = True) -> None:
        self.parts = [(text, style)]
        self.wrap = wrap

    @classmethod
    def assemble(cls, *parts: str | tuple[str, str]) -> Text:
        """Join parts, each a text or a pair of text and style."""
        made = cls()
        made.parts = [(part, "") if isinstance(part, str) else part for part in parts]
        return made

    def append(self, text: str, style: str = "") -> None:
        """Add a part."""
        self.parts.append((text, style))

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self.parts)


class Group:
    """Blocks of lines, one below the other."""

    def __init__(self, *parts: Renderable) -> None:
        self.parts = parts


Renderable: TypeAlias = "str | Text | Group"


def rendered(block: Renderable, width: int, *, styled: bool = False) -> str:
    """Return the lines of a block, each ended; ``styled`` adds control sequences for a terminal."""
    return "".join(f"{line}\n" for line in _lines(block, width, styled=styled))


def display(block: Renderable, width: int, *, stderr: bool = False) -> None:
    """Print a block, with styles on a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    styled = stream.isatty() and os.environ.get("TERM") != "dumb"
    stream.write(rendered(block, width, styled=styled))


def _lines(block: Renderable, width: int, *, styled: bool) -> Iterator[str]:
    if isinstance(block, Group):
        for part in block.parts:
            yield from _lines(part, width, styled=styled)
        return
    text = Text(block) if isinstance(block, str) else block
    plain = text.plain
    spans = _broken(plain, width) if text.wrap else _unbroken(plain)
    for start, end in spans:
        yield _styled(text.parts, start, end) if styled else plain[start:end]


def _unbroken(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines of a text begin and end."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _broken(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield the same for lines broken between words; only words wider than a line are broken."""
    for start, end in _unbroken(text):
        begin = last = start
        for word in re.finditer(r"\s*\S+", text[start:end]):
            stop = start + word.end()
            if stop - begin > width and last > begin:
                yield begin, last
                begin = stop - len(word[0].lstrip())
            while stop - begin > width:
                yield begin, begin + width
                begin += width
            last = stop
        yield begin, max(begin, last)


def _styled(parts: Iterable[tuple[str, str]], start: int, end: int) -> str:
    """Return a stretch of the text with control sequences."""
    line, place = "", 0
    plain = "NO_COLOR" in os.environ
    for text, style in parts:
        piece = text[max(0, start - place) : max(0, end - place)]
        place += len(text)
        if not piece:
            continue
        unstyled = not style or (plain and style in COLOURS)
        line += piece if unstyled else f"\x1b[{CODES[style]}m{piece}\x1b[0m"
    return line
