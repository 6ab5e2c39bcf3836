"""Parts of a page as it was written before, which stay when claims are judged anew without runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Earlier:
    """The lines of a page."""

    lines: tuple[str, ...]

    @classmethod
    def read(cls, file: Path) -> Earlier:
        """Read a page; one that does not exist has no lines."""
        return cls(tuple(file.read_text(encoding="utf-8").splitlines()) if file.is_file() else ())

    def section(self, heading: str) -> list[str]:
        """Return the section of the second level with this heading, which is part of it; empty if none."""
        if heading not in self.lines:
            return []
        start = self.lines.index(heading)
        return list(self.lines[start : self._end(start + 1, ("## ",))])

    def part(self, heading: str, first: str) -> list[str]:
        """Return what follows the line ``first`` below a heading, up to the next one, with that line."""
        if heading not in self.lines:
            return []
        start = self.lines.index(heading)
        below = self.lines[start + 1 : self._end(start + 1, ("## ", "### "))]
        return list(below[below.index(first) :]) if first in below else []

    def made(self) -> list[str]:
        """Return the paragraph that says when and how the page's runs were made."""
        start = next((i for i, line in enumerate(self.lines) if line.startswith("Made by ")), None)
        if start is None:
            return []
        end = next((i for i in range(start, len(self.lines)) if not self.lines[i]), len(self.lines))
        return [*self.lines[start:end], ""]

    def _end(self, start: int, marks: tuple[str, ...]) -> int:
        later = (i for i in range(start, len(self.lines)) if self.lines[i].startswith(marks))
        return next(later, len(self.lines))
