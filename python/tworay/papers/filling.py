"""Results in the texts of a paper's notes, so that no number of theirs is copied by hand.

``{P35}`` stands for the range of the estimates of claim P35, ``{P35 verdict}`` for its verdict, and ``{P35
standard}`` and ``{P35 standard verdict}`` for those in the standard dialect.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from tworay.papers.library import STANDARD
from tworay.papers.markdown import WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from tworay.papers.earlier import Earlier
    from tworay.papers.reproducing import Reproduction

PLACE = re.compile(r"\{([A-Z]+[0-9.]+[a-z0-9-]*)( standard)?( verdict)?\}")
UNKNOWN = "not run yet"

Told = tuple[str, str]
"""Verdict and result."""


def filled(notes: str, told: Callable[[str, bool], Told | None]) -> str:
    """Return notes with the results in place; paragraphs that change are wrapped again.

    ``told`` returns verdict and result of a claim, with ``True`` those in the standard dialect.
    """

    def one(match: re.Match[str]) -> str:
        found = told(match[1], bool(match[2]))
        if found is None:
            return UNKNOWN
        # The range alone: behind it stand the counts of cells.
        return found[0] if match[3] else re.split(r"; |, these seeds", found[1])[0]

    paragraphs = []
    for paragraph in notes.split("\n\n"):
        if PLACE.search(paragraph):
            whole = PLACE.sub(one, " ".join(paragraph.split()))
            # A number stays with its unit.
            whole = whole.replace(" %", "\u00a0%")
            lines = textwrap.wrap(whole, WIDTH, break_on_hyphens=False, break_long_words=False)
            paragraph = "\n".join(lines).replace("\u00a0", " ")
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def of_result(result: Reproduction) -> Callable[[str, bool], Told | None]:
    """Return the results as they were judged."""

    def told(claim: str, standard: bool) -> Told | None:
        found = result.others.get(claim, {}).get(STANDARD) if standard else result.judgements.get(claim)
        return None if found is None else (str(found.verdict), found.ours or found.reason)

    return told


def of_page(page: Earlier) -> Callable[[str, bool], Told | None]:
    """Return the results as an earlier page has them."""

    def told(claim: str, standard: bool) -> Told | None:
        line = next((line for line in page.lines if line.startswith(f"| {claim} | ")), None)
        if line is None:
            return None
        cells = line.strip("| ").split(" | ")
        at = next((i for i, cell in enumerate(cells) if cell.startswith("**")), None)
        if at is None or at + 1 + standard >= len(cells):
            return None
        if standard:
            verdict, _, rest = cells[at + 2].removeprefix("**").partition("**")
            return verdict, rest.removeprefix(": ")
        return cells[at].strip("*"), cells[at + 1].partition(". ")[0]

    return told
