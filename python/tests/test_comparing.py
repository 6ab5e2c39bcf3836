"""Comparisons worked out from runs made by hand."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import polars as pl
import pytest
from conftest import document

from tworay import metrics
from tworay.analysis import stats
from tworay.experiment.comparison import Comparison
from tworay.showing.rendering import run_report, show
from tworay.showing.reporting import comparison_report
from tworay.showing.text import rendered

GOODPUT = {
    "reno": {1: 100.0, 2: 120.0, 3: 90.0, 4: 130.0},
    "sack": {1: 110.0, 2: 131.0, 3: 99.0, 4: 142.0},
    "tahoe": {1: 50.0, 2: 70.0, 3: 45.0, 4: 66.0},
}


def comparison(order: list[tuple[str, int]] | None = None) -> Comparison:
    result = Comparison("made-up", list(GOODPUT))
    for variant, seed in order or [(v, s) for v in GOODPUT for s in GOODPUT[v]]:
        result.add(variant, seed, document(variant, seed, GOODPUT[variant][seed]))
    for seed in (1, 2, 3, 4):
        result.add_facts(seed, (None if seed == 4 else float(seed), 0.25 * seed))
    return result


def test_the_document_has_the_keys_of_the_contract() -> None:
    summary = comparison().summary
    assert list(summary) == [
        "scenario",
        "seeds",
        "scenario_facts",
        "variants",
        "pairs",
        "diagnosis",
        "diagnosis_by_outcome",
        "diagnosis_scores",
        "ledger",
        "costs",
        "warnings",
        "arms",
        "mixtures",
        "verdict",
        "judge",
        "judged",
        "repeated_seeds",
        "still_arms",
        "factors",
    ]
    assert list(summary["variants"]) == ["reno", "sack", "tahoe"]
    assert set(summary["variants"]["reno"]["goodput_bps"]) == {"mean", "std", "ci90", "ci95", "n"}
    assert set(summary["pairs"][0]) == {
        "a",
        "b",
        "metric",
        "n",
        "difference",
        "std",
        "ci95",
        "p",
        "welch_p",
        "paired_t_p",
        "wilcoxon_p",
        "effect_size",
        "holm_p",
    }
    assert summary["seeds"] == [1, 2, 3, 4]
    assert summary["ledger"]["reno"] == {
        "congestion": {"data": 12, "ack": 0},
        "contention": {"data": 16, "ack": 8},
    }
    assert summary["diagnosis"]["sack"] == {"congestion": {"contention": 16}}


def test_means_and_intervals_are_those_of_the_runs() -> None:
    cell = comparison().summary["variants"]["sack"]["goodput_bps"]
    values = list(GOODPUT["sack"].values())
    assert cell["mean"] == pytest.approx(120.5)
    assert cell["std"] == pytest.approx(stats.std(values))
    assert cell["ci95"] == pytest.approx(list(stats.t_interval(values) or ()))
    assert cell["n"] == 4


def test_pairs_are_differences_seed_by_seed() -> None:
    pairs = {(p["a"], p["b"]): p for p in comparison().summary["pairs"] if p["metric"] == "goodput_bps"}
    assert list(pairs) == list(itertools.combinations(GOODPUT, 2))
    pair = pairs["reno", "sack"]
    reno, sack = list(GOODPUT["reno"].values()), list(GOODPUT["sack"].values())
    assert pair["difference"] == pytest.approx(-10.5)
    assert pair["ci95"] == pytest.approx(list(stats.t_interval([-10, -11, -9, -12]) or ()))
    assert pair["paired_t_p"] == pytest.approx(stats.paired_t_p(reno, sack))
    assert pair["welch_p"] == pytest.approx(stats.welch_p(reno, sack))
    # Pairing sees what the spread between worlds hides.
    assert pair["paired_t_p"] < 0.01 < 0.3 < pair["welch_p"]
    assert [p["holm_p"] for p in pairs.values()] == stats.holm([p["p"] for p in pairs.values()])


def test_equal_differences_in_two_seeds_are_no_evidence() -> None:
    result = Comparison("made-up", ["reno", "newreno"])
    for variant, timeouts in (("reno", 3), ("newreno", 2)):
        for seed in (1, 2):
            result.add(variant, seed, document(variant, seed, 100.0 + seed, timeouts=timeouts))
    pair = next(pair for pair in result.summary["pairs"] if pair["metric"] == "timeouts")
    assert pair["difference"] == 1.0
    assert (pair["paired_t_p"], pair["p"], pair["holm_p"]) == (None, None, None)
    text = rendered(comparison_report(result), 200)
    assert "No verdict, too few seeds: it takes 5 or more" in text
    assert "reno > newreno" not in text


def test_only_seeds_that_both_variants_finished_are_paired() -> None:
    result = Comparison("made-up", ["reno", "sack"])
    for seed in (1, 2, 3):
        result.add("reno", seed, document("reno", seed, 100.0 * seed))
    for seed in (2, 3, 4):
        result.add("sack", seed, document("sack", seed, 100.0 * seed + 7 * seed))
    pair = result.summary["pairs"][0]
    assert pair["difference"] == pytest.approx(-(14 + 21) / 2)
    assert result.summary["variants"]["reno"]["goodput_bps"]["n"] == 3


def test_the_order_in_which_runs_end_changes_nothing() -> None:
    orders = [(v, s) for v in GOODPUT for s in GOODPUT[v]]
    shuffled = random.Random(5).sample(orders, len(orders))
    assert json.dumps(comparison(shuffled).summary) == json.dumps(comparison(orders).summary)


def test_one_seed_gives_nulls_and_valid_json() -> None:
    result = Comparison("made-up", ["reno", "sack"])
    result.add("reno", 1, document("reno", 1, 5.0))
    result.add("sack", 1, document("sack", 1, 6.0))
    summary = json.loads(json.dumps(result.summary, allow_nan=False))
    assert summary["variants"]["reno"]["goodput_bps"] == {
        "mean": 5.0,
        "std": None,
        "ci90": None,
        "ci95": None,
        "n": 1,
    }
    assert summary["pairs"][0]["paired_t_p"] is None
    assert summary["pairs"][0]["holm_p"] is None


def test_scenario_facts_are_means_over_seeds_and_skip_worlds_without_a_path() -> None:
    assert comparison().summary["scenario_facts"] == {
        "mean_shortest_path_hops": 2.0,
        "partitioned_fraction": 0.625,
    }


def test_flows_are_added_up_or_averaged() -> None:
    run: dict[str, Any] = document("reno", 1, 100.0, completion_seconds=4.0)
    other = document("reno", 1, 50.0, mean_rtt_seconds=0.3)["flows"][0]
    run["flows"].append(other)
    values = metrics.values(run)
    assert values["goodput_bps"] == 150.0
    assert values["timeouts"] == 2
    assert values["mean_rtt_seconds"] == pytest.approx(0.2)
    # Only one flow ended.
    assert values["completion_seconds"] == 4.0
    assert values["mac.collisions.rts_cts"] == 7
    assert values["energy.joules_total"] is None
    assert "routing.protocol" not in values


def test_data_frames_hold_the_same_figures() -> None:
    result = comparison()
    row = result.table.filter((pl.col("variant") == "sack") & (pl.col("metric") == "goodput_bps")).row(
        0, named=True
    )
    assert row["mean"] == pytest.approx(120.5)
    assert row["ci95_low"] < 120.5 < row["ci95_high"]
    assert result.runs.height == 12
    assert result.runs.filter(pl.col("variant") == "tahoe")["goodput_bps"].to_list() == [
        50.0,
        70.0,
        45.0,
        66.0,
    ]
    assert result.pairs.filter(pl.col("metric") == "goodput_bps").height == 3
    assert result.ledger.filter(pl.col("variant") == "reno")["data"].sum() == 28
    assert result.diagnosis["count"].to_list() == [16, 16, 16]


def test_headline_precision_is_that_of_the_widest_interval() -> None:
    widest = max(stats.relative_half_width(list(values.values())) or 0 for values in GOODPUT.values())
    assert comparison().headline_precision() == pytest.approx(widest)
    assert Comparison("made-up", ["reno"]).headline_precision() is None


def test_the_printed_table_says_who_wins_and_where_losses_come_from(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    result = comparison()
    show(comparison_report(result))
    text = capsys.readouterr().out
    assert "4 seeds; shortest path 2.00 hops on average, no path 62.5 % of the time" in text
    assert "12 + 0 (33%)" in text
    # However clear they look, four seeds decide nothing; five do.
    assert "No verdict" in text
    for variant, goodput in (("reno", 110.0), ("sack", 121.0), ("tahoe", 60.0)):
        result.add(variant, 5, document(variant, 5, goodput))
    show(comparison_report(result))
    text = capsys.readouterr().out
    # Differences of 10, 11, 9, 12 and 11 b/s: 10.6 ± 1.4, shown in kb/s.
    assert "Best in goodput: sack, by 0.0 ± 0.0 kb/s (9.6 %) more than reno." in text
    assert "Ranking: sack (a), reno (b), tahoe (c)." in text
    assert "nan" not in text.lower()


def test_throughput_max_of_the_seeds_gives_eee_and_uar() -> None:
    # The first two flows of the TCP-Probing study's section 5.2: T_max 100; T 100, G 80; T 80, G 60.
    result = Comparison("made-up", ["first", "second"])
    result.add("first", 1, document("first", 1, 80.0, sent_bps=100.0))
    result.add("second", 1, document("second", 1, 60.0, sent_bps=80.0))
    assert "metrics.eee" not in result.summary["variants"]["first"]
    result.add_maximum(1, 100.0)
    cells = result.summary["variants"]
    found = {v: (cells[v]["metrics.eee"]["mean"], cells[v]["metrics.uar"]["mean"]) for v in cells}
    assert found == {"first": pytest.approx((0.20, 0.10)), "second": pytest.approx((0.26, 0.225))}
    pairs = {pair["metric"]: pair["difference"] for pair in result.summary["pairs"]}
    assert pairs["metrics.eee"] == pytest.approx(-0.06)
    assert "energy.joules_total" not in pairs


def test_energy_is_shown_where_there_is_some(capsys: pytest.CaptureFixture[str]) -> None:
    result = Comparison("made-up", ["reno"])
    for seed, died in ((1, 40.0), (2, None)):
        run = document("reno", seed)
        run["energy"] = {
            "joules_total": 12.5,
            "joules_per_received_bit": 3e-6,
            "dead_nodes": int(died is not None),
            "first_death_seconds": died,
            "half_dead_seconds": None,
        }
        result.add("reno", seed, run)
    show(comparison_report(result))
    text = capsys.readouterr().out
    heading = next(line for line in text.splitlines() if "radio J" in line)
    assert "µJ/bit" in heading
    assert "first death s" in heading
    # No run lost half of its nodes.
    assert "half dead s" not in heading
    # One of the two runs had a death.
    assert "40.0 (1 of 2)" in text
    assert "energy.model" not in text
    show(comparison_report(comparison()))
    assert "radio J" not in capsys.readouterr().out


def test_a_column_that_the_scenario_does_not_count_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    show(comparison_report(comparison(), shown=["goodput_bps", "energy.joules_total", "metrics.eee"]))
    text = " ".join(capsys.readouterr().out.split())
    assert (
        "No energy: the scenario has no energy.model and doesn't count it; add --set energy.model=states."
        in text
    )
    assert "No EEE: it needs a run with saturating sources; add --resources." in text
    show(comparison_report(comparison()))
    assert "No energy" not in capsys.readouterr().out


def test_every_metric_that_runs_have_is_compared() -> None:
    summary = comparison().summary
    known = {name for name, cell in summary["variants"]["reno"].items() if cell["n"]}
    assert {pair["metric"] for pair in summary["pairs"]} == known
    for name in ("mean_delay_seconds", "jitter_seconds", "mean_hops", "handshake_seconds", "delivery_ratio"):
        assert name in known
    assert {"ledger.congestion.data", "mac.queue_drops", "flow.0.goodput_bps"} <= known


def test_pairs_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    result = comparison()
    show(comparison_report(result))
    assert "Wilcoxon" not in capsys.readouterr().out
    show(comparison_report(result, shown=["mean_delay_seconds"], pairs=True))
    text = capsys.readouterr().out
    assert "reno − sack" in text
    assert "delay ms" in text
    assert "goodput" not in text


@pytest.mark.parametrize(
    ("seconds", "speed"), [(250.0, "0.4"), (66.0, "1.5"), (30.0, "3.3"), (8.0, "12"), (0.02, "5,000")]
)
def test_slow_runs_have_a_speed_too(capsys: pytest.CaptureFixture[str], seconds: float, speed: str) -> None:
    show(run_report(document("reno", 1) | {"cpu_seconds": seconds}))
    assert f" {speed} times real time" in capsys.readouterr().out
