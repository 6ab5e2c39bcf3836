"""Mixtures in sweeps: the runs are those of a comparison, stored by seed, replayed and sent to clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import tworay
from tworay.errors import InputError
from tworay.experiment.cluster import work
from tworay.experiment.experimentfile import read
from tworay.experiment.plan import ENGINE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

MIX = "vegas:0.5,newreno:0.5"
DOCUMENT: dict[str, Any] = {
    "name": "mixed",
    "scenario": "bottleneck-4",
    "mix": [MIX],
    "seeds": 3,
    "set": {"duration": "5s"},
}


def test_a_sweep_of_a_mixture_has_the_runs_of_a_comparison(tmp_path: Path) -> None:
    found = tworay.Experiment(DOCUMENT).run(tmp_path / "swept", jobs=2)
    compared = tworay.compare("bottleneck-4", mix=MIX, seeds=3, set=DOCUMENT["set"])
    # As in a comparison, the unmixed cases run too.
    assert found.runs["tcp"].unique(maintain_order=True).to_list() == compared.variants
    assert compared.variants == ["vegas", "newreno", MIX]
    for arm in compared.variants:
        runs = found.runs.filter(tcp=arm)
        for flow in range(4):
            name = f"flow.{flow}.goodput_bps"
            assert runs[name].to_list() == [one[name] for one in compared.values(arm).values()]


def test_each_seed_of_a_mixture_has_its_own_turn(tmp_path: Path) -> None:
    """Four flows, two variants: the row vegas, vegas, newreno, newreno moves on by one flow a seed."""
    (cell,) = (cell for cell in read(DOCUMENT).cells() if cell.mix)
    turns = {
        1: ["newreno", "vegas", "vegas", "newreno"],
        2: ["newreno", "newreno", "vegas", "vegas"],
        3: ["vegas", "newreno", "newreno", "vegas"],
    }
    for seed, turn in turns.items():
        flows = tworay.run(cell.at(seed), seed=seed, series=False).summary["flows"]
        assert [flow["tcp"] for flow in flows] == turn
        # What a failed run is replayed from, and what goes to a cluster.
        file = tmp_path / f"{seed}.toml"
        file.write_text(cell.files_at(seed)["scenario.toml"])
        assert tworay.run(file, seed=seed, series=False).summary["flows"] == flows
    extras = read(DOCUMENT).extras
    texts = [cell.files_at(seed)["scenario.toml"] for seed in turns]
    content = work(
        ENGINE, texts, [(place, cell.key, seed, False) for place, seed in enumerate(turns)], extras
    )
    assert content


def test_mixtures_of_other_shares_are_other_runs() -> None:
    """With four flows, seed 0 gives both mixtures the same row; their name tells them apart."""
    plan = read(DOCUMENT | {"mix": [MIX, "vegas:0.51,newreno:0.49"]})
    keys = [cell.key for cell in plan.cells()]
    assert len(set(keys)) == len(keys) == 4
    alone = read({key: value for key, value in DOCUMENT.items() if key != "mix"} | {"tcp": ["vegas"]})
    assert alone.cells()[0].key == keys[0]


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        (3, "mix = 3"),
        ([["vegas"]], "mix = "),
        (["vegas"], "write variants with their shares"),
        (["vegas:0.5,newreno:0.2"], "add up to 0.7"),
        (["vegas:0.99,newreno:0.01"], "newreno would get none"),
        ([MIX, MIX], "is given twice"),
    ],
)
def test_wrong_mixtures_are_refused_before_any_run(mix: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(DOCUMENT | {"mix": mix}).cells()


def test_a_mixture_of_a_class_beside_the_experiment(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import tworay\nclass Mine(tworay.CongestionControl):\n    pass\n")
    file = tmp_path / "mixed.toml"
    file.write_text(
        'scenario = "bottleneck-2"\nmix = "mine.py:Mine:0.5,newreno:0.5"\nseeds = 2\n[set]\nduration = "3s"\n'
    )
    runs = tworay.Experiment(file).run(tmp_path / "swept", jobs=2).runs
    assert runs["tcp"].n_unique() == 3
    assert runs["goodput_bps"].min() > 0  # type: ignore[operator]


OF_FILE = """
name = "same"
scenario = "dumbbell-2"
tcp = ["reno"]
mix = ["reno:0.5,vegas:0.5"]
seeds = [2, 5]
entries = "1s"
resources = true
[set]
duration = "3s"
[vary]
"mac.queue_limit" = ["5", "50"]
"""
OF_OPTIONS = """
name = "same"
scenario = "dumbbell-2"
tcp = ["newreno"]
[set]
duration = "9s"
[vary]
"mac.queue_limit" = ["7"]
"""


def test_options_replace_what_the_experiment_says(cli: Callable[..., Result], tmp_path: Path) -> None:
    """The same sweep in a file, on the command line, and in Python: the same runs, so nothing is new."""
    (tmp_path / "file.toml").write_text(OF_FILE)
    (tmp_path / "options.toml").write_text(OF_OPTIONS)
    first = cli("sweep", "file.toml", "--out", "s", "--json").document
    assert (first["cells"], first["done"]) == (6, 12)
    words = ("--tcp", "reno", "--mix", "reno:0.5,vegas:0.5", "--entries", "1s", "--resources")
    words += ("--set", "duration=3s", "--vary", "mac.queue_limit=5,50")
    again = cli("sweep", "options.toml", "--out", "s", "--json", "--seeds", "2,5", *words).document
    assert (again["cells"], again["done"], again["stored"]) == (6, 0, 12)
    written = read(tmp_path / "s" / "experiment.toml")
    known = read(tmp_path / "file.toml")
    assert [cell.key for cell in written.cells()] == [cell.key for cell in known.cells()]
    experiment = tworay.Experiment(tmp_path / "options.toml")
    runs = experiment.run(
        tmp_path / "python",
        tcp="reno",
        mix="reno:0.5,vegas:0.5",
        vary={"mac.queue_limit": [5, 50]},
        set={"duration": "3s"},
        entries="1s",
        resources=True,
        seeds=[2, 5],
    ).runs
    assert runs.equals(tworay.Results(tmp_path / "s").runs)


def test_options_that_can_t_be_are_refused_before_any_run(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(OF_OPTIONS)
    for words, text in (
        (("--max-seeds", "20"), "--max-seeds says where --until-ci gives up"),
        (("--mix", "vegas:0.5"), "the shares add up to 0.5"),
        (("--judge", "flow.x"), "judge"),
        (("--vary", "mac.queue_limit"), "write KEY=VALUE,VALUE"),
    ):
        found = cli("sweep", "x.toml", *words)
        assert (found.code, text in found.err) == (2, True), found.err
    assert [file.name for file in tmp_path.iterdir()] == ["x.toml"]


def test_a_rule_of_stopping_on_the_command_line(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(OF_OPTIONS)
    words = ("--seeds", "2", "--until-ci", "0.1%", "--max-seeds", "6", "--entries", "1s")
    grown = cli("sweep", "x.toml", *words, "--set", "duration=2s", "--json").document
    assert (grown["cells"], grown["stored"]) == (1, 6)
