"""EEE and UAR by the worked examples of Psaras et al., section 5.2; histograms; the length of the warm-up."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import numpy as np
import polars as pl
import pytest

import tworay
from tworay.analysis import stats
from tworay.experiment import onerun
from tworay.histograms import freedman_diaconis_width, histogram, sturges_bins
from tworay.running.resources import carried, eee, saturated, uar, with_resources
from tworay.running.run import throughput_max

EXAMPLES = [
    (100, 80, 0.20, 0.10),
    (100, 60, 0.40, 0.20),
    (80, 60, 0.26, 0.225),
    (60, 40, 0.32, 0.3667),
    (40, 39, 0.19, 0.3125),
    (60, 50, 0.22, 0.2833),
    (100, 0, 1.0, 0.5),
    (1, 0, 0.307, 0.995),
    (100, 100, 0.0, 0.0),
    (80, 80, 0.06, 0.1),
    (60, 60, 0.12, 0.2),
    (0, 0, 0.3, 1.0),
]


@pytest.mark.parametrize(("throughput", "goodput", "energy", "unused"), EXAMPLES)
def test_psaras_flows(throughput: float, goodput: float, energy: float, unused: float) -> None:
    assert eee(throughput, goodput, 100) == pytest.approx(energy, abs=5e-4)
    assert uar(throughput, goodput, 100) == pytest.approx(unused, abs=5e-4)


def test_the_orderings_the_paper_claims() -> None:
    assert eee(100, 80, 100) < eee(100, 60, 100)
    assert eee(80, 60, 100) < eee(60, 40, 100)
    assert eee(40, 39, 100) < eee(60, 50, 100)
    assert uar(100, 80, 100) < uar(100, 60, 100)
    assert uar(80, 80, 100) < uar(60, 60, 100)
    assert uar(40, 39, 100) > uar(60, 50, 100)


def test_the_idle_weight_and_the_clamps() -> None:
    assert eee(0, 0, 100, idle=0.7) == pytest.approx(0.7)
    assert eee(120, 90, 100) == pytest.approx(0.3)
    assert uar(120, 120, 100) == pytest.approx(0.0)


def test_flows_that_leave_count_over_the_time_of_the_run() -> None:
    """The first flow leaves after half of the run: 800 / 2 + 400 are sent, and 600 / 2 + 400 received."""
    flows = [
        {"sent_bps": 800.0, "goodput_bps": 600.0, "measured_share": 0.5},
        {"sent_bps": 400.0, "goodput_bps": 400.0, "measured_share": 1.0},
    ]
    filled = with_resources({"flows": flows, "metrics": {}}, 1000.0)["metrics"]
    assert filled["eee"] == pytest.approx((800 - 700) / 1000 + 0.3 * (1000 - 800) / 1000)
    assert filled["uar"] == pytest.approx(1 - (0.5 * 800 / 1000 + 0.5 * 700 / 800))


def test_a_flow_that_leaves_is_compared_with_sources_that_leave() -> None:
    """One transfer over wires of 1 Mb/s, in the first 20 s of 40: sources that fill them send 0.5 Mb/s.

    To this come the 50 datagrams of 1040 B that are then in the source's queue: 0.416 s.
    """
    rates = {f"wire_kind.{kind}.rate": "1Mbps" for kind in ("source", "bottleneck", "sink")}
    world = {"duration": "40s", "flow.0.start": "0s", "flow.0.stop": "20s", **rates}
    done = tworay.run("dumbbell-1", resources=True, set=world).summary
    flow, found = done["flows"][0], done["metrics"]
    assert found["throughput_max_bps"] == pytest.approx(1e6 * 20.416 / 40, rel=1e-3)
    assert flow["measured_share"] == pytest.approx(flow["completion_seconds"] / 40)
    # The transfer fills its wires, too, but for slow start.
    assert flow["sent_bps"] == pytest.approx(1e6, rel=0.1)
    idle = 1 - flow["sent_bps"] * flow["completion_seconds"] / 40 / found["throughput_max_bps"]
    wasted = 1 - flow["goodput_bps"] / flow["sent_bps"]
    assert found["uar"] == pytest.approx(0.5 * max(idle, 0.0) + 0.5 * wasted)


def test_the_aggressive_run_replaces_tcp_and_is_kept() -> None:
    world = tworay.load("string-2", set={"duration": "10s", "routing.protocol": "static"})
    flow = tomllib.loads(saturated(world).to_toml())["flow"][0]
    assert (flow["app"], flow["size"]) == ("cbr", "1472B")
    most = throughput_max(world)
    assert throughput_max(world.with_variant("vegas")) == most
    # A 2 Mb/s channel shared by two hops; and more than TCP sends, which waits for ACKs.
    document = tworay.run(world).summary
    assert document["flows"][0]["sent_bps"] < most < 2e6
    filled = with_resources(document, most)["metrics"]
    assert 0 < filled["eee"] < 1
    assert 0 < filled["uar"] < 1
    assert document["metrics"]["eee"] is None


def test_a_run_and_a_comparison_agree_on_eee_and_uar() -> None:
    world = {"set": {"duration": "10s", "routing.protocol": "static"}}
    alone = tworay.run("string-2", tcp="vegas", resources=True, seed=2, **world).summary["metrics"]
    assert alone["throughput_max_bps"] == throughput_max(tworay.load("string-2", **world), 2)
    together = tworay.compare("string-2", tcp=["vegas", "newreno"], seeds=[2], resources=True, **world)
    values = together.values("vegas")[2]
    assert {key: values[f"metrics.{key}"] for key in ("eee", "uar")} == {
        key: alone[key] for key in ("eee", "uar")
    }
    assert len(together) == 2
    assert not together.failures


def test_batteries_do_not_lower_what_a_world_can_carry() -> None:
    world = {"duration": "10s", "routing.protocol": "static"}
    powered = {"energy.model": "states", "energy.preset": "wavelan", "energy.battery": "2J"}
    assert tworay.run("string-2", set=world | powered).summary["energy"]["dead_nodes"] == 3
    plain, drained = (tworay.load("string-2", set=settings) for settings in (world, world | powered))
    assert throughput_max(drained) == throughput_max(plain)


def test_wired_sources_send_as_fast_as_their_own_link() -> None:
    world = tworay.load("dumbbell-3", set={"wire.1.rate": "2Mbps"})
    flows = tomllib.loads(saturated(world).to_toml())["flow"]
    # Datagrams of 1040 bytes, headers included: 1012 of payload.
    assert [flow["size"] for flow in flows] == ["1012B"] * 3
    assert [flow["interval"] for flow in flows] == ["4.048ms", "809.6us", "809.6us"]


def test_bins() -> None:
    # 1..8: quartiles 2.75 and 6.25, n^(1/3) = 2.
    values = list(range(1, 9))
    assert freedman_diaconis_width(values) == pytest.approx(3.5)
    assert sturges_bins(values) == 4
    rng = random.Random(1)
    sample = [rng.gauss(0, 1) for _ in range(500)]
    assert len(histogram(sample).counts) == len(np.histogram_bin_edges(sample, "fd")) - 1
    assert len(histogram(sample, "sturges").counts) == len(np.histogram_bin_edges(sample, "sturges")) - 1
    assert histogram([3, 3, 3]).counts == [0, 3, 0] or sum(histogram([3, 3, 3]).counts) == 3
    assert histogram([]).counts == []


def test_mser_cuts_the_transient() -> None:
    rng = random.Random(7)
    series = [10 * 0.8**i + rng.gauss(0, 0.1) for i in range(200)]
    assert 10 <= stats.mser_warmup(series) <= 60
    assert stats.mser_warmup([1.0] * 100) == 0
    assert stats.mser_warmup([]) == 0


def test_the_saturated_run_records_no_single_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its sources overflow all the time: a row for each of a million drops would only be counted again.
    world = tworay.load("string-2", set={"duration": "10s"})
    full, lean = (tworay.run(saturated(world), series=False, losses=kept) for kept in (True, False))
    assert lean.ledger.height == 0 < 100 < full.ledger.height
    assert lean.summary["ledger"] == full.summary["ledger"]
    at_source = full.ledger.filter(pl.col("node") == 0).height
    assert lean.lost_at_source == full.lost_at_source == [at_source]
    flow = full.summary["flows"][0]
    left = flow["sent_segments"] - at_source
    assert carried(lean) == pytest.approx(flow["sent_bps"] * left / flow["sent_segments"])

    recorded: dict[str | None, bool] = {}

    def spy(scenario: tworay.Scenario, **options: Any) -> tworay.Run:
        result = tworay.run(scenario, **options)
        recorded[result.summary["flows"][0]["tcp"]] = options.get("losses", True)
        return result

    monkeypatch.setattr(onerun, "run", spy)
    tworay.compare("string-2", tcp=["reno", "sack"], seeds=1, resources=True, set={"duration": "10s"}, jobs=1)
    assert recorded == {"reno": True, "sack": True, None: False}
