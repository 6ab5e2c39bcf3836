"""Tables: whole numbers at any width."""

from __future__ import annotations

import pytest
from conftest import document

from tworay.experiment.comparison import Comparison
from tworay.showing.layout import Column, screen_width, table
from tworay.showing.reporting import comparison_report
from tworay.showing.text import Group, Text, display, rendered


def comparison(variants: list[str]) -> Comparison:
    result = Comparison("made-up", variants)
    for place, variant in enumerate(variants):
        for seed in range(1, 7):
            goodput = 1_234_567.8 + 100_000 * place + 7_000 * ((seed * (place + 3)) % 5)
            result.add(variant, seed, document(variant, seed, goodput, timeouts=1000 * seed))
    return result


def test_columns_that_do_not_fit_go_below() -> None:
    columns = [Column("one", ["1.0 ± 0.5"]), Column("two", ["2.0 ± 0.5"]), Column("three", ["3.0 ± 0.5"])]
    assert len(table("arm", ["reno"], columns, 80)) == 1
    below = table("arm", ["reno"], columns, 30)
    text = "\n".join(rendered(part, 30) for part in below)
    # Each part names its rows.
    assert text.count("reno") == 2
    for cell in ("1.0 ± 0.5", "2.0 ± 0.5", "3.0 ± 0.5"):
        assert cell in text


@pytest.mark.parametrize("width", [20, 80, 160])
def test_a_column_may_be_empty(width: int) -> None:
    """Notes that no row has, as in table 3.1 of the thesis: its width is 0."""
    parts = table("key", ["reno"], [Column("value", ["1"]), Column("", [""])], width)
    assert "1" in "\n".join(rendered(part, width) for part in parts)


def test_headings_break_between_words_and_stand_at_the_bottom() -> None:
    column = Column("idle in RTO s", ["1.0"])
    (part,) = table("arm", ["reno"], [column], 80)
    assert rendered(part, 80).splitlines()[0] == "arm   idle in RTO s"
    (part,) = table("arm", ["reno"], [column], 20 - 2)
    # In three lines at most, however short the numbers are.
    lines = ["       idle", "         in", "arm   RTO s", "─" * 11, "reno    1.0"]
    assert rendered(part, 80).splitlines() == lines


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_comparison_fits_and_loses_no_digit(width: int) -> None:
    variants = ["newreno", "sack+westwood", "newreno+sca(10,1)+cwl(n=4)"]
    result = comparison(variants)
    text = rendered(comparison_report(result, pairs=True, width=width), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for variant in variants:
        cell = result.summary["variants"][variant]["goodput_bps"]
        half = (cell["ci95"][1] - cell["ci95"][0]) / 2
        assert f"{cell['mean'] / 1000:,.1f} ± {half / 1000:,.1f}" in text
        assert "3,500.0 ± 1,963.3" in text


def test_columns_of_the_environment_are_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "57")
    assert screen_width() == 57
    monkeypatch.setenv("COLUMNS", "nonsense")
    assert screen_width() >= 20
    monkeypatch.delenv("COLUMNS")
    # Tests have no terminal.
    assert screen_width() == 80


def test_long_lines_are_broken_between_words() -> None:
    text = Text.assemble(("bold words ", "bold"), "and plain ones")
    # "bold words and" has 14 characters, "plain" would make 20.
    assert rendered(text, 16) == "bold words and\nplain ones\n"
    assert rendered(Text("abcdefghij kl"), 4) == "abcd\nefgh\nij\nkl\n"
    assert rendered(Text("a  line that is never broken", wrap=False), 4) == "a  line that is never broken\n"
    assert rendered(Group("", Text("two\nlines")), 80) == "\ntwo\nlines\n"


def test_styles_reach_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Text.assemble(("bold", "bold"), " plain ", ("yellow", "yellow"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert rendered(text, 80, styled=True) == "\x1b[1mbold\x1b[0m plain \x1b[33myellow\x1b[0m\n"
    # A style goes on in the next line.
    assert rendered(Text("one two", "dim"), 4, styled=True) == "\x1b[2mone\x1b[0m\n\x1b[2mtwo\x1b[0m\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert rendered(text, 80, styled=True) == "\x1b[1mbold\x1b[0m plain yellow\n"
    display(text, 80)
    assert capsys.readouterr().out == "bold plain yellow\n"
