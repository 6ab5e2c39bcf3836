"""Variants in Python files: named in scenarios, kept with results, run again from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import QUICK, Result

import tworay
from tworay.errors import InputError
from tworay.running.sources import kept

if TYPE_CHECKING:
    from collections.abc import Callable

    Cli = Callable[..., Result]

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "sca.py"

MINE = """
import tworay
from helper import half
from parts import whole

class Mine(tworay.CongestionControl):
    def on_loss(self, state, loss):
        return half(whole.of(state.cwnd))
"""
HELPER = "import math\n\ndef half(cwnd):\n    return math.floor(max(1, cwnd / 2))\n"
WHOLE = "def of(cwnd):\n    return cwnd\n"


def write_mine(folder: Path) -> Path:
    (folder / "parts").mkdir(parents=True)
    (folder / "mine.py").write_text(MINE)
    (folder / "helper.py").write_text(HELPER)
    (folder / "parts" / "__init__.py").write_text("")
    (folder / "parts" / "whole.py").write_text(WHOLE)
    (folder / "unused.py").write_text("raise RuntimeError")
    return folder / "mine.py"


def flows(document: Any) -> Any:
    return [flow | {"tcp": None} for flow in document["flows"]]


def test_results_of_a_python_variant_can_be_run_again(cli: Cli, tmp_path: Path) -> None:
    write_mine(tmp_path / "lab")
    first = cli("run", "string-4", *QUICK, "--tcp", "lab/mine.py:Mine", "--out", "results", "--json")
    assert first.code == 0, first.err
    out = tmp_path / "results"
    # The class, with what it imports from beside it and no more.
    sources = {str(path.relative_to(out)) for path in out.rglob("*.py")}
    assert sources == {"mine.py", "helper.py", "parts/__init__.py", "parts/whole.py"}
    (tmp_path / "lab").rename(tmp_path / "elsewhere")
    again = cli("run", "results/scenario.toml", "--json", "--out", "twice")
    assert again.code == 0, again.err
    assert again.document["flows"][0]["tcp"] == "mine.py:Mine"
    assert flows(again.document) == flows(first.document)
    assert flows(cli("run", "twice/scenario.toml", "--json").document) == flows(first.document)
    # And it matters what runs.
    plain = cli("run", "results/scenario.toml", "--tcp", "newreno", "--json").document
    assert flows(plain) != flows(first.document)


def test_a_comparison_keeps_the_sources_of_its_variants(cli: Cli, tmp_path: Path) -> None:
    write_mine(tmp_path / "lab")
    base = ("compare", "string-4", *QUICK, "--seeds", "1", "--json")
    first = cli(*base, "--tcp", "reno,lab/mine.py:Mine", "--out", "results")
    assert first.code == 0, first.err
    again = cli(
        *("compare", "results/scenario.toml", "--seeds", "1", "--json", "--tcp", "reno,results/mine.py:Mine")
    )
    means = [one.document["variants"]["reno"]["goodput_bps"]["mean"] for one in (first, again)]
    assert means[0] == means[1]
    own = [
        cells["goodput_bps"]["mean"]
        for one in (first, again)
        for name, cells in one.document["variants"].items()
        if name.endswith("mine.py:Mine")
    ]
    assert own[0] == own[1]


def test_a_scenario_names_classes_beside_itself(tmp_path: Path) -> None:
    write_mine(tmp_path / "lab")
    text = tworay.scenario_text("cross")
    scenario = tmp_path / "lab" / "mine.toml"
    scenario.write_text(text.replace('variant = "newreno"', 'variant = "mine.py:Mine"'))
    run = tworay.run(scenario, set={"duration": "10s"})
    assert {flow["tcp"] for flow in run.summary["flows"]} == {"mine.py:Mine"}
    direct = tworay.run("cross", tcp=str(tmp_path / "lab" / "mine.py:Mine"), set={"duration": "10s"})
    assert flows(run.summary) == flows(direct.summary)
    # One flow may choose another, and a setting is above the file.
    first, rest = text.split("[[flow]]", 1)
    scenario.write_text(first + '[[flow]]\ntcp = "mine.py:Mine"' + rest)
    mixed = tworay.run(scenario, set={"duration": "10s", "tcp.variant": "reno"})
    assert [flow["tcp"] for flow in mixed.summary["flows"]] == ["mine.py:Mine", "reno"]
    set_ = {"duration": "10s", "tcp.variant": f'"{EXAMPLE}:SCA"'}
    example = tworay.run("string-2", set=set_)
    assert example.summary["flows"][0]["tcp"] == f"{EXAMPLE}:SCA"


def test_a_class_that_a_scenario_names_and_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    scenario = tmp_path / "mine.toml"
    scenario.write_text(tworay.scenario_text("string-2").replace('"newreno"', '"mine.py:Mine"'))
    with pytest.raises(InputError, match="there is no file"):
        tworay.load(scenario)


def test_classes_of_files_with_one_name_are_kept_apart(tmp_path: Path) -> None:
    from tworay.running.control import load_class

    for folder in ("a", "b"):
        write_mine(tmp_path / folder)
    (tmp_path / "b" / "helper.py").write_text(HELPER.replace("/ 2", "/ 3"))
    classes = [(f"{folder}/mine.py:Mine", load_class(f"{tmp_path}/{folder}/mine.py:Mine")) for folder in "ab"]
    # The module of the second has taken the place of the first's: only one can be found by its name.
    names, files = kept(classes[1:])
    assert names == {"b/mine.py:Mine": "mine.py:Mine"}
    assert "/ 3" in files["helper.py"]


def test_a_class_without_a_file_is_left_out() -> None:
    typed = type("Typed", (tworay.CongestionControl,), {})
    assert kept([("Typed", typed)]) == ({}, {})
    run = tworay.run("string-1", tcp=typed, set={"duration": "5s"})
    assert json.loads(run.json)["flows"][0]["tcp"] == "Typed"
    assert list(run.to_keep()) == ["scenario.toml"]
