"""``tworay new``: five questions, a scenario that runs."""

from __future__ import annotations

import os
import pty
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest
from conftest import Result, command

import tworay
from tworay.errors import InputError
from tworay.imports.answers import APPS, LAYOUTS, QUESTIONS, RADIOS, ROUTING, TRAFFIC, Answers, scenario_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Cli = Callable[..., Result]

DEFAULTS = {one.name: one.default for one in QUESTIONS}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("traffic", TRAFFIC)
def test_every_layout_and_traffic_makes_a_scenario_that_runs(
    layout: str, traffic: str, tmp_path: Path
) -> None:
    for routing in ROUTING:
        words = DEFAULTS | {"layout": layout, "traffic": traffic, "routing": routing}
        file = tmp_path / "made.toml"
        file.write_text(scenario_text(Answers.of(words), "made"), encoding="utf-8")
        run = tworay.run(file, set={"duration": "3s"})
        assert run.scenario == "made"
        assert run.summary["routing"]["protocol"] == routing
        flows = {(flow["from"], flow["to"]) for flow in run.summary["flows"]}
        # Eight nodes: end to end; node 0 to the seven others; the first four to the last four.
        expected = {
            "ends": {(0, 7)},
            "gateway": {(0, to) for to in range(1, 8)},
            "pairs": {(0, 4), (1, 5), (2, 6), (3, 7)},
        }
        assert flows == expected[traffic]


@pytest.mark.parametrize("nodes", [2, 3, 12, 40])
def test_many_nodes_share_ten_transfers(nodes: int) -> None:
    words = DEFAULTS | {"layout": "string", "nodes": str(nodes), "traffic": "gateway"}
    flows = tomllib.loads(scenario_text(Answers.of(words), "x"))["flow"]
    receivers = [flow["to"] for flow in flows]
    assert len(receivers) == min(nodes - 1, 10) == len(set(receivers))
    assert all(0 < to < nodes for to in receivers)


def test_distance_is_that_of_neighbours() -> None:
    text = scenario_text(Answers.of(DEFAULTS | {"nodes": "16", "distance": "100"}), "x")
    # One node to a square of the distance: 16 nodes need four by four.
    assert tomllib.loads(text)["topology"]["width"] == "400m"
    text = scenario_text(Answers.of(DEFAULTS | {"nodes": "12", "layout": "grid", "distance": "99"}), "x")
    assert tomllib.loads(text)["topology"] == {"kind": "grid", "rows": 3, "columns": 4, "spacing": "99m"}


def test_a_grid_needs_rows_of_equal_length() -> None:
    with pytest.raises(InputError, match="take 12 or 14"):
        scenario_text(Answers.of(DEFAULTS | {"nodes": "13", "layout": "grid"}), "x")


def test_without_a_terminal_the_defaults_are_named_and_nothing_is_overwritten(
    cli: Cli, tmp_path: Path
) -> None:
    done = cli("new", "mesh.toml", "--nodes", "5")
    assert done.code == 0
    assert "piped answers are not read; options answer them" in done.err
    assert "--layout random (default)" in done.err
    assert "--nodes" not in done.err
    assert "tworay compare mesh.toml" in done.err
    text = (tmp_path / "mesh.toml").read_text(encoding="utf-8")
    assert "\n# " in text
    assert cli("run", "mesh.toml", "--set", "duration=2s").code == 0
    again = cli("new", "mesh.toml", "--nodes", "6")
    assert again.code == 2
    assert "exists already" in again.err
    assert (tmp_path / "mesh.toml").read_text(encoding="utf-8") == text
    assert cli("new", "mesh.toml", "--nodes", "6", "--force").code == 0
    assert "nodes = 6" in (tmp_path / "mesh.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mesh"], "did you mean mesh.toml?"),
        (["m.toml", "--layout", "grd"], "allowed are string, grid, random, moving; did you mean grid?"),
        (["m.toml", "--nodes", "1"], "write a whole number, 2 to 1000"),
        (["m.toml", "--distance", "300"], "write a whole number, 10 to 250"),
        (["m.toml", "--nodes", "900", "--distance", "250"], "take a smaller --distance"),
    ],
)
def test_wrong_answers_are_refused_and_leave_nothing(
    cli: Cli, tmp_path: Path, words: list[str], said: str
) -> None:
    done = cli("new", *words)
    assert done.code == 2
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


