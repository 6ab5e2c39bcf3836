"""Plots from the command line and from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from IPython.core.formatters import DisplayFormatter

import tworay
from tworay.errors import InputError
from tworay.showing import lines
from tworay.showing.bins import Bins

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("plots") / "results"
    tworay.compare("string-3", tcp="reno,vegas", seeds=3, set={"duration": "10s"}, out=out)
    return out


def ends_and_labels(figure: Any) -> tuple[list[str], list[str]]:
    axes = figure.axes[0]
    return [axes.get_xlabel(), axes.get_ylabel()], axes.get_legend_handles_labels()[1]


@pytest.mark.parametrize("what", ["cwnd", "rtt", "goodput"])
def test_series_of_a_comparison_have_a_line_for_each_arm(compared: Path, what: Any) -> None:
    units = {"cwnd": "cwnd, segments", "rtt": "smoothed RTT, ms", "goodput": "acknowledged data, kb/s"}
    ends, labels = ends_and_labels(tworay.plot(compared, what))
    assert ends == ["time, s", units[what]]
    assert labels == ["reno", "vegas"]


def test_what_is_drawn_is_what_was_measured(compared: Path) -> None:
    figure = tworay.plot(compared, "cwnd", seed=2)
    series = pl.read_parquet(compared / "series.parquet")
    mine = series.filter((pl.col("variant") == "vegas") & (pl.col("seed") == 2))
    line = figure.axes[0].lines[1]
    assert np.array_equal(line.get_xdata(), mine["t_s"].to_numpy())
    assert np.array_equal(line.get_ydata(), mine["cwnd_segments"].to_numpy())
    assert "seed 2" in figure.axes[0].get_title()


def test_goodput_over_time_adds_up_to_what_was_acknowledged() -> None:
    run = tworay.run("string-3", set={"duration": "10s"}, seed=3)
    edges, rates = lines.rates(run.series, 10.0, Bins())
    acked = run.series["acked_bytes"].to_list()[-1]
    assert (rates * np.diff(edges)).sum() == pytest.approx(8 * acked)
    assert acked == pytest.approx(run.summary["flows"][0]["acked_segments"] * 1460, rel=0.01)


def test_a_box_shows_the_values_of_the_seeds(compared: Path) -> None:
    found = tworay.results(compared)
    assert isinstance(found, tworay.Comparison)
    figure = tworay.plot(found, "box", metric="delay")
    axes = figure.axes[0]
    assert axes.get_ylabel() == "delay, ms"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["reno", "vegas"]
    points = [line for line in axes.lines if line.get_marker() == "."]
    values = [row["mean_delay_seconds"] for row in found.values("vegas").values()]
    assert list(points[1].get_ydata()) == pytest.approx([1000 * v for v in values if v is not None])


def test_titles_say_which_flows_are_in_a_plot(tmp_path: Path) -> None:
    """Mesh-3 has three flows, all of TCP."""
    out = tmp_path / "results"
    tworay.compare("mesh-3", tcp="reno,vegas", seeds=2, set={"duration": "4s"}, out=out)

    def title(**options: Any) -> str:
        return tworay.plot(out, "goodput", **options).axes[0].get_title()

    assert title() == "mesh-3, mean of 2 seeds, sum of 3 TCP flows"
    assert title(flow=2) == "mesh-3, mean of 2 seeds, flow 2"
    assert title(flow=1, seed=1) == "mesh-3, seed 1, flow 1"


def test_flows_are_judged_where_there_is_a_verdict_only(compared: Path, cli: Cli) -> None:
    """Elsewhere ``--judge`` was ignored, with words that mean nothing, too."""
    for what in ("cwnd", "goodput", "sequence", "transfers"):
        with pytest.raises(InputError, match=r"judge flow.0: only box .* choose a flow with flow"):
            tworay.plot(compared, what, judge="flow.0")
    with pytest.raises(InputError, match=r"judge flow.0: only box .* leave it out"):
        tworay.plot(compared, "rate", judge="flow.0")
    tworay.plot(compared, "box", judge="flow.0")
    table = cli("show", compared, "--table", "series", "--judge", "nonsense")
    assert (table.code, table.out) == (2, "")
    assert "--judge nonsense: a table has all flows; leave it out" in " ".join(table.err.split())
    assert cli("run", "string-2", "--set", "duration=2s", "--out", "one").code == 0
    done = cli("show", "one", "--judge", "nonsense")
    assert (done.code, done.out) == (2, "")
    assert "one run has no verdict; leave it out" in " ".join(done.err.split())
    assert cli("show", compared, "--judge", "flow.0").code == 0


def test_a_picture_is_replaced_unless_it_must_not_be(compared: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    for _ in range(2):
        tworay.plot(compared, "goodput", file, force=True)
    with pytest.raises(InputError, match="exists already; leave force=False out"):
        tworay.plot(compared, "goodput", file, force=False)


def test_the_same_results_give_the_same_picture(compared: Path, cli: Cli, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        tworay.plot(compared, "goodput", tmp_path / name)
    first = (tmp_path / "one.svg").read_bytes()
    assert first == (tmp_path / "two.svg").read_bytes()
    done = cli("plot", compared, "goodput", "-o", "three.svg")
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / "three.svg").read_bytes() == first
    assert b"acknowledged data, kb/s" in first


def test_wrong_requests_are_refused(compared: Path, cli: Cli, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no plot `lines`; there are cwnd, rtt, goodput, sequence"):
        tworay.plot(compared, "lines")  # type: ignore[arg-type]
    # A misspelt word is answered even where -o is missing, too.
    assert "there is no plot `bxo`; did you mean box?" in cli("plot", compared, "bxo").err
    with pytest.raises(InputError, match=r"plots are written as \.svg, \.pdf, \.png"):
        tworay.plot(compared, "cwnd", tmp_path / "picture.gif")
    with pytest.raises(InputError, match="there is no seed 9 in these results; there are 1, 2, 3"):
        tworay.plot(compared, "cwnd", seed=9)
    with pytest.raises(InputError, match="there is no series of flow"):
        tworay.plot(compared, "cwnd", flow=5)
    with pytest.raises(InputError, match="in its directory only"):
        tworay.plot(tworay.compare("string-2", tcp="reno", seeds=1, set={"duration": "2s"}), "cwnd")
    with pytest.raises(InputError, match="box compares arms"):
        tworay.plot(tworay.run("string-2", set={"duration": "2s"}), "box")
    (tmp_path / "mine.svg").write_text("kept")
    refused = cli("plot", compared, "box", "-o", "mine.svg")
    assert refused.code == 2
    assert "add --force" in refused.err
    assert (tmp_path / "mine.svg").read_text() == "kept"


def test_a_run_draws_all_its_flows() -> None:
    run = tworay.run("cross", set={"duration": "5s"})
    _, labels = ends_and_labels(tworay.plot(run, "rtt"))
    assert len(labels) == 2
    assert all(label.startswith("flow ") and label.endswith(", newreno") for label in labels)


def test_a_comparison_that_is_kept_draws_what_its_directory_draws(compared: Path) -> None:
    """Given as the result itself; one without a directory has no series, and says how to keep them."""
    kept = tworay.results(compared)
    for what in ("cwnd", "goodput"):
        drawn, again = tworay.plot(kept, what).axes[0], tworay.plot(compared, what).axes[0]
        assert [line.get_label() for line in drawn.lines] == [line.get_label() for line in again.lines]
        assert drawn.get_legend_handles_labels()[1] == ["reno", "vegas"]
    unkept = tworay.compare("string-3", tcp="reno", seeds=1, set={"duration": "2s"})
    for what in ("cwnd", "transfers"):
        with pytest.raises(tworay.InputError, match=r"write tworay\.compare\(\.\.\., out=DIR\)"):
            tworay.plot(unkept, what)
    with pytest.raises(tworay.InputError, match="no transfers to draw"):
        tworay.plot(kept, "transfers")


def test_a_notebook_shows_a_plot_as_it_is(compared: Path) -> None:
    """Without `%matplotlib inline` IPython knows no picture of matplotlib's own figures."""
    shown, _ = DisplayFormatter().format(tworay.plot(compared, "cwnd"))
    assert shown["image/png"].startswith(b"\x89PNG")


def test_a_list_of_runs_is_drawn_together() -> None:
    """As with ``against``: a line for each run."""
    runs = [tworay.run("string-2", seed=seed, set={"duration": "3s"}) for seed in (1, 2)]
    together = ends_and_labels(tworay.plot(runs, "rtt"))
    assert together == ends_and_labels(tworay.plot(runs[0], "rtt", against=runs[1]))
    assert len(together[1]) == 2
    with pytest.raises(InputError, match="the list of runs is empty"):
        tworay.plot([], "rtt")


def test_an_overlay_names_the_run_that_lacks_the_flow() -> None:
    first = tworay.run("string-2x2", set={"duration": "3s"})
    second = tworay.run("string-2", set={"duration": "3s"})
    with pytest.raises(InputError, match=r"^string-2: there is no flow 1; there are 0 \(0 to 2\)"):
        tworay.plot([first, second], "rtt", flow=1)
