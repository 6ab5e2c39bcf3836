"""Seeds whose runs are equal count once; start times drawn from the seed make wired runs differ.

A network of wires without errors and handoffs has no randomness, so its runs with all seeds are equal: any
number of them is one observation, and one observation has no verdict.
"""

from __future__ import annotations

import random
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

import tworay
from tworay.analysis.repeats import fingerprint, repeated, still
from tworay.errors import InputError
from tworay.experiment.comparison import Comparison
from tworay.running.entries import entered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

WIRED = ("bottleneck-2", "--tcp", "newreno,vegas", "--set", "duration=5s")


def test_fingerprints_leave_out_the_seed_and_the_time_it_took() -> None:
    run = {"seed": 1, "cpu_seconds": 0.1, "flows": [{"goodput_bps": 5.0}]}
    assert fingerprint(run) == fingerprint(run | {"seed": 2, "cpu_seconds": 9.9})
    assert fingerprint(run) != fingerprint(run | {"flows": [{"goodput_bps": 6.0}]})


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ({1: {"a": "x", "b": "y"}, 2: {"a": "x", "b": "y"}, 3: {"a": "x", "b": "y"}}, {2: 1, 3: 1}),
        # Where one arm varies, each seed counts.
        ({1: {"a": "x", "b": "y"}, 2: {"a": "x", "b": "z"}}, {}),
        ({1: {"a": "x"}, 2: {"a": "z"}, 3: {"a": "z"}, 4: {"a": "x"}}, {3: 2, 4: 1}),
        # An interrupted comparison: of the last seed one arm is finished.
        ({1: {"a": "x", "b": "y"}, 2: {"a": "x"}}, {2: 1}),
        ({1: {}, 2: {}}, {}),
    ],
)
def test_a_seed_repeats_another_if_all_its_runs_do(runs: Any, expected: dict[int, int]) -> None:
    assert repeated(runs) == expected


def test_one_run_is_not_a_repetition() -> None:
    assert not still(["x"])
    assert still(["x", "x"])
    assert not still(["x", "x", "y"])


def run_of(seed: int, goodput: float) -> dict[str, Any]:
    flows = [{"id": 0, "from": 0, "to": 1, "tcp": "reno", "goodput_bps": goodput}]
    return {"seed": seed, "sim_seconds": 1.0, "flows": flows, "ledger": {}, "diagnosis": {}}


def test_two_arms_that_never_vary_have_no_verdict_and_no_interval() -> None:
    found = Comparison("wires", ["a", "b", "c"])
    for seed in range(1, 11):
        found.add("a", seed, run_of(seed, 100.0))
        found.add("b", seed, run_of(seed, 111.2))
        found.add("c", seed, run_of(seed, 50.0 + seed))
    document = found.summary
    assert document["still_arms"] == ["a", "b"]
    assert document["repeated_seeds"] == []  # arm c varies
    assert document["verdict"]["best"] == []
    cell = document["variants"]["b"]["goodput_bps"]
    assert (cell["mean"], cell["n"], cell["ci95"]) == (111.2, 1, None)
    pairs = {(p["a"], p["b"]): p for p in document["pairs"] if p["metric"] == "goodput_bps"}
    assert (pairs["a", "b"]["n"], pairs["a", "b"]["holm_p"], pairs["a", "b"]["ci95"]) == (1, None, None)
    assert pairs["a", "c"]["n"] == 10


def test_equal_seeds_count_once_in_every_mean() -> None:
    """Goodputs 1, 1, 1, 4 of seeds of which two repeat the first: the mean of two is 2.5, of four 1.75."""
    found = Comparison("wires", ["a", "b"])
    for seed, goodput in enumerate([1.0, 1.0, 1.0, 4.0], 1):
        found.add("a", seed, run_of(seed, goodput))
        found.add("b", seed, run_of(seed, 2 * goodput))
    document = found.summary
    assert document["repeated_seeds"] == [2, 3]
    cell = document["variants"]["a"]["goodput_bps"]
    assert (cell["mean"], cell["n"]) == (2.5, 2)
    pair = next(p for p in document["pairs"] if p["metric"] == "goodput_bps")
    assert (pair["difference"], pair["n"]) == (-2.5, 2)


