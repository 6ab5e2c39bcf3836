"""Writes docs/studies/mechanisms.md: what the papers describe, and the command that shows each."""

from __future__ import annotations

from pathlib import Path

from tworay.papers.library import papers
from tworay.papers.markdown import prose, table
from tworay.papers.mechanisms import counts, of

PAGE = Path(__file__).parents[2] / "docs/studies/mechanisms.md"
ASKED = (
    "Which algorithms, protocols, metrics and situations do the five papers describe, and which command "
    "shows each? Written by `make pages`; `tworay reproduce --mechanisms` prints the same list."
)
STATES = (
    "*Built*: the command shows it; a note says what to look at. *In part*: the note says what is missing. "
    "*Not built*: it says why. "
    "*Cited*: the source only names it, as the work of others. `tworay energy` needs a meter of the "
    "computer's power."
)


def page() -> str:
    """Return the page as it should be."""
    wanted = [paper for paper in papers() if of(paper)]
    lines = ["# Mechanisms of five papers", "", *prose(ASKED), *table(*counts(wanted)), *prose(STATES)]
    for paper in wanted:
        rows = [
            [
                str(number),
                one.says,
                one.source,
                one.said,
                ". ".join(filter(None, (_code(one.show), one.note))),
            ]
            for number, one in enumerate(of(paper), 1)
        ]
        lines += [f"## [{paper.title}]({paper.key}.md)", ""]
        lines += table(["", "mechanism", "source", "state", "shown by"], rows)
    return "\n".join(lines).rstrip() + "\n"


def _code(command: str) -> str:
    return f"`{command}`" if command else ""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
