"""Updates the tables of docs/reference/metrics.md from the declarations of the metrics."""

from __future__ import annotations

import re
from pathlib import Path

from tworay.metrics.declared import GROUPS
from tworay.metrics.of_runs import markdown

PAGE = Path(__file__).parents[2] / "docs/reference/metrics.md"


def main() -> None:
    """Replace the text between the marks of each group."""
    text = PAGE.read_text(encoding="utf-8")
    for group in GROUPS:
        found = re.search(rf"<!-- {group} -->\n(.*?)<!-- end -->\n", text, re.DOTALL)
        if found is None:
            raise SystemExit(f"{PAGE}: there is no table marked {group}")
        text = text[: found.start(1)] + markdown(group) + text[found.end(1) :]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
