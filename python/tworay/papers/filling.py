"""Results in the texts of notes, headlines and causes, so that no number of theirs is copied by hand.

``{P35}`` stands for the range of the estimates of claim P35 and ``{P35 verdict}`` for its verdict; ``{P35
standard}`` and ``{P35 standard verdict}`` are those in the standard dialect, ``{P35 in routing: DSR}`` and
``{P35 in routing: DSR verdict}`` those of another reading. ``{P35 at 30 m/s}`` and ``{P35 in routing: DSR at
30 m/s}`` are those of one cell. ``{P35 paper}`` is the source's own value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tworay.papers.library import MAIN, STANDARD
from tworay.papers.markdown import prose_with_numbers
from tworay.papers.verdicts import interval, number

if TYPE_CHECKING:
    from collections.abc import Callable

    from tworay.papers.earlier import Earlier
    from tworay.papers.library import Paper
    from tworay.papers.reproducing import Reproduction

PLACE = re.compile(
    r"\{([A-Z]+[0-9.]+[a-z0-9-]*)(\s+paper|\s+standard|\s+(?:in|at)\s+[^{}]+?)?(\s+verdict)?\}"
)
UNKNOWN = "not run yet"
# Between a reading and a cell.
AT = " at "

Told = tuple[str, str]
"""Verdict and result."""


def filled_line(text: str, told: Callable[[str, str], Told | None], paper: Paper) -> str:
    """Return a text with the results in place.

    ``told`` returns verdict and result of a claim in a reading (`library.MAIN` for the one that decides).
    """

    def one(match: re.Match[str]) -> str:
        if _named(match) == "paper":
            claim = paper.claim(match[1])
            return claim.paper if claim else UNKNOWN
        found = told(match[1], reading(match))
        if found is None:
            return UNKNOWN
        # The range alone: behind it stand the counts of cells.
        return found[0] if match[3] else re.split(r"; |, these seeds|, equivalent", found[1])[0]

    return PLACE.sub(one, text)


def reading(match: re.Match[str]) -> str:
    """Return the reading that a place names, with the cell if it names one."""
    name = _named(match)
    if name.startswith("at "):
        return f"{MAIN} {name}"
    if name.startswith("in "):
        return name.removeprefix("in ")
    return STANDARD if name == "standard" else MAIN


def _named(match: re.Match[str]) -> str:
    """Return what a place names beside the claim, in one line."""
    return " ".join((match[2] or "").split())


def filled(notes: str, told: Callable[[str, str], Told | None], paper: Paper) -> str:
    """Return notes with the results in place; paragraphs that change are wrapped again."""
    paragraphs = []
    for paragraph in notes.split("\n\n"):
        if PLACE.search(paragraph) and not paragraph.startswith("|"):
            whole = filled_line(" ".join(paragraph.split()), told, paper)
            paragraph = "\n".join(prose_with_numbers(whole)[:-1])
        paragraphs.append(filled_line(paragraph, told, paper))
    return "\n\n".join(paragraphs)


def of_result(result: Reproduction) -> Callable[[str, str], Told | None]:
    """Return the results as they were judged."""

    def told(claim: str, name: str) -> Told | None:
        readings = {MAIN: result.judgements.get(claim), **result.others.get(claim, {})}
        found = readings.get(name)
        if found is not None:
            return str(found.verdict), found.ours or found.reason
        of, _, place = name.rpartition(AT)
        whole = readings.get(of)
        cell = next((one for one in whole.cells if one.place == place), None) if whole else None
        if whole is None or cell is None or cell.measured.estimate is None:
            return None
        said = f"{number(cell.measured.estimate, whole.unit)} ({interval(cell.measured, whole.unit)})"
        return str(cell.verdict), said

    return told


def of_page(page: Earlier) -> Callable[[str, str], Told | None]:
    """Return the results as an earlier page has them."""

    def told(claim: str, name: str) -> Told | None:
        line = next((line for line in page.lines if line.startswith(f"| {claim} | ")), None)
        if line is None or name not in (MAIN, STANDARD):
            return None
        cells = line.strip("| ").split(" | ")
        at = next((i for i, cell in enumerate(cells) if cell.startswith("**")), None)
        standard = name == STANDARD
        if at is None or at + 1 + standard >= len(cells):
            return None
        if standard:
            verdict, _, rest = cells[at + 2].removeprefix("**").partition("**")
            return verdict, rest.removeprefix(": ")
        return cells[at].strip("*"), cells[at + 1].partition(". ")[0]

    return told
