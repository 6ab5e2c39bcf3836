"""Writes docs/notebooks/*.ipynb from the pages of docs/guide: Python becomes cells with the shown output.

    .venv/bin/python docs/make/notebooks.py

The teacher's exercises are a second notebook, for students: without the answers, and without the outputs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "docs/notebooks"
PAGES = ("student", "teacher")
# The notebook for students, and the page that it leaves the answers out of.
EXERCISES, ANSWERED = "exercises", "teacher"
PART = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
# What only a teacher needs: an answer, its mention in the head, the paragraph about the two notebooks.
ANSWER = re.compile(
    r"^\*\*Answer\.\*\*.*?(?=^## |\Z)|(?<=exercises) with answers|, and the answer(?=\.)"
    r"|^The same page is.*?\n\n",
    re.DOTALL | re.MULTILINE,
)
LINK = re.compile(r"(\]\()(?![a-z]+:)([^)#\s]+)")


def notebook(page: str, *, answers: bool = True) -> str:
    """Return the notebook of a page; without `answers` students find these and the output themselves."""
    text = (ROOT / f"docs/guide/{page}.md").read_text(encoding="utf-8")
    if not answers:
        text = ANSWER.sub("", text)
    cells = list[dict[str, Any]]()
    at = 0
    for part in PART.finditer(text):
        _prose(cells, text[at : part.start()])
        shown = part[2] if answers else None
        outputs = [{"name": "stdout", "output_type": "stream", "text": _lines(shown)}] if shown else []
        cells.append(_cell(len(cells), "code", part[1]) | {"execution_count": None, "outputs": outputs})
        at = part.end()
    _prose(cells, text[at:])
    whole = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _prose(cells: list[dict[str, Any]], text: str) -> None:
    if text.strip():
        # The pages stand in docs/guide, the notebooks beside it.
        cells.append(_cell(len(cells), "markdown", LINK.sub(r"\1../guide/\2", text).strip() + "\n"))


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    return {"cell_type": kind, "id": f"part-{number}", "metadata": {}, "source": _lines(text.rstrip("\n"))}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def written() -> dict[str, str]:
    """Return the text of each notebook by its name."""
    return {page: notebook(page) for page in PAGES} | {EXERCISES: notebook(ANSWERED, answers=False)}


def main() -> None:
    """Write the notebooks."""
    NOTEBOOKS.mkdir(exist_ok=True)
    for name, text in written().items():
        (NOTEBOOKS / f"{name}.ipynb").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
