"""Names of nodes: how texts call a node, and how a user's word is understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tworay import _native
from tworay.checks import whole
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

# The most names, or flows, in a message.
LISTED = 8
# The two ends of a flow as users write them, and as labels and stories have them.
BETWEEN = re.compile(r"\s*(?::|->|→|>)\s*|\s+to\s+")
# Columns of tables that hold numbers of nodes.
COLUMNS = ("from", "to", "node", "other", "root_node", "next_hop", "interferer", "dst", "neighbour")


# Names of every station itself in `/etc/hosts`.
OWN = ("localhost", "ip6-localhost", "ip6-loopback")


def other_host(name: str, node: int, nodes: int) -> str | None:
    """Say whose name a live network has ``name`` for, if that isn't ``node``, one of ``nodes``.

    A node is also called ``node-N`` there. Hosts' names ignore upper and lower case.
    """
    low = name.lower()
    if low in OWN:
        return "every station calls itself so"
    plain = re.fullmatch(r"node-(0|[1-9]\d*)", low)
    if plain and int(plain[1]) != node and int(plain[1]) < nodes:
        return f"stations know node {plain[1]} by this name"
    return None


def sent_as(flow: Mapping[str, Any]) -> str:
    """Return the TCP variant of a flow, or its protocol: ``udp``, live also ``icmp`` and others."""
    return str(flow["tcp"] or flow.get("protocol", "udp"))


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

    def flow(self, about: Mapping[str, Any]) -> str:
        """Return a flow's name: those of its ends, ``barn:gw``."""
        return f"{self.short(about['from'])}:{self.short(about['to'])}"

    def flows(self, documents: Iterable[Mapping[str, Any]], number: str = "id") -> dict[int, str]:
        """Return the names of flows by number; none if no node has a name."""
        return {one[number]: self.flow(one) for one in documents} if self._names else {}

    def flow_column(self, frame: pl.DataFrame, flows: Mapping[int, str]) -> pl.DataFrame:
        """Add a column of names of flows, ``flow_name``, beside that of their numbers."""
        import polars as pl

        if not flows or "flow" not in frame.columns or not frame.schema["flow"].is_integer():
            return frame
        named = pl.col("flow").replace_strict(dict(flows), default=None, return_dtype=pl.String)
        frame = frame.drop("flow_name", strict=False).with_columns(named.alias("flow_name"))
        names = [name for name in frame.columns if name != "flow_name"]
        place = names.index("flow") + 1
        return frame.select(*names[:place], "flow_name", *names[place:])

    def flow_number(self, word: int | str, documents: Iterable[Mapping[str, Any]]) -> int:
        """Return the number of the flow that a word means: its number, its two ends, or one end.

        Raises:
            InputError: no flow has this number or these ends, or several have; the text lists them.

        """
        there = list(documents)
        known = self.list_flows(there)
        if not isinstance(word, str) or word.strip().isdigit():
            number = whole(int(word) if isinstance(word, str) else word, "the flow")
            if number not in {one["id"] for one in there}:
                raise InputError(f"there is no flow {number}; there are {known}")
            return number
        ends = [self.number(end, "flow") for end in BETWEEN.split(word.strip(), maxsplit=1)]
        both = len(ends) == 2
        found = [
            one
            for one in there
            if ([one["from"], one["to"]] == ends if both else ends[0] in (one["from"], one["to"]))
        ]
        if len(found) == 1:
            return int(found[0]["id"])
        where = "between these nodes in this direction" if both else "from or to this node"
        if not found:
            raise InputError(f"flow {word}: there is no flow {where}; there are {known}")
        pairs = [self.flow(one) for one in found]
        alone = next((pair for pair in pairs if pairs.count(pair) == 1), None)
        how = f"its number, or by both ends such as {alone}" if alone else "its number"
        raise InputError(
            f"flow {word}: {len(found)} flows are {where}; choose one by {how}: {self.list_flows(found)}"
        )

    def list_flows(self, documents: Iterable[Mapping[str, Any]]) -> str:
        """Return a list of flows for messages: ``0 (barn to gw), 1 (barn to 3)``, the first eight."""
        words = [f"{one['id']} ({self.short(one['from'])} to {self.short(one['to'])})" for one in documents]
        return ", ".join(words[:LISTED]) + (", ..." if len(words) > LISTED else "")

    def has(self, word: str) -> bool:
        """Return whether a node has this name."""
        return word in self._numbers

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
        there = ", ".join(list(self._numbers)[:LISTED]) + (", ..." if len(self._numbers) > LISTED else "")
        raise InputError(f"{option} {word}: no node has this name; {hint}names here: {there}")
