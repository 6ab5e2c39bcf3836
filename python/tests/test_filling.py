"""Results in the notes of papers: in the place of names of claims, from judgements and from pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tworay.papers import library
from tworay.papers.earlier import Earlier
from tworay.papers.filling import PLACE, filled, of_page
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import Judgement

PAGE = Earlier(
    (
        "| P35 | figure 12 | 6.4 | more | **does not hold** | -4.3 % to -1.0 %; 0 of 10 cells. Why "
        "| **holds**: +1 %; 6 |",
        "| P51 | figure 20 | x | more | **holds** | +3.3 % (+3.0 % to +3.6 %), these seeds would find 2 % |",
    )
)


def test_notes_have_ranges_and_verdicts_of_the_page() -> None:
    told = of_page(PAGE)
    assert filled("a {P35} b, {P35 verdict}", told) == "a -4.3 % to -1.0 % b, does not hold"
    assert filled("{P35 standard}: {P35 standard verdict}", told) == "+1 %: holds"
    assert filled("{P51}", told) == "+3.3 % (+3.0 % to +3.6 %)"
    assert filled("{P51 standard} and {P99}", told) == "not run yet and not run yet"


def test_only_paragraphs_with_results_are_wrapped_again() -> None:
    notes = "## Title\n\nshort\nlines stay\n\nshort {P51}\nlines are joined"
    after = "## Title\n\nshort\nlines stay\n\nshort +3.3 % (+3.0 % to +3.6 %) lines are joined"
    assert filled(notes, of_page(PAGE)) == after


@pytest.mark.parametrize("paper", library.papers(), ids=lambda paper: paper.name)
def test_the_notes_name_claims_of_their_paper(paper: library.Paper) -> None:
    judged = {claim.id for claim in paper.claims if claim.role is not library.Role.MECHANISM}
    for claim, standard, _ in PLACE.findall(paper.notes):
        assert claim in judged
        trial = paper.trials[str(next(one.experiment for one in paper.claims if one.id == claim))]
        assert not standard or library.STANDARD in {
            f"{of}: {name}" for of, names in trial.open.items() for name in names
        }


def test_pages_have_no_place_left() -> None:
    for file in (Path(__file__).parents[2] / "docs/studies").glob("*.md"):
        assert not PLACE.search(file.read_text(encoding="utf-8")), file.name


def test_a_judgement_without_cells_gives_its_reason() -> None:
    found = Judgement(Verdict.UNTESTED, reason="not run")
    assert (
        filled("{P35}", lambda claim, standard: (str(found.verdict), found.ours or found.reason)) == "not run"
    )
