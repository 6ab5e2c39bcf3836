"""Instructions counted on this build, and the table that ships."""

from __future__ import annotations

import hashlib
import re
import shutil
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay import _native
from tworay.costs import counted as costs
from tworay.errors import InputError
from tworay.running.run import throughput_max
from tworay.running.spec import parse_energy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

# As callgrind writes it with uncompressed names: positions, then the cost of the line or call.
CALLGRIND = """
fn=_RNvNtCs_11tworay_tcp4live
1 20
cfn=_RNv28tworay_cost_dup_ack_end
calls=3 0
1 3000
cfn=_RNv9something
calls=1 0
1 77
fn=another
cfn=tworay_tcp::costs::tworay_cost_dup_ack_end::h0123
calls=1 0
5 500
cfn=tworay_cost_ack_slow_start_sampled_end
calls=2 0
5 900
"""


def test_calls_are_added_up_whoever_made_them() -> None:
    assert dict(costs._inclusive(CALLGRIND.splitlines())) == {"dup_ack": 3500, "ack_slow_start_sampled": 900}


def test_costs_by_hand() -> None:
    # 10 plain ACKs of 100, 2 of 130 with a sample, 4 duplicates of 50, one of them beyond: a retransmission.
    calls = {"ack_congestion_avoidance": 10, "ack_congestion_avoidance_sampled": 2, "dup_ack": 4}
    calls |= {"fast_retransmit": 1}
    counted = {"ack_congestion_avoidance": 1000, "ack_congestion_avoidance_sampled": 260, "dup_ack": 200}
    counted |= {"fast_retransmit": 350}
    operations = dict.fromkeys(_native.operations(), 0)
    operations |= {"ack_congestion_avoidance": 12, "rtt_sample": 2, "dup_ack": 5, "fast_retransmit": 1}
    functions = {f"tworay_cost_{name}_end": n for name, n in calls.items()}
    cost = costs._cost("made-up", "newreno", functions, operations, counted)
    found = {name: count for name, count in cost.instructions.items() if count}
    assert found == {
        "ack_congestion_avoidance": 100,
        "rtt_sample": pytest.approx(30),
        "dup_ack": 50,
        "fast_retransmit": 300,
    }
    assert cost.explained == pytest.approx(1.0)


def test_the_shipped_table_has_every_variant_and_says_how_it_was_made() -> None:
    shipped = {cost.variant: cost for cost in costs.shipped()}
    assert set(shipped) == {name for name, *_ in _native.variants()}
    assert "# Made by: tworay costs" in _native.cost_table()
    assert shipped["sack"].instructions["dup_ack"] > shipped["newreno"].instructions["dup_ack"] > 100


def test_the_shipped_table_is_written_as_it_is(cli: Cli, tmp_path: Path) -> None:
    assert cli("costs", "--shipped", "--out", "all.csv").code == 0
    assert (tmp_path / "all.csv").read_text() == _native.cost_table()
    assert cli("costs", "--shipped", "--tcp", "sack", "--out", "one.csv").code == 0
    lines = _native.cost_table().splitlines()
    kept = [line for line in lines if line.startswith(("#", "variant,", "sack,"))]
    assert (tmp_path / "one.csv").read_text().splitlines() == kept
    # It is a table to run with, and gives what ships.
    ten = ("run", "string-2", "--set", "duration=10s", "--set", "energy.model=states", "--json")
    shipped, again = (cli(*ten).document, cli(*ten, "--costs", "all.csv").document)
    assert again["energy"]["joules_computation"] == shipped["energy"]["joules_computation"]
    assert again["energy"]["costs"]["sha256"] == shipped["energy"]["costs"]["sha256"]


@pytest.mark.parametrize(("text", "joules"), [("1nJ", 1e-9), ("150pJ", 1.5e-10), (" 2.5e-3 uJ ", 2.5e-9)])
def test_energies_are_read(text: str, joules: float) -> None:
    assert parse_energy(text) == pytest.approx(joules)


@pytest.mark.parametrize("text", ["", "1", "1 nj", "-1nJ", "0nJ", "nJ"])
def test_other_energies_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="not an energy above zero"):
        parse_energy(text)


def test_costs_are_counted_or_it_says_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    result = cli("costs", "--tcp", "newreno", "--instruction", "2nJ", "--out", "c.csv", "--json")
    if shutil.which("valgrind") is None:
        assert result.code == 1
        assert "apt-get install valgrind" in result.err
        return
    found = result.document["variants"]["newreno"]
    ack = found["instructions"]["ack_congestion_avoidance"]
    assert found["joules"]["ack_congestion_avoidance"] == pytest.approx(2e-9 * ack)
    assert found["explained"] == pytest.approx(1, abs=0.05)
    # Another compiler counts a little differently, not by half.
    shipped = next(cost for cost in costs.shipped() if cost.variant == "newreno")
    assert ack == pytest.approx(shipped.instructions["ack_congestion_avoidance"], rel=0.5)
    assert "newreno,newreno," in (tmp_path / "c.csv").read_text()
    # What was measured here can be run with.
    run = cli("run", "string-2", *ENERGY, "--costs", "c.csv", "--json").document
    assert run["energy"]["costs"]["replaced"] == ["newreno"]
    assert run["flows"][0]["instructions"] == pytest.approx(
        sum(found["instructions"][name] * n for name, n in run["flows"][0]["operations"].items()), rel=1e-3
    )


