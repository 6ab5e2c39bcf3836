"""SEDLANE: what a trace's delays and losses become, and what comes out when they are replayed."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tworay
from tworay import sedlane
from tworay.sedlane.exporting import export
from tworay.sedlane.traces import Way, rate_of

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


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the directory of a recorded run with losses on the channel, and its capture."""
    place = tmp_path_factory.mktemp("sedlane")
    settings = {"duration": "30s", "errors.pkt_err.bernoulli.rate": "0.02"}
    tworay.run("string-4", set=settings, record=True, pcap=place / "air.pcapng").save(place / "recorded")
    return place / "recorded", place / "air.pcapng"


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
    assert lost == pytest.approx(trace.data.loss, rel=0.1)


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


def test_exported_rules_have_the_access_link(trace: sedlane.Trace) -> None:
    """Beyond the 50 packets of the queue, those on their way count in netem's limit."""
    profile = sedlane.fit(trace)
    limited = profile._replace(access=sedlane.Access("rate", "1200 kbps"), rtt=np.array([0.1]))
    limited = limited._replace(loss=np.zeros(1), loss_back=np.zeros(1), classes=np.zeros(1, dtype=np.int64))
    limited = limited._replace(starts=np.zeros(1))
    # 1.2 Mb/s for 50 ms are 60,000 bits: five packets of 1,500 bytes.
    assert "netem limit 55 rate 1200kbit delay 0ms" in export(limited, "netem")
    assert "delay 50ms plr 0.000000 bw 1200kbit/s queue 50" in export(limited, "dummynet")
    for target in ("netem", "dummynet"):
        assert "It has no access link" in export(profile, target)
        hop = export(profile._replace(access=sedlane.Access("802.11b")), target)
        assert "Its access link is a hop of 802.11b" in hop


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
    assert trace.data.lost.tolist() == [2.0]
    assert (trace.data.number, trace.acks.number) == (2, 1)


def test_a_recorded_run_tells_of_every_packet(recorded: tuple[Path, Path]) -> None:
    """Each segment that arrived has a round-trip time, and each loss of the ledger is one of its packets."""
    run = tworay.results(recorded[0])
    trace = sedlane.read_trace(recorded[0])
    flow = run.summary["flows"][0]
    assert trace.is_complete
    # SYN and FIN, too.
    assert trace.data.number == flow["sent_segments"] + 2
    ledger = run.tables["ledger"]
    assert len(trace.data.lost) == len(ledger.filter(pl.col("kind") == "data"))
    assert len(trace.acks.lost) == len(ledger.filter(pl.col("kind") == "ack"))
    arrived = trace.data.number - len(trace.data.lost)
    # At the end some are on their way, or wait for the acknowledgment.
    assert 0.95 * arrived <= len(trace.rtt) <= arrived
    # Four times 1500 bytes at 2 Mb/s take 24 ms.
    assert trace.rtt.min() > 0.024


def test_a_capture_of_the_air_has_the_same_packets_as_the_record(recorded: tuple[Path, Path]) -> None:
    record, capture = (sedlane.read_trace(place) for place in recorded)
    assert capture.is_complete
    assert abs(capture.data.number - record.data.number) <= 3
    # A capture cannot see what the destination loses above its MAC: the frame arrived.
    ledger = tworay.results(recorded[0]).tables["ledger"].filter(pl.col("kind") == "data")
    before = ledger.filter(pl.col("node") != 4)
    assert 0 < before.height < ledger.height
    assert abs(len(capture.data.lost) - before.height) <= 3
    assert capture.goodput == pytest.approx(record.goodput, rel=0.05)
    # The capture begins when a packet leaves its source's queue, so its times are shorter.
    assert np.median(capture.rtt) < np.median(record.rtt)
    assert capture.rtt.min() > 0.025


def test_a_capture_at_the_sender_loses_what_is_sent_again(tmp_path: Path) -> None:
    """Three segments at 0, 10 and 20 ms; the second is sent again at 120 ms; ACKs return after 50 ms."""
    packets = [
        (0.000, segment(0, 1, 1, b"a" * 100)),
        (0.010, segment(0, 101, 1, b"b" * 100)),
        (0.020, segment(0, 201, 1, b"c" * 100)),
        (0.050, segment(1, 1, 101)),
        (0.070, segment(1, 1, 101)),
        (0.120, segment(0, 101, 1, b"b" * 100)),
        (0.170, segment(1, 1, 301)),
    ]
    file = tmp_path / "sender.pcap"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    rows = [struct.pack("<IIII", 9, round(1e6 * at), len(one), len(one)) + one for at, one in packets]
    file.write_bytes(head + b"".join(rows))
    trace = sedlane.read_trace(file)
    assert trace.data.lost.tolist() == pytest.approx([0.01])
    # The third segment is acknowledged with the second one's repetition.
    assert trace.rtt.tolist() == pytest.approx([0.05, 0.15], abs=1e-5)
    assert trace.goodput == pytest.approx(8 * 300 / 0.17)


