"""The HTML page: one file with script and style, allowed by their hashes, and the data."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tworay._native import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def esc(text: object) -> str:
    """Escape a text for HTML, also within an attribute."""
    return html.escape(str(text), quote=True)


def capital(text: str) -> str:
    """Return a text with a capital in front, but for units and symbols such as ``µJ``."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def coded(text: object) -> str:
    """Return a text as ``esc`` does, with text between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", esc(text))


@cache
def _built(name: str) -> str:
    return (files("tworay.report") / "built" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def _json(document: Any) -> str:
    # Escape what could end the script element.
    text = json.dumps(document, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def whole_page(
    title: str,
    body: str,
    data: Any = None,
    tables: Mapping[str, str] | None = None,
    links: Iterable[tuple[str, str]] = (),
) -> str:
    """Return a page: ``body`` is markup, ``data`` its JSON block, ``tables`` what ``packing.pack`` returned.

    ``links``: the page's sections, as ids with their names in the list of sections. The kind in ``data``
    chooses the script; without one it is that of figures, the smallest.
    """
    kind = "figures" if data is None else data["kind"]
    script, style = _built(f"{kind}.js"), _built("viewer.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = "".join(f'<a href="#{esc(target)}">{esc(text)}</a>' for target, text in links)
    blocks = "".join(
        f'<script type="text/plain" id="table-{esc(name)}">{text}</script>\n'
        for name, text in (tables or {}).items()
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="tworay {esc(VERSION)}">
<title>{esc(title)}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
{f'<nav class="pages" aria-label="Parts of this page">{parts}</nav>' if parts else ""}
<main id="main">
{body}
</main>
<script type="application/json" id="page-data">{_json(data)}</script>
{blocks}<script>{script}</script>
</body>
</html>
"""


def table(
    caption: str, head: Iterable[str], rows: Iterable[Iterable[object]], *, markup: bool = False
) -> str:
    """Return a table; the first cell of a row is its heading, numbers stand to the right.

    ``markup``: cells that are already markup are given as they are.
    """
    heads = "".join(f'<th scope="col">{esc(text)}</th>' for text in head)
    body = []
    for first, *rest in rows:
        cells = "".join(_cell(value, markup) for value in rest)
        body.append(f'<tr><th scope="row">{esc(first)}</th>{cells}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{esc(caption)}"><table>'
        f"<caption>{esc(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(value: object, markup: bool) -> str:
    if value is None:
        return '<td class="number">–</td>'
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f'<td class="number" data-value="{value!r}">{number(value)}</td>'
    return f"<td>{value if markup else coded(value)}</td>"


def number(value: float) -> str:
    """Format a number with at most four significant digits, or as a whole number."""
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"
