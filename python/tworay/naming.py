"""Names of nodes: how texts call a node, and how a user's word is understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay import _native
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

# Columns of tables that hold numbers of nodes.
COLUMNS = ("from", "to", "node", "other", "root_node", "next_hop", "interferer", "dst", "neighbour")


class Nodes:
    """The names of a scenario's nodes: ``names`` of its file, and of a run's document."""

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        self._numbers = dict(names or {})
        self._names = {number: name for name, number in self._numbers.items()}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Nodes:
        """Return the names in a document; none in those of earlier versions."""
        return cls(document.get("names"))

    def short(self, node: int | None) -> str:
        """Return the node's name, or its number."""
        return "?" if node is None else self._names.get(node, str(node))

    def __call__(self, node: int | None) -> str:
        """Return the node's name, or ``node 3``."""
        return self._names.get(node, f"node {node}") if node is not None else "node ?"

    def known(self, nodes: int) -> dict[str, list[str]]:
        """Return what pages call the nodes: in tight places, and in sentences."""
        return {"node": [*map(self, range(nodes))], "short": [*map(self.short, range(nodes))]}

    def columns(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add a column of names beside each one of nodes' numbers: `from_name` beside `from`.

        A node without a name has its number there. Nothing is added if no node has a name.
        """
        import polars as pl

        if not self._names:
            return frame
        chosen: list[pl.Expr] = []
        for name, kind in frame.schema.items():
            if name.removesuffix("_name") in COLUMNS and name.endswith("_name"):
                continue
            chosen.append(pl.col(name))
            if name in COLUMNS and kind.is_integer():
                text = pl.col(name).cast(pl.String)
                named = pl.col(name).replace_strict(self._names, default=text, return_dtype=pl.String)
                chosen.append(named.alias(f"{name}_name"))
        return frame.select(chosen)

    def number(self, word: str, option: str) -> int:
        """Return the number of the node that a word names: its name, or its number.

        Raises:
            InputError: no node has this name; the text names the nearest.

        """
        word = word.strip()
        if word in self._numbers:
            return self._numbers[word]
        if word.isascii() and word.isdigit():
            return int(word)
        if not self._numbers:
            raise InputError(
                f"{option} {word}: the scenario names no nodes; give a number, or add a table [names] to it"
            )
        near = _native.nearest(word, list(self._numbers))
        hint = f"did you mean {near}? " if near else ""
        there = ", ".join(list(self._numbers)[:8]) + (", ..." if len(self._numbers) > 8 else "")
        raise InputError(f"{option} {word}: no node has this name; {hint}names here: {there}")
