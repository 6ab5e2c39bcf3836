"""Reading files of other programs: with a size limit, and with file and line for every error."""

from __future__ import annotations

import csv
import math
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tworay import _native
from tworay.errors import InputError
from tworay.naming import other_host
from tworay.running.flows import Numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_BYTES = 256 << 20
"""Larger files are something else."""
MOST_NODES = 65535
FIXED_ROUTES = (
    "\n# Nobody moves: shortest paths, in hops. aodv takes frames that the MAC gives up for broken links.\n"
    '[routing]\nprotocol = "static"\n'
)
"""Routing of nodes that stand still, as TOML."""

DECIMAL_COMMA = re.compile(r"^([+-]?[0-9]+),([0-9]+[^,]*)$")
"""A number with a unit or none, as in a table with semicolons or tabs."""


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def wrong(place: Place | str, problem: str, remedy: str) -> InputError:
    """Return an error with place, problem and remedy."""
    return InputError(f"{place}: {problem}; {remedy}")


def shown(text: str) -> str:
    """Return text from a file, made safe for a message or a comment."""
    clean = "".join(c if c.isprintable() else "?" for c in text.strip())
    return clean if len(clean) <= 60 else clean[:57] + "..."


def read_bytes(file: str) -> bytes:
    """Read a complete file."""
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{file}: it can't be read: {error.strerror}; check the path") from error
    if len(data) > MOST_BYTES:
        raise wrong(file, "it is larger than 256 MiB", "split it, or leave out what isn't needed")
    return data


def read_text(file: str) -> str:
    """Read a complete text file."""
    data = read_bytes(file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x} is no UTF-8 text"
        raise wrong(Place(file, line), byte, "save the file in UTF-8") from None


def number(word: str, place: Place, what: str, least: float, most: float) -> float:
    """Read a number within bounds."""
    try:
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise wrong(place, f'{what} is "{shown(word)}"', f"give a number from {least:g} to {most:g}")
    return value


@dataclass(frozen=True)
class Row:
    """A row of a CSV table: its cells by canonical column name."""

    place: Place
    cells: dict[str, str]


class Table:
    """A CSV file with a header; its columns have canonical names."""

    def __init__(self, file: str, text: str, names: Mapping[str, Sequence[str]]) -> None:
        """Read `text`; `names` maps every known column to its other spellings."""
        self.file = file
        usual = {spelling: name for name, others in names.items() for spelling in (name, *others)}
        first = next((line for line in text.splitlines() if line.strip()), "")

        def columns(mark: str) -> list[str]:
            cells = next(csv.reader([first], delimiter=mark), [])
            return [usual.get(cell.strip().lower(), "") for cell in cells]

        # Commas, semicolons or tabs: whichever gives the most known columns.
        self._mark = max(",;\t", key=lambda mark: sum(map(bool, columns(mark))))
        self._header = columns(self._mark)
        self.columns = {name for name in self._header if name}
        self.found = shown(first)
        self._text = text
        for name in self.columns:
            if self._header.count(name) > 1:
                problem = f'two columns mean {name} in "{self.found}"'
                raise wrong(Place(file, 1), problem, "leave one of them out")

    def rows(self) -> Iterable[Row]:
        """Yield the rows below the header."""
        reader = csv.reader(self._text.splitlines(), delimiter=self._mark)
        header = False
        try:
            for cells in reader:
                if not any(cell.strip() for cell in cells) or cells[0].startswith("#"):
                    continue
                if not header:
                    header = True
                    continue
                place = Place(self.file, reader.line_num)
                if len(cells) < len(self._header):
                    problem = f"the row has {len(cells)} cells, the header {len(self._header)}"
                    raise wrong(place, problem, "fill it up, or remove it")
                pairs = zip(self._header, cells, strict=False)
                yield Row(place, {name: self._cell(cell) for name, cell in pairs if name})
        except csv.Error as error:
            raise wrong(Place(self.file, reader.line_num), f"no CSV: {error}", "check the quotes") from None

    def _cell(self, cell: str) -> str:
        """Return a cell, with a decimal point where a spreadsheet wrote a decimal comma."""
        word = cell.strip()
        return word if self._mark == "," else DECIMAL_COMMA.sub(r"\1.\2", word)