def segment(way: int, seq: int, ack: int, payload: bytes = b"") -> bytes:
    """Return an IPv4 packet with a TCP segment of either direction, without checksums."""
    ends = [(bytes((10, 0, 0, 1)), 4000), (bytes((10, 0, 0, 2)), 80)]
    (src, sport), (dst, dport) = (ends[way], ends[1 - way])
    tcp = struct.pack("!HHIIBBHHH", sport, dport, seq, ack, 0x50, 0x10, 9000, 0, 0) + payload
    return struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), seq + 1000 * way, 0, 64, 6, 0) + src + dst + tcp


def test_classes_are_of_similar_times() -> None:
    """Two clusters far apart make two classes, whatever their sizes."""
    near, far = np.linspace(0.010, 0.0105, 95), np.linspace(0.4, 0.41, 5)
    of = sedlane.fitting.alike(np.concatenate([far, near]), 2)
    assert of.tolist() == [1] * 5 + [0] * 95
    # With the pair 90 and 100 ms apart from 10 ms, three classes separate what two had joined.
    of = sedlane.fitting.alike(np.array([0.01, 0.09, 0.1]), 3)
    assert of.tolist() == [0, 1, 2]
    assert sedlane.fitting.alike(np.array([0.01, 0.09, 0.1]), 2).tolist() == [0, 1, 1]


def test_the_rate_is_that_of_packets_in_quick_succession() -> None:
    """1000 bytes every 10 ms in bursts: 800 kb/s, however long the pauses between the bursts."""
    arrived = np.concatenate([start + 0.01 * np.arange(100) for start in (0.0, 30.0, 60.0)])
    way = Way(arrived, arrived, np.zeros(300, dtype=bool), np.full(300, 1000.0))
    assert rate_of(way) == pytest.approx(8e5, rel=1e-6)


def test_the_access_link_is_a_hop_of_80211b_or_a_rate(
    cli: Callable[..., Result], recorded: tuple[Path, Path]
) -> None:
    """TCP over a hop of 802.11b at 11 Mb/s stays below 6 Mb/s, over a link of 50 kb/s below that."""
    for access, most in (("802.11b", 6e6), ("50kbps", 5e4)):
        fitted = cli("sedlane", "fit", recorded[0], "-o", "a.toml", "--force", "--access", access)
        assert fitted.code == 0, fitted.err
        run = cli("run", "--profile", "a.toml", "--json")
        assert run.code == 0, run.err
        assert 0.2 * min(most, 2e5) < run.document["flows"][0]["goodput_bps"] < most


def test_check_compares_with_what_was_held_out(
    cli: Callable[..., Result], recorded: tuple[Path, Path]
) -> None:
    done = cli("sedlane", "check", recorded[0], "--access", "none,2Mbps", "--seeds", "2", "--json")
    assert done.code == 0, done.err
    found = done.document
    assert found["tcp"] == "newreno"
    assert found["every_packet"]
    assert found["held_out"].endswith("15 to 30 s")
    assert [replay["access"] for replay in found["replays"]] == ["none", "2Mbps"]
    trace = sedlane.read_trace(recorded[0]).between(0.5, 1.0)
    assert found["traced"]["loss"] == trace.data.loss
    assert found["traced"]["goodput_bps"] == trace.goodput
    one = found["replays"][0]["measures"]["goodput_bps"]
    assert one["ratio"] == pytest.approx(one["mean"] / trace.goodput)
    assert one["interval"][0] <= one["mean"] <= one["interval"][1]
    table = cli("sedlane", "check", recorded[0], "--access", "none", "--seeds", "2")
    assert "goodput, kb/s" in table.out
    assert "times the traced goodput" in table.out.splitlines()[0]


def test_the_figure_shows_packets_classes_and_losses(
    cli: Callable[..., Result], recorded: tuple[Path, Path], tmp_path: Path
) -> None:
    done = cli("sedlane", "fit", recorded[0], "--figure", "classes.svg", "--json")
    assert done.code == 0, done.err
    text = (tmp_path / "classes.svg").read_text()
    for words in ("round-trip time (ms)", "classes", "lost", "time (s)"):
        assert words in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "-o", "p.toml"), "there is no such file"),
        (("TRACED",), "-o PROFILE.toml"),
        (("TRACED", "-o", "p.txt"), ".toml"),
        (("TRACED", "-o", "p.toml", "--classes", "17"), "1 to 16"),
        (("TRACED", "-o", "p.toml", "--flow", "7"), "no TCP flow 7"),
        (("TRACED", "--export", "tc"), "netem and dummynet"),
        (("TRACED", "-o", "p.toml", "--access", "fast"), "802.11b"),
        (("TRACED", "-o", "p.toml", "--access", "traced"), "--record"),
        (("TRACED", "--figure", "p.txt"), ".svg"),
    ],
)
def test_wrong_input_is_named(
    cli: Callable[..., Result], traced: Path, arguments: tuple[str, ...], words: str
) -> None:
    result = cli("sedlane", "fit", *(str(traced) if one == "TRACED" else one for one in arguments))
    assert result.code == 2
    assert words in result.err
