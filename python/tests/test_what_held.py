"""The paper of four pages: filled from stored cells, and set from the text that is committed."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from tworay.papers import forest, library, stored
from tworay.papers.library import MAIN
from tworay.papers.reproducing import from_stored
from tworay.papers.verdicts import Measured

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs/make/what_held.py"))


def test_the_text_is_what_the_stored_cells_give(made: dict[str, Any]) -> None:
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "fill it anew: make paper"


def test_the_pdf_is_set_from_the_text_and_has_four_pages_at_most(made: dict[str, Any]) -> None:
    pdf = made["PDF"].read_bytes()
    text = made["PAGE"].read_text(encoding="utf-8")
    assert f"md-{made['digest'](text)}".encode() in pdf, "set it anew: make paper"
    assert 1 <= made["pages_of"](pdf) <= 4


def test_the_drawing_shows_what_the_stored_cells_give(made: dict[str, Any]) -> None:
    papers = [paper for paper in library.papers() if not paper.study]
    known = [paper for paper in papers if stored.file_of(made["STUDIES"], paper.key).is_file()]
    found = forest.lines([from_stored(paper, made["STUDIES"]) for paper in known])
    text = (made["STUDIES"] / forest.NAME).read_text(encoding="utf-8")
    assert f"<!-- cells {forest.digest(found)} -->" in text, "draw it anew: make paper"
    assert all(line.name in text for line in found)


def test_a_drawing_has_the_band_and_the_ends_of_the_cells(tmp_path: Path) -> None:
    """Two cells of T4.04, which claims +33 to +71 %, and one of T5.03, which claims 7 to 12 % less."""
    paper = library.find("thesis")
    cells = [Measured(("string-3",), 40.0, 35.0, 45.0, 20), Measured(("string-4",), 50.0, 44.0, 56.0, 20)]
    values = {"T4.04": {MAIN: cells, library.STANDARD: cells[:1]}, "T5.03": {MAIN: cells[:1]}}
    stored.write(values, stored.file_of(tmp_path, paper.key))
    first, second = forest.lines([from_stored(paper, tmp_path)])
    assert (first.name, second.name) == ("thesis H2", "thesis H5")
    assert first.found == forest.Span(40.0, 50.0, 35.0, 56.0)
    assert first.standard == forest.Span(40.0, 40.0, 35.0, 45.0)
    assert second.standard is None
    assert [(one.low, one.high) for one in (*first.claimed, *second.claimed)] == [(33, 71), (-12, -7)]


def test_pages_are_counted_by_the_page_tree(made: dict[str, Any]) -> None:
    tree = b"1 0 obj\n<</Type /Pages /Kids [3 0 R 4 0 R] /Count 5>>\nendobj\n2 0 obj\n<</Type /Page>>"
    assert made["pages_of"](tree) == 5
    with pytest.raises(ValueError, match="empty"):
        made["pages_of"](b"no tree")


def test_no_place_is_left(made: dict[str, Any]) -> None:
    assert not re.search(r"\{\{|\{[a-z-]+/|not run yet", made["page"]())


@pytest.mark.parametrize(
    ("estimate", "said"),
    [(50.0, "**holds** +50.0 % (+48.0 to +52.0)"), (0.0, "**does not hold** +0.0 % (-2.0 to +2.0)")],
)
def test_numbers_and_verdicts_follow_the_cells(
    made: dict[str, Any], tmp_path: Path, estimate: float, said: str
) -> None:
    """T4.04 claims +33 to +71 %: a cell of 48 to 52 % holds, one of -2 to 2 % does not."""
    for file in made["STUDIES"].glob("*.md"):
        shutil.copy(file, tmp_path)
    paper = library.find("thesis")
    one = [Measured(("string-3",), estimate, estimate - 2, estimate + 2, 20)]
    stored.write({"T4.04": {MAIN: one}}, stored.file_of(tmp_path, paper.key))
    text = made["page"](tmp_path)
    (row,) = [line for line in text.splitlines() if line.startswith("| H2. Slower growth")]
    assert said in row
    assert "earlier rule" not in row
    # It is the only claim of that paper with cells.
    assert re.search(r"^\| thesis \|", text, re.MULTILINE)


def test_a_sentence_about_what_was_not_run_is_left_out(made: dict[str, Any], tmp_path: Path) -> None:
    for file in made["STUDIES"].glob("*.md"):
        shutil.copy(file, tmp_path)
    assert "clearest case" not in made["page"](tmp_path)
