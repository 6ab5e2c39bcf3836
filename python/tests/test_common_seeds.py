"""Figures and tables of papers compare variants over the same seeds, and say how many there are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tworay.papers import library, pages
from tworay.papers.earlier import Earlier
from tworay.papers.figures import draw_figure, seeds_shown
from tworay.papers.library import Figure
from tworay.papers.reproducing import Reproduction
from tworay.papers.tables import numbers

if TYPE_CHECKING:
    from pathlib import Path

# The goodput of every variant in the worlds of seeds 1 to 4: all variants are alike in each of them.
WORLDS = {1: 10.0, 2: 20.0, 3: 90.0, 4: 80.0}


def runs_of(seeds: dict[tuple[str, str], list[int]]) -> pl.DataFrame:
    """Make runs: by hops and variant the seeds that ran."""
    rows = [
        {"cell": i, "scenario": hops, "tcp": tcp, "seed": seed, "acked_segments": WORLDS[seed]}
        for i, ((hops, tcp), ran) in enumerate(seeds.items())
        for seed in ran
    ]
    return pl.DataFrame(rows)


UNEVEN = {
    ("string-4", "reno"): [1, 2, 3, 4],
    ("string-4", "vegas"): [1, 2],
    ("string-8", "reno"): [2, 3, 4],
    ("string-8", "vegas"): [2, 3, 4],
}


def drawn(figure: Figure, frame: pl.DataFrame, folder: Path) -> str:
    found = draw_figure(figure, frame, ["scenario", "tcp"], folder, folder)
    assert found is not None
    assert found[0] is not None
    return found[0].read_text(encoding="utf-8")


def test_variants_that_are_alike_in_each_world_have_the_same_mean(tmp_path: Path) -> None:
    """Seeds 1 and 2 have a mean of 15; over all of its seeds Reno would have 50."""
    figure = Figure("t", "", "e", "acked_segments", "scenario", "tcp")
    frame = runs_of(UNEVEN)
    found = numbers(figure, frame, ["scenario", "tcp"])
    assert found is not None
    assert [[cell.partition(" ")[0] for cell in row] for row in found[1]] == [
        ["4", "15", "15"],
        ["8", "63.33", "63.33"],
    ]
    assert "mean of 2 to 3 seeds" in drawn(figure, frame, tmp_path)
    assert seeds_shown(figure, frame, ["scenario", "tcp"]) == (2, 3)


def test_variants_along_the_axis_are_compared_too(tmp_path: Path) -> None:
    frame = runs_of(UNEVEN).filter(scenario="string-4")
    figure = Figure("t", "", "e", "acked_segments", "tcp")
    found = numbers(figure, frame, ["scenario", "tcp"])
    assert found is not None
    assert [row[1].partition(" ")[0] for row in found[1]] == ["15", "15"]
    across = replace(figure, rows="tcp", cols="scenario")
    found = numbers(across, runs_of(UNEVEN), ["scenario", "tcp"])
    assert found is not None
    assert [[cell.partition(" ")[0] for cell in row[1:]] for row in found[1]] == [["15", "63.33"]] * 2
    assert "mean of 2 seeds" in drawn(figure, frame, tmp_path)


def test_stacked_bars_compare_variants_over_the_same_seeds(tmp_path: Path) -> None:
    """The plan's largest number of seeds says nothing about the other bars."""
    figure = Figure("t", "", "e", rows="tcp", kind="stack", columns=("acked_segments",))
    assert "mean of 2 seeds" in drawn(figure, runs_of(UNEVEN).filter(scenario="string-4"), tmp_path)


def test_cells_of_one_line_keep_their_seeds(tmp_path: Path) -> None:
    """Strings of other lengths are other worlds, whatever the seed: 1 to 4 have a mean of 50."""
    figure = Figure("t", "", "e", "acked_segments", "scenario", where={"tcp": "reno"})
    frame = runs_of(UNEVEN)
    found = numbers(figure, frame, ["scenario", "tcp"])
    assert found is not None
    assert [row[1].partition(" ")[0] for row in found[1]] == ["50", "63.33"]
    assert "mean of 3 to 4 seeds" in drawn(figure, frame, tmp_path)


@pytest.mark.parametrize(("span", "said"), [((5, 190), "5 to 190 seeds"), ((5, 5), "5 seeds")])
def test_a_caption_has_the_range_of_seeds_and_is_read_back(
    tmp_path: Path, span: tuple[int, int], said: str
) -> None:
    paper = library.find("welcome")
    figure = replace(paper.figure("23"), deviates="")
    result = Reproduction(paper, tmp_path, planned={"link-failure": {frozenset(): span[0]}})
    heading = pages._heading(result, figure, "link-failure", span)
    assert heading == f"**23: {figure.title}**; {said}; {figure.state}."
    file = tmp_path / "a.md"
    file.write_text(heading)
    kept = Earlier.read(file).figure("23")
    assert kept is not None
    assert (kept.seeds, kept.most) == span


def test_a_caption_says_that_one_run_of_several_is_drawn(tmp_path: Path) -> None:
    paper = library.find("welcome")
    figure = paper.figure("4")
    result = Reproduction(paper, tmp_path)
    heading = pages._heading(result, figure, "round-trips", (2, 2))
    assert heading.startswith(f"**4: {figure.title}**; 2 seeds, the first drawn; ")


def test_a_median_stands_apart_from_a_run_that_lies_far_out(tmp_path: Path) -> None:
    """Of 1 to 8 and 1000 the median is 5; for nine values the sign test gives the second and the eighth."""
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1000.0]
    frame = pl.DataFrame(
        [
            {"cell": 0, "scenario": "string-4", "tcp": "reno", "seed": seed, "acked_segments": value}
            for seed, value in enumerate(values, 1)
        ]
    )
    figure = Figure("t", "", "e", "acked_segments", "scenario", median=True)
    found = numbers(figure, frame, ["scenario", "tcp"])
    assert found is not None
    assert found[1] == [["string-4", "5 (2 to 8)"]]
    assert "median of 9 seeds; bars: its 95 % interval" in drawn(figure, frame, tmp_path)


def test_the_error_of_a_measured_cost_is_in_the_table() -> None:
    """Two equal seeds have no spread; a cost known to ±40 % leaves 20 ± 8, and the other column as it is."""
    frame = runs_of({("string-4", "reno"): [1, 2]}).with_columns(
        acked_segments=pl.lit(20.0), timeouts=pl.lit(7.0)
    )
    figure = Figure("t", "", "e", rows="tcp", columns=("timeouts", "acked_segments"), errors={"reno": 0.4})
    found = numbers(figure, frame, ["scenario", "tcp"])
    assert found is not None
    assert found[1] == [["reno", "7 ± 0", "20 ± 8"]]
