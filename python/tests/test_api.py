"""The Python API as notebooks use it."""

from __future__ import annotations

import threading
import tomllib
from typing import TYPE_CHECKING

import polars as pl
import pytest

import tworay
from tworay import _native

QUICK = {"duration": "10s"}


def test_everything_promised_is_there() -> None:
    for name in tworay.__all__:
        assert getattr(tworay, name) is not None
    assert dir(tworay) == sorted(tworay.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(tworay, "nonsense")  # noqa: B009


def test_a_run_has_data_frames_and_numbers() -> None:
    scenario = tworay.load("string-4", tcp="newreno", set=QUICK | {"mac.rts_threshold": "3000B"})
    result = tworay.run(scenario, seed=3)
    assert result.goodput_bps == result.summary["flows"][0]["goodput_bps"] > 0
    assert result.throughput_bps >= result.goodput_bps
    assert result.flows["retransmitted_segments"].sum() == result.retransmitted_segments
    assert result.flows["timeouts"].sum() == result.timeouts
    assert result.series["t_s"].is_sorted()
    assert result.series["srtt_s"].dtype == pl.Float64
    # Before the first sample there is no round-trip time: null, not NaN.
    assert result.series["srtt_s"].is_nan().sum() == 0
    assert "string-4" in repr(result)
    causes = {"congestion", "contention", "channel", "link-failure", "node-down", "ttl", "reorder-discard"}
    assert set(result.ledger["cause"].unique()) <= causes


def test_the_ledger_says_why_a_segment_was_lost_and_how_it_ended(tmp_path: Path) -> None:
    # Node 1 of 0 - 1 - 2 is switched off while node 0 sends: the break fills node 0's queue.
    text = """
        duration = "5s"
        topology = { kind = "string", hops = 2 }
        routing.protocol = "static"
        [[flow]]
        from = 0
        to = 2
        app = "cbr"
        size = "512B"
        rate = "400kbps"
        [[event]]
        node = 1
        at = "2s"
        what = "down"
    """
    path = tmp_path / "break.toml"
    path.write_text(text)
    lost = tworay.run(path).ledger.filter(pl.col("t_s") > 2)
    assert set(lost["cause"]) == {"node-down"}
    assert {"rts-retries", "ifq"} <= set(lost["died"])
    assert (lost["since_s"] <= lost["t_s"]).all()
    at_the_queue = lost.filter(died="ifq")
    assert set(at_the_queue["root_node"]) == {0}
    assert set(at_the_queue["next_hop"]) == {1}
    # No signal spoiled anything: null, not a number.
    assert lost["interferer"].dtype == pl.Int64
    assert lost["interferer"].is_null().all()


def test_series_are_left_out_on_request() -> None:
    assert tworay.run("string-2", set=QUICK, series=False).series.height == 0


def test_a_run_depends_on_the_seed_and_on_nothing_else() -> None:
    first, again, other = (tworay.run("string-4", seed=seed, set=QUICK) for seed in (1, 1, 2))
    assert first.series.equals(again.series)
    assert first.ledger.equals(again.ledger)
    assert not first.series.equals(other.series)


def test_compare_gives_tables() -> None:
    result = tworay.compare("string-3", tcp=["tahoe", "reno", "sack"], seeds=3, set=QUICK, jobs=2)
    assert result.failures == []
    assert result.seeds == [1, 2, 3]
    assert result.runs.height == 9
    assert result.table.filter(pl.col("metric") == "goodput_bps")["variant"].to_list() == [
        "tahoe",
        "reno",
        "sack",
    ]
    assert result.pairs.filter(pl.col("metric") == "timeouts").height == 3
    assert result.summary["scenario"] == "string-3"
    assert repr(result) == "<tworay.Comparison string-3: tahoe, reno, sack; 3 seeds>"


def test_variants_meet_the_same_world() -> None:
    """Common random numbers: what does not depend on TCP is equal for all variants of a seed."""
    base = tworay.load("strip-50", set={"duration": "5s"})
    assert base.facts(4) == base.with_variant("tahoe").facts(4)
    assert base.facts(4) != base.facts(5)


def test_scenario_text_is_complete_toml() -> None:
    scenario = tworay.load("string-2", set=QUICK)
    text = scenario.to_toml()
    assert tomllib.loads(text)["duration"] == "10s"
    again = _native.Scenario.from_toml(text, "string-2", ".")
    assert tworay.run(again, seed=1).series.equals(tworay.run(scenario, seed=1).series)


def test_errors_say_what_kind_they_are() -> None:
    with pytest.raises(tworay.ScenarioError, match="newreno"):
        tworay.load("string-2", tcp="newrno")
    with pytest.raises(tworay.ScenarioError, match="already loaded"):
        tworay.load(tworay.load("string-2"), set=QUICK)
    with pytest.raises(tworay.InputError):
        tworay.run("string-2", seed=-1)
    for kind in (
        tworay.ScenarioError,
        tworay.RunError,
        tworay.Cancelled,
        tworay.InputError,
        tworay.OutputError,
    ):
        assert issubclass(kind, tworay.TworayError)


def test_a_run_can_be_stopped_from_another_thread() -> None:
    control = _native.RunControl()
    timer = threading.Timer(0.3, control.cancel)
    timer.start()
    with pytest.raises(tworay.Cancelled):
        tworay.run("string-4", set={"duration": "1000000s"}, control=control, series=False)
    timer.join()
    assert 0 <= control.progress() < 1


def test_overrides_can_be_a_mapping_or_texts() -> None:
    one = tworay.load("string-2", set={"duration": "7s"}).to_toml()
    assert one == tworay.load("string-2", set=["duration=7s"]).to_toml()
    assert one == tworay.load("string-2", set="duration=7s").to_toml()
