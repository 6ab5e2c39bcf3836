"""The figures of the documentation are small, and shrinking changes nothing in them but their bytes."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "docs/make/small_figures.py"))
COMMAND = ".venv/bin/python docs/make/small_figures.py"


def test_all_figures_together_are_small() -> None:
    texts = {file: file.read_text(encoding="utf-8") for file in TOOL["figures"]()}
    assert len(texts) > 100
    left = [file.name for file, text in texts.items() if TOOL["small"](text) != text]
    assert not left, f"shrink them: {COMMAND}"
    assert sum(map(len, texts.values())) < 1_500_000


def test_numbers_in_words_keep_their_digits() -> None:
    """A tick at 90.25 s stays one: only coordinates are rounded."""
    tick = (
        '<svg xmlns="http://www.w3.org/2000/svg"><path d="M 10.040000 20.060000 L 30 40"/>'
        '<text x="12.340000" y="5">90.25</text></svg>'
    )
    after = TOOL["small"](tick)
    assert ">90.25</text>" in after
    assert "10.04" not in after


def test_words_and_coordinates_survive() -> None:
    """A line from (10.04, 20.06) to (30, 40) points, and a word at 12.34."""
    before = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 576 324"><metadata>made today</metadata>'
        '<g id="line2d_1"><path d="M 10.040000 20.060000 L 30.000000 40.000000" style="fill: none"/></g>'
        "<text style=\"font-size: 10px; font-family: 'DejaVu Sans', 'Verdana', sans-serif\" "
        'x="12.340000" y="5" transform="rotate(-0 12.34 5)">goodput (kb/s)</text></svg>'
    )
    after = TOOL["small"](before)
    assert "goodput (kb/s)</text>" in after
    assert 'x="12.3"' in after
    assert re.search(r'd="m10 20\.1 20 19\.9"', after)
    assert "metadata" not in after
    assert after.count("DejaVu Sans") == 1
