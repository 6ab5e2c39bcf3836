"""Figures of papers: where each is listed, what carries it, and how the papers' pages show it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tworay import Scenario
from tworay.errors import InputError
from tworay.papers import library, overview, pages
from tworay.papers.library import WITHOUT_RESULTS, Figure, State
from tworay.papers.numbering import nearest, parsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    from tworay.papers.library import Paper

DOCS = Path(__file__).parents[2] / "docs/studies"
PAPERS = [paper for paper in library.papers() if not paper.study]


def test_states_of_figures() -> None:
    assert Figure("1", "").state == State.DEFINED
    assert Figure("1", "", deviates="the mean alone").state == State.DEVIATING
    assert Figure("1", "", missing="a drawing").state == State.NOT_MADE
    assert Figure("1", "", own=True).state == State.ADDED
    assert Figure("1", "", shows="drawing", see="x").state == State.DRAWING
    assert Figure("1", "", shows="settings", see="x").state == State.SETTINGS


def test_the_list_names_every_figures_state(cli: Callable[..., Result]) -> None:
    done = cli("reproduce", "--list", "--json")
    figures = done.document["figures"]
    assert len(figures) == sum(len(paper.figures) for paper in library.papers())
    for one in figures:
        assert one["state"] in list(State)
        assert (one["state"] == State.DEVIATING) == bool(one["how"]), one
        assert (one["state"] == State.NOT_MADE) == bool(one["why"]), one
        assert (one["state"] in WITHOUT_RESULTS) == bool(one["see"]), one


# Figures and tables with a caption in each source: number of the last one in each chapter.
CAPTIONS = {
    "freeze-probing": {"figure": 10},
    "probing": {"figure": 23},
    "energy": {"figure": 4},
    "welcome": {"figure": 25, "table I": 0},
    "thesis": {
        **{"figure 1": 5, "figure 2": 4, "figure 3": 11, "figure 4": 21, "figure 5": 17, "figure B": 2},
        **{"table 3": 7, "table 4": 4, "table 5": 16, "table A": 4, "table B": 1},
    },
}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_numbered_figure_and_table_is_listed(paper: Paper) -> None:
    wanted = set()
    for chapter, last in CAPTIONS[paper.name].items():
        kind, _, number = chapter.partition(" ")
        if not last:
            wanted.add((kind, number, 0))
        for n in range(1, last + 1):
            wanted.add((kind, number, n) if number else (kind, str(n), 0))
    found = {known[:3] for one in paper.figures if not one.own and (known := parsed(one.id))}
    assert found == wanted


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_what_carries_drawings_and_settings_is_there(paper: Paper) -> None:
    """Scenarios, dialects, variants, experiments and pages that the list names exist."""
    for one in paper.figures:
        for name in re.findall(r"scenarios --show ([\w-]+)", one.see):
            assert Scenario.load(name), one.id
        for table, dialect in re.findall(r'`(routing\.\w+)\.dialect = "([\w-]+)"`', one.see):
            assert Scenario.load("string-4", [f"{table}.dialect={dialect}"]), one.id
        for variant in re.findall(r"variants?(?: --show| `)[ ]?([\w+-]+)`", one.see):
            assert Scenario.spelt_out(variant), one.id
        for experiment in re.findall(r"experiments? (?:from )?`([\w-]+)`", one.see):
            assert experiment in paper.trials, one.id
        for page in re.findall(r"docs/[\w/-]+\.md", one.see):
            assert (DOCS.parents[1] / page).is_file(), one.id


def test_numbers_of_figures_as_readers_write_them() -> None:
    paper = library.find("thesis")
    assert [one.id for one in paper.numbered("figure 3.8")] == ["3.8a", "3.8b"]
    assert [one.id for one in paper.numbered("fig. 3.8B")] == ["3.8b"]
    assert [one.id for one in paper.numbered("Table 3.4")] == ["table 3.4"]
    assert [one.id for one in paper.numbered("3.11")] == ["3.11a", "3.11b"], "no additions"
    assert [one.id for one in paper.numbered("Figure 3.11, means")] == ["3.11, means"]
    assert len(paper.numbered("table 5.6")) == 5
    assert [one.id for one in paper.numbered("table 5.6, 4 flows")] == ["table 5.6, 4 flows"]
    assert nearest("5.18", ["5.16", "5.1", "5.17", "table 5.16", "4.18"], []) == ["5.17", "5.16", "5.1"]
    assert nearest("table 3.9", ["3.8a", "table 3.7", "table 3.4"], []) == ["table 3.7", "table 3.4"]
    assert nearest("26", ["1", "25", "table I"], [])[0] == "25"
    assert nearest("restord", ["restored", "3.1"], ["T3.01"]) == ["restored"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(
            (one, ["3.8a"])
            for one in ("3.8(a)", "3.8 (a)", "3.8(A)", "Figure 3.8a", "figure 3.8 a", "Fig. 3.8(a)")
        ),
        *(
            (one, ["3.8a", "3.8b"])
            for one in ("fig 3.8", "Fig.3.8", "fig3.8", "figs. 3.8", "Figure 3.8.", " 3.8 ")
        ),
        *((one, ["table 4.4"]) for one in ("table 4.4", "TABLE 4.4", "tab. 4.4", "Tab.4.4", "table4.4")),
        ("Table A.1", ["table A.1"]),
        ("figure b.1", ["B.1"]),
        ("figure 4.5(c)", ["4.5"]),
        ("5.8b", ["5.8"]),
        ("3.8c", None),
        ("4.6x", None),
        ("table 3.8a", None),
    ],
)
def test_the_obvious_spellings_of_a_number_are_understood(written: str, meant: list[str] | None) -> None:
    paper = library.find("thesis")
    if meant is None:
        with pytest.raises(InputError, match="has no figure, table or claim"):
            paper.numbered(written)
    else:
        assert [one.id for one in paper.numbered(written)] == meant


@pytest.mark.parametrize("number", ["table 3.4", "table 3.2", "3.1"])
def test_a_figure_or_table_is_printed_by_its_number(
    cli: Callable[..., Result], tmp_path: Path, number: str
) -> None:
    done = cli("reproduce", f"thesis:{number}", "--quick", "--seeds", "1", "--out", str(tmp_path / "r"))
    assert done.code == 0, done.err
    assert f"thesis:{number}: " in done.out
    if number == "table 3.4":
        rows = {line.split()[0]: line for line in done.out.splitlines() if re.match(r"[A-F] ", line)}
        assert sorted(rows) == list("ABCDEF")
        assert rows["C"].rstrip().endswith("B, D"), "the thesis' relays of C stand beside"
    else:
        assert "route-break" in done.out
        assert not (tmp_path / "r").exists(), "nothing to run, nothing to write"


def test_a_number_that_does_not_exist_gives_the_nearest(cli: Callable[..., Result]) -> None:
    done = cli("reproduce", "thesis:table 3.9")
    assert done.code != 0
    assert "did you mean table 3.7 or table 3.6 or table 3.5?" in done.err


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_pages_have_every_figure_as_it_is_listed(paper: Paper) -> None:
    """A figure that the list calls made stands on its paper's page with that state; no others do."""
    text = (DOCS / f"{paper.key}.md").read_text(encoding="utf-8")
    part = text[text.index("\n## Figures and tables\n") : text.index("\n## Settings\n")]
    part, _, without = part.partition("\nWithout results:\n")
    made, _, left = part.partition("\nNot made:\n")
    said = {
        " ".join(block.split()).partition(": ")[0].removeprefix("**"): " ".join(block.split())
        for block in made.split("\n\n")
        if block.startswith("**")
    }
    missing = [line for line in left.splitlines() if line.startswith("| ")][2:]
    # Figures that were added since the last full run are listed as such.
    waiting = [f for f in paper.figures if f"| {f.id} | {f.title} | not run yet |" in missing]
    listed = [f for f in paper.figures if f.experiment and f not in waiting]
    assert list(said) == [figure.id for figure in listed]
    for figure in listed:
        heading = said[figure.id]
        assert heading.startswith(f"**{figure.id}: {figure.title}**; "), figure.id
        assert heading.endswith(f"; {figure.state}{f': {figure.deviates}' * bool(figure.deviates)}."), heading
    known = [f for f in paper.figures if f.missing or f in waiting]
    assert missing == [f"| {f.id} | {f.title} | {f.missing or 'not run yet'} |" for f in known]
    # Tables of settings follow, with a title each.
    rows = [line for line in without.partition("\nTable ")[0].splitlines() if line.startswith("| ")][2:]
    results = [f for f in paper.figures if f.state in WITHOUT_RESULTS]
    assert rows == [f"| {f.id} | {f.title} | {f.state} | {f.see} |" for f in results]


