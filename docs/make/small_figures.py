"""Shrinks the SVG figures of the documentation in place: text stays text, coordinates get one decimal.

    .venv/bin/python docs/make/small_figures.py

Run it after ``tworay reproduce --pages docs/studies`` and ``make pictures``. A figure that is
small already stays byte for byte the same.
"""

from __future__ import annotations

import re
from pathlib import Path

from scour import scour  # type: ignore[import-untyped]

DOCS = Path(__file__).parents[1]
# Matplotlib repeats this list at every text. The root has it once.
FONTS = re.compile(r"font-family: 'DejaVu Sans'[^;\"]*sans-serif(; )?")
FONT = "font:10px 'DejaVu Sans',sans-serif"
UNTURNED = re.compile(r' transform="rotate\(-?0 [^"]*"')
TAG = re.compile(r"<[^>]*>")
LONG = re.compile(r"-?\d+\.\d{2,}")
# The last line of a drawing that says from which cells it was made.
CELLS = re.compile(r"<!-- cells \w+ -->\n\Z")
TITLE = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def figures() -> list[Path]:
    """Return the figures of the documentation."""
    return sorted([*DOCS.glob("studies/**/*.svg"), *DOCS.glob("images/*.svg")])


def small(text: str) -> str:
    """Return the same picture in fewer bytes."""
    if FONT in text:
        return text
    cells = CELLS.search(text)
    for pattern in (TITLE, UNTURNED, FONTS):
        text = pattern.sub("", text)
    text = TAG.sub(lambda tag: LONG.sub(lambda number: _rounded(float(number[0])), tag[0]), text)
    options = scour.sanitizeOptions()
    options.strip_ids = options.shorten_ids = options.remove_metadata = options.strip_comments = True
    options.group_create = True
    options.indent_type, options.newlines = "none", False
    found: str = scour.scourString(text, options)
    found = found.replace(' font-size="10px"', "").replace('"#000000"', '"#000"')
    found = found.replace("<svg ", f'<svg style="{FONT}" ', 1).replace("><path", ">\n<path")
    return found + cells[0] if cells else found


def _rounded(value: float) -> str:
    # A tenth of a point is less than a pixel shows.
    return "0" if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")


def main() -> None:
    """Shrink every figure that isn't small yet."""
    before = after = 0
    for file in figures():
        text = file.read_text(encoding="utf-8")
        shrunk = small(text)
        before, after = before + len(text), after + len(shrunk)
        if shrunk != text:
            file.write_text(shrunk, encoding="utf-8")
    print(f"{before / 1e6:.2f} MB -> {after / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
