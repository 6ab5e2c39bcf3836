"""Lines of figures: a variant has one colour in all figures of a paper, and drawings use it."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from tworay.papers import library, linecolours
from tworay.papers.figures import draw_figure
from tworay.showing.pictures import COLOURS

STUDIES = Path(__file__).parents[2] / "docs/studies"
PAPERS = library.papers()


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_lines_of_one_figure_differ(paper: library.Paper) -> None:
    colours = linecolours.of(paper)
    for figure in paper.figures:
        found = [*linecolours.shown(paper, figure, colours).values()]
        assert len(set(found)) == min(len(found), len(COLOURS)), figure.id


def test_a_variant_keeps_its_colour_in_sister_figures() -> None:
    paper = library.find("thesis")
    colours = linecolours.of(paper)
    blue, orange, green, pink, *_ = COLOURS

    def of(number: str) -> dict[str, str]:
        return linecolours.shown(paper, paper.figure(number), colours)

    assert of("3.8a") == {"reno": blue, "newreno": orange, "sack": green, "vegas": pink}
    assert of("3.11b") == {"newreno": orange, "vegas": pink}
    assert of("4.3b")["newreno"] == of("4.19")["newreno"] == orange
    assert of("4.8a")["vegas"] == of("4.10")["vegas"] == pink
    # 4.5 draws windows, 4.4a a trace, 4.2a means.
    assert of("4.5")["reno+sca(4)"] == of("4.4a")["reno+sca(4)"] == of("4.2a")["reno+sca(4)"]
    assert of("4.2a")["reno+sca(4)"] == of("4.2b")["newreno+sca(4)"], "the same modification"
    assert of("4.6") == {}, "a scale for the 13 numbers of hops"


@pytest.mark.parametrize("kind", [None, "trace", "windows"])
def test_a_drawing_has_the_colours_of_the_paper(tmp_path: Path, kind: str | None) -> None:
    seen = {"reno": COLOURS[3], "vegas": COLOURS[4]}
    frame = pl.DataFrame(
        [
            {"cell": i, "world": name, "hops": hops, "tcp": name, "seed": seed, "timeouts": 1.0 * seed}
            for i, (name, hops) in enumerate([(n, h) for n in seen for h in ("3", "4")][:: 2 if kind else 1])
            for seed in (1, 2)
        ]
    )
    for name in seen:
        for table in ("series", "routing"):
            file = tmp_path / f"tables/{table}/{name}-1.parquet"
            file.parent.mkdir(parents=True, exist_ok=True)
            pl.DataFrame(
                {"t_s": [0.0, 1.0], "cwnd_segments": [1.0, 2.0], "event": ["sent"] * 2}
            ).write_parquet(file)
    axes = {"rows": "tcp"} if kind else {"rows": "hops", "cols": "tcp"}
    metric = "cwnd_segments" if kind else "timeouts"
    figure = library.Figure("1", "t", "e", metric, kind=kind, **axes)  # type: ignore[arg-type]
    drawn = draw_figure(figure, frame, ["tcp", "hops"], tmp_path / "out", tmp_path, seen)
    assert drawn is not None
    assert drawn[0] is not None
    found = re.findall(r"#[0-9a-f]{6}\b", drawn[0].read_text(encoding="utf-8"))
    assert {one for one in found if one in map(str.lower, COLOURS[:6])} == {c.lower() for c in seen.values()}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_legends_of_the_pages_have_these_colours(paper: library.Paper) -> None:
    """In a legend the line of a name is drawn right before its word."""
    colours = linecolours.of(paper)
    for figure in paper.figures:
        named = linecolours.shown(paper, figure, colours)
        file = STUDIES / f"{paper.key}-figure-{re.sub(r'[^A-Za-z0-9.]+', '-', figure.id)}.svg"
        if len(named) < 2 or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8").replace('"#000"', '"#000000"')
        for name, colour in named.items():
            before, there, _ = text.rpartition(f">{name}</text>")
            if there:
                line = before.rpartition("</text>")[2]
                assert re.findall(r"#[0-9a-f]{6}\b", line)[-1] == colour.lower(), (file.name, name)
