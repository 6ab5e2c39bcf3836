"""Flows with transfers as users see them: tables, plots, comparisons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import tworay
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

# 1 Mb/s and 10 ms: a segment with n bytes of payload arrives after 8 (n + 40) / 10^6 + 0.01 s.
HOME = """
name = "home"
duration = "30s"
routing.protocol = "static"

[[wire]]
from = 0
to = 1
rate = "1Mbps"
delay = "10ms"

[[flow]]
from = 0
to = 1
app = "web"
every = "500ms"
sizes = { kind = "listed", sizes = ["1kB", "40kB"] }

[[flow]]
from = 0
to = 1
app = "video"
rate = "200kbps"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("traffic") / "home.toml"
    file.write_text(HOME)
    return file


def test_a_run_tells_times_by_size_and_stalls(cli: Cli, home: Path, tmp_path: Path) -> None:
    done = cli("run", str(home), "--out", "out")
    assert done.code == 0, done.err
    for heading in (
        "transfers",
        "transfer p95 s",
        "to 10kB",
        "to 100kB",
        "stalls",
        "start s",
        "delay p95 ms",
    ):
        assert heading in done.out, heading
    document = json.loads((tmp_path / "out" / "summary.json").read_text())
    web, video = document["flows"]
    table = pl.read_parquet(tmp_path / "out" / "transfers.parquet").filter(pl.col("flow") == 0)
    times = table.filter(pl.col("seconds").is_not_nan())["seconds"]
    assert web["completed_transfers"] == len(times)
    assert web["transfer_seconds"] == pytest.approx(times.mean())
    assert set(table["bytes"].to_list()) == {1000, 40_000}
    small = table.filter((pl.col("bytes") == 1000) & pl.col("seconds").is_not_nan())["seconds"]
    assert web["transfer_seconds_by_size"]["to_10kB"] == pytest.approx(small.mean())
    assert times.min() >= 8 * 1040 / 1e6 + 0.01 - 1e-9
    assert (video["stalls"], video["stalled_seconds"]) == (0, 0.0)
    # Flows of other kinds have no such keys.
    assert (
        "completed_transfers"
        not in cli("run", "string-1", "--set", "duration=2s", "--json").document["flows"][0]
    )


def test_a_comparison_has_the_metrics_and_a_plot_by_arm(cli: Cli, home: Path, tmp_path: Path) -> None:
    done = cli(
        "compare", str(home), "--tcp", "reno,cubic", "--seeds", "2", "--out", "both", "--judge", "flow.0"
    )
    assert done.code == 0, done.err
    assert "transfer p95 s" in done.out
    assert "delay p95 ms" in done.out
    drawn = cli("plot", "both", "transfers", "-o", "times.svg")
    assert drawn.code == 0, drawn.err
    figure = tworay.plot(tmp_path / "both", "transfers", flow=0)
    axes = figure.axes[0]
    labels = axes.get_legend_handles_labels()[1]
    assert [label.split(":")[0] for label in labels] == ["reno", "cubic", "median of a class of sizes"]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


WARM = """\
duration = "30s"
warmup = "10s"
[topology]
kind = "string"
hops = 1
[[flow]]
from = 0
to = 1
app = "web"
every = "1s"
sizes = { kind = "fixed", size = "10kB" }
"""


def drawn_transfers(source: object) -> list[int]:
    """Return how many transfers each line of a plot has."""
    labels = [text.get_text() for text in tworay.plot(source, "transfers").axes[0].get_legend().get_texts()]  # type: ignore[arg-type]
    return [int(label.split()[-2]) for label in labels if label.endswith("transfers")]


def test_plots_have_the_transfers_that_the_metrics_have(tmp_path: Path) -> None:
    """One transfer a second, and a warm-up of 10 s of 30: a third of them doesn't count."""
    (tmp_path / "warm.toml").write_text(WARM)
    run = tworay.run(tmp_path / "warm.toml", out=tmp_path / "one")
    counted = run.summary["flows"][0]["completed_transfers"]
    table = run.tables["transfers"]
    assert counted == table.filter((pl.col("asked_s") >= 10) & pl.col("seconds").is_not_nan()).height
    assert counted < table.height
    for source in (run, tmp_path / "one"):
        assert drawn_transfers(source) == [counted]
    # By arm, of which each has a warm-up of its own.
    arms = {"tcp": "reno", "vary": "warmup=0s,10s", "seeds": 2}
    found = tworay.compare(tmp_path / "warm.toml", **arms, out=tmp_path / "many")
    counted = [
        sum(one["flows"][0]["completed_transfers"] for one in found.documents(arm).values())
        for arm in found.variants
    ]
    for source in (found, tmp_path / "many"):
        assert drawn_transfers(source) == counted
    # On a wire nothing is random: a seed that repeats another one counts once.
    wire = 'routing.protocol = "static"\n[[wire]]\nfrom = 0\nto = 1\nrate = "1Mbps"\ndelay = "20ms"\n'
    text = WARM.replace('[topology]\nkind = "string"\nhops = 1\n', wire)
    (tmp_path / "wire.toml").write_text(
        text.partition('app = "web"')[0] + 'app = "video"\nrate = "100kbps"\n'
    )
    found = tworay.compare(tmp_path / "wire.toml", **arms, out=tmp_path / "still")
    assert found.repeated == {2: 1}
    counted = [found.documents(arm)[1]["flows"][0]["completed_transfers"] for arm in found.variants]
    assert drawn_transfers(tmp_path / "still") == counted


def test_a_plot_without_transfers_says_who_has_some(cli: Cli) -> None:
    cli("run", "string-1", "--set", "duration=2s", "--out", "plain")
    refused = cli("plot", "plain", "transfers", "-o", "x.svg")
    assert (refused.code, "app = web, request, video or replay" in refused.err) == (2, True)


