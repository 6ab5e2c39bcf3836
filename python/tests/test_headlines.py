"""Headlines, causes and a paper's page: grouped, explained, with intervals, plot, settings and command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tworay.papers import causes, headlines, library, overview, pages, stored
from tworay.papers.deciding import deciding
from tworay.papers.library import MAIN, STANDARD
from tworay.papers.reproducing import from_stored
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import Measured

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.reproducing import Reproduction

PAPER = library.find("freeze-probing")
OTHER = "replies from caches: all reply"
# Of one cell each, in percent: F20, F21, F30 and F31 claim "more"; 9 to 11 % holds, -1 to 1 % does not.
MORE, NONE, LESS, WIDE = (9.0, 11.0), (-1.0, 1.0), (-11.0, -9.0), (-9.0, 9.0)


def one(low: float, high: float, seeds: int = 20) -> list[Measured]:
    return [Measured(("2 m/s",), (low + high) / 2, low, high, seeds)]


def judged(folder: Path, cells: dict[str, dict[str, tuple[float, float]]]) -> Reproduction:
    found = {claim: {name: one(*ends) for name, ends in by.items()} for claim, by in cells.items()}
    stored.write(found, stored.file_of(folder, PAPER.key))
    return from_stored(PAPER, folder)


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ({MAIN: MORE, STANDARD: MORE}, "Survives a standard MAC."),
        ({MAIN: MORE, STANDARD: NONE}, "Simulator: not with a standard MAC."),
        ({MAIN: MORE, STANDARD: WIDE}, "With a standard MAC these seeds cannot decide."),
        ({MAIN: MORE}, "Not run with a standard MAC."),
        ({MAIN: NONE, STANDARD: MORE}, "Simulator: it holds with a standard MAC."),
        ({MAIN: NONE, STANDARD: NONE, OTHER: MORE}, f"Setting: it holds with {OTHER}."),
        ({MAIN: NONE, STANDARD: NONE, OTHER: NONE}, "In neither dialect."),
        ({MAIN: NONE, STANDARD: WIDE}, "With a standard MAC these seeds cannot decide."),
        ({MAIN: (1.0, 3.0), STANDARD: NONE}, "Not with a standard MAC."),
        ({MAIN: WIDE, STANDARD: NONE}, "These seeds cannot decide."),
    ],
)
def test_dialects_and_readings_tell_what_a_verdict_depends_on(
    tmp_path: Path, by: dict[str, tuple[float, float]], said: str
) -> None:
    assert causes.tag(judged(tmp_path, {"F31": by}), "F31") == said


def test_each_failure_has_a_cause_and_nothing_else_has(tmp_path: Path) -> None:
    result = judged(
        tmp_path,
        {"F20": {MAIN: NONE}, "F21": {MAIN: LESS, OTHER: MORE}, "F30": {MAIN: MORE}, "F31": {MAIN: WIDE}},
    )
    known = {
        claim.id: causes.cause(result, claim)
        for claim in PAPER.claims
        if claim.id in ("F20", "F21", "F30", "F31")
    }
    assert "Reno's waits are short" in known["F20"]
    # Without a cause of its own or of its headline it has that of its experiment, and the reading that holds.
    assert known["F21"].startswith("Setting: without replies from caches")
    assert known["F21"].endswith(f"Setting: it holds with {OTHER}.")
    assert known["F30"] == known["F31"] == ""


def test_a_cause_names_no_results_of_other_claims(tmp_path: Path) -> None:
    """H4 is explained with results of F43 and F44: what belongs to F44 says nothing of F43."""
    result = judged(tmp_path, {"F43": {MAIN: NONE, OTHER: MORE}, "F44": {MAIN: NONE}})
    (headline,) = [one for one in PAPER.headlines if "F43" in one.claims]
    assert "{F44}" in headline.because
    (claim,) = [claim for claim in PAPER.claims if claim.id == "F43"]
    said = causes.cause(result, claim)
    assert said.startswith("The MAC repeats lost frames")
    assert "where all nodes reply from caches the difference is +10.0 %" in said
    assert "F44" not in said


def test_readings_without_runs_say_so(tmp_path: Path) -> None:
    result = judged(tmp_path, {"F30": {MAIN: NONE, OTHER: MORE}})
    (row,) = [line for line in deciding(result) if line.startswith("| udp |")]
    assert "all reply;" in row
    assert "neighbours reply (not run)" in row


def test_an_unknown_cause_says_how_the_result_differs(tmp_path: Path) -> None:
    """F50 is quoted and its experiment has no cause: the cells lie on the other side of zero."""
    result = judged(tmp_path, {"F50": {MAIN: LESS, STANDARD: LESS}})
    (claim,) = [claim for claim in PAPER.claims if claim.id == "F50"]
    said = causes.cause(result, claim)
    assert said == "The cause is not known: the other way round; nor does it hold in the standard dialect."


def test_survival_counts_the_claims_that_hold_by_their_verdict_with_a_standard_mac(tmp_path: Path) -> None:
    result = judged(
        tmp_path,
        {
            "F20": {MAIN: MORE, STANDARD: MORE},
            "F21": {MAIN: MORE, STANDARD: NONE},
            "F30": {MAIN: MORE, STANDARD: WIDE},
            "F31": {MAIN: MORE, STANDARD: (1.0, 3.0)},
            "F40": {MAIN: NONE, STANDARD: MORE},
            "F41": {MAIN: MORE},
        },
    )
    assert headlines.survival([result]) == headlines.Survival(holds=1, direction=1, inconclusive=1, fails=1)
    assert headlines.survival([result]).said.startswith("Of 4 claims that hold with ns-2's rules, 1 hold")


def test_a_headline_has_the_range_of_its_first_claim_and_the_number_that_hold(tmp_path: Path) -> None:
    """Estimates of 10 and 20 %, whose intervals reach from 9 to 22 %."""
    cells = [Measured(("2 m/s",), 10.0, 9.0, 11.0, 20), Measured(("30 m/s",), 20.0, 18.0, 22.0, 20)]
    stored.write({"F20": {MAIN: cells}, "F30": {MAIN: one(*NONE)}}, stored.file_of(tmp_path, PAPER.key))
    rows = headlines.of_result(from_stored(PAPER, tmp_path))
    assert rows[1].found == "**holds** +10.0 to +20.0 % (+9.0 to +22.0); 1 of 3"
    assert rows[1].standard == "not run"


def test_a_headline_has_the_same_claim_with_a_standard_mac(tmp_path: Path) -> None:
    """F20 stands for the second headline and was not run with a standard MAC; F30, its next claim, was."""
    result = judged(tmp_path, {"F20": {MAIN: MORE}, "F30": {MAIN: MORE, STANDARD: NONE}})
    row = headlines.of_result(result)[1]
    assert row.found.startswith("**holds**")
    assert row.standard == "not run"


def test_a_headline_has_the_plots_of_its_metrics_if_the_source_draws_none(tmp_path: Path) -> None:
    """F27 and F28 name figure 8, which is another experiment's; our figure of the same metric is drawn."""
    drawn = "**{0}: T**; 9 seeds; added.\n\n![{0}: T]({1}.svg)\n\n"
    figures = "".join(drawn.format(name, file) for name, file in (("4", "a"), ("8, waits", "b")))
    (tmp_path / f"{PAPER.key}.md").write_text(f"# T\n\n{pages.FIGURES}\n\n{figures}## Settings\n")
    pages.page(judged(tmp_path, {"F27": {MAIN: MORE}}), tmp_path)
    text = (tmp_path / f"{PAPER.key}.md").read_text()
    part = text.partition("\n### H5. ")[2].partition("\n### ")[0]
    assert "(b.svg)" in part
    assert "(a.svg)" not in part


