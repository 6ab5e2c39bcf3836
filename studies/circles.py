"""Counts import circles between the source files of each crate; fails if one has more than two files.

A file depends on the files that define what it imports or names by path (``use crate::…``, ``super::…``,
``child::Item``); re-exports are followed to the definition. Tests are left out, and so are methods: Rust
needs no import to call them. ``--all`` also lists circles of two files, ``--edges FILE`` what a file depends
on. Larger circles that are left are in `KNOWN` with their sizes: none may grow or be added, and one that
shrank must be entered with its new size.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
MOST = 2

WORD = r"[A-Za-z_][A-Za-z0-9_]*"
# Comments, texts and characters; what is left has only code.
NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|[^'\\\n])'""", re.DOTALL
)
ITEM = re.compile(
    rf"\b(?:fn|struct|enum|union|trait|type|const|static|macro_rules!)\s+(?:mut\s+)?(?:r#)?({WORD})"
)
MODULE = re.compile(rf"\bmod\s+({WORD})\s*;")
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(rf"(?<![\w:.])({WORD}(?:::{WORD})+)")


@dataclass
class Source:
    """A file: the module of its path."""

    path: Path
    module: tuple[str, ...]
    items: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    # Names that `use` brings in, and their paths.
    imported: dict[str, tuple[str, ...]] = field(default_factory=dict)
    globs: list[tuple[str, ...]] = field(default_factory=list)
    # Every path in the code.
    named: set[tuple[str, ...]] = field(default_factory=set)


def leaves(tree: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path and the local name of each leaf of a use tree."""
    tree = tree.strip()
    if "{" in tree:
        head, body = tree.split("{", 1)
        prefix = tuple(part for part in head.strip().split("::") if part)
        depth, start = 0, 0
        body = body[: body.rindex("}")]
        for at, sign in enumerate(body + ","):
            depth += (sign == "{") - (sign == "}")
            if sign == "," and depth == 0:
                if body[start:at].strip():
                    for path, name in leaves(body[start:at]):
                        yield (prefix + path, prefix[-1] if path == () else name)
                start = at + 1
        return
    whole, _, alias = (part.strip() for part in tree.partition(" as "))
    path = tuple(part.strip().removeprefix("r#") for part in whole.split("::"))
    if path == ("self",):
        yield ((), "")
    else:
        yield (path, alias or path[-1])


def without_tests(code: str) -> str:
    """Remove items under `#[cfg(test)]`."""
    while found := re.search(r"#\[cfg\(test\)\]\s*", code):
        at = depth = 0
        for at in range(found.end(), len(code)):
            depth += (code[at] == "{") - (code[at] == "}")
            if depth == 0 and code[at] in ";}":
                break
        code = code[: found.start()] + code[at + 1 :]
    return code


def read(path: Path, module: tuple[str, ...]) -> Source:
    """Read a file."""
    code = without_tests(NOISE.sub(lambda noise: '""' if '"' in noise[0] else " ", path.read_text("utf-8")))
    source = Source(path, module)
    source.children = set(MODULE.findall(code))
    for tree in USE.findall(code):
        for leaf, name in leaves(tree):
            if leaf[-1] == "*":
                source.globs.append(leaf[:-1])
            else:
                source.imported.setdefault(name, leaf)
    reexports = re.findall(r"\bpub(?:\([^)]*\))?\s+use\s+([^;]+);", code)
    passed_on = {name for tree in reexports for _, name in leaves(tree)}
    code = USE.sub("", code)
    source.items = set(ITEM.findall(code))
    source.named = {tuple(path.split("::")) for path in PATH.findall(code)}
    words = set(re.findall(WORD, code))
    # A name that is only passed on is no dependency.
    for name, leaf in source.imported.items():
        if name in words or name not in passed_on:
            source.named.add(leaf)
    source.named |= {(*glob, "*") for glob in source.globs}
    return source


class Crate:
    """The files of a crate."""

    def __init__(self, root: Path) -> None:
        """Read all files below `root`, the crate's `src`."""
        self.files: dict[tuple[str, ...], Source] = {}
        head = root / "lib.rs" if (root / "lib.rs").is_file() else root / "main.rs"
        self._read(head, root, ())

    def _read(self, path: Path, folder: Path, module: tuple[str, ...]) -> None:
        source = self.files[module] = read(path, module)
        for child in sorted(source.children):
            for place in (folder / f"{child}.rs", folder / child / "mod.rs"):
                if place.is_file():
                    self._read(place, folder / child, (*module, child))

    def home(self, source: Source, path: tuple[str, ...], depth: int = 0) -> Source | None:
        """Return the file that defines what `path` names in `source`; None if it is another crate's."""
        at: Source | None = source
        rest = list(path)
        if rest[0] == "crate":
            at, rest = self.files[()], rest[1:]
        while at and rest and rest[0] in ("self", "super"):
            if rest.pop(0) == "super":
                at = self.files.get(at.module[:-1])
        while at and rest:
            word = rest[0]
            if (*at.module, word) in self.files:
                at, rest = self.files[(*at.module, word)], rest[1:]
                continue
            if word in at.items or word == "*":
                return at
            aliases = [at.imported[word]] if word in at.imported else [(*glob, word) for glob in at.globs]
            if depth > 8:
                return None
            for alias in aliases:
                if alias != tuple(rest) or at is not source:
                    found = self.home(at, (*alias, *rest[1:]), depth + 1)
                    if found:
                        return found
            return None
        return at

    def graph(self) -> dict[Path, set[Path]]:
        """Return the files that each file depends on."""
        edges: dict[Path, set[Path]] = {}
        for source in self.files.values():
            homes = (self.home(source, path) for path in source.named)
            edges[source.path] = {home.path for home in homes if home and home is not source}
        return edges


def circles(edges: dict[Path, set[Path]]) -> list[list[Path]]:
    """Return the strongly connected components with more than one file, largest first (Tarjan)."""
    number: dict[Path, int] = {}
    low: dict[Path, int] = {}
    stack: list[Path] = []
    found: list[list[Path]] = []

    def visit(node: Path) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return sorted(found, key=lambda circle: (-len(circle), circle))


def main() -> int:
    """Print the circles of every crate."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--all", action="store_true", help="also list circles of two files")
    options.add_argument("--edges", metavar="FILE", help="print what files that end so depend on")
    given = options.parse_args()
    wrong = False
    for folder in sorted((ROOT / "crates").glob("*/src")):
        crate, edges = folder.parent.name, Crate(folder).graph()
        if given.edges:
            for path, others in edges.items():
                if str(path).endswith(given.edges):
                    names = sorted(str(other.relative_to(folder)) for other in others)
                    print(f"{path.relative_to(ROOT)}: {' '.join(names)}")
            continue
        for circle in circles(edges):
            large = len(circle) > MOST
            wrong = wrong or large
            if given.all or large:
                names = [str(path.relative_to(folder)) for path in circle]
                print(f"{crate}: circle of {len(circle)} files: {', '.join(names)}")
    if wrong:
        print(f"At most {MOST} files may depend on each other: move what they share to a file below them.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
