"""SEDLANE: what a trace's delays and losses become, and what comes out when they are replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tworay
from tworay import sedlane
from tworay.sedlane.exporting import export

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result
    from numpy.typing import NDArray


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a run with losses on the channel, whose delays change as nodes move."""
    place = tmp_path_factory.mktemp("sedlane") / "traced"
    settings = {"duration": "60s", "errors.pkt_err.bernoulli.rate": "0.05", "tcp.timestamps": "true"}
    tworay.run("square-50", set=settings, seed=2, series=True).save(place)
    return place


@pytest.fixture(scope="module")
def trace(traced: Path) -> sedlane.Trace:
    return sedlane.read_trace(traced)


def replayed(profile: sedlane.Profile, seconds: int) -> Any:
    """Run datagrams at short intervals over a profile's link."""
    world = profile.toml().replace(
        "from = 0\nto = 1\n\n[[wire]]",
        'from = 0\nto = 1\napp = "cbr"\ninterval = "10ms"\nsize = "100B"\nstart = "0s"\n\n[[wire]]',
    )
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "profile.toml"
        file.write_text(world, encoding="utf-8")
        return tworay.run(file, set={"duration": f"{seconds}s"}, series=True)


def test_samples_are_what_the_sender_smoothed(trace: sedlane.Trace) -> None:
    """Smoothing the samples again (RFC 6298) gives the sender's own round-trip time."""
    smoothed = trace.rtt[0]
    for sample in trace.rtt[1:]:
        smoothed += (sample - smoothed) / 8
    assert trace.rtt.min() > 0.001
    assert len(trace.rtt) > 100
    assert smoothed == pytest.approx(np.average(trace.rtt[-30:]), rel=1.0)


def test_the_schedule_has_the_traces_distribution_and_losses(trace: sedlane.Trace) -> None:
    """At the times at which the trace's packets were sent."""
    profile = sedlane.fit(trace)
    assert len(profile.rtt) <= 16
    again: NDArray[np.float64] = profile.rtt[profile.at(np.maximum(trace.sent, 0.0))]
    assert stats.ks_2samp(trace.rtt, again).statistic < 0.1
    lost = float(np.average(profile.loss, weights=profile.packets / (1 - profile.loss)))
    assert lost == pytest.approx(len(trace.lost_data) / trace.data_sent, rel=0.1)


def test_a_link_with_the_profile_delays_and_loses_as_the_schedule_says(trace: sedlane.Trace) -> None:
    profile = sedlane.fit(trace)
    run = replayed(profile, int(profile.duration))
    packets = run.tables["packets"].filter(pl.col("from") == 0)
    sent = packets.filter(pl.col("event") == "enqueue").sort("seq")
    came = packets.filter(pl.col("event") == "receive")
    both = sent.join(came, on="seq", suffix="_came")
    delays = (both["t_s_came"] - both["t_s"]).to_numpy()
    wanted = profile.rtt[profile.at(both["t_s"].to_numpy())] / 2
    assert np.abs(delays - wanted).max() < 1e-4
    times = np.arange(0, profile.duration, 0.01)
    expected = float(profile.loss[profile.at(times)].mean())
    found = 1 - len(came) / len(times)
    # Five standard deviations of so many throws.
    assert found == pytest.approx(expected, abs=5 * np.sqrt(expected / len(times)) + 0.01)


def test_the_command_writes_a_profile_that_runs(
    cli: Callable[..., Result], traced: Path, tmp_path: Path
) -> None:
    fitted = cli("sedlane", "fit", traced, "-o", "p.toml", "--classes", "4", "--json")
    assert fitted.code == 0, fitted.err
    assert len(fitted.document["classes"]) <= 4
    table = pl.read_parquet(tmp_path / "p.parquet")
    assert table.columns == ["t_s", "class", "rtt_s", "loss", "loss_back"]
    assert len(table) == fitted.document["changes"]
    run = cli("run", "--profile", "p.toml", "--tcp", "sack", "--json")
    assert run.code == 0, run.err
    assert run.document["flows"][0]["goodput_bps"] > 0
    for target, word in (("netem", "tc qdisc"), ("dummynet", "ipfw pipe")):
        rules = cli("sedlane", "fit", traced, "--classes", "3", "--export", target)
        assert word in rules.out


def test_rules_for_other_machines_hold_half_of_the_round_trip(trace: sedlane.Trace) -> None:
    profile = sedlane.fit(trace, 1)
    half = 500 * profile.rtt[0]
    assert f"lane {half:.3f}ms {100 * profile.loss[0]:.4f}%" in export(profile, "netem")
    assert f"ipfw pipe 100 config delay {half:.0f}ms plr {profile.loss[0]:.6f}" in export(profile, "dummynet")


OLD_TRACE = """\
s 1.000000000 _0_ AGT  --- 1 tcp 512 [0 0 0 0] ------- [0:0 1:0 32 0] [0 0] 0 0
r 1.050000000 _1_ AGT  --- 1 tcp 532 [13a 1 0 800] ------- [0:0 1:0 32 1] [0 0] 1 0
s 1.050000000 _1_ AGT  --- 2 ack 40 [0 0 0 0] ------- [1:0 0:0 32 0] [0 0] 0 0
r 1.080000000 _0_ AGT  --- 2 ack 60 [13a 0 1 800] ------- [1:0 0:0 32 0] [0 0] 1 0
s 2.000000000 _0_ AGT  --- 3 tcp 512 [0 0 0 0] ------- [0:0 1:0 32 0] [1 0] 0 0
D 2.010000000 _0_ IFQ  --- 3 tcp 532 [0 0 0 0] ------- [0:0 1:0 32 1] [1 0] 0 0
"""


def test_a_trace_of_ns2_is_paired_packet_by_packet(tmp_path: Path) -> None:
    """One segment takes 50 ms there and 30 ms back; the other is lost in the queue."""
    file = tmp_path / "out.tr"
    file.write_text(OLD_TRACE, encoding="ascii")
    trace = sedlane.read_trace(file)
    assert trace.rtt.tolist() == pytest.approx([0.08])
    assert trace.lost_data.tolist() == [2.0]
    assert (trace.data_sent, trace.acks_sent) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "-o", "p.toml"), "there is no such file"),
        (("TRACED",), "-o PROFILE.toml"),
        (("TRACED", "-o", "p.txt"), ".toml"),
        (("TRACED", "-o", "p.toml", "--classes", "17"), "1 to 16"),
        (("TRACED", "-o", "p.toml", "--flow", "7"), "no TCP flow 7"),
        (("TRACED", "--export", "tc"), "netem and dummynet"),
    ],
)
def test_wrong_input_is_named(
    cli: Callable[..., Result], traced: Path, arguments: tuple[str, ...], words: str
) -> None:
    result = cli("sedlane", "fit", *(str(traced) if one == "TRACED" else one for one in arguments))
    assert result.code == 2
    assert words in result.err
