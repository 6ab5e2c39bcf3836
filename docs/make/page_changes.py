"""The changes that a developer's page tells its reader to make, from marks that readers don't see.

- `<!-- put: FILE -->` before a block: the block is that file.
- `<!-- put: FILE behind TEXT -->`, `... before TEXT`: its lines go behind, or before, the one line of FILE in
  which TEXT stands.
- `<!-- change: FILE: OLD ==> NEW -->`, without a block: what the text says in words.
- `<!-- not run: needs the change that this page makes -->` before a block: what the reader then types.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MARK = re.compile(
    r"^ *<!-- (?P<kind>put|change): (?P<file>[\w./-]+)(?P<rest>[^\n]*?) -->\n+"
    r"(?:^(?P<indent> *)```\w*\n(?P<text>.*?)^ *```$)?",
    re.DOTALL | re.MULTILINE,
)
TYPED = re.compile(
    r"^ *<!-- not run: needs the change that this page makes -->\n+^ *```\w*\n(?P<text>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Change:
    """A change of one file."""

    line: int
    """Where the page tells it."""
    file: str
    place: str
    """Empty for a whole file, else `behind`, `before` or `instead of`."""
    anchor: str
    """The text of the file that tells the place."""
    text: str

    def apply(self, root: Path) -> None:
        """Make the change in a tree.

        Raises:
            ValueError: the file isn't there, or the anchor doesn't stand in exactly one of its lines.

        """
        file = root / self.file
        if not self.place:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.text, encoding="utf-8")
            return
        if not file.is_file():
            raise ValueError(f"there is no {self.file}")
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        found = [number for number, line in enumerate(lines) if self.anchor in line]
        if len(found) != 1:
            raise ValueError(f"{self.anchor!r} stands in {len(found)} lines of {self.file}, not in one")
        (at,) = found
        if self.place == "instead of":
            lines[at] = lines[at].replace(self.anchor, self.text)
        else:
            lines.insert(at + (self.place == "behind"), self.text)
        file.write_text("".join(lines), encoding="utf-8")


def changes(page: str) -> list[Change]:
    """Return the changes of a page in its order."""
    found = []
    for match in MARK.finditer(page):
        line = page.count("\n", 0, match.start()) + 1
        rest = match["rest"].strip()
        if match["kind"] == "change":
            old, arrow, new = rest.removeprefix(":").strip().partition(" ==> ")
            if not arrow:
                raise ValueError(f"line {line}: a change is written FILE: OLD ==> NEW")
            found.append(Change(line, match["file"], "instead of", old, new))
            continue
        if match["text"] is None:
            raise ValueError(f"line {line}: no block follows")
        place, _, anchor = rest.partition(" ")
        if place not in {"", "behind", "before"} or bool(place) != bool(anchor):
            raise ValueError(f"line {line}: {rest!r} is neither `behind TEXT` nor `before TEXT`")
        text = match["text"]
        if match["indent"]:
            text = "".join(one.removeprefix(match["indent"]) for one in text.splitlines(keepends=True))
        found.append(Change(line, match["file"], place, anchor, text))
    return found


def typed(page: str) -> list[str]:
    """Return the commands that a reader types after the changes."""
    lines = [line for match in TYPED.finditer(page) for line in textwrap.dedent(match["text"]).splitlines()]
    return [line for line in lines if line.strip()]
