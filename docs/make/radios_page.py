"""Updates the table of docs/guide/radios.md: what each `radio.preset` sets, as the simulator resolves it."""

from __future__ import annotations

import re
from pathlib import Path

from tworay.running.radios import table

PAGE = Path(__file__).parents[2] / "docs/guide/radios.md"


def page() -> str:
    """Return the page with the table of today."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(r"<!-- presets -->\n(.*?)<!-- end -->\n", text, re.DOTALL)
    if found is None:
        raise SystemExit(f"{PAGE}: there is no table marked presets")
    return text[: found.start(1)] + f"{table()}" + text[found.end(1) :]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