def test_the_lists_count_the_figures() -> None:
    text = (DOCS / overview.LISTS).read_text(encoding="utf-8")
    head, rows = overview.states(PAPERS)
    for row in [head, *rows]:
        assert f"| {' | '.join(row)} |" in text
    assert sum(int(row[1]) for row in rows[:-1]) == int(rows[-1][1])


def test_the_lists_count_the_seeds_of_the_pages() -> None:
    """A row for every experiment, whose seeds are those of the paper's page."""
    text = (DOCS / overview.LISTS).read_text(encoding="utf-8")
    start = text.index(overview.SEEDS)
    rows = [
        line.split(" | ") for line in text[start : text.index("\n## ", start)].splitlines() if "|" in line
    ]
    found = {(row[0].removeprefix("| "), row[1]): row[3] for row in rows[2:]}
    assert set(found) == {(paper.name, trial) for paper in PAPERS for trial in paper.trials}
    for paper in PAPERS:
        page = (DOCS / f"{paper.key}.md").read_text(encoding="utf-8")
        for trial, seeds in re.findall(r"(?m)^Experiment `([^`]+)`, (\d+) seeds?", page):
            assert found[paper.name, trial].split()[0].rstrip(",") == seeds, trial


def test_papers_without_cells_have_the_numbers_of_their_earlier_page(tmp_path: Path) -> None:
    page = (
        "Experiment `mobility`, 20 seeds.\n\n| F22 | figure 7 | x | more | **no difference found** | "
        "+3.5 % to +5.6 %; 3 of 5 cells |\n\n**7: Goodput by speed**; 12 seeds; as defined.\n"
    )
    (tmp_path / "freeze-probing-2005.md").write_text(page)
    paper = library.find("freeze-probing")
    overview.write_both([], [paper], tmp_path)
    text = (tmp_path / overview.OVERVIEW).read_text()
    assert "freeze-probing: no cells are stored yet" in text
    assert "| H1 | Freeze-Probing's gain over Reno grows with speed: +16 to +600 % | *earlier rule:* " in text
    assert "+3.5 % to +5.6 % | not run |" in text
    assert "no difference found" not in text
    lists = (tmp_path / overview.LISTS).read_text()
    assert "| 20 (figures: 12) | 20 seeds: `tworay reproduce 'freeze-probing:4'` |" in lists