@pytest.fixture(scope="module")
def pair() -> list[tworay.Run]:
    worlds: list[dict[str, Any]] = [{"duration": "20s"}, {"duration": "20s", "tcp.variant": "vegas"}]
    return [tworay.run("string-4", set=one, series=True) for one in worlds]


@pytest.mark.parametrize("what", ["cwnd", "rtt", "goodput", "sequence"])
def test_two_runs_share_an_axis(pair: list[tworay.Run], what: Any) -> None:
    axes = tworay.plot(pair[0], what, against=[pair[1]]).axes[0]
    labels = axes.get_legend_handles_labels()[1]
    assert labels[:2] == ["flow 0: 0→4, newreno", "flow 0: 0→4, vegas"]


def test_equal_runs_are_told_apart(pair: list[tworay.Run]) -> None:
    other = tworay.run("string-4", set={"duration": "20s"}, seed=2)
    labels = tworay.plot(pair[0], "cwnd", against=[other]).axes[0].get_legend_handles_labels()[1]
    assert labels == ["seed 1: flow 0: 0→4, newreno", "seed 2: flow 0: 0→4, newreno"]


def test_a_sequence_has_a_cross_for_each_lost_segment(pair: list[tworay.Run]) -> None:
    run = pair[0]
    lines = tworay.plot(run, "sequence").axes[0].lines
    lost = run.ledger.filter(pl.col("kind") == "data")["since_s"].to_list()
    crosses = [line for line in lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert sorted(x for line in crosses for x in line.get_xdata()) == sorted(lost)
    assert np.allclose(lines[0].get_ydata() * 1000, run.series["acked_bytes"].to_numpy())


def test_the_first_trouble_is_shown(pair: list[tworay.Run]) -> None:
    broken = tworay.run("link-failure", set={"duration": "25s"})
    low, high = tworay.plot(broken, "cwnd", zoom="trouble").axes[0].get_xlim()
    moments = broken.explain().document["moments"]
    first = min(one["pause"]["begin_s"] for one in moments if one["loss"] and one["pause"])
    assert low <= first <= high
    assert tworay.plot(pair[0], "rtt", zoom=(5, 8)).axes[0].get_xlim() == (5, 8)
    with pytest.raises(InputError, match="write two times in s such as 10:20"):
        tworay.plot(pair[0], "rtt", zoom="soon")
    with pytest.raises(InputError, match="must be after the first"):
        tworay.plot(pair[0], "rtt", zoom="8:5")
    with pytest.raises(InputError, match="no loss made a sender of these flows wait"):
        tworay.plot(tworay.run("string-1", set={"duration": "2s"}), "cwnd", zoom="trouble")


def test_only_runs_are_drawn_together(pair: list[tworay.Run], cli: Cli, tmp_path: Path) -> None:
    found = tworay.compare("string-2", tcp="reno,vegas", seeds=1, set={"duration": "2s"}, out=tmp_path / "c")
    with pytest.raises(InputError, match="only runs are drawn together"):
        tworay.plot(found, "cwnd", against=[pair[0]])


def test_the_page_of_a_run_can_show_the_first_trouble(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "link-failure", "--set", "duration=25s", "--out", "broken").code == 0
    page = (tmp_path / "broken" / "report.html").read_text().replace(" ", "")
    low, high = json.loads("[" + page.split('"trouble":[')[1].split("]")[0] + "]")
    moments = tworay.Run.read(tmp_path / "broken").explain().document["moments"]
    first = min(one["pause"]["begin_s"] for one in moments if one["loss"] and one["pause"])
    assert low <= first <= high
    assert cli("run", "string-1", "--set", "duration=2s", "--out", "quiet").code == 0
    assert '"trouble"' not in (tmp_path / "quiet" / "report.html").read_text().split("<script>")[0]


def test_units_of_a_replayed_csv_and_what_lies_beyond_the_end(cli: Cli, tmp_path: Path) -> None:
    """Writes at 0, 2 and 8 s, in milliseconds and kB; a run of 5 s leaves the last one out, and says so."""
    wire = '[[wire]]\nfrom = 0\nto = 1\nrate = "10Mbps"\ndelay = "1ms"\n'
    flow = '[[flow]]\nfrom = 0\nto = 1\napp = "replay"\nover = "tcp"\nfile = "mine.csv"\n'
    (tmp_path / "mine.toml").write_text(f'duration = "10s"\nrouting.protocol = "static"\n{wire}{flow}')
    (tmp_path / "mine.csv").write_text("time_ms,kB\n0,1\n2000,0.5\n8000,1\n")
    assert cli("run", "mine.toml", "--out", "whole").code == 0
    table = pl.read_parquet(tmp_path / "whole" / "transfers.parquet")
    assert table["asked_s"].to_list() == [0.0, 2.0, 8.0]
    assert table["bytes"].to_list() == [1000, 500, 1000]
    said = (
        "1 of the 3 packets of its trace lies after its end at 5 s and is never sent; give a longer duration"
    )
    short = cli("run", "mine.toml", "--set", "duration=5s")
    assert said in " ".join(short.out.split())
    found = tworay.compare(tmp_path / "mine.toml", tcp="reno,vegas", seeds=1, set={"duration": "5s"})
    assert [said in one for one in found.warnings] == [True]
    (tmp_path / "mine.csv").write_text("time_ticks,bytes\n0,1\n")
    refused = cli("run", "mine.toml")
    assert refused.code == 2
    text = " ".join(refused.err.split())
    assert 'mine.csv:1: "time_ticks" names no unit of time' in text
    assert "such as time_s,bytes or time_ms,kB" in text
