"""Comparisons worked out from runs made by hand."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import polars as pl
import pytest
from conftest import document

from tworay import metrics, stats
from tworay.comparing import Comparison
from tworay.rendering import comparison_report, show

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
        "diagnosis_scores",
        "ledger",
        "costs",
        "warnings",
    ]
    assert list(summary["variants"]) == ["reno", "sack", "tahoe"]
    assert set(summary["variants"]["reno"]["goodput_bps"]) == {"mean", "std", "ci90", "ci95", "n"}
    assert set(summary["pairs"][0]) == {
        "a",
        "b",
        "metric",
        "difference",
        "ci95",
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
    assert [p["holm_p"] for p in pairs.values()] == stats.holm([p["paired_t_p"] for p in pairs.values()])


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
    capsys: pytest.CaptureFixture[str],
) -> None:
    show(comparison_report(comparison()))
    text = capsys.readouterr().out
    assert "4 seeds; shortest path 2.00 hops on average, no path 62.5 % of the time" in text
    assert "sack > reno" in text
    assert "12 + 0 (33%)" in text
    assert "nan" not in text.lower()


def test_throughput_max_of_the_seeds_gives_eee_and_uar() -> None:
    # The first two flows of paper 004's section 5.2: T_max 100; T 100, G 80; T 80, G 60.
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
    show(comparison_report(comparison()))
    assert "radio J" not in capsys.readouterr().out
