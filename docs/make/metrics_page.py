"""Updates the tables of docs/reference/metrics.md from the declarations of metrics and of losses."""

from __future__ import annotations

import re
from pathlib import Path

from tworay.metrics.declared import GROUPS
from tworay.metrics.of_runs import markdown
from tworay.showing.causes import tables

PAGE = Path(__file__).parents[2] / "docs/reference/metrics.md"


def wanted() -> dict[str, str]:
    """Return the tables by their marks."""
    return {group: markdown(group) for group in GROUPS} | tables()


def main() -> None:
    """Replace the text between the marks of each table."""
    text = PAGE.read_text(encoding="utf-8")
    for mark, table in wanted().items():
        found = re.search(rf"<!-- {mark} -->\n(.*?)<!-- end -->\n", text, re.DOTALL)
        if found is None:
            raise SystemExit(f"{PAGE}: there is no table marked {mark}")
        text = text[: found.start(1)] + table + text[found.end(1) :]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
