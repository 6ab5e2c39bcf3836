"""The headlines of a paper: its main claims, what was found in both dialects, and what explains it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tworay.papers.library import STANDARD
from tworay.papers.markdown import prose, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tworay.papers.library import Headline
    from tworay.papers.reproducing import Reproduction
    from tworay.papers.verdicts import Judgement

TOLD = (
    "Each headline stands for the claims named; found is the result of the first of them, then the verdicts "
    "on all. The papers ran ns-2; the standard dialect follows IEEE 802.11 and the RFCs."
)


def headlines(result: Reproduction) -> list[str]:
    """Return the section of the headlines; empty if the paper has none."""
    if not result.paper.headlines:
        return []
    standard = {
        claim: by[STANDARD] for claim, by in result.others.items() if STANDARD in by and by[STANDARD].cells
    }
    rows = [
        [
            one.says,
            ", ".join(one.claims),
            found(one, result.judgements),
            found(one, standard) or "not run",
            one.because,
        ]
        for one in result.paper.headlines
    ]
    head = ["what the paper says", "claims", "found, as the paper ran it", "standard dialect", "explained by"]
    return ["## In short", "", *prose(TOLD), *table(head, rows)]


def found(headline: Headline, judgements: Mapping[str, Judgement]) -> str:
    """Return the result of a headline's first claim, and the verdicts on all of its claims."""
    known = [judgements[claim] for claim in headline.claims if claim in judgements]
    if not known:
        return ""
    first = known[0]
    said = f"**{first.verdict}**: {first.ours or first.reason}"
    if len(headline.claims) == 1:
        return said
    counts = Counter(str(one.verdict) for one in known)
    of = ", ".join(f"{count} × {verdict}" for verdict, count in counts.most_common())
    return f"{said}. All {len(known)}: {of}"