def numbering(names: Iterable[str]) -> dict[str, int]:
    """Assign numbers to nodes by appearance, or by value if all names are whole numbers."""
    found = list(dict.fromkeys(names))
    if len(found) > MOST_NODES:
        raise InputError(f"{len(found)} nodes are too many; {MOST_NODES} are the most that can be simulated")
    plain = [name for name in found if name.isascii() and name.isdigit() and len(name) < 10]
    if len(plain) == len(found) == len({int(name) for name in plain}):
        found.sort(key=int)
    return {name: i for i, name in enumerate(found)}


def names_as_comments(numbers: Mapping[str, int]) -> str:
    """Return comments with the name of each node."""
    return "".join(f"# node {number}: {shown(name)}\n" for name, number in numbers.items())


def names_of_nodes(numbers: Mapping[str, int]) -> dict[str, str]:
    """Return a scenario's name for each node: letters, digits, - and _, the first a letter, all different.

    Nodes whose names are all numbers have none.
    """
    if all(name.isascii() and name.isdigit() for name in numbers):
        return {}
    found: dict[str, str] = {}
    taken: set[str] = set()
    nodes = len(numbers)
    for name, number in numbers.items():
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-_")
        if not plain[:1].isalpha() or plain in ("true", "false", "inf", "nan"):
            plain = f"n{plain}"
        if other_host(plain, number, nodes):
            plain = f"n-{plain}"
        chosen, copies = plain[:63], 1
        while chosen.lower() in taken or other_host(chosen, number, nodes):
            copies += 1
            chosen = f"{plain[:57]}-{copies}"
        taken.add(chosen.lower())
        found[name] = chosen
    return found


def notes_on_names(numbers: Mapping[str, int]) -> list[str]:
    """Return notes on nodes that have another name because live networks call another node by theirs."""
    notes = []
    for name, short in names_of_nodes(numbers).items():
        reason = other_host(name, numbers[name], len(numbers))
        if reason is not None:
            notes.append(f"{shown(name)} is called {short}, because in live networks {reason}")
    return notes


def with_names(text: str, numbers: Mapping[str, int]) -> str:
    """Return a scenario's text with a table of its nodes' names below the duration, its last plain key."""
    names = names_of_nodes(numbers)
    if not names:
        return text
    lines = ["", "[names]"]
    for name, short in names.items():
        lines.append(f"{short} = {numbers[name]}" + (f"  # {shown(name)}" if short != name else ""))
    before, duration, after = text.partition("\nduration = ")
    value, rest = after.split("\n", 1)
    return f"{before}{duration}{value}\n" + "\n".join(lines) + f"\n{rest}"


def by_number(flow: str, numbers: Mapping[str, int]) -> str:
    """Replace the names in a flow, `alice:bob:ftp`, by numbers; a number may itself be a name.

    Messages about the flow show it as it was typed.
    """
    if flow.count(":") < 2:
        # Errors are reported where flows are read.
        return flow
    first, rest = _node(flow, flow, numbers)
    second, rest = _node(flow, rest, numbers)
    return Numbered(f"{first}:{second}:{rest}", flow)


def _node(flow: str, words: str, numbers: Mapping[str, int]) -> tuple[int, str]:
    """Return the node at the start of a flow, and the rest of the text."""
    # Names may contain colons (addresses): the longest match is taken.
    fits = [name for name in numbers if words.startswith(f"{name}:")]
    if fits:
        name = max(fits, key=len)
        return numbers[name], words[len(name) + 1 :]
    digits = re.match(r"([0-9]{1,5}):", words)
    # If all names are numbers, another number is an error, not an index in the list.
    if digits and not all(name.isdigit() for name in numbers):
        return int(digits[1]), words[digits.end() :]
    some = ", ".join(shown(name) for name in list(numbers)[:8]) + (", ..." if len(numbers) > 8 else "")
    near = _native.nearest(words.partition(":")[0], list(numbers))
    hint = f"did you mean {shown(near)}? " if near else ""
    raise InputError(f'--flow {shown(flow)}: "{shown(words)}" begins with no node; {hint}there are {some}')
