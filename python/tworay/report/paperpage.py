"""The page of a paper: its claims with our verdicts, and its figures by number as they come out here."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from tworay.papers.bands import band_in_words
from tworay.papers.claimlists import because, said
from tworay.papers.numbering import names
from tworay.papers.pages import count
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import RULE
from tworay.report.figures import figure
from tworay.report.page import esc, table, whole_page

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tworay.papers.reproducing import Reproduction
    from tworay.papers.verdicts import Judgement

MARKS = {
    Verdict.HOLDS: ("yes", "✔"),
    Verdict.DIRECTION: ("yes", "✔"),
    Verdict.FAILS: ("no", "✘"),
    Verdict.CONTRADICTED: ("no", "✘"),
}


def paper_page(result: Reproduction) -> str:
    """Return the page of what came of a paper."""
    paper = result.paper
    counts = count(result)
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    quick = " Runs are those of <code>--quick</code>: fewer and shorter." if result.quick else ""
    again = f"tworay reproduce {paper.name}{_quick(result)} --out AGAIN"
    one = f"tworay reproduce {paper.name}:NUMBER{_quick(result)} --out AGAIN"
    body = [
        f'<header class="page-head"><h1>{esc(paper.title)}</h1>'
        f'<p class="verdict">{sum(counts.values())} claims judged: {esc(tally or "none")}.</p>'
        f"<p>{esc(paper.cite)}.{quick} To do it again: <code>{esc(again)}</code>; "
        f"one figure by its number: <code>{esc(one)}</code>.</p>"
        "</header>",
        _claims(result),
        _figures(result),
        '<section id="settings"><h2>Settings</h2>',
        "<h3>Stated by the source</h3>",
        _list(paper.stated),
        "<h3>Left open by the source</h3>",
        _list(paper.left_open),
        "</section>",
        f'<section id="rule"><h2>How a claim is judged</h2><p>{esc(RULE)}</p></section>',
    ]
    links = [
        ("claims", "Claims"),
        ("figures", "Figures"),
        ("settings", "Settings"),
        ("rule", "How it is judged"),
    ]
    return whole_page(f"{paper.title} – tworay", "\n".join(body), {"kind": "figures"}, links=links)


def _claims(result: Reproduction) -> str:
    rows = []
    for claim in result.paper.claims:
        judgement = result.judgements.get(claim.id)
        if judgement is None:
            continue
        rows.append(
            [
                claim.id,
                esc(claim.source),
                esc(said(claim)),
                esc(claim.paper),
                esc(band_in_words(claim.how)) if claim.experiment else "",
                _verdict(judgement),
                esc(because(result, claim)),
                judgement.seeds if judgement.cells else None,
            ]
        )
    head = ["", "source", "claim", "in the paper", "judged as", "verdict", "here", "seeds"]
    text = table("Claims and verdicts", head, rows, markup=True)
    return f'<section id="claims"><h2>Claims</h2>{text}</section>'


def _figures(result: Reproduction) -> str:
    parts = ['<section id="figures"><h2>Figures by their number</h2>']
    missing = []
    for one in result.paper.figures:
        file = result.drawn.get(one.id)
        if file is None and one.id not in result.tables:
            missing.append([one.id, one.title, str(one.state), one.remark or "not run yet"])
            continue
        parts.append(_figure(result, one.id, one.title, file))
    if missing:
        parts.append(
            table("Without a drawing here", ["figure", "what", "state", "why, or where it is"], missing)
        )
    return "".join([*parts, "</section>"])


def _figure(result: Reproduction, number: str, title: str, file: Path | None) -> str:
    """Return a figure with its numbers, and the verdicts of the claims that name it."""
    name = f"figure {number}" if number[:1].isdigit() else number
    picture = ""
    if file is not None:
        data = base64.b64encode(file.read_bytes()).decode("ascii")
        picture = f'<img alt="{esc(title)}" src="data:image/svg+xml;base64,{data}">'
    rows = [
        [claim.id, esc(claim.says), _verdict(result.judgements[claim.id])]
        for claim in result.paper.claims
        if claim.id in result.judgements and names(claim.source, number)
    ]
    claims = table(f"Claims about {name}", ["", "claim", "verdict"], rows, markup=True) if rows else ""
    numbers = result.tables.get(number)
    known = table(title, *numbers) if numbers else "<p>The runs' tables have them.</p>"
    heading = f"{name[:1].upper()}{name[1:]}: {title}"
    # A table of the paper has no picture: its numbers are shown at once.
    opened = file is None
    return figure(name.replace(" ", "-"), heading, "", picture + claims, known, opened=opened)


def _verdict(judgement: Judgement) -> str:
    kind, mark = MARKS.get(judgement.verdict, ("", ""))
    return f'<strong class="{kind}">{mark} {esc(judgement.verdict)}</strong>'


def _quick(result: Reproduction) -> str:
    return " --quick" if result.quick else ""


def _list(entries: Iterable[str]) -> str:
    items = "".join(f"<li>{esc(entry)}</li>" for entry in entries)
    return f"<ul>{items}</ul>" if items else "<p>Nothing.</p>"