def test_a_headline_without_runs_is_not_explained(tmp_path: Path) -> None:
    rows = headlines.of_result(judged(tmp_path, {"F20": {MAIN: NONE}}))
    assert (rows[0].found, rows[0].standard, rows[0].why, rows[0].brief) == ("not run yet", "not run", "", "")
    assert rows[1].brief.startswith("Setting: without replies from caches")


def test_a_page_groups_claims_by_headline_with_cells_plot_settings_and_command(tmp_path: Path) -> None:
    figure = "**7: Goodput by speed**; 12 seeds; as defined.\n\n![7: Goodput by speed](a.svg)\n"
    (tmp_path / f"{PAPER.key}.md").write_text(f"# T\n\n{pages.FIGURES}\n\n{figure}\n## Settings\n")
    result = judged(tmp_path, {"F20": {MAIN: MORE, STANDARD: NONE}, "F21": {MAIN: NONE}})
    pages.page(result, tmp_path)
    text = (tmp_path / f"{PAPER.key}.md").read_text()
    for number, headline in enumerate(PAPER.headlines, 1):
        part = text.partition(f"\n### H{number}. ")[2].partition("\n### ")[0]
        assert [c for c in headline.claims if f"\n| {c} | " not in part] == [], headline.says
        assert f"`tworay reproduce freeze-probing:H{number}`" in part
        assert "\n- `" in part
    second = text.partition("\n### H2. ")[2].partition("\n### ")[0]
    assert "| F20 | 2 m/s | +10.0 % (+9.0 % to +11.0 %) | 20 | holds | +0.0 % (-1.0 % to +1.0 %) |" in second
    assert "![7: Goodput by speed](a.svg)" in second
    assert "DSR without replies from caches" in second
    # F21 is in no headline: it stands with its experiment. Verdicts list both.
    others = text.partition("\n## The other claims, by experiment\n")[2]
    assert "\n| F21 | " in others
    assert "\n| F20 | " not in others
    assert "| holds | 1 | F20 |" in text
    assert "| does not hold | 1 | F21 |" in text
    # A page judged anew from it finds the drawing again.
    pages.page(result, tmp_path)
    assert (tmp_path / f"{PAPER.key}.md").read_text() == text


