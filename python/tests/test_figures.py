"""Figures of papers: what is drawn from runs whose numbers are known, and where each figure stands."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from tworay.analysis.contrasts import means
from tworay.experiment.experimentfile import read
from tworay.experiment.sweeping import Sweep
from tworay.papers import library
from tworay.papers.answers import answer
from tworay.papers.figures import _stacked, draw_figure, look
from tworay.papers.library import Figure
from tworay.papers.quantities import heading
from tworay.papers.reproducing import plan_of
from tworay.papers.samples import mean_speed
from tworay.papers.shown import words
from tworay.papers.tables import numbers
from tworay.papers.timelines import KINDS, acked_by, round_trips, smoothed
from tworay.running.relays import hellos
from tworay.showing.curves import JOINED, MOST_POINTS, marks, thinned
from tworay.showing.drawing import Look, draw, panels
from tworay.showing.labels import places

if TYPE_CHECKING:
    from tworay.papers.library import Paper

DOCS = Path(__file__).parents[2] / "docs/studies"
PAPERS = [paper for paper in library.papers() if not paper.study]


def test_numbers_in_labels_are_places_on_an_axis() -> None:
    assert places(["2 m/s", "10 m/s"]) == [2, 10]
    assert places(["string-4x2", "string-15x2"]) == [4, 15], "the flows are the same"
    assert places(["reno", "reno+sca(1)", "reno+sca(50)"], {"reno": 0}) == [0, 1, 50]
    assert places(["reno", "reno+sca(1)"]) is None
    assert places(["500ms", "1s"]) is None, "different units"
    assert places(["string-4x2", "string-6x3"]) is None, "two numbers differ"


def runs_of(cells: dict[tuple[str, str], list[float]]) -> pl.DataFrame:
    """Make runs: by hops and variant the segments of each seed."""
    rows = [
        {"cell": i, "scenario": hops, "tcp": tcp, "seed": seed, "acked_segments": value}
        for i, ((hops, tcp), values) in enumerate(cells.items())
        for seed, value in enumerate(values, 1)
    ]
    return pl.DataFrame(rows)


def test_the_best_parameter_and_how_flat_the_optimum_is() -> None:
    """2 is best; 1 is lower by 1 with every seed but told apart; 3 is lower by chance; 0 is far below."""
    frame = runs_of(
        {
            ("string-4", "reno"): [50.0, 51.0, 49.0],
            ("string-4", "reno+sca(1)"): [99.0, 100.0, 98.0],
            ("string-4", "reno+sca(2)"): [100.0, 101.0, 99.01],
            ("string-4", "reno+sca(3)"): [103.0, 95.0, 99.0],
        }
    )
    figure = Figure("t", "", "e", "acked_segments", "scenario", "tcp", kind="best", printed={"string-4": 42})
    head, rows = answer(figure, frame, ["scenario", "tcp"])
    assert len(head) == len(rows[0])
    assert rows == [["4", "42", "2", "100", "2, 3", "1 to 3"]]


def test_the_range_of_gains_over_the_first_column() -> None:
    """Over 3 hops 110 is 10 % more than 100, over 4 hops 60 is 20 % more than 50."""
    frame = runs_of(
        {
            ("string-3", "full"): [100.0, 100.0],
            ("string-3", "none"): [110.0, 110.0],
            ("string-4", "full"): [50.0, 50.0],
            ("string-4", "none"): [60.0, 60.0],
        }
    ).with_columns(acks=pl.lit("plain"))
    figure = Figure(
        *("t", "", "e", "acked_segments", "acks", "tcp"),
        kind="gains",
        panels="scenario",
        printed={"plain": {"none": "17 to 23 %"}},
    )
    assert answer(figure, frame, ["scenario", "tcp", "acks"]) == (
        ["acks", "none over full, %"],
        [["plain", "10 to 20 (paper: 17 to 23 %)"]],
    )


def test_differences_over_a_row_or_column_stand_beside_the_means() -> None:
    """110 is 10 % more than 100; 45 is 10 % less than 50; over zero there is no percentage."""
    frame = runs_of(
        {
            ("string-3", "full"): [100.0, 100.0],
            ("string-3", "none"): [110.0, 110.0],
            ("string-4", "full"): [50.0, 50.0],
            ("string-4", "none"): [45.0, 45.0],
        }
    ).with_columns(timeouts=pl.lit(0.0))
    figure = Figure(
        *("t", "", "e", "acked_segments", "scenario", "tcp"), over="full", printed={"string-4": {"none": 40}}
    )
    found = numbers(figure, frame, ["scenario", "tcp"])
    assert found is not None
    assert found[1] == [
        ["3", "100 ± 0", "110 ± 0, +10.0 %"],
        ["4", "50 ± 0", "45 ± 0, -10.0 % (paper: 40)"],
    ]
    one = frame.filter(scenario="string-3")
    across = Figure("t", "", "e", rows="tcp", columns=("acked_segments", "timeouts"), over="full")
    found = numbers(across, one, ["scenario", "tcp"])
    assert found is not None
    assert found[1] == [["full", "100 ± 0", "0 ± 0"], ["none", "110 ± 0, +10.0 %", "0 ± 0"]]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_what_differences_are_over_is_a_row_or_column(paper: Paper) -> None:
    for one in paper.figures:
        if one.over:
            axes = plan_of(paper.trials[str(one.experiment)], quick=False, seeds=None).axes
            labels = {label for axis in axes if axis.name in (one.rows, one.cols) for label in axis.labels}
            assert one.over in labels, one.id


def test_an_ack_acknowledges_what_no_earlier_one_did() -> None:
    """ACKs of one segment, of the same again, of three more at once, and one that was overtaken."""
    acks = pl.DataFrame({"t": [1.0, 2.0, 3.0, 4.0], "ack": [1461, 1461, 1461 + 3 * 1460, 2921]})
    assert acked_by(acks, 1) == [(1.0, 1), (2.0, 0), (3.0, 3), (4.0, 0)]


def test_round_trips_leave_out_what_was_sent_twice() -> None:
    """Karn: the second segment is sent twice, so neither its ACK nor a repeated one gives a round trip.

    The last ACK covers two segments; the newer one is timed.
    """
    data = [(1.0, 1, 100), (1.1, 101, 100), (2.1, 101, 100), (2.2, 201, 100), (2.3, 301, 100)]
    acks = [(1.15, 1.2, 101), (1.25, 1.3, 101), (2.15, 2.2, 201), (2.5, 2.6, 401), (2.7, None, 401)]
    rows = [{"t_s": t, "kind": "data", "seq": seq, "bytes": size} for t, seq, size in data]
    rows += [{"t_s": t, "kind": "ack", "arrived_s": at, "ack": ack, "bytes": 0} for t, at, ack in acks]
    found = round_trips(pl.DataFrame(rows))
    assert found["t_s"].to_list() == [1.2, 2.6]
    assert found["rtt_s"].to_list() == pytest.approx([0.2, 0.3])


def test_mean_speed_over_nodes_and_time() -> None:
    """One node stands for 10 s; the other walks 4 s at 5 m/s (3-4-5) and 6 s at 1 m/s: 26 m in 20 s."""
    moves = pl.DataFrame(
        {"node": [0, 1, 1], "t_s": [0.0, 0.0, 4.0], "vx_mps": [0.0, 3.0, 1.0], "vy_mps": [0.0, 4.0, 0.0]}
    )
    assert mean_speed(moves, 10.0) == pytest.approx(26 / 20)


def test_marks_that_are_close_become_one_bar() -> None:
    near = JOINED * 100
    starts, ends = marks([50.0, 10.0, 10.0 + 0.9 * near], 100)
    assert starts == [10.0, 50.0]
    assert ends == pytest.approx([10.0 + 0.9 * near, 50.0 + near / 2])


def test_a_thinned_line_keeps_its_peaks_and_ends() -> None:
    times = np.arange(20_000.0)
    values = np.zeros(20_000)
    values[12_345], values[777] = 9.0, -4.0
    kept, found = thinned(times, values)
    assert len(kept) <= MOST_POINTS + 3
    assert (found.max(), found.min()) == (9.0, -4.0)
    assert (kept[0], kept[-1]) == (0.0, 19_999.0)
    assert thinned(times[:100], values[:100])[0].size == 100


def test_the_papers_values_and_the_meaning_of_the_bars_stand_in_a_drawing(tmp_path: Path) -> None:
    means = pl.DataFrame(
        {"hops": ["3", "4"], "mean": [2e6, 1e6], "low": [1.9e6, -0.5e6], "n": [7, 7], "values": [[], []]}
    )
    look = Look(printed={("3", ""): 2500.0}, x="hops")
    figure = draw(means, "goodput_bps", rows="hops", output=tmp_path / "a.svg", look=look)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "mean of 7 seeds; bars: its 95 % interval; ×: value of the source" in text
    (axes,) = figure.axes
    assert [line.get_xydata().tolist() for line in axes.lines if line.get_marker() == "x"] == [
        [[3.0, 2500.0]]
    ]
    assert axes.get_ylim()[0] == 0, "goodput is not negative, whatever the interval is"
    assert axes.get_xlabel() == "hops"
    assert axes.get_ylabel() == "goodput (kb/s)"


@pytest.mark.parametrize(
    ("metric", "top"), [("diagnosis.balanced_accuracy", 1.0), ("eee", 1.0), ("timeouts", None)]
)
def test_the_axis_of_a_share_ends_at_one(tmp_path: Path, metric: str, top: float | None) -> None:
    """The interval of 0.8 from 0.25 to 1.35 says nothing about a share above 1; a mean above it does."""
    means = pl.DataFrame(
        {"at": ["3", "4"], "mean": [0.8, 0.9], "low": [0.25, 0.85], "n": [5, 5], "values": [[], []]}
    )
    figure = Figure("1", "", "e", metric, "at")

    def drawn(table: pl.DataFrame) -> float:
        picture = draw(table, metric, rows="at", output=tmp_path / "a.svg", look=look(figure, {}, {}))
        (axes,) = picture.axes
        return float(axes.get_ylim()[1])

    assert drawn(means) == top if top else drawn(means) > 1.35
    above = means.with_columns(mean=pl.Series([0.8, 1.2]))
    assert drawn(above) > 1.2


def test_a_logarithmic_axis_shows_means_whose_interval_passes_zero(tmp_path: Path) -> None:
    """The bar of a mean of 38 with half an interval of 76 ends at the least seed, 2."""
    means = pl.DataFrame(
        {
            "speed": ["2", "20"],
            "mean": [2.2, 38.0],
            "low": [1.9, -38.0],
            "n": [3, 3],
            "values": [[2.1, 2.2, 2.3], [2.0, 3.0, 109.0]],
        }
    )
    look = Look(log="y", singles=True)
    figure = draw(means, "hops", rows="speed", output=tmp_path / "a.svg", look=look)
    (axes,) = figure.axes
    low, high = axes.get_ylim()
    assert 1 < low < 2.0
    assert 109 < high < 300
    dots, *_ = (line for line in axes.lines if line.get_markersize() == 2.5)
    assert len(dots.get_xdata()) == 6
    assert "dots: single seeds" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_intervals_have_the_level_of_the_source(tmp_path: Path) -> None:
    """Of 1, 2 and 3: 2 ± 2.92 · 1 / √3 at 90 %, 2 ± 4.303 / √3 at 95 % (t with two degrees of freedom)."""
    frame = runs_of({("a", "reno"): [1.0, 2.0, 3.0]})
    for level, quantile in ((0.9, 2.91999), (0.95, 4.30265)):
        (row,) = means(frame, ["tcp"], "acked_segments", level=level).iter_rows(named=True)
        assert row["high"] == pytest.approx(2 + quantile / 3**0.5, rel=1e-4)
    figure = Figure("1", "", "e", "acked_segments", "scenario", "tcp", level=0.9)
    drawn = draw_figure(figure, frame, ["scenario", "tcp"], tmp_path, tmp_path)
    assert drawn is not None
    assert drawn[0] is not None
    assert "bars: its 90 % interval" in drawn[0].read_text(encoding="utf-8")


def test_scenarios_are_shown_by_their_number_of_hops_or_nodes() -> None:
    frame = runs_of({("string-3x2", "reno"): [1.0, 1.0], ("string-11x2", "reno"): [2.0, 2.0]})
    hops = Figure("1", "", "e", "acked_segments", "scenario", "tcp", x="hops", axes={"tcp": "variant"})
    found = numbers(hops, frame, ["scenario", "tcp"])
    assert found is not None
    assert [row[0] for row in found[1]] == ["3", "11"]
    nodes = replace(hops, x="nodes in the string", more=1)
    found = numbers(nodes, frame, ["scenario", "tcp"])
    assert found is not None
    assert [row[0] for row in found[1]] == ["4", "12"]
    assert words(nodes, "scenario", ["mesh-3"]) == {"mesh-3": "mesh-3"}
    paper = library.find("thesis")
    for number in ("5.8", "5.9", "5.10", "5.11", "5.12", "5.13", "5.14", "5.15", "5.16"):
        one = paper.figure(number)
        labels = plan_of(paper.trials[str(one.experiment)], quick=False, seeds=None).axes[0].labels
        assert [*words(one, "scenario", labels).values()] == [str(n) for n in range(4, 13)], "4 ≤ n ≤ 12"
        assert "nodes" in one.x


def test_goodput_has_the_thesis_unit() -> None:
    """Packets with an ACK (§3.5.1), segments averaged over flows (§4.5.1), in §4.3 bits per second."""
    paper = library.find("thesis")
    for one in paper.figures:
        if one.own or one.experiment is None or "oodput" not in one.title or one.kind == "gains":
            continue
        unit = "segments" if not one.id.startswith(("4.2a", "4.2b", "4.3")) else "kb/s"
        assert unit in (one.y or heading(one.metric)[0]), one.id


def test_the_grids_of_the_thesis_are_whole() -> None:
    """Parameters from 0 (the plain variant) to 50, and at least ten seeds (pp. 90, 108, 115)."""
    paper = library.find("thesis")
    for trial, plain in (("parameter-dsr", "reno"), ("parameter-aodv", "reno"), ("parallel-2", "newreno")):
        plan = plan_of(paper.trials[trial], quick=False, seeds=None)
        (tried,) = (axis.labels for axis in plan.axes if axis.name == "tcp")
        assert tried == (plain, *(f"{plain}+sca({n})" for n in range(1, 51)))
        assert len(plan.seeds) >= 10


# A word of the program instead of the field: `rto_idle_seconds`, `mac.drops`.
RAW = re.compile(r"[A-Za-z]\w*[._]\w*[A-Za-z]")


@pytest.mark.parametrize("paper", library.papers(), ids=lambda paper: paper.name)
def test_headings_of_figures_have_the_words_of_the_field(paper: Paper) -> None:
    for figure in paper.figures:
        if figure.experiment is None or figure.kind in KINDS:
            continue
        said = [figure.y or heading(figure.metric)[0]] if not figure.columns else []
        said += [figure.named.get(one, heading(one)[0]) for one in figure.columns]
        for one in said:
            assert not RAW.search(one), (figure.id, one)
        for axis in (figure.rows, figure.cols):
            assert not axis or axis in figure.axes or figure.x, (figure.id, axis)


def test_the_share_that_a_stack_hides_has_an_axis_of_its_own(tmp_path: Path) -> None:
    """B is a thousandth of A; its error of 40 % stands beside chance: √(0² + 0.4²) of 10."""
    frame = runs_of({("s", "reno"): [1e4, 1e4], ("s", "vegas"): [2e4, 2e4]}).with_columns(
        **{"flow0.acked_segments": pl.col("acked_segments"), "flow1.acked_segments": pl.lit(10.0)}
    )
    figure = Figure(
        *("18", "t", "e"),
        rows="tcp",
        kind="stack",
        columns=("flow0.acked_segments", "flow1.acked_segments"),
        apart="flow1.acked_segments",
        errors={"reno": 0.4},
    )
    alone = _stacked(figure, frame, ("flow1.acked_segments",), "")
    assert [*alone.low] == pytest.approx([4.0, 0.0])
    drawn = draw_figure(figure, frame, ["scenario", "tcp"], tmp_path, tmp_path)
    assert drawn is not None
    assert drawn[0] is not None
    text = drawn[0].read_text(encoding="utf-8")
    assert "with the error of the measured cost" in text
    assert text.count("flow B (segments)") == 1, "above its panel"
    assert text.count("flow B") == 2, "and in the legend, without a unit that only the panel has"


def test_the_errors_of_the_kernels_costs_are_those_of_their_page() -> None:
    text = (DOCS / "kernel-costs.md").read_text(encoding="utf-8")
    file = Path(library.HERE) / "ghaleb-seddik-2012/kernel-costs-spread.csv"
    rows = [line.split(",") for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    assert len(rows) == 20
    for situation, variant, mean, half in rows:
        assert f"| {variant} | {mean} ± {half} |" in text[text.index(f"\n## {situation}\n") :]
    fourteen = library.find("welcome").figure("14")
    assert fourteen.errors["newreno"] == pytest.approx(1.14 / 1.83)


def test_a_value_of_the_source_in_any_panel_is_explained(tmp_path: Path) -> None:
    part = pl.DataFrame(
        {"hops": ["3", "4"], "mean": [2.0, 1.0], "low": [1.0, 0.5], "n": [7, 7], "values": [[], []]}
    )
    look = Look(printed={("delayed/3", ""): 2.5}, x="hops")
    panels({"plain": part, "delayed": part}, "timeouts", rows="hops", output=tmp_path / "a.svg", look=look)
    assert "×: value of the source" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_the_note_of_panels_names_the_seeds_of_all_of_them(tmp_path: Path) -> None:
    """The first panel's cells have 7 seeds, the second's 5 and 90."""
    columns = {"hops": ["3", "4"], "mean": [2.0, 1.0], "low": [1.0, 0.5], "values": [[], []]}
    parts = {
        "plain": pl.DataFrame(columns | {"n": [7, 7]}),
        "delayed": pl.DataFrame(columns | {"n": [5, 90]}),
    }
    panels(parts, "timeouts", rows="hops", output=tmp_path / "a.svg", look=Look(x="hops"))
    assert "mean of 5 to 90 seeds" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_values_of_a_later_panel_are_within_the_axis() -> None:
    """The interval of the first panel reaches below zero, where its axis ends; the second has more."""
    parts = {
        name: pl.DataFrame(
            {"hops": ["3", "4"], "mean": [mean, 1.0], "low": [-1.0, 0.5], "n": [7, 7], "values": [[], []]}
        )
        for name, mean in (("plain", 2.0), ("delayed", 40.0))
    }
    look = Look(printed={("delayed/3", ""): 55.0}, x="hops")
    bottom, top = panels(parts, "timeouts", rows="hops", look=look).axes[0].get_ylim()
    assert bottom == 0
    assert top > 55


def test_a_running_mean_is_centred_and_leaves_the_ends_as_they_are() -> None:
    """Of 3 rows: (0 + 3 + 9) / 3 = 4 stands at the second, and the first and last row are raw."""
    assert smoothed(pl.Series([0, 3, 9, 0]), 3).to_list() == [0, 4, 4, 0]
    found = smoothed(pl.Series(range(200)), 100)
    assert found.to_list()[:50] == [*range(50)], "as in the thesis: the first 50 of 100"
    assert found.to_list()[-49:] == [*range(151, 200)]
    assert sum(value % 1 != 0 for value in found) == 200 - 100 + 1


def test_lines_of_flows_are_not_called_after_the_axis(tmp_path: Path) -> None:
    """A panel of one situation with two flows: its legend has flows, no situations."""
    file = tmp_path / "tables/series/world-1.parquet"
    file.parent.mkdir(parents=True)
    pl.DataFrame({"t_s": [0.0, 1.0] * 2, "flow": [0, 0, 1, 1], "srtt_s": [0.1, 0.2, 0.3, 0.4]}).write_parquet(
        file
    )
    frame = pl.DataFrame({"cell": [0], "world": ["world"], "situation": ["congestion"], "seed": [1]})
    figure = Figure("3", "t", "e", metric="srtt_s", rows="situation", kind="trace", x="situation")
    drawn = draw_figure(figure, frame, ["situation"], tmp_path / "out", tmp_path)
    assert drawn is not None
    assert drawn[0] is not None
    text = drawn[0].read_text(encoding="utf-8")
    assert "congestion, flow 1" in text
    assert "situation" not in text


def test_a_legend_stands_beside_the_data(tmp_path: Path) -> None:
    rows = [
        {"hops": str(hops), "tcp": f"sca({k})", "mean": 1e6 / hops, "low": None, "n": 1, "values": []}
        for hops in range(3, 7)
        for k in range(12)
    ]
    look = Look(legend="SCA's parameter")
    figure = draw(
        *(pl.DataFrame(rows), "goodput_bps"), rows="hops", lines="tcp", output=tmp_path / "a.svg", look=look
    )
    figure.canvas.draw()
    (legend,) = figure.legends
    assert not figure.axes[0].get_legend()
    assert not legend.get_window_extent().overlaps(figure.axes[0].get_window_extent())
    assert [text.get_text() for text in legend.get_texts()] == [str(k) for k in range(12)]


def test_stacked_bars_show_each_part_and_their_sum(tmp_path: Path) -> None:
    frame = runs_of({("s", "reno"): [1.0, 3.0], ("s", "vegas"): [2.0, 2.0]}).with_columns(
        **{"flow0.acked_segments": pl.col("acked_segments"), "flow1.acked_segments": pl.lit(10.0)}
    )
    figure = Figure(
        *("4.14", "t", "e"),
        rows="tcp",
        kind="stack",
        columns=("flow0.acked_segments", "flow1.acked_segments"),
        y="acknowledged (segments)",
    )
    drawn = draw_figure(figure, frame, ["scenario", "tcp"], tmp_path, tmp_path)
    assert drawn is not None
    assert drawn[0] is not None
    text = drawn[0].read_text(encoding="utf-8")
    assert "flow A (segments)" in text
    assert "95 % interval of the sum" in text
    found = numbers(figure, frame, ["scenario", "tcp"])
    assert found is not None
    assert [row[2] for row in found[1]] == ["10 ± 0", "10 ± 0"]


def test_the_relays_of_a_hello() -> None:
    """RFC 3626, §6.1: node 2 lists node 1 and 3 as relays (neighbour type 2), node 5 as symmetric (1)."""

    def link(kind: int, *nodes: int) -> bytes:
        addresses = b"".join(bytes([10, 0, 0, node]) for node in nodes)
        return struct.pack(">BBH", kind << 2 | 2, 0, 4 + len(addresses)) + addresses

    body = struct.pack(">HBB", 0, 5, 3) + link(2, 1, 3) + link(1, 5)
    message = struct.pack(">BBH4sBBH", 1, 0x86, 12 + len(body), bytes([10, 0, 0, 2]), 1, 0, 7) + body
    packet = struct.pack(">HH", 4 + len(message), 1) + message
    udp = struct.pack(">HHHH", 698, 698, 8 + len(packet), 0)
    ip = bytes([0x45, *[0] * 8, 17, *[0] * 10])
    radiotap = struct.pack("<BBHI", 0, 0, 8, 0)
    frame = radiotap + bytes([0x08, *[0] * 23]) + bytes(8) + ip + udp + packet
    assert list(hellos(frame)) == [(2, [1, 3])]


def test_a_sweep_keeps_what_its_figures_need(tmp_path: Path) -> None:
    """On a string of 4 nodes, every inner one must be a relay: A's is B, B's is C, C's is B, D's is C."""
    plan = read(
        {
            "scenario": "string-3",
            "seeds": 1,
            "keep": ["segments", "routing", "moves", "relays"],
            "set": {"duration": "20s", "routing.protocol": "olsr"},
        }
    )
    Sweep(plan, tmp_path / "out").run(jobs=1)
    tables = {file.parent.name: pl.read_parquet(file) for file in tmp_path.glob("out/tables/*/*.parquet")}
    assert set(tables) == set(plan.keep)
    assert tables["segments"].filter(pl.col("kind") == "data").height > 100
    last = tables["relays"].group_by("node", maintain_order=True).last().sort("node")
    assert last["relays"].to_list() == [[1], [2], [1], [2]]
