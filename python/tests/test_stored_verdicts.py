"""Verdicts from stored cells: the file, the command, and one claim by its name."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tworay.errors import InputError
from tworay.papers import library, pages, stored
from tworay.papers.claimlists import GUESSES
from tworay.papers.earlier import Earlier
from tworay.papers.library import MAIN, State
from tworay.papers.reproducing import from_stored
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import Measured

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

# F24 claims +600 % of one cell; F20 "more" at each of four speeds.
CELLS: stored.Stored = {
    "F24": {
        MAIN: [Measured((), 4.4, -0.5, 9.3, 20)],
        library.STANDARD: [Measured((), 610.0, 580.0, 625.0, 8)],
    },
    "F20": {
        MAIN: [
            Measured(("2 m/s",), 9.0, 2.0, 16.0, 20),
            Measured(("10 m/s",), 3.0, 1.0, 5.0, 20),
            Measured(("20 m/s",), 3.0, -9.0, 15.0, 20),
            Measured(("30 m/s",), None, None, None, 1),
        ]
    },
}


def test_cells_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "freeze-probing-2005.csv"
    stored.write(CELLS, file)
    assert stored.read(file) == CELLS
    assert file.read_text().splitlines()[:2] == [
        "claim,reading,cell,estimate,low,high,seeds",
        "F24,as judged,,4.4,-0.5,9.3,20",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "columns must be"),
        ("claim,reading,cell,estimate,low,high,seeds\nF24,as judged,,x,1,2,3\n", ":2:"),
        ("claim,reading,cell,estimate,low,high,seeds\nF24,as judged\n", ":2:"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "x.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        stored.read(file)


def test_verdicts_follow_from_the_cells(tmp_path: Path) -> None:
    paper = library.find("freeze-probing")
    stored.write(CELLS, stored.file_of(tmp_path, paper.key))
    result = from_stored(paper, tmp_path)
    assert result.judgements["F24"].verdict is Verdict.FAILS
    assert result.others["F24"][library.STANDARD].verdict is Verdict.HOLDS
    four = result.judgements["F20"]
    assert [cell.verdict for cell in four.cells] == [
        Verdict.HOLDS,
        Verdict.DIRECTION,
        Verdict.INCONCLUSIVE,
        Verdict.UNTESTED,
    ]
    assert four.verdict is Verdict.INCONCLUSIVE
    assert four.share == "holds in 1 of 3 cells, in direction in 1, inconclusive in 1"
    assert result.judgements["F21"].reason == "not run yet"
    # A unit test is no verdict.
    assert "F01" not in result.judgements
    with pytest.raises(InputError, match="no stored cells"):
        from_stored(library.find("welcome"), tmp_path)


def test_a_claim_over_several_experiments_does_not_lower_their_seeds(tmp_path: Path) -> None:
    """T3.40 puts six fields together: one with 25 topologies takes nothing from the others with 50."""
    paper = library.find("thesis")
    own, joint = paper.claim("T3.21"), paper.claim("T3.40")
    assert own is not None
    assert joint is not None
    assert own.experiments == ("aodv-strip",)
    assert "aodv-strip" in joint.experiments
    cells = {
        own.id: {MAIN: [Measured(("2 m/s",), 9.0, 8.0, 10.0, 50)]},
        joint.id: {MAIN: [Measured((), 9.0, 8.0, 10.0, 25)]},
    }
    stored.write(cells, stored.file_of(tmp_path, paper.key))
    seeds = from_stored(paper, tmp_path).seeds
    assert seeds["aodv-strip"] == 50
    assert seeds["olsr-strip"] == 25


def test_cells_of_several_experiments_count_for_their_own(tmp_path: Path) -> None:
    """T4.07 is judged on two experiments, the first label of whose cells names theirs."""
    paper = library.find("thesis")
    places = [("growth-pairs", "string-4", "1 and 4"), ("growth-pairs-newreno", "string-4", "1 and 4")]
    one, other = (Measured(place, 1.0, 0.0, 2.0, seeds) for place, seeds in zip(places, (5, 7), strict=True))
    stored.write({"T4.07": {MAIN: [one, other]}}, stored.file_of(tmp_path, paper.key))
    seeds = from_stored(paper, tmp_path).seeds
    assert (seeds["growth-pairs"], seeds["growth-pairs-newreno"]) == (5, 7)


def test_the_tally_counts_each_claim_once(tmp_path: Path) -> None:
    """F10n is another reading of F10, and F53 is quoted from another paper."""
    one = [Measured((), 1.0, 0.99, 1.01, 20)]
    gain = [Measured((), 9.0, 8.0, 10.0, 20)]
    paper = library.find("freeze-probing")
    cells = {"F10": {MAIN: one}, "F10n": {MAIN: one}, "F53": {MAIN: gain}}
    stored.write(cells, stored.file_of(tmp_path, paper.key))
    result = from_stored(paper, tmp_path)
    assert {result.judgements[name].verdict for name in cells} == {Verdict.HOLDS}
    assert pages.count(result)[Verdict.HOLDS] == 1


def test_guesses_stay_on_a_page_whose_experiment_has_another_title(tmp_path: Path) -> None:
    """They come from runs: a page that is written from cells alone takes them over from the page before."""
    paper = library.find("freeze-probing")
    stored.write(CELLS, stored.file_of(tmp_path, paper.key))
    pages.page(from_stored(paper, tmp_path), tmp_path)
    file = tmp_path / f"{paper.key}.md"
    text = file.read_text()
    trial = paper.trials["mobility"]
    start = text.index(f"### {trial.title}")
    end = text.index("\n### ", start)
    table = f"\n{GUESSES}\n\n| variant | guess | none |\n| --- | --- | --- |\n| elfn | congestion | 7 |\n"
    file.write_text(text[:end] + table + text[end:])
    renamed = replace(paper, trials=paper.trials | {"mobility": replace(trial, title="Moving nodes")})
    for one in (paper, renamed, paper):
        pages.page(from_stored(one, tmp_path), tmp_path)
        part = file.read_text().partition(f"### {one.trials['mobility'].title}\n")[2].partition("\n### ")[0]
        assert "| elfn | congestion | 7 |" in part


def test_one_claim_is_judged_and_explained_by_its_name(cli: Cli, tmp_path: Path) -> None:
    stored.write(CELLS, stored.file_of(tmp_path, "freeze-probing-2005"))
    told = cli("reproduce", "freeze-probing:F24", "--stored", str(tmp_path), "--explain")
    assert told.code == 0, told.err
    assert "does not hold" in told.out
    text = " ".join(told.out.split())
    assert "[l, u] = [-0.5 %, +9.3 %], 20 seeds: [l, u] is outside the band +570 % to +630 %" in text
    assert "judged as: +570 to +630: a printed figure ±5 %; margin of relevance 5 %" in text
    assert "Simulator: it holds with a standard MAC." in text
    assert "F20" not in text
    short = " ".join(cli("reproduce", "freeze-probing:F24", "--stored", str(tmp_path)).out.split())
    assert "found: +4.4 % (-0.5 % to +9.3 %) verdict: does not hold (20 seeds or more a cell)" in short
    found = cli("reproduce", "freeze-probing:F20", "--stored", str(tmp_path), "--json").document
    (claim,) = found["claims"]
    assert (claim["verdict"], claim["role"], claim["across"]) == ("inconclusive", "claim", "every")
    assert [cell["verdict"] for cell in claim["cells"]] == [
        "holds",
        "holds in direction",
        "inconclusive",
        "not testable here",
    ]
    listed = cli("reproduce", "freeze-probing:F24", "--list", "--json").document
    assert [one["id"] for one in listed["claims"]] == ["F24"]
    wrong = cli("reproduce", "freeze-probing:F99", "--stored", str(tmp_path))
    assert (wrong.code, "F9" in wrong.err) == (2, True)


def test_a_figure_that_is_named_comes_with_its_state_and_drawing(cli: Cli, tmp_path: Path) -> None:
    """The drawing is the one that the page in that folder shows."""
    paper = library.find("probing")
    stored.write({}, stored.file_of(tmp_path, paper.key))
    shutil.copy(PAGES / f"{paper.key}.md", tmp_path)
    drawing = tmp_path / f"{paper.key}-figure-20.svg"
    drawing.write_text("<svg/>")
    figure = paper.figure("20")
    assert figure.deviates
    told = cli("reproduce", "probing:20", "--stored", str(tmp_path))
    assert told.code == 0, told.err
    text = " ".join(told.out.split())
    assert f"probing:20: {figure.title} [deviating] " in text
    assert f" {figure.deviates} " in text
    # The page's numbers, between the two.
    kept = Earlier.read(tmp_path / f"{paper.key}.md").figure("20")
    assert kept is not None
    cells = kept.cells()
    assert cells is not None
    assert len(cells[1]) > 5
    assert all(row[0] in text and row[1].split(" (")[0] in text for row in cells[1])
    assert drawing.name in told.out.replace("\n", "")
    about = cli("reproduce", "probing:20", "--stored", str(tmp_path), "--json").document["figures"]
    assert [(one["state"], one["how"], one["file"]) for one in about] == [
        ("deviating", figure.deviates, str(drawing))
    ]
    drawing.unlink()
    assert drawing.name not in cli("reproduce", "probing:20", "--stored", str(tmp_path)).out.replace("\n", "")
    (about,) = cli("reproduce", "probing:20", "--stored", str(tmp_path), "--json").document["figures"]
    assert (about["state"], about["file"]) == ("deviating", None)
    # One that is not made is no error here: its reason is told.
    others = [replace(one, missing="a photograph", deviates="") for one in paper.figures]
    (asked,) = from_stored(replace(paper, figures=tuple(others)), tmp_path, wanted="20").asked
    assert (asked.state, asked.remark) == (State.NOT_MADE, "a photograph")


def test_a_headline_is_judged_by_its_number(cli: Cli, tmp_path: Path) -> None:
    """H1 is made up of F22, F23, F24 and F26, of which F24 has cells."""
    stored.write(CELLS, stored.file_of(tmp_path, "freeze-probing-2005"))
    told = cli("reproduce", "freeze-probing:H1", "--stored", str(tmp_path))
    assert told.code == 0, told.err
    assert told.out.startswith(
        "freeze-probing:H1: Freeze-Probing's gain over Reno grows with speed: +16 to +600 %"
    )
    assert [line[15:18] for line in told.out.splitlines() if line.startswith("freeze-probing:F")] == [
        "F22",
        "F23",
        "F24",
        "F26",
    ]
    listed = cli("reproduce", "freeze-probing:H1", "--list", "--json").document
    assert [one["id"] for one in listed["claims"]] == ["F22", "F23", "F24", "F26"]
    for wrong in ("H0", "H99", "H"):
        assert cli("reproduce", f"freeze-probing:{wrong}", "--stored", str(tmp_path)).code == 2


def test_a_claim_is_run_by_its_name(cli: Cli, tmp_path: Path) -> None:
    """The same verdict from runs and from the cells that they leave."""
    ran = cli("reproduce", "thesis:T4.09", "--quick", "--seeds", "2", "--out", "r", "--json")
    assert ran.code == 0, ran.err
    (claim,) = ran.document["claims"]
    assert claim["id"] == "T4.09"
    assert [cell["seeds"] for cell in claim["cells"]] == [2]
    again = cli("reproduce", "thesis:T4.09", "--quick", "--no-run", "--out", "r", "--explain")
    assert again.code == 0, again.err
    assert f"verdict: {claim['verdict']}" in again.out


def test_a_page_judged_anew_keeps_what_came_from_runs(tmp_path: Path) -> None:
    paper = library.find("freeze-probing")
    file = tmp_path / f"{paper.key}.md"
    file.write_text(
        "# T\n\nMade by x\non a day.\n\n## Figures and tables\n\n**7: earlier**; 12 seeds; as defined.\n\n"
        "| numbers |\n| --- |\n\n## Settings\n\nearlier\n"
    )
    stored.write(CELLS, stored.file_of(tmp_path, paper.key))
    pages.page(from_stored(paper, tmp_path), tmp_path)
    text = file.read_text()
    assert "Made by x\non a day.\n" in text
    assert "**7: Goodput by speed**; 12 seeds" in text
    assert "\n| numbers |\n| --- |\n" in text
    assert "earlier" not in text
    assert "| F24 | figure 7 |" in text
    assert stored.read(stored.file_of(tmp_path, paper.key)) == CELLS


def test_parts_of_an_earlier_page() -> None:
    page = Earlier(("# T", "", "## A", "### b", "x", "Guesses", "", "| 1 |", "", "### c", "y", "## B"))
    assert page.part("unknown", "b", "Guesses") == ["Guesses", "", "| 1 |", ""]
    assert page.part("unknown", "c", "Guesses") == page.part("unknown", "d", "Guesses") == []
    assert page.section("## A")[-1] == "y"
    assert page.section("## C") == page.made() == []


PAGES = Path(__file__).parents[2] / "docs/studies"


def test_the_changelog_has_the_tally_of_today() -> None:
    changes = (PAGES.parents[1] / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    for paper in (paper for paper in library.papers() if not paper.study):
        counts = pages.count(from_stored(paper, PAGES))
        today = ", ".join(str(counts[one]) for one in pages.SHOWN)
        (row,) = [line for line in changes if line.startswith(f"  | {paper.name} | ")]
        assert row.endswith(f" | {today} |"), row


@pytest.mark.parametrize(
    "paper", [p for p in library.papers() if stored.file_of(PAGES, p.key).is_file()], ids=lambda p: p.name
)
def test_the_verdicts_on_a_page_follow_from_the_cells_beside_it(paper: library.Paper) -> None:
    rows: dict[str, str] = {}
    for line in (PAGES / f"{paper.key}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            rows.setdefault(line.split(" | ")[0].removeprefix("| "), line)
    for claim, judgement in from_stored(paper, PAGES).judgements.items():
        shown = pages.ours(judgement).replace("|", "/")
        assert f"| **{judgement.verdict}** | {shown}" in rows[claim], claim
