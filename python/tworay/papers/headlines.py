"""The headlines of a paper: its main claims, what was found in both dialects, and what explains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay.papers.causes import SENTENCES, tag, told
from tworay.papers.filling import filled_line, of_page
from tworay.papers.library import MAIN, STANDARD, Role
from tworay.papers.markdown import prose, table
from tworay.papers.rule import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tworay.papers.earlier import Earlier
    from tworay.papers.library import Headline, Paper
    from tworay.papers.reproducing import Reproduction
    from tworay.papers.verdicts import Judgement

TOLD = (
    "Found is the result of the first claim named: the range of its cells' estimates, and in parentheses the "
    "outermost ends of their 95 % intervals; then how many of its claims hold. The paper ran ns-2; the "
    "standard dialect follows IEEE 802.11 and the RFCs."
)
HEAD = ["", "the paper claims", "found with ns-2's rules", "with a standard MAC", "explained by"]
EARLIER = "*earlier rule:* "
NOT_RUN = "not run"
# Characters of an explanation that is repeated as it is.
SHORT = 40


@dataclass(frozen=True)
class Row:
    """A headline as filled from results."""

    number: int
    says: str
    claims: tuple[str, ...]
    found: str
    standard: str
    why: str
    brief: str = ""
    """The explanation without its numbers."""


def of_result(result: Reproduction) -> list[Row]:
    """Return the headlines with the results as judged."""
    standard = {
        claim: by[STANDARD] for claim, by in result.others.items() if STANDARD in by and by[STANDARD].cells
    }
    return [
        Row(
            number,
            told(result, one.says),
            one.claims,
            found(one, result.judgements),
            found(one, standard) if _first(one, result) in standard else NOT_RUN,
            *_why(result, one),
        )
        for number, one in enumerate(result.paper.headlines, 1)
    ]


def of_earlier(paper: Paper, page: Earlier) -> list[Row]:
    """Return the headlines of a paper without stored cells: the results are those of its earlier page."""
    known = of_page(page)

    def shown(one: Headline, reading: str) -> str:
        result = known(one.claims[0], reading)
        return f"{EARLIER}{result[1].partition('; ')[0]}" if result else NOT_RUN

    return [
        Row(
            number,
            filled_line(one.says, known, paper),
            one.claims,
            shown(one, MAIN),
            shown(one, STANDARD),
            "",
        )
        for number, one in enumerate(paper.headlines, 1)
    ]


def headlines(result: Reproduction) -> list[str]:
    """Return the section of the headlines; empty if the paper has none."""
    if not result.paper.headlines:
        return []
    return ["## In short", "", *prose(TOLD), *rows_of(of_result(result))]


def rows_of(rows: Sequence[Row], *, brief: bool = False) -> list[str]:
    """Return the table of headlines; an explanation that is already there is named by its headline."""
    first: dict[str, int] = {}
    shown = []
    for row in rows:
        why = row.brief if brief else row.why
        same = first.setdefault(why, row.number) if len(why) > SHORT else row.number
        said = why if same == row.number else f"As H{same}."
        shown.append([f"H{row.number}", row.says, row.found, row.standard, said])
    return table(HEAD, shown)


def _first(headline: Headline, result: Reproduction) -> str:
    """Return the claim that stands for a headline: the first with a result."""
    return next((claim for claim in headline.claims if claim in result.judgements), "")


def found(headline: Headline, judgements: Mapping[str, Judgement]) -> str:
    """Return the result of a headline's first claim with a result, and how many of its claims hold."""
    known = [judgements[claim] for claim in headline.claims if claim in judgements]
    if not known:
        return ""
    first = known[0]
    if not first.cells and first.verdict is Verdict.UNTESTED:
        return first.reason
    said = f"**{first.verdict}** {first.span}"
    if len(headline.claims) == 1:
        return said
    holds = sum(one.verdict is Verdict.HOLDS for one in known)
    return f"{said}; {holds} of {len(known)}"


def _why(result: Reproduction, headline: Headline) -> tuple[str, str]:
    """Return what the result depends on and the cause, whole and in brief; if both hold there is no cause."""
    first = headline.claims[0]
    judgement, beside = result.judgements.get(first), result.others.get(first, {}).get(STANDARD)
    if judgement is None or (judgement.verdict is Verdict.UNTESTED and not judgement.cells):
        return "", ""
    both = {one.verdict for one in (judgement, beside) if one is not None}
    because = "" if both == {Verdict.HOLDS} else told(result, headline.because)
    depends = tag(result, first)
    brief = SENTENCES.split(because)[0]
    return " ".join(filter(None, [depends, because])), " ".join(filter(None, [depends, brief]))


@dataclass(frozen=True)
class Survival:
    """The claims that hold with ns-2's rules and were judged with a standard MAC, by their verdict there."""

    holds: int
    direction: int
    inconclusive: int
    fails: int

    @property
    def all(self) -> int:
        """Their number."""
        return self.holds + self.direction + self.inconclusive + self.fails

    @property
    def said(self) -> str:
        """The numbers in a sentence."""
        return (
            f"Of {self.all} claims that hold with ns-2's rules, {self.holds} hold with a standard MAC too, "
            f"{self.direction} in direction, {self.fails} do not, and {self.inconclusive} are inconclusive "
            "there"
        )


def survival(results: Iterable[Reproduction]) -> Survival:
    """Count, over the papers' own claims, which of those that hold do so with a standard MAC."""
    verdicts = [
        result.others[claim.id][STANDARD].verdict
        for result in results
        for claim in result.paper.claims
        if claim.role is Role.CLAIM
        and claim.id in result.judgements
        and result.judgements[claim.id].verdict is Verdict.HOLDS
        and STANDARD in result.others.get(claim.id, {})
    ]
    order = (Verdict.HOLDS, Verdict.DIRECTION, Verdict.INCONCLUSIVE, Verdict.FAILS)
    return Survival(*(verdicts.count(one) for one in order))
