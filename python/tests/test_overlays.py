"""Runs on one axis: their names, the connection of a live run that is drawn, and the stretch of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

import tworay
from tworay.errors import InputError
from tworay.showing.rendering import run_report
from tworay.showing.text import rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

SHORT = {"duration": "4s"}
TWO = """name = "two"
duration = "6s"
[topology]
kind = "string"
hops = 2
[[flow]]
from = 0
to = 2
bytes = "2kB"
[[flow]]
from = 0
to = 2
"""


def labels(figure: Any) -> list[str]:
    return list(figure.axes[0].get_legend_handles_labels()[1])


@pytest.fixture(scope="module")
def run() -> tworay.Run:
    return tworay.run("string-2", set=SHORT)


def test_runs_that_differ_in_a_setting_are_named_by_it(run: tworay.Run) -> None:
    other = tworay.run("string-2", set=SHORT | {"tcp.window": "8"})
    # One run needs no list.
    assert labels(tworay.plot(run, "rtt", against=other)) == [
        f"tcp.window={run_window(run)}: flow 0: 0→2, newreno",
        "tcp.window=8: flow 0: 0→2, newreno",
    ]


def run_window(run: tworay.Run) -> int:
    import tomllib

    return int(tomllib.loads(run.to_keep()["scenario.toml"])["tcp"]["window"])


def test_stored_runs_are_named_by_their_directories(cli: Cli, tmp_path: Path) -> None:
    for name in ("before", "after"):
        assert cli("run", "string-2", "--set", "duration=4s", "--out", name).code == 0
    one, other = (str(tmp_path / name) for name in ("before", "after"))
    assert [label.split(":")[0] for label in labels(tworay.plot(one, "cwnd", against=other))] == [
        "before",
        "after",
    ]


def test_of_a_live_run_the_connection_that_delivered_most_is_drawn(run: tworay.Run, tmp_path: Path) -> None:
    """The first connection of iperf3 is its control connection, which carries next to nothing."""
    (tmp_path / "two.toml").write_text(TWO)
    live = tworay.run(str(tmp_path / "two.toml"))
    flows = live.summary["flows"]
    assert flows[0]["acked_segments"] < flows[1]["acked_segments"]
    live.summary["live"] = {}
    found = labels(tworay.plot(run, "cwnd", against=[live]))
    assert found == ["flow 0: 0→2, newreno", "flow 1: 0→2, newreno"]
    assert len(labels(tworay.plot(live, "cwnd"))) == 2
    assert "two: flow 0: 0→2, newreno" in labels(tworay.plot(run, "cwnd", against=[live], flow=0))


def test_a_stretch_after_the_end_is_refused(run: tworay.Run, cli: Cli, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"zoom 40:50: the run ends at 4 s; choose times from 0"):
        tworay.plot(run, "cwnd", zoom=(40, 50))
    out = tmp_path / "c"
    arms = tworay.compare("string-2", tcp="reno,vegas", seeds=1, set=SHORT, out=out)
    with pytest.raises(InputError, match="the run ends at 4 s"):
        tworay.plot(out, "goodput", zoom="4:5")
    with pytest.raises(InputError, match="box has no axis of time"):
        tworay.plot(arms, "box", zoom="1:2")
    with pytest.raises(InputError, match="write two times"):
        tworay.plot(run, "cwnd", zoom=cast("Any", 3))
    refused = cli("plot", str(out), "transfers", "--zoom", "1:2", "-o", "x.svg")
    assert (refused.code, "transfers has no axis of time" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("live", "said"),
    [
        ({"settings": {"slow": 1.0}}, "in real time"),
        ({"settings": {"slow": 4.0}}, "4 times slower than real time"),
        ({"settings": {"slow": 1.0}, "virtual": {}}, "in virtual time"),
    ],
)
def test_a_live_network_has_the_pace_of_its_clock(run: tworay.Run, live: dict[str, Any], said: str) -> None:
    """Its engine computes for a fraction of the time and waits for the rest: that ratio is no speed."""
    head = rendered(run_report(run.summary | {"live": live}), 200).splitlines()[0]
    assert head.endswith(said)
    assert "times real time" in rendered(run_report(run.summary), 200).splitlines()[0]


def test_losses_of_a_comparison_are_drawn_as_those_of_its_runs(tmp_path: Path) -> None:
    """The crosses of an arm are those of the same run alone; without a stored ledger the legend has none."""
    settings = {"duration": "25s"}
    out = tmp_path / "both"
    tworay.compare("link-failure", tcp="welcome,newreno", seeds=2, set=settings, out=out)
    figure = tworay.plot(out, "sequence", seed=2)
    assert labels(figure) == ["welcome", "newreno", "a segment was lost"]
    drawn = crosses(figure)
    alone = [
        crosses(tworay.plot(tworay.run("link-failure", tcp=tcp, seed=2, set=settings), "sequence"))
        for tcp in ("welcome", "newreno")
    ]
    assert drawn == [*alone[0], *alone[1]]
    assert sum(map(len, drawn)) > 0
    with pytest.raises(InputError, match="comparisons keep no records; `tworay run SCENARIO --record"):
        cast("tworay.Comparison", tworay.results(out)).table_of("segments")
    # The first trouble is that of the run that is drawn, node 1 down at 20 s.
    low, high = tworay.plot(out, "sequence", seed=2, zoom="trouble").axes[0].get_xlim()
    assert low < 20 < high < 25
    (out / "ledger.parquet").unlink()
    assert labels(tworay.plot(out, "sequence", seed=2)) == ["welcome", "newreno"]


def crosses(figure: Any) -> list[list[tuple[float, float]]]:
    """Return the places of crosses, without that of the legend."""
    lines = [one for one in figure.axes[0].lines if one.get_marker() == "x" and len(one.get_xdata())]
    return [list(zip(one.get_xdata().tolist(), one.get_ydata().tolist(), strict=True)) for one in lines]


def test_transfers_of_one_size_lie_inside_the_axes(tmp_path: Path) -> None:
    """On an axis of no width the points were beside the frame; the arms keep their order."""
    scenario = tmp_path / "one-size.toml"
    scenario.write_text(
        'duration = "20s"\ntopology = { kind = "string", hops = 2 }\n'
        '[[flow]]\nfrom = 0\nto = 2\napp = "web"\nevery = "1s"\nsizes = { kind = "fixed", size = "150kB" }\n',
        encoding="ascii",
    )
    out = tmp_path / "cmp"
    tworay.compare(str(scenario), tcp="vegas,newreno,cubic", seeds=2, out=out)
    figure = tworay.plot(out, "transfers")
    assert [one.split(":")[0] for one in labels(figure)[:3]] == ["vegas", "newreno", "cubic"]
    axes: Any = figure.axes[0]
    low, high = axes.get_xlim()
    assert (low, high) == (75_000, 300_000)
    drawn = {float(x) for line in axes.lines for x in line.get_xdata()}
    assert drawn == {150_000.0}


def test_a_run_has_its_tables_by_name(run: tworay.Run) -> None:
    assert run.table_of("series").equals(run.series)
    with pytest.raises(InputError, match="the run has no table `segments`; it has alive,"):
        run.table_of("segments")