def test_on_a_terminal_questions_are_asked_until_the_answer_is_allowed(tmp_path: Path) -> None:
    ours, its = pty.openpty()
    process = subprocess.Popen(
        command("new", "mesh.toml", "--routing", "olsr", "--app", "web"),
        cwd=tmp_path,
        stdin=its,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(its)
    # A wrong word first; an empty line takes the default. 250 m are further than n20 reaches: the path loss
    # of 2412 MHz at 1 m is 40.1 dB, 20 dBm and two antennas of 5 dBi leave 71.9 dB to -82 dBm, 10^2.4 m.
    os.write(ours, b"sting\nstring\n4\nn20\n250\n\nends\n")
    said = process.communicate(timeout=60)[1]
    os.close(ours)
    assert process.returncode == 0
    assert "did you mean string?" in said
    assert [one.text in said for one in QUESTIONS] == [True] * 5 + [False] * 2
    assert "How many metres are neighbours apart? n20 reaches 249 m" in said
    assert "--distance 250: write a whole number, 10 to 249" in said
    assert "--metrics transfer_seconds" in said
    made = tomllib.loads((tmp_path / "mesh.toml").read_text(encoding="utf-8"))
    assert made["topology"] == {"kind": "string", "hops": 3, "spacing": "180m"}
    assert made["routing"]["protocol"] == "olsr"
    assert made["radio"] == {"preset": "n20"}
    assert [(flow["from"], flow["to"], flow["app"]) for flow in made["flow"]] == [(0, 3, "web")]


@pytest.mark.parametrize("radio", RADIOS)
def test_every_radio_makes_a_scenario_that_delivers(radio: str, tmp_path: Path) -> None:
    words = DEFAULTS | {"layout": "string", "nodes": "3", "radio": radio, "traffic": "ends"}
    file = tmp_path / "made.toml"
    file.write_text(scenario_text(Answers.of(words), "made"), encoding="utf-8")
    assert tworay.run(file, set={"duration": "4s"}).summary["flows"][0]["goodput_bps"] > 0


@pytest.mark.parametrize("app", APPS)
def test_every_application_makes_flows_that_run(app: str, tmp_path: Path) -> None:
    words = DEFAULTS | {"layout": "string", "nodes": "4", "app": app}
    file = tmp_path / "made.toml"
    file.write_text(scenario_text(Answers.of(words), "made"), encoding="utf-8")
    flows = tomllib.loads(file.read_text(encoding="utf-8"))["flow"]
    assert [flow["app"] for flow in flows] == (["web", "video", "ftp"] if app == "mixed" else [app] * 3)
    assert all(flow["goodput_bps"] > 0 for flow in tworay.run(file, set={"duration": "10s"}).summary["flows"])


def test_the_distance_is_within_the_reach_of_the_radio(cli: Cli) -> None:
    assert "10 to 249" in cli("new", "a.toml", "--radio", "n20", "--distance", "250").err
    assert cli("new", "a.toml", "--radio", "n40x2", "--distance", "250").code == 0


def test_a_first_word_that_is_a_scenario_or_a_misspelling_is_answered(cli: Cli) -> None:
    assert "Did you mean `tworay run string-4`?" in cli("string-4").err
    assert "Did you mean 'compare'?" in cli("cmpare").err
    assert "did you mean string-4?" in cli("scenarios", "strng-4").err
    assert "did you mean welcome?" in cli("reproduce", "welcom").err


def test_an_option_that_a_command_lacks_is_answered(cli: Cli) -> None:
    assert "No such option: --seds. Did you mean --seeds?" in cli("compare", "string-2", "--seds", "3").err
    # Other commands have it, so it was no misspelling.
    said = cli("run", "string-2", "--metrics", "goodput").err
    assert (
        "No such option: --metrics. It is an option of `tworay compare`, `tworay show` and `tworay sweep`."
        in said
    )
    # Of one command.
    said = cli("run", "string-2", "--cols", "tcp").err
    assert "No such option: --cols. It is an option of `tworay table`." in said
    assert cli("run", "string-2", "--zzz").err.rstrip().endswith("No such option: --zzz.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("table", "a.sweep", "goodput"), "`goodput` is a word too many: tworay table takes DIR; did you"),
        (("table", "a.sweep", "goodput"), "did you mean --metric goodput?"),
        (("table", "a.sweep", "tcp=reno"), "did you mean --where tcp=reno?"),
        (("table", "a.sweep", "out.svg"), "did you mean --plot out.svg?"),
        (("compare", "string-3", "reno,sca(10)"), "did you mean --tcp reno,sca(10)?"),
        (("compare", "string-3", "5"), "did you mean --seeds 5?"),
        (("run", "string-3", "5"), "did you mean --seed 5?"),
        (("run", "string-3", "tcp.window=4"), "did you mean --set tcp.window=4?"),
        (("show", "out", "timeouts"), "tworay show takes DIR; did you mean --metrics timeouts?"),
        (("doctor", "x", "y"), "`x y` are words too many: tworay doctor takes no words; `tworay doctor -h`"),
        (("live", "down", "a", "b"), "tworay live down takes NAME; `tworay live down -h` lists options."),
    ],
)
def test_a_word_too_many_is_answered(cli: Cli, words: tuple[str, ...], said: str) -> None:
    refused = cli(*words)
    assert refused.code == 2
    assert said in " ".join(refused.err.split()), refused.err
