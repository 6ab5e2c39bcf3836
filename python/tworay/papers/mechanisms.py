"""The mechanisms that papers describe, and the command that shows each."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tworay.papers.library import HERE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay.papers.library import Paper


class Standing(StrEnum):
    """The state of a mechanism: built, in part, or not."""

    BUILT = "built"
    PART = "in part"
    NOT = "not built"


@dataclass(frozen=True)
class Mechanism:
    """A mechanism that a paper describes, and the command that shows it."""

    says: str
    source: str
    """The section, figure, table or equation of the paper."""
    show: str = ""
    """The command that shows it; empty if it is not built."""
    state: Standing = Standing.BUILT
    cited: bool = False
    """True if the source only names it, as work of others."""
    note: str = ""
    """The part that is missing, or the reason why it is not built; of one that is built, what to look at."""

    @property
    def said(self) -> str:
        """Its state in words."""
        return f"{self.state}, cited" if self.cited else str(self.state)


def of(paper: Paper) -> tuple[Mechanism, ...]:
    """Return the mechanisms of a paper in the order of its sections; a study of this project has none.

    Raises:
        ValueError: an entry is incomplete.

    """
    file = HERE / paper.key / "mechanisms.toml"
    if not file.is_file():
        return ()
    return tuple(map(_mechanism, tomllib.loads(file.read_text(encoding="utf-8"))["mechanism"]))


def _mechanism(entry: dict[str, object]) -> Mechanism:
    found = Mechanism(**(entry | {"state": Standing(entry.get("state", Standing.BUILT))}))  # type: ignore[arg-type]
    if bool(found.show) == (found.state is Standing.NOT):
        raise ValueError(f"{found.says}: a command is needed, unless it is not built")
    if not found.note and found.state is not Standing.BUILT:
        raise ValueError(f"{found.says}: a note says what is missing")
    return found


def counts(papers: Sequence[Paper]) -> tuple[list[str], list[list[str]]]:
    """Return the table of the papers' mechanisms by state: the cited ones apart."""
    rows, total = [], Counter[tuple[Standing, bool]]()
    for paper in papers:
        own = Counter((one.state, one.cited) for one in of(paper))
        total += own
        rows.append([f"[{paper.name}]({paper.key}.md)", *_row(own)])
    rows.append(["all", *_row(total)])
    head = ["paper", "mechanisms", *(str(one) for one in Standing)]
    return [*head, *(f"cited, {one}" for one in Standing)], rows


def _row(counted: Counter[tuple[Standing, bool]]) -> list[str]:
    each = [counted[one, cited] for cited in (False, True) for one in Standing]
    return [str(counted.total()), *map(str, each)]
