"""Flows that a setting switches off: the others keep their numbers, their starts and their runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tworay
from tworay.errors import InputError
from tworay.experiment.arms import line_up
from tworay.experiment.experimentfile import read
from tworay.experiment.store.reading import run_of
from tworay.running.entries import entered
from tworay.running.switching import numbers, switched_off, without

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

HEAD = """\
name = "three"
duration = "4s"
[topology]
kind = "string"
hops = 3
spacing = "200m"
[routing]
protocol = "static"
"""
FIRST = """\
[[flow]] # a transfer
from = 0
to = 3
"""
SECOND = """\
[[flow]]
from = 3
to = 0
app = "cbr"
rate = "50kbps"
"""
THIRD = """\
[[flow]]
from = 1
to = 2
tcp = "vegas"
"""


@pytest.fixture
def three(tmp_path: Path) -> Path:
    path = tmp_path / "three.toml"
    path.write_text(HEAD + FIRST + SECOND + THIRD, encoding="utf-8")
    return path


def flows(run: tworay.Run) -> list[dict[str, Any]]:
    return run.summary["flows"]  # type: ignore[no-any-return]


def test_the_others_run_as_in_a_scenario_without_the_flow_and_keep_their_numbers(
    three: Path, tmp_path: Path
) -> None:
    other = tmp_path / "two.toml"
    other.write_text(HEAD + FIRST + THIRD, encoding="utf-8")
    off, two = tworay.run(three, set={"flow.1": "off"}), tworay.run(other)
    assert [flow["id"] for flow in flows(off)] == [0, 2]
    assert [flow | {"id": 0} for flow in flows(off)] == [flow | {"id": 0} for flow in flows(two)]
    assert off.flows["flow"].to_list() == [0, 2]
    assert set(off.series["flow"]) == {0, 2}
    # Of the table of the other scenario nothing but the numbers differs.
    assert off.series.drop("flow").equals(two.series.drop("flow"))
    on = tworay.run(three, set={"flow.1": True})
    assert on.summary["flows"] == tworay.run(three).summary["flows"]


def test_settings_keep_the_numbers_of_the_whole_scenario(three: Path) -> None:
    text, settings = without(
        three.read_text(encoding="utf-8"),
        ["flow.1=off", "flow.2.tcp=reno", "flow.1.rate=9kbps", "duration=3s", "flow.0.start=1s"],
        "three.toml",
    )
    assert settings == ["flow.1.tcp=reno", "duration=3s", "flow.0.start=1s"]
    # Errors name the right line: there are as many as before.
    assert text.count("\n") == three.read_text(encoding="utf-8").count("\n")
    assert "cbr" not in text
    found = tworay.run(three, set=["flow.1=off", "flow.2.tcp=reno"])
    assert [flow["tcp"] for flow in flows(found)] == ["newreno", "reno"]
    assert switched_off(["flow.1=off", 'flow.0="off"', "flow.1=on"]) == [0]
    assert numbers(["flow.1=off"], 2) == (0, 2)
    # Without the last one the others have their own numbers anyway.
    assert numbers(["flow.2=off"], 2) is None


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("flow.1=maybe", "flow.1=maybe: write on or off"),
        ("flow.3=off", r"flow.3=off: there is no flow\.3; the scenario has flow\.0 to flow\.2"),
        ("flow.7=on", r"there is no flow\.7"),
    ],
)
def test_wrong_switches_are_refused(three: Path, setting: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        tworay.load(three, set=setting)


def test_flows_that_others_refer_to_or_that_are_no_tables_are_not_switched_off(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text("flow = [{ from = 0, to = 3 }]\n" + HEAD, encoding="utf-8")
    with pytest.raises(InputError, match=r"write \[\[flow\]\]"):
        tworay.load(path, set="flow.0=off")
    event = '[[event]]\nat = "1s"\nkind = "cut"\nflow = 1\n'
    path.write_text(HEAD + FIRST + SECOND + event, encoding="utf-8")
    with pytest.raises(InputError, match="its events name flows by their numbers"):
        tworay.load(path, set="flow.0=off")
    with pytest.raises(InputError, match=r"set flow\.0=off: vary changes flows, too"):
        line_up("bottleneck-3", tcp="reno", vary="flow.1=on,off", set="flow.0=off")


def test_a_flow_that_is_off_in_every_arm_is_not_judged(three: Path) -> None:
    off: Any
    for off in ({"set": "flow.1=off"}, {"vary": "flow.1=off"}):
        with pytest.raises(InputError, match=r"judge flow\.1: flow\.1 is switched off in every arm"):
            tworay.compare(three, tcp="newreno", judge="flow.1", seeds=1, **off)
    result = tworay.compare(three, tcp="newreno", judge="flow.2", seeds=1, vary="flow.1=off")
    assert result.judged == "flow 2 (1 to 2), of 3 flows"
    with pytest.raises(InputError, match=r"there is no flow\.3; the scenario has flow\.0 to flow\.2"):
        tworay.compare(three, tcp="newreno", judge="flow.3", seeds=1, set="flow.1=off")


def test_flows_start_as_they_do_beside_the_one_that_is_off(three: Path) -> None:
    """``entries`` draws a start for each flow in their order; that of a flow that is off is skipped."""

    def starts(world: tworay.Scenario, left: tuple[int, ...] | None) -> list[str]:
        text = entered(world, 7, "2s", left).to_toml()
        return [line for line in text.splitlines() if line.startswith("start = ")]

    whole = starts(tworay.load(three), None)
    assert len(set(whole)) == 3
    assert starts(tworay.load(three, set="flow.1=off"), (0, 2)) == [whole[0], whole[2]]


def test_a_comparison_switches_a_flow_and_judges_another(cli: Cli, three: Path, tmp_path: Path) -> None:
    words = ("compare", "three.toml", "--tcp", "newreno", "--vary", "flow.1=on,off", "--entries", "1s")
    done = cli(*words, "--seeds", "3", "--judge", "flow.2", "--out", "out")
    assert done.code == 0, done.err
    document = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    on, off = (document["variants"][f"newreno flow.1={word}"] for word in ("on", "off"))
    # The judged flow is the same one in both arms.
    for cells in (on, off):
        assert cells["goodput_bps"]["mean"] == cells["flow.2.goodput_bps"]["mean"] > 0
    assert on["flow.1.goodput_bps"]["mean"] > 0
    assert off.get("flow.1.goodput_bps", {"mean": None})["mean"] is None
    table = pl.read_parquet(tmp_path / "out/flows.parquet")
    assert table.filter(variant="newreno flow.1=off")["flow"].unique().to_list() == [0, 2]
    # The stored results can be judged by any flow that is on in some arm.
    for judge in ("flow.2", "flow.1", "flow.0,flow.2", "udp"):
        assert cli("show", "out", "--judge", judge).code == 0
    wrong = cli("show", "out", "--judge", "flow.3")
    assert "there is no flow.3; the scenario has flow.0 to flow.2" in wrong.err
    # A stored run can be made again: its scenario has the flows that ran.
    again = run_of(tmp_path / "out", "newreno flow.1=off", 2)
    (tmp_path / "again.toml").write_text(again.to_keep()["scenario.toml"], encoding="utf-8")
    repeated = tworay.run(tmp_path / "again.toml", seed=2, tcp="newreno")
    assert [flow["goodput_bps"] for flow in flows(repeated)] == [flow["goodput_bps"] for flow in flows(again)]
    # In two steps the same bytes.
    assert cli(*words, "--seeds", "2", "--judge", "flow.2", "--out", "steps").code == 0
    assert cli("compare", "--resume", "steps", "--seeds", "3").code == 0
    for name in ("runs.parquet", "flows.parquet", "summary.json"):
        assert (tmp_path / "steps" / name).read_bytes() == (tmp_path / "out" / name).read_bytes(), name


def test_a_sweep_switches_flows_and_tells_its_runs_apart(three: Path, tmp_path: Path) -> None:
    document = {"name": "switch", "scenario": str(three), "seeds": 2, "judge": "flow.2"}
    document["vary"] = {"flow.1": ["on", "off"]}
    results = tworay.Experiment(document).run(tmp_path / "s")
    means = results.table("goodput_bps", "flow.1")
    assert means["flow.1"].to_list() == ["on", "off"]
    assert means["mean"].null_count() == 0
    # The same flows as a scenario of two, but with other numbers: other runs.
    two = tmp_path / "two.toml"
    two.write_text(HEAD + FIRST + THIRD, encoding="utf-8")
    (other,) = read({"name": "two", "scenario": str(two), "seeds": 2}).cells()
    assert other.files == read(document).cells()[1].files
    assert other.key != read(document).cells()[1].key


def test_run_prints_the_numbers_of_the_whole_scenario(cli: Cli, three: Path) -> None:
    found = cli("run", "three.toml", "--set", "flow.0=off", "--json", "--entries", "1s")
    assert [flow["id"] for flow in found.document["flows"]] == [1, 2]
    built_in = cli("run", "bottleneck-3", "--set", "duration=3s", "--set", "flow.1=off", "--json")
    assert [flow["id"] for flow in built_in.document["flows"]] == [0, 2]


def test_switches_that_can_not_be_are_refused_with_what_to_write(cli: Cli) -> None:
    for setting, reason in {
        "flow.0=off": "flow.0=off: the only flow would be off, and nothing be sent; leave one on",
        "flow.gate:bob=off": "flow.gate:bob=off: a flow is switched by its number, such as flow.0=off",
        "flow.3=off": "flow.3=off: there is no flow.3; the scenario has flow.0 only",
    }.items():
        done = cli("run", "string-2", "--set", setting)
        assert (done.code, done.out) == (2, "")
        assert reason in " ".join(done.err.split())
    # The wrong word is of --vary, not of --set.
    done = cli("compare", "string-2", "--vary", "flow.0=on,3")
    assert "tworay: flow.0=3: write on or off" in " ".join(done.err.split())
