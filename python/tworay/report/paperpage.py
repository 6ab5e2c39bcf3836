"""The page of a paper: its claims with our verdicts, and its figures by number as they come out here."""

from __future__ import annotations

import base64
from collections import Counter
from typing import TYPE_CHECKING

from tworay.papers.verdicts import RULE, Verdict
from tworay.report.page import esc, table, whole_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tworay.papers.reproducing import Reproduction

MARKS = {
    Verdict.HOLDS: ("yes", "✔"),
    Verdict.DIRECTION: ("yes", "✔"),
    Verdict.FAILS: ("no", "✘"),
    Verdict.CONTRADICTED: ("no", "✘"),
}


def paper_page(result: Reproduction) -> str:
    """Return the page of what came of a paper."""
    paper = result.paper
    counts = Counter(judgement.verdict for judgement in result.judgements.values())
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    quick = " Runs are those of <code>--quick</code>: fewer and shorter." if result.quick else ""
    body = [
        f'<header class="page-head"><h1>{esc(paper.title)}</h1>'
        f'<p class="verdict">{sum(counts.values())} claims judged: {esc(said or "none")}.</p>'
        f"<p>{esc(paper.cite)}.{quick} To do it again: <code>tworay reproduce {esc(paper.name)}</code>.</p>"
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
        kind, mark = MARKS.get(judgement.verdict, ("", ""))
        ours = ". ".join(filter(None, [judgement.ours or judgement.reason, claim.known]))
        rows.append(
            [
                claim.id,
                esc(claim.source),
                esc(claim.says),
                esc(claim.paper),
                f'<strong class="{kind}">{mark} {esc(judgement.verdict)}</strong>',
                esc(ours),
                judgement.seeds if judgement.cells else None,
            ]
        )
    head = ["", "source", "claim", "there", "verdict", "here", "seeds"]
    text = table("Claims and verdicts", head, rows, markup=True)
    return f'<section id="claims"><h2>Claims</h2>{text}</section>'


def _figures(result: Reproduction) -> str:
    parts = ['<section id="figures"><h2>Figures by their number</h2>']
    missing = []
    for one in result.paper.figures:
        file = result.drawn.get(one.id)
        if file is None:
            missing.append([one.id, one.title, one.missing or "not run yet"])
            continue
        data = base64.b64encode(file.read_bytes()).decode("ascii")
        of = next((claim.says for claim in result.paper.claims if claim.experiment == one.experiment), "")
        command = f"tworay reproduce '{result.paper.name}:{one.id}'"
        parts.append(
            f"<figure><figcaption>{esc(one.id)}: {esc(one.title)}"
            f'<span class="about">{esc(of)}</span></figcaption>'
            f'<img alt="{esc(one.title)}: our plot; its numbers are in the table of claims" '
            f'src="data:image/svg+xml;base64,{data}">'
            f'<div class="tools"><code>{esc(command)}</code></div></figure>'
        )
    if missing:
        parts.append(table("Not made", ["figure", "what", "why"], missing))
    return "".join([*parts, "</section>"])


def _list(entries: Iterable[str]) -> str:
    items = "".join(f"<li>{esc(entry)}</li>" for entry in entries)
    return f"<ul>{items}</ul>" if items else "<p>Nothing.</p>"
