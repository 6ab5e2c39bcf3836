"""The command line as scripts depend on it: documents, exit codes, files."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from conftest import QUICK, Result, command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forking import Forks

    Cli = Callable[..., Result]

RUN_KEYS = {
    "tworay",
    "scenario",
    "seed",
    "sim_seconds",
    "events",
    "cpu_seconds",
    "flows",
    "ledger",
    "diagnosis",
    "diagnosis_by_outcome",
    "diagnosis_scores",
    "mac",
    "routing",
    "energy",
    "metrics",
    "warnings",
}
FLOW_KEYS = {
    "id",
    "from",
    "to",
    "tcp",
    "goodput_bps",
    "throughput_bps",
    "acked_segments",
    "sent_segments",
    "retransmitted_segments",
    "timeouts",
    "rto_idle_seconds",
    "fast_retransmits",
    "mean_cwnd_segments",
    "mean_in_flight_segments",
    "mean_rtt_seconds",
    "completion_seconds",
}
CAUSES = {"congestion", "contention", "channel", "link-failure", "node-down", "no-route", "ttl"}
CAUSES |= {"rate", "reorder-discard", "unknown"}
FRAMES = {"rts_cts", "data", "ack"}
VERBS = (
    "run",
    "compare",
    "show",
    "plot",
    "metrics",
    "convert",
    "scenarios",
    "variants",
    "costs",
    "tune",
    "schema",
)


def without_cpu(document: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in document.items() if key != "cpu_seconds"})


# What there is


def test_help_is_quick_and_names_every_verb(cli: Cli) -> None:
    result = cli("--help")
    assert result.code == 0
    for verb in VERBS:
        assert f"\n  {verb}" in result.out


def test_help_imports_neither_scipy_nor_polars() -> None:
    heavy = "('scipy', 'polars', 'numpy', 'matplotlib', 'pydantic', 'rich')"
    code = f"import sys, tworay.cli.whole; print([m for m in {heavy} if m in sys.modules])"
    process = subprocess.run([*command()[:1], "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "[]\n"


def test_a_command_imports_no_other_command() -> None:
    code = (
        "import sys; from tworay.cli.app import app; from tworay.cli.commands import COMMANDS, load; "
        "load(['variants'], app); "
        "print([one for one in COMMANDS if f'tworay.cli.{one}' in sys.modules])"
    )
    process = subprocess.run([*command()[:1], "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "['variants']\n"


def test_version(cli: Cli) -> None:
    assert cli("--version").out.startswith("tworay ")


def test_scenarios_are_listed_and_shown_as_toml_that_runs(cli: Cli, tmp_path: Path) -> None:
    listed = cli("scenarios")
    for name in ("string-N", "grid-RxC", "cross", "strip-50", "square-50"):
        assert f"{name} " in listed.out
    names = [entry["name"] for entry in cli("scenarios", "--json").document]
    lines = listed.out.splitlines()
    assert names == [line.split()[0] for line in lines if not line.startswith(" ")]
    assert max(map(len, lines)) <= 80
    (tmp_path / "mine.toml").write_text(cli("scenarios", "--show", "string-2").out)
    assert cli("run", "mine.toml", *QUICK, "--json").document["flows"][0]["acked_segments"] > 0


def test_variants_are_listed(cli: Cli) -> None:
    text = cli("variants").out
    listed = {entry["name"] for entry in cli("variants", "--json").document}
    for name in ("tahoe", "reno", "newreno", "sack"):
        assert name in listed
        assert f"\n{name}" in f"\n{text}"
    assert max(map(len, text.splitlines())) <= 80


@pytest.fixture(scope="module")
def variants(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, str]]:
    """Return every variant's entry of the list in JSON, and the text that explains it."""

    def shown(*words: str) -> str:
        place = tmp_path_factory.mktemp("variants")
        return forks.run(["variants", *words], place, os.environ | {"COLUMNS": "200"}, seconds=120).stdout

    return [(entry, shown("--show", entry["name"])) for entry in json.loads(shown("--json"))]