def test_every_claim_is_on_the_page_once(tmp_path: Path) -> None:
    for paper in library.papers():
        stored.write({}, stored.file_of(tmp_path, paper.key))
        pages.page(from_stored(paper, tmp_path), tmp_path)
        lines = (tmp_path / f"{paper.key}.md").read_text().splitlines()
        start = lines.index("## The claims")
        ids = [line.split(" | ")[0].removeprefix("| ") for line in lines[start:] if line.startswith("| ")]
        in_several = {c.id for c in paper.claims if sum(c.id in h.claims for h in paper.headlines) > 1}
        assert [claim.id for claim in paper.claims if ids.count(claim.id) != 1] == sorted(in_several)


def test_the_front_page_is_short_and_lists_five_to_eight_headlines_a_paper(tmp_path: Path) -> None:
    result = judged(tmp_path, {"F20": {MAIN: MORE, STANDARD: MORE}})
    papers = [paper for paper in library.papers() if not paper.study]
    overview.write_both([result], papers, tmp_path)
    text = (tmp_path / overview.OVERVIEW).read_text()
    for paper in papers:
        part = text.partition(f"]({paper.key}.md)\n")[2].partition("\n## ")[0]
        assert 5 <= sum(line.startswith("| H") for line in part.splitlines()) <= 8
    assert "Of 1 claims that hold with ns-2's rules, 1 hold with a standard MAC too" in text.replace(
        "\n", " "
    )
    # What a reader in a hurry reads: a paper without results is not there, and no place is left open.
    short = text.partition("\n## In short\n")[2].partition("\n## ")[0]
    assert short.count("- **") == 1
    assert "Freeze-Probing gains +10.0 % (+9.0 % to +11.0 %) over Reno" in " ".join(short.split())
    assert len(short.split()) < 80
    part = text.partition("\n## Tally\n")[2].partition("\n## ")[0]
    tally = [line for line in part.splitlines() if line.startswith("| [freeze-probing]")]
    assert [line.split(" | ")[1] for line in tally] == ["1"]
    assert Verdict.HOLDS in (tmp_path / overview.LISTS).read_text()