def test_costs_of_a_wrong_variant_or_energy_are_refused(cli: Cli) -> None:
    assert cli("costs", "--instruction", "much").code == 2
    assert "The table that ships" in cli("costs", "--shipped").out
    wrong = cli("costs", "--tcp", "nowreno")
    assert wrong.code == (2 if shutil.which("valgrind") else 1)


ENERGY = ("--set", "duration=10s", "--set", "energy.model=states")
TABLE = (
    "# counted on my board\nvariant,timeout,ack_slow_start,ack_congestion_avoidance\nnewreno,1e6,1000,1000\n"
)


def test_a_table_of_ones_own_counts(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(TABLE)
    shipped = cli("run", "string-2", *ENERGY, "--json").document
    assert shipped["energy"]["costs"]["replaced"] == []
    own = cli("run", "string-2", *ENERGY, "--costs", "mine.csv", "--json").document
    found = own["energy"]["costs"]
    assert found["sha256"] == hashlib.sha256(TABLE.encode()).hexdigest()
    assert (found["provenance"], found["replaced"]) == (["counted on my board"], ["newreno"])
    # Only the computing differs.
    assert own["energy"]["joules_computation"] != shipped["energy"]["joules_computation"]
    assert own["energy"]["joules_total"] == shipped["energy"]["joules_total"]
    printed = cli("run", "string-2", *ENERGY, "--costs", "mine.csv").out
    assert f"SHA-256 {found['sha256'][:12]}: counted on my board" in printed
    assert "computing by the table that ships" in cli("run", "string-2", *ENERGY).out
    # By --set the name is relative to the scenario file, by --costs to the working directory.
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "mine.csv").write_text(TABLE)
    (tmp_path / "deep" / "mine.toml").write_text(tworay.scenario_text("string-2"))
    by_set = cli("run", "deep/mine.toml", *ENERGY, "--set", "energy.costs=mine.csv", "--json").document
    assert by_set["energy"] == own["energy"]


def test_results_keep_their_table(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(TABLE)
    compare = ("compare", "string-2", *ENERGY, "--tcp", "newreno,sack", "--seeds", "2", "--costs", "mine.csv")
    document = cli(*compare, "--out", "results", "--json").document
    (tmp_path / "mine.csv").unlink()
    assert (tmp_path / "results/costs.csv").read_text() == TABLE
    again = cli("run", "results/scenario.toml", "--tcp", "newreno", "--json").document
    assert again["energy"]["costs"] == document["costs"]
    # Another table in its place is noticed, unless it is named anew.
    (tmp_path / "results/costs.csv").write_text(TABLE.replace("1000", "2000"))
    refused = cli("run", "results/scenario.toml")
    assert (refused.code, "energy.costs_sha256" in refused.err) == (2, True)
    assert cli("run", "results/scenario.toml", "--costs", "results/costs.csv").code == 0


def test_the_command_says_where_costs_are_no_use(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(TABLE)
    idle = cli("run", "string-2", "--set", "duration=2s", "--costs", "mine.csv")
    assert (idle.code, "--set energy.model=states" in idle.err) == (0, True)
    times = ["0" if name == "probe" else "50" for name in _native.operations()]
    heading = ",".join(["variant", "unit", "power", *_native.operations()])
    (tmp_path / "mine.csv").write_text(f"{heading}\n{','.join(['newreno', 'ns', '1W', *times])}\n")
    compare = ("compare", "string-2", *ENERGY, "--tcp", "newreno,sack", "--seeds", "2", "--costs", "mine.csv")
    assert "newreno: run time; sack: instructions" in cli(*compare).err


def test_wrong_tables_are_shown_at_their_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(TABLE.replace("1e6", "many"))
    wrong = cli("run", "string-2", "--costs", "mine.csv")
    assert wrong.code == 2
    for part in (
        "mine.csv:3:9:",
        "timeout of newreno",
        '"many" is not a number',
        "instructions per operation",
    ):
        assert part in wrong.err
    missing = cli("compare", "string-2", "--tcp", "sack,reno", "--costs", "other.csv")
    assert (missing.code, "there is no such file" in missing.err) == (2, True)


def test_in_python_too(tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text(TABLE)
    settings = {"duration": "5s", "energy.model": "states"}
    run = tworay.run("string-2", set=settings, costs=table, series=False)
    assert run.summary["energy"]["costs"]["replaced"] == ["newreno"]
    again = tworay.run("string-2", set=settings, costs=str(table), series=False)
    assert _without_time(again) == _without_time(run)
    compared = tworay.compare("string-2", tcp="newreno,sack", seeds=2, set=settings, costs=table)
    assert compared.summary["costs"] == run.summary["energy"]["costs"]
    assert tworay.compare("string-2", tcp="sack", seeds=1, set={"duration": "2s"}).summary["costs"] is None
    with pytest.raises(tworay.ScenarioError, match="already loaded"):
        tworay.run(tworay.load("string-2"), costs=table)
    # Datagrams compute nothing: the table's place doesn't matter to Throughput_max.
    world = tworay.load("string-2", set=settings, costs=table)
    table.unlink()
    assert throughput_max(world) > 0


def _without_time(run: tworay.Run) -> str:
    return re.sub(r'"cpu_seconds":[0-9.e+-]+', "", run.json)
