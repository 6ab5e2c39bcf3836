"""Parts of a page as it was written before, which stay when claims are judged anew without runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.tables import Table

PICTURE = re.compile(r"!\[.*\]\((.*)\)")
SEEDS = re.compile(r"; (\d+)(?: to (\d+))? seeds?(, shortened)?")
DEFINED = re.compile(r"<!-- definition ([0-9a-f]+) -->")


@dataclass(frozen=True)
class Drawn:
    """A figure on a page: what it was drawn from, and what shows it."""

    seeds: int
    """Of the cell with the fewest."""
    most: int
    """Seeds of the cell with the most."""
    shortened: bool
    definition: str
    """The digest of its definition; empty on pages that don't note it."""
    picture: str
    """The picture's file; empty if it is a table."""
    table: list[str]

    def cells(self) -> Table | None:
        """Return the heading and the rows of its first table; ``None`` if it has none."""
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in self.table if line]
        rules = [place for place, cells in enumerate(lines) if cells == ["---"] * len(cells)]
        if not rules:
            return None
        return lines[0], lines[2 : rules[1] - 1 if len(rules) > 1 else None]


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

    def part(self, experiment: str, title: str, first: str) -> list[str]:
        """Return what follows the line ``first`` in an experiment's section, with that line.

        The section is known by the experiment's name, since its title may have changed, or by its title.
        """
        named = (i for i, line in enumerate(self.lines) if line.startswith(f"Experiment `{experiment}`,"))
        titled = (i for i, line in enumerate(self.lines) if line == f"### {title}")
        start = next(named, next(titled, len(self.lines)))
        below = self.lines[start + 1 : self._end(start + 1, ("## ", "### "))]
        return list(below[below.index(first) :]) if first in below else []

    def until(self, heading: str) -> list[str]:
        """Return everything above a heading; all if there is none."""
        return list(self.lines[: self.lines.index(heading)] if heading in self.lines else self.lines)

    def after(self, heading: str) -> list[str]:
        """Return everything below the section with this heading."""
        if heading not in self.lines:
            return []
        return list(self.lines[self._end(self.lines.index(heading) + 1, ("## ",)) :])

    def figure(self, number: str) -> Drawn | None:
        """Return what the page has of a figure; ``None`` if it isn't there."""
        start = next((i for i, line in enumerate(self.lines) if line.startswith(f"**{number}: ")), None)
        if start is None:
            return None
        block = self.lines[start : self._end(start + 1, ("**", "## ", "Not made:", "Without results:"))]
        heading = " ".join(block[: block.index("")] if "" in block else block)
        seeds = SEEDS.search(heading)
        definition = next((found[1] for line in block if (found := DEFINED.fullmatch(line))), "")
        picture = next((found[1] for line in block if (found := PICTURE.fullmatch(line))), "")
        table = [line for line in block if line.startswith("|")]
        return Drawn(
            seeds=int(seeds[1]) if seeds else 0,
            most=int(seeds[2] or seeds[1]) if seeds else 0,
            shortened=bool(seeds and seeds[3]),
            definition=definition,
            picture=picture,
            table=[*table, ""] if table else [],
        )

    def seeds(self, experiment: str) -> tuple[int, bool] | None:
        """Return the seeds of an experiment's claims, and whether its runs were shortened."""
        first = f"Experiment `{experiment}`,"
        line = next((line for line in self.lines if line.startswith(first)), None)
        found = SEEDS.search(line.replace(first, ";")) if line else None
        return (int(found[1]), bool(found[3])) if found else None

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