def test_every_variant_has_a_summary_a_source_and_explained_parameters(
    cli: Cli, variants: list[tuple[Any, str]]
) -> None:
    text = cli("variants").out
    for entry, shown in variants:
        assert entry["summary"], entry["name"]
        assert entry["source"], entry["name"]
        assert entry["summary"] in " ".join(text.split()), entry["name"]
        assert entry["source"] in " ".join(shown.split()), entry["name"]
        for parameter in entry["parameters"]:
            assert parameter["about"], (entry["name"], parameter["name"])
            assert f"  {parameter['name']}" in shown, (entry["name"], parameter["name"])


def test_a_variant_is_explained_by_what_it_does_at_each_event(variants: list[tuple[Any, str]]) -> None:
    explained = {entry["name"]: shown for entry, shown in variants}
    for entry, shown in variants:
        assert max(map(len, shown.splitlines())) <= 80
        text = " ".join(shown.split())
        assert entry["rules"], entry["name"]
        for rule in entry["rules"]:
            assert f"{rule['event']} {rule['action']} [{rule['source']}]" in text, rule
        assert ("otherwise as " in text) == bool(entry["recoveries"]), entry["name"]
    # The paper's table of causes (Ghaleb-Seddik et al. 2012, §IV.A): timeout and steady round trips.
    welcome = " ".join(explained["welcome"].split())
    assert "otherwise a link failure: sends only the oldest segment" in welcome
    assert "otherwise as newreno (or reno, sack" in welcome


def test_an_unknown_variant_is_refused_with_the_nearest(cli: Cli) -> None:
    result = cli("variants", "--show", "welcom")
    assert (result.code, result.out) == (2, "")
    assert "did you mean welcome?" in result.err


def test_the_schema_is_json_schema(cli: Cli) -> None:
    schema = cli("schema").document
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert "mac" in schema["properties"]


# One run


def test_run_json_is_the_document_and_nothing_else(cli: Cli) -> None:
    result = cli("run", "string-2", "--tcp", "newreno", "--seed", "3", *QUICK, "--json")
    assert (result.code, result.err) == (0, "")
    document = result.document
    assert set(document) == RUN_KEYS
    assert (document["scenario"], document["seed"], document["sim_seconds"]) == ("string-2", 3, 10.0)
    assert set(document["flows"][0]) >= FLOW_KEYS
    assert document["flows"][0]["tcp"] == "newreno"
    assert document["flows"][0]["goodput_bps"] > 0
    assert set(document["ledger"]) == CAUSES
    assert all(set(counts) == {"data", "ack"} for counts in document["ledger"].values())
    assert set(document["mac"]) >= {"collisions", "drops", "queue_drops"}
    assert set(document["mac"]["collisions"]) == set(document["mac"]["drops"]) == FRAMES
    assert set(document["routing"]) >= {
        "protocol",
        "control_packets",
        "control_bytes",
        "route_changes",
        "false_link_failures",
        "stray_notices",
        "malformed",
    }
    assert document["routing"]["malformed"] == {}
    assert document["flows"][0]["ignored"]["ack-too-high"] == 0
    assert set(document["energy"]) >= {
        "joules_total",
        "joules_per_received_bit",
        "joules_computation",
        "dead_nodes",
    }
    assert set(document["metrics"]) >= {"jain_fairness", "eee", "uar"}


def test_the_same_run_twice_gives_the_same_bytes(cli: Cli) -> None:
    first, second = (cli("run", "string-4", "--seed", "5", *QUICK, "--json").document for _ in range(2))
    other = cli("run", "string-4", "--seed", "6", *QUICK, "--json").document
    assert without_cpu(first) == without_cpu(second) != without_cpu(other)


