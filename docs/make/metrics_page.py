"""Writes what the declarations of metrics and of losses decide in docs/reference.

These are the tables of metrics.md, the metrics among the columns of the table `flows` in tables.md, and the
numbers of results and schema in versions.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

import tworay
from tworay import _native
from tworay.metrics.declared import GROUPS
from tworay.metrics.of_runs import markdown
from tworay.showing.causes import tables

REFERENCE = Path(__file__).parents[2] / "docs/reference"
TYPES: dict[pl.DataType, str] = {pl.Int64(): "integer", pl.Float64(): "real"}


def columns() -> str:
    """Return the rows of the metrics among the columns of the table `flows`."""
    known = {metric.name: metric for group in GROUPS.values() for metric in group}
    # A run with an energy model has the columns of all metrics.
    flows = tworay.run("string-1", set={"duration": "2s", "energy.model": "states"}).tables["flows"]
    metrics = {name: known[name] for name in flows.columns if name in known}
    rows = [
        f"| `{name}` | {TYPES[flows.schema[name]]} | {metric.definition} ({metric.unit}) |"
        for name, metric in metrics.items()
    ]
    return "".join(f"{row}\n" for row in rows)


def pages() -> dict[Path, str]:
    """Return the pages with today's tables and numbers."""
    texts = {name: (REFERENCE / name).read_text(encoding="utf-8") for name in ("metrics.md", "versions.md")}
    for mark, table in ({group: markdown(group) for group in GROUPS} | tables()).items():
        texts["metrics.md"] = _put(texts["metrics.md"], rf"(<!-- {mark} -->\n).*?(<!-- end -->\n)", table)
    for name, number in {"results": _native.RESULTS, "schema": _native.SCHEMA}.items():
        texts["versions.md"] = _put(texts["versions.md"], rf"(^\| `{name}` \| )\d+( \|)", str(number))
    text = (REFERENCE / "tables.md").read_text(encoding="utf-8")
    texts["tables.md"] = _put(text, r"(\n## flows\n.*?\n\| `tcp` [^\n]*\n).*?(\n## )", columns())
    return {REFERENCE / name: text for name, text in texts.items()}


def _put(page: str, place: str, text: str) -> str:
    """Replace what stands between the two parts of a place."""
    found = re.search(place, page, re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit(f"docs/reference: there is no place {place}")
    return page[: found.end(1)] + text + page[found.start(2) :]


def main() -> None:
    """Write the pages."""
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
