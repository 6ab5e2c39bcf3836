"""Writes Markdown: tables, wrapped paragraphs, lists, and files atomically."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tworay.files import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

WIDTH = 110


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [list(map(str, head)), ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines] + [""]


def prose(text: str) -> list[str]:
    """Return the wrapped lines of a paragraph."""
    return [*textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False), ""]


def prose_with_numbers(text: str) -> list[str]:
    """Return the wrapped lines of a paragraph in which a number stays with its percent sign."""
    return [line.replace("\u00a0", " ") for line in prose(text.replace(" %", "\u00a0%"))]


def listed(entries: Iterable[str]) -> list[str]:
    """Return the lines of a list."""
    return [f"- {entry}" for entry in entries] + [""]


def write(file: Path, lines: list[str]) -> None:
    """Write a page atomically: after an error the previous one remains."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as hidden:
        hidden.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