def test_settings_change_the_run(cli: Cli) -> None:
    plain = cli("run", "string-2", *QUICK, "--json").document
    without_rts = cli("run", "string-2", *QUICK, "--set", "mac.rts_threshold=3000B", "--json").document
    assert plain["mac"]["sent"]["rts"] > 0
    # Only unicast data frames are longer than the threshold; with 3000 B none is.
    assert without_rts["mac"]["sent"]["rts"] == 0
    assert without_rts["flows"][0]["goodput_bps"] > plain["flows"][0]["goodput_bps"]


def test_run_prints_what_became_of_the_segments(cli: Cli) -> None:
    result = cli("run", "string-4", *QUICK)
    assert result.code == 0
    for word in ("goodput kb/s", "retransmitted", "timeouts", "0→4", "MAC ", "Routing "):
        assert word in result.out


def test_energy_and_resources_are_printed_where_they_are_known(cli: Cli) -> None:
    powered = ("--set", "energy.model=states", "--set", "energy.battery=1J")
    without = cli("run", "string-2", *QUICK)
    assert "Energy " not in without.out
    assert "EEE" not in without.out
    drained = cli("run", "string-2", *QUICK, *powered, "--resources")
    for words in ("Energy   ", "µJ per bit received", "Lifetime first of 2 nodes dead at", "EEE 0."):
        assert words in drained.out
    lasting = cli("run", "string-2", *QUICK, "--set", "energy.model=states")
    assert "Lifetime no node died" in lasting.out
    both = cli("compare", "string-2", *QUICK, *powered, "--tcp", "reno,vegas", "--seeds", "2", "--resources")
    assert both.code == 0
    for words in ("radio J", "dead nodes", "EEE", "UAR", "Throughput_max kb/s"):
        assert words in both.out
    document = cli("run", "string-2", *QUICK, "--resources", "--json").document
    assert 0 < document["metrics"]["eee"] < 1
    assert 0 < document["metrics"]["uar"] < 1


def test_run_out_writes_tables_and_summary(cli: Cli, tmp_path: Path) -> None:
    result = cli("run", "string-4", *QUICK, "--out", "results", "--json")
    out = tmp_path / "results"
    assert json.loads((out / "summary.json").read_text()) == result.document
    series = pl.read_parquet(out / "series.parquet")
    assert {
        "t_s",
        "flow",
        "cwnd_segments",
        "ssthresh_segments",
        "srtt_s",
        "rto_s",
        "in_flight_segments",
    } <= set(series.columns)
    assert series.height > 10
    lost = pl.read_parquet(out / "ledger.parquet").height
    assert lost == sum(n["data"] + n["ack"] for n in result.document["ledger"].values())
    flows = pl.read_parquet(out / "flows.parquet")
    assert flows["goodput_bps"].to_list() == [flow["goodput_bps"] for flow in result.document["flows"]]
    again = cli("run", "results/scenario.toml", "--json").document
    assert without_cpu(again | {"scenario": "string-4"}) == without_cpu(result.document)


# Comparing


def test_compare_json_does_not_depend_on_the_number_of_threads(cli: Cli) -> None:
    base = ("compare", "string-3", "--tcp", "tahoe,newreno,sack", "--seeds", "3", *QUICK, "--json")
    one, two = cli(*base, "--jobs", "1"), cli(*base, "--jobs", "2")
    assert one.code == two.code == 0
    assert one.out == two.out
    document = one.document
    assert set(document) == {
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
        "arms",
        "mixtures",
        "verdict",
        "judge",
        "judged",
        "repeated_seeds",
        "still_arms",
        "factors",
        "warnings",
    }
    assert document["seeds"] == [1, 2, 3]
    assert document["scenario_facts"] == {"mean_shortest_path_hops": 3.0, "partitioned_fraction": 0.0}
    assert list(document["variants"]) == ["tahoe", "newreno", "sack"]
    assert set(document["ledger"]["sack"]) == CAUSES