def test_wires_have_no_verdict_and_a_way_to_get_one(cli: Cli) -> None:
    made = cli("compare", *WIRED, "--seeds", "10")
    text = " ".join(made.out.split())
    assert "No verdict: newreno and vegas gave the same run with every seed" in text
    assert "--entries 2s" in text
    assert "10 seeds, of which 9 repeat another and count once" in text
    drawn = cli("compare", *WIRED, "--seeds", "10", "--entries", "2s", "--json").document
    assert drawn["repeated_seeds"] == drawn["still_arms"] == []
    assert drawn["variants"]["vegas"]["goodput_bps"]["n"] == 10


def test_until_ci_stops_where_further_seeds_say_nothing() -> None:
    found = tworay.compare("bottleneck-1", tcp="newreno", set={"duration": "2s"}, until_ci=0.05, max_seeds=50)
    assert len(found.seeds) < 50


def test_drawn_start_times_are_those_of_sweeps_and_survive_a_resumption(tmp_path: Path) -> None:
    draw = random.Random(3)
    expected = [draw.randrange(2000) / 1000 for _ in range(2)]
    flows = tomllib.loads(entered(tworay.load("bottleneck-2"), 3, "2s").to_toml())["flow"]
    assert [seconds(flow["start"]) for flow in flows] == pytest.approx(expected)
    options: Any = {"tcp": "newreno,vegas", "entries": "2s", "set": {"duration": "3s"}}
    whole = tworay.compare("bottleneck-2", seeds=4, **options)
    tworay.compare("bottleneck-2", seeds=2, out=tmp_path / "c", **options)
    later = tworay.compare(resume=tmp_path / "c", seeds=4)
    assert later.summary == whole.summary
    with pytest.raises(InputError, match='entries="2s"'):
        tworay.compare(resume=tmp_path / "c", entries="3s")


def seconds(text: str) -> float:
    """A time as scenarios write it: ``1.5s`` or ``120ms``."""
    return float(text[:-2]) / 1000 if text.endswith("ms") else float(text.removesuffix("s"))


@pytest.mark.parametrize("wrong", ["2", "2ms", "-1s", "0s", "soon", ""])
def test_a_wrong_span_is_refused(cli: Cli, wrong: str) -> None:
    found = cli("compare", *WIRED, "--entries", wrong)
    assert (found.code, "--entries" in found.err) == (2, True)


def test_start_times_beyond_the_end_of_a_flow_are_refused(cli: Cli) -> None:
    found = cli("run", "bottleneck-2", "--set", "duration=1500ms", "--entries", "9s", "--seed", "1")
    assert found.code == 2
    assert "would start at" in found.err


def test_tables_of_sweeps_count_equal_runs_once(tmp_path: Path) -> None:
    plan = {"scenario": "bottleneck-2", "tcp": ["newreno", "vegas"], "seeds": 6, "set": {"duration": "3s"}}
    results = tworay.Experiment(plan).run(tmp_path / "s")
    assert results.repeated() == dict.fromkeys(range(2, 7), 1)
    table = results.table("goodput_bps", "tcp")
    assert table["n"].to_list() == [1, 1]
    assert table["low"].to_list() == [None, None]
    assert results.compare("goodput_bps", over="tcp", by=()).frame["verdict"].to_list() == [
        "no difference found"
    ]
    assert results.runs.height == 12
    drawn = tworay.Experiment(plan | {"entries": "1s", "name": "drawn"}).run(tmp_path / "d")
    assert drawn.repeated() == {}
    assert drawn.table("goodput_bps", "tcp")["n"].to_list() == [6, 6]


def test_plots_draw_each_run_once(tmp_path: Path) -> None:
    """Without randomness six seeds are one run: a point, no interval; with drawn start times they are six."""
    words: Any = {"tcp": "newreno,vegas", "seeds": 6, "set": {"duration": "3s"}}
    for entries, runs in ((None, 1), ("1s", 6)):
        found = tworay.compare("bottleneck-2", entries=entries, out=tmp_path / str(runs), **words)
        box = tworay.plot(found, "box").axes[0]
        points = [line for line in box.get_lines() if line.get_marker() == "."]
        assert [len(line.get_xdata()) for line in points] == [runs, runs]
        goodput = tworay.plot(found, "goodput").axes[0]
        assert len(goodput.collections) == (0 if runs == 1 else 2)
        head = "1 seed" if runs == 1 else "6 seeds"
        assert box.get_title() == f"bottleneck-2, {head}"
        assert goodput.get_title() == f"bottleneck-2, mean of {head}, sum of 2 TCP flows"