def test_a_figure_whose_definition_changed_is_marked(tmp_path: Path) -> None:
    """The state is that of today, and the page says that the drawing is older."""
    paper = library.find("freeze-probing")
    seven = paper.figure("7")
    heading = (
        f"**7: EARLIER title**; 12 seeds; deviating: EARLIER.\n\n<!-- definition {seven.definition} -->\n"
    )
    body = f"{pages.FIGURES}\n\n{heading}\n![7: EARLIER](a.svg)\n\n| a |\n| --- |\n| b |\n"
    file = tmp_path / f"{paper.key}.md"
    file.write_text(f"# T\n\n{body}\n## Settings\n\nEARLIER\n\n{pages.RULED}\n\nkept\n")
    pages.refresh(paper, tmp_path)
    text = file.read_text()
    assert "**7: Goodput by speed**; 12 seeds (full size: 20 seeds: " in text
    assert "![7: Goodput by speed](a.svg)\n\n| a |\n| --- |\n| b |\n" in text
    assert "EARLIER" not in text
    assert "before its definition" not in text
    assert "| 9 | Goodput by speed, two UDP flows | not run yet |" in text
    file.write_text(text.replace(seven.definition, "00000000"))
    pages.refresh(paper, tmp_path)
    assert "Drawn before its definition changed; `tworay reproduce 'freeze-probing:7'`" in file.read_text()


def test_the_digest_of_a_figure_is_about_what_it_shows() -> None:
    trial = library.find("freeze-probing").trials["mobility"]
    entry = {"id": "7", "title": "t", "experiment": "mobility", "rows": "speed"}
    digest = library._digest(entry, trial)
    assert library._digest(entry | {"title": "u", "deviates": "x"}, trial) == digest
    assert library._digest(entry | {"metric": "timeouts"}, trial) != digest
    fewer = replace(trial, document=trial.document | {"seeds": 1})
    assert library._digest(entry, fewer) == digest
    longer = replace(trial, document=trial.document | {"tcp": ["reno"]})
    assert library._digest(entry, longer) != digest


def test_pictures_and_pages_belong_together() -> None:
    for paper in PAPERS:
        text = (DOCS / f"{paper.key}.md").read_text(encoding="utf-8")
        for file in DOCS.glob(f"{paper.key}-figure-*.svg"):
            assert f"]({file.name})" in text, file.name
