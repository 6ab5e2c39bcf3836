"""Prints single claims for `tworay reproduce`: the verdict, and how each cell was judged."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tworay.papers.bands import band_in_words
from tworay.papers.causes import cause
from tworay.papers.claimlists import settings
from tworay.papers.headlines import of_result
from tworay.papers.library import STANDARD
from tworay.papers.verdicts import explained

if TYPE_CHECKING:
    from tworay.papers.library import Claim, Paper
    from tworay.papers.reproducing import Reproduction

WIDTH = 100
INDENT = "  "


def named_claims(paper: Paper, wanted: str) -> tuple[str, ...]:
    """Return the claims that a name stands for: those of a headline, or one; empty if it names a figure."""
    headline = paper.headline(wanted)
    if headline is not None:
        return headline.claims
    return (wanted,) if paper.claim(wanted) is not None else ()


def show_claims(result: Reproduction, wanted: str, *, explain: bool) -> None:
    """Print the headline if one was asked for, and its claims or the claim asked for."""
    headline = result.paper.headline(wanted)
    if headline is not None:
        row = of_result(result)[int(wanted.removeprefix("H")) - 1]
        _line(f"{result.paper.name}:{wanted}: {row.says}", "")
        _line("found, first claim", _plain(row.found))
        _line("with a standard MAC", _plain(row.standard))
        _line("explained by", row.why)
    named = named_claims(result.paper, wanted)
    for claim in result.paper.claims:
        if claim.id in named and claim.id in result.judgements:
            if headline is not None:
                print()
            (explain_claim if explain else _summary)(result, claim)


def explain_all(result: Reproduction) -> None:
    """Print for each claim what it says, its band with the origin, and how each cell was judged."""
    for claim in result.paper.claims:
        if claim.id in result.judgements:
            print()
            explain_claim(result, claim)


def explain_claim(result: Reproduction, claim: Claim) -> None:
    """Print a claim, its band with the origin, and how each cell was judged."""
    judgement = result.judgements[claim.id]
    _head(result, claim)
    for cell in judgement.cells:
        _line("", explained(cell, judgement.unit))
    several = f" ({judgement.share}; {judgement.across.said})" if len(judgement.tested) > 1 else ""
    reason = f": {judgement.reason}" if judgement.reason else ""
    _line("verdict", f"{judgement.verdict}{several}{reason}")
    _end(result, claim)


def _summary(result: Reproduction, claim: Claim) -> None:
    judgement = result.judgements[claim.id]
    _head(result, claim)
    _line("found", judgement.ours or judgement.reason)
    seeds = f" ({judgement.seeds} seeds or more a cell)" if judgement.seeds else ""
    _line("verdict", f"{judgement.verdict}{seeds}")
    _end(result, claim)


def _head(result: Reproduction, claim: Claim) -> None:
    _line(f"{result.paper.name}:{claim.id} ({claim.source}): {claim.says}", "")
    if claim.quote:
        _line("the source", f"“{claim.quote}”")
    if claim.paper:
        _line("the source's value", claim.paper)
    if claim.experiment:
        _line("judged as", f"{band_in_words(claim.how)}; margin of relevance {claim.margin:g} %")
        for trial in claim.experiments:
            _line(f"experiment {trial}", settings(result.paper.trials[trial]))


def _end(result: Reproduction, claim: Claim) -> None:
    _line("cause", cause(result, claim))
    for name, other in result.others.get(claim.id, {}).items():
        said = "standard dialect" if name == STANDARD else name
        _line(said, f"{other.verdict}; {other.ours or other.reason}")


def _line(name: str, text: str) -> None:
    """Print an indented entry; without a text the name is a heading, and with neither nothing is printed."""
    if name and not text and name.partition(":")[1]:
        print(textwrap.fill(name, WIDTH, subsequent_indent=INDENT, break_on_hyphens=False))
    elif text:
        said = f"{name}: {text}" if name else text
        lines = textwrap.wrap(
            said, WIDTH, initial_indent=INDENT, subsequent_indent=2 * INDENT, break_on_hyphens=False
        )
        print("\n".join(lines))


def _plain(text: str) -> str:
    return text.replace("**", "")
