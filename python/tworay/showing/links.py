"""Render the best rate of each radio link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.showing.layout import fact

if TYPE_CHECKING:
    from tworay.naming import Nodes
    from tworay.showing.text import Renderable

SHOWN = 8
"""Links that are named for each rate; the others are counted."""


def links_of_run(document: dict[str, Any], nodes: Nodes) -> list[Renderable]:
    """Render the links by their best rates; nothing for radios or nodes without."""
    return [fact(line) for line in lines(document.get("links") or [], nodes)]


def lines(rates: list[dict[str, Any]], nodes: Nodes) -> list[str]:
    """Return a line for each rate, the fastest first."""
    found: list[str] = []
    for rate in rates:
        shown = [f"{nodes.short(a)}–{nodes.short(b)}" for a, b in rate["links"][:SHOWN]]
        others = len(rate["links"]) + rate["more"] - len(shown)
        more = f" and {others:,} more" if others else ""
        head = "         " if found else "Links    best rates: "
        found.append(f"{head}{rate['rate_bps'] / 1e6:g} Mb/s ({rate['mode']}) {', '.join(shown)}{more}")
    return found
