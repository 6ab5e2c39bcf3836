"""Results in the notes of papers: in the place of names of claims, from judgements and from pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tworay.papers import causes, library
from tworay.papers.bands import claimed_of
from tworay.papers.earlier import Earlier
from tworay.papers.filling import PLACE, filled, of_page, of_result, reading
from tworay.papers.reproducing import Reproduction
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import Cell, Judgement, Measured

PROBING = library.find("probing")
PAGE = Earlier(
    (
        "| P35 | figure 12 | 6.4 | more | **does not hold** | -4.3 % to -1.0 %; 0 of 10 cells. Why "
        "| **holds**: +1 %; 6 |",
        "| P51 | figure 20 | x | more | **holds** | +3.3 % (+3.0 % to +3.6 %), these seeds would find 2 % |",
    )
)


def test_notes_have_ranges_and_verdicts_of_the_page() -> None:
    told = of_page(PAGE)
    assert filled("a {P35} b, {P35 verdict}", told, PROBING) == "a -4.3 % to -1.0 % b, does not hold"
    assert filled("{P35 standard}: {P35 standard verdict}", told, PROBING) == "+1 %: holds"
    assert filled("{P51}", told, PROBING) == "+3.3 % (+3.0 % to +3.6 %)"
    assert filled("{P51 standard} and {P99}", told, PROBING) == "not run yet and not run yet"
    assert filled("{P51 in predictor: none}", told, PROBING) == "not run yet"


def test_other_readings_and_the_source_s_value_have_places() -> None:
    known = {
        ("P35", library.MAIN): ("holds", "+1 %"),
        ("P35", "predictor: none"): ("inconclusive", "+2 %; 1 of 3"),
    }

    def told(claim: str, reading: str) -> tuple[str, str] | None:
        return known.get((claim, reading))

    assert filled("{P35 in predictor: none}", told, PROBING) == "+2 %"
    assert filled("{P35 in predictor: none verdict}", told, PROBING) == "inconclusive"
    assert filled("{P20 paper}, {P04 paper}", told, PROBING) == "slightly more, equal"


def test_single_cells_have_places() -> None:
    """Means of 10 % and 50 %: the range is of both, and each has a place with its interval."""
    claimed = claimed_of({"gain": "goodput_bps", "band": "more"}, [])
    cells = tuple(
        Cell(Measured((speed,), mean, mean - 2, mean + 2, 20), claimed, Verdict.HOLDS)
        for speed, mean in (("2 m/s", 10.0), ("30 m/s", 50.0))
    )
    result = Reproduction(PROBING, Path())
    result.judgements["P35"] = Judgement(Verdict.HOLDS, cells)
    result.others["P35"] = {"routing: DSR": Judgement(Verdict.HOLDS, cells[:1])}
    told = of_result(result)
    assert filled("{P35}", told, PROBING) == "+10.0 % to +50.0 %"
    assert filled("{P35 at 30 m/s}", told, PROBING) == "+50.0 % (+48.0 % to +52.0 %)"
    assert filled("{P35 in routing: DSR at 2 m/s}", told, PROBING) == "+10.0 % (+8.0 % to +12.0 %)"
    assert filled("{P35 in routing: DSR at 30 m/s}", told, PROBING) == "not run yet"
    assert filled("{P35 at 2 m/s verdict}", told, PROBING) == "holds"


def test_sentences_about_readings_that_were_not_run_are_left_out() -> None:
    result = Reproduction(PROBING, Path())
    result.judgements["P35"] = Judgement(Verdict.UNTESTED, reason="+1.5 %")
    text = "A cause of Psaras et al. (2006). It is {P35}. Without it, {P35 in predictor: none}. The end."
    assert causes.told(result, text) == "A cause of Psaras et al. (2006). It is +1.5 %. The end."


def test_only_paragraphs_with_results_are_wrapped_again() -> None:
    notes = "## Title\n\nshort\nlines stay\n\nshort {P51}\nlines are joined"
    after = "## Title\n\nshort\nlines stay\n\nshort +3.3 % (+3.0 % to +3.6 %) lines are joined"
    assert filled(notes, of_page(PAGE), PROBING) == after


def texts(paper: library.Paper) -> list[str]:
    """Return all texts of a paper in which results have places."""
    found = [paper.notes, *(claim.known for claim in paper.claims)]
    found += [trial.because for trial in paper.trials.values()]
    return found + [text for one in paper.headlines for text in (one.says, one.because)]


@pytest.mark.parametrize("paper", library.papers(), ids=lambda paper: paper.name)
def test_texts_name_claims_of_their_paper_and_readings_of_their_experiments(paper: library.Paper) -> None:
    judged = {claim.id: claim for claim in paper.claims if claim.role is not library.Role.MECHANISM}
    for text in texts(paper):
        for match in PLACE.finditer(text):
            assert match[1] in judged, match[0]
            known = {
                f"{of}: {name}"
                for trial in judged[match[1]].experiments
                for of, names in paper.trials[trial].open.items()
                for name in names
            }
            of = reading(match).rpartition(" at ")
            named = {library.MAIN, *known} & {reading(match), of[0]}
            assert (match[2] or "").split() == ["paper"] or named, match[0]
            assert (match[2] or "").split() != ["paper"] or judged[match[1]].paper, match[0]
        # Braces that are no place would stay on the page.
        assert "{" not in PLACE.sub("", text), text


@pytest.mark.parametrize("paper", [p for p in library.papers() if not p.study], ids=lambda paper: paper.name)
def test_headlines_state_no_result_that_is_not_filled(paper: library.Paper) -> None:
    """Percentages in headlines are settings, such as losses of 5 %, or come from a claim."""
    settings = {"energy": {"5 %", "10 %", "15 %"}, "freeze-probing": {"5 %"}}
    for one in paper.headlines:
        for text in (one.says, one.because):
            left = set(re.findall(r"[\d.]+ %", PLACE.sub("", text))) - settings.get(paper.name, set())
            assert not left, text


def test_pages_have_no_place_left() -> None:
    for file in (Path(__file__).parents[2] / "docs/studies").glob("*.md"):
        assert not PLACE.search(file.read_text(encoding="utf-8")), file.name


def test_a_judgement_without_cells_gives_its_reason() -> None:
    found = Judgement(Verdict.UNTESTED, reason="not run")
    assert (
        filled("{P35}", lambda claim, name: (str(found.verdict), found.ours or found.reason), PROBING)
        == "not run"
    )
