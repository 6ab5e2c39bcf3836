"""The papers' tables of settings: each parameter has its key, and the same value unless a remark says why."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tworay.papers import library, pages, parameters
from tworay.papers.library import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

PAPERS = [paper for paper in library.papers() if not paper.study]
THESIS = library.find("thesis")
PAGES = Path(__file__).resolve().parents[2] / "docs/studies"
# Words of the papers for values of keys.
WORDS = {"on": "true", "off": "false", "two-rayground": "two-ray-ground"}


def plain(value: str) -> str:
    """Return a printed value in the form of the keys: ``5 secs`` as ``5s``, ``ON`` as ``true``."""
    text = value.lower().replace(" ", "").replace("bytes", "b")
    text = re.sub(r"(?<=\d)secs?$", "s", text)
    return WORDS.get(text, text)


def alike(value: str, here: str) -> bool:
    """Tell whether a value is the paper's; a choice that is switched off may be called so."""
    return plain(value) in (here.lower(), {"off": "false"}.get(here, here.lower()))


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_values_are_the_papers_or_a_remark_says_why(paper: library.Paper) -> None:
    for figure in paper.figures:
        for one in parameters.of(paper, figure):
            assert one.key or one.remark, one
            assert bool(one.key) == bool(one.here), one
            assert one.remark or alike(one.paper, one.here), one


def test_every_table_of_settings_of_the_thesis_is_listed() -> None:
    tables = [one for one in THESIS.figures if one.state is State.SETTINGS]
    # Limits of the window by hops belong to a variant, which shows them.
    assert [one.id for one in tables if not parameters.of(THESIS, one)] == ["table 4.2"]


# Lines in the tables of the thesis (p. 47, 52, 55, 79, 143 and 171 to 173).
LINES = {
    "table 3.1": 8,
    "table 3.2": 8,
    "table 3.3": 8,
    "table 4.1": 6,
    "table 5.5": 7,
    "table A.1": 12,
    "table A.2": 20,
    "table A.3": 21,
    "table A.4": 15,
}


@pytest.mark.parametrize("number", LINES)
def test_no_parameter_is_left_out(number: str) -> None:
    names = [one.name for one in parameters.of(THESIS, THESIS.figure(number))]
    assert len(set(names)) == len(names) == LINES[number]


def test_the_dialects_values_are_those_of_their_tables() -> None:
    here = {one.name: one.here for one in parameters.of(THESIS, THESIS.figure("table A.2"))}
    # DSR of RFC 4728 has 10 ms and 64 packets.
    assert (here["Broadcast Jitter"], here["Send Buffer Size"]) == ("20ms", "100")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('["x", "1", "routing.aodv.no_such"]', "no such key"),
        ('["x", "1", "tcp.no_such"]', "no such key"),
        ('["x", "1", ""]', "a key is needed"),
    ],
)
def test_wrong_keys_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, row: str, said: str) -> None:
    (tmp_path / THESIS.key).mkdir()
    (tmp_path / THESIS.key / "parameters.toml").write_text(
        f'["table 3.1"]\nscenario = "route-break"\nrows = [{row}]\n'
    )
    monkeypatch.setattr("tworay.papers.parameters.HERE", tmp_path)
    parameters.tables.cache_clear()
    try:
        with pytest.raises(ValueError, match=said):
            parameters.of(THESIS, THESIS.figure("table 3.1"))
    finally:
        parameters.tables.cache_clear()


def test_a_table_is_printed_by_its_number(cli: Callable[..., Result]) -> None:
    done = cli("reproduce", "thesis:Table A.3")
    line = next(line for line in done.out.splitlines() if line.startswith("Duplicate Hold Time"))
    assert re.split(r"\s{2,}", line.strip())[1:] == ["30 secs", "30s", "routing.olsr.duplicate_hold_time"]
    known = cli("reproduce", "thesis:table 3.1", "--json").document["parameters"]
    assert {"table": "table 3.1", "name": "TTL start", "here": "2"}.items() <= known[4].items()


def test_the_page_has_the_tables() -> None:
    text = "\n".join(pages._without(THESIS, set()))
    assert "| Flowstate | OFF |  |  | not built |" in text


@pytest.mark.parametrize("table", [one.id for one in THESIS.figures if parameters.of(THESIS, one)])
def test_each_table_is_shown(cli: Callable[..., Result], table: str) -> None:
    told = cli("reproduce", f"thesis:{table}", "--stored", str(PAGES))
    assert told.code == 0, told.err
    first = parameters.of(THESIS, THESIS.figure(table))[0]
    assert " ".join(first.name.split()) in " ".join(told.out.split())