def test_compare_agrees_with_single_runs(cli: Cli) -> None:
    document = cli("compare", "string-3", "--tcp", "reno,sack", "--seeds", "4,2", *QUICK, "--json").document
    runs = [
        cli("run", "string-3", "--tcp", "reno", "--seed", s, *QUICK, "--json").document for s in ("2", "4")
    ]
    goodputs = [run["flows"][0]["goodput_bps"] for run in runs]
    assert document["variants"]["reno"]["goodput_bps"]["mean"] == pytest.approx(sum(goodputs) / 2)
    assert document["seeds"] == [2, 4]


def test_compare_one_seed_is_valid_json_with_nulls(cli: Cli) -> None:
    document = cli("compare", "string-2", "--tcp", "reno,sack", "--seeds", "1", *QUICK, "--json").document
    assert document["variants"]["reno"]["goodput_bps"]["ci95"] is None
    assert document["pairs"][0]["paired_t_p"] is None


def test_compare_prints_means_tests_and_causes(cli: Cli) -> None:
    result = cli("compare", "string-4", "--tcp", "tahoe,sack", "--seeds", "3", *QUICK, "--pairs")
    for word in (
        "3 seeds; shortest path 4.00 hops",
        "No verdict, too few seeds: it takes 5 or more",
        "Means ± 95 % intervals",
        "tahoe − sack",
        "Holm p",
        "lost: data + ACK",
    ):
        assert word in result.out
    assert "runs" in result.err


def test_compare_out_writes_tables_of_all_runs(cli: Cli, tmp_path: Path) -> None:
    result = cli(
        "compare", "string-3", "--tcp", "reno,sack", "--seeds", "2", *QUICK, "--out", "a/b", "--json"
    )
    out = tmp_path / "a" / "b"
    assert json.loads((out / "summary.json").read_text()) == result.document
    flows = pl.read_parquet(out / "flows.parquet")
    assert sorted(flows.select("variant", "seed").rows()) == [
        ("reno", 1),
        ("reno", 2),
        ("sack", 1),
        ("sack", 2),
    ]
    assert pl.read_parquet(out / "series.parquet")["variant"].n_unique() == 2
    assert not (out / "tables").exists()


def test_until_ci_adds_seeds_until_intervals_are_narrow(cli: Cli) -> None:
    base = ("compare", "string-4", "--tcp", "newreno", "--seeds", "2", *QUICK, "--json", "--until-ci")
    document = cli(*base, "20%").document
    cell = document["variants"]["newreno"]["goodput_bps"]
    assert (cell["ci95"][1] - cell["ci95"][0]) / 2 <= 0.20 * cell["mean"]
    assert document["seeds"] == list(range(1, cell["n"] + 1))
    assert cell["n"] >= 5
    assert cli(*base, "0.0001%", "--max-seeds", "7").document["variants"]["newreno"]["goodput_bps"]["n"] == 7


# Converting

MOVEMENT = """#
$node_(0) set X_ 10.0
$node_(0) set Y_ 10.0
$node_(0) set Z_ 0.0
$node_(1) set X_ 200.0
$node_(1) set Y_ 10.0
$node_(1) set Z_ 0.0
$ns_ at 2.0 "$node_(1) setdest 100.0 10.0 5.0"
"""


def test_convert_makes_a_scenario_that_runs(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "move.gz").write_bytes(gzip.compress(MOVEMENT.encode()))
    (tmp_path / "scenes").mkdir()
    assert cli("convert", "in/move.gz", "--flow", "0:1:ftp", "-o", "scenes/walk.toml").code == 0
    document = cli("run", "scenes/walk.toml", *QUICK, "--json").document
    assert document["flows"][0]["goodput_bps"] > 0
    refused = cli("convert", "in/move.gz", "--flow", "0:1:ftp", "-o", "scenes/walk.toml")
    assert refused.code == 2
    assert "--force" in refused.err
