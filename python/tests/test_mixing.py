"""Mixtures: which flow gets which variant, and who takes whose share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from conftest import Result, document

import tworay
from tworay.errors import InputError, ScenarioError
from tworay.experiment.mixing import Mix, effects, parse_mixes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Cli = Callable[..., Result]

QUICK = {"duration": "15s"}
EVEN = Mix({"vegas": 0.5, "newreno": 0.5})


@pytest.mark.parametrize(
    ("shares", "flows", "counts"),
    [
        ({"a": 0.5, "b": 0.5}, 4, [2, 2]),
        ({"a": 0.5, "b": 0.5}, 3, [2, 1]),
        ({"a": 0.25, "b": 0.75}, 8, [2, 6]),
        # 3.33 each: the flow that is left goes to the first of equals.
        ({"a": 0.33, "b": 0.33, "c": 0.34}, 10, [3, 3, 4]),
        ({"a": 0.1, "b": 0.9}, 5, [1, 4]),
    ],
)
def test_shares_become_numbers_of_flows(shares: dict[str, float], flows: int, counts: list[int]) -> None:
    assert list(Mix(shares).counts(flows).values()) == counts


def test_places_rotate_with_the_seed_so_that_none_is_favoured() -> None:
    mix = Mix({"vegas": 0.25, "newreno": 0.75})
    for flow in range(4):
        over_four_seeds = Counter(mix.assign(4, seed)[flow] for seed in range(7, 11))
        assert over_four_seeds == {"vegas": 1, "newreno": 3}
    assert mix.assign(4, 0) == mix.assign(4, 4) == ["vegas", "newreno", "newreno", "newreno"]
    assert mix.assign(4, 1) == ["newreno", "vegas", "newreno", "newreno"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("vegas,newreno", "found `vegas`"),
        ("vegas:0.5", "add up to 0.5"),
        ("vegas:0.5,newreno:0.6", "add up to 1.1"),
        ("vegas:0.5,vegas:0.5", "`vegas` is given twice"),
        ("vegas:0,newreno:1", "found `vegas:0`"),
    ],
)
def test_a_mixture_that_makes_no_sense_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_mixes(text)


def test_shares_may_be_written_in_percent_and_variants_with_parameters() -> None:
    (mix,) = parse_mixes("newreno+sca(10,1):50%, vegas:.5")
    assert mix.shares == {"newreno+sca(10,1)": 0.5, "vegas": 0.5}
    assert mix.name == "newreno+sca(10,1):0.5,vegas:0.5"


def test_a_scenario_with_too_few_flows_is_refused_before_anything_runs() -> None:
    with pytest.raises(InputError, match=r"1 TCP flow, so newreno would get none"):
        tworay.compare("string-2", mix="vegas:0.5,newreno:0.5")
    with pytest.raises(ScenarioError, match="newreno"):
        tworay.compare("cross", mix="vegas:0.5,newrno:0.5")


def mixed(seed: int, *flows: tuple[str, float]) -> dict[str, Any]:
    found = document("", seed)
    found["flows"] = [document(name, seed, goodput)["flows"][0] for name, goodput in flows]
    return found


def test_shares_are_set_beside_the_same_flows_of_the_pure_cases() -> None:
    """Two flows, of which the second has the better place: 100 and 200 b/s when all is well."""
    runs = {
        2: mixed(2, ("vegas", 60.0), ("newreno", 240.0)),
        3: mixed(3, ("newreno", 140.0), ("vegas", 160.0)),
    }
    pure = {
        name: {seed: mixed(seed, (name, 100.0), (name, 200.0)) for seed in (2, 3)}
        for name in ("vegas", "newreno")
    }
    found = effects(EVEN, runs, pure)
    vegas, newreno = found["vegas"], found["newreno"]
    assert (vegas["flows"], vegas["of"], vegas["fair_share"]) == (1, 2, 0.5)
    assert vegas["goodput_share"]["mean"] == pytest.approx((60 / 300 + 160 / 300) / 2)
    # Beside newreno, vegas' flows get 40 less than the same flows get among vegas.
    assert vegas["against_all"]["vegas"]["pure_mean"] == 150.0
    assert vegas["against_all"]["vegas"]["difference"] == pytest.approx(-40.0)
    assert newreno["against_all"]["newreno"]["difference"] == pytest.approx(40.0)
    # Two seeds prove nothing.
    assert newreno["against_all"]["newreno"]["holm_p"] is None


def test_flows_of_a_run_use_what_the_mixture_gives_them() -> None:
    result = tworay.compare("dumbbell-4", mix="vegas:0.5,newreno:0.5", seeds="4,5", set=QUICK)
    name = "vegas:0.5,newreno:0.5"
    # The pure cases are arms of their own.
    assert result.variants == ["vegas", "newreno", name]
    for seed, run in result.documents(name).items():
        assert [flow["tcp"] for flow in run["flows"]] == EVEN.assign(4, seed)
    assert result.summary["arms"][name]["mix"] == {"vegas": 0.5, "newreno": 0.5}
    found = result.summary["mixtures"][name]
    assert found["vegas"]["goodput_share"]["mean"] + found["newreno"]["goodput_share"][
        "mean"
    ] == pytest.approx(1)
    jain = {arm: cells["metrics.jain_fairness"]["mean"] for arm, cells in result.summary["variants"].items()}
    assert set(jain) == set(result.variants)


def test_a_variant_in_python_can_be_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that never lets its window grow takes less than its share, and only its own flows do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shy.py").write_text(
        "import tworay\n"
        "class Shy(tworay.CongestionControl):\n"
        "    def on_ack(self, state, ack):\n"
        "        return 1.0\n"
    )
    result = tworay.compare("dumbbell-4", mix="shy.py:Shy:0.5,newreno:0.5", seeds=2, set=QUICK)
    shy = result.summary["mixtures"]["shy.py:Shy:0.5,newreno:0.5"]["shy.py:Shy"]
    assert shy["goodput_share"]["mean"] < 0.3
    for run in result.documents("shy.py:Shy:0.5,newreno:0.5").values():
        for flow in run["flows"]:
            assert (flow["tcp"] == "newreno") == (flow["mean_cwnd_segments"] > 1.5)


def test_a_mixture_is_printed_with_shares_and_pure_cases(cli: Cli) -> None:
    done = cli("compare", "cross", "--mix", "vegas:0.5,newreno:0.5", "--seeds", "2", "--set", "duration=10s")
    assert done.code == 0
    for words in ("in vegas:0.5,newreno:0.5", "share %", "if all were X: kb/s", "1 of 2", "Jain"):
        assert words in done.out


def test_flows_of_a_scenario_have_variants_of_their_own(cli: Cli) -> None:
    done = cli(
        "run", "cross", "--set", "flow.0.tcp=vegas", "--set", "flow.1.tcp=reno", "--set", "duration=10s"
    )
    assert done.code == 0
    assert "Shares   vegas " in done.out
    assert " with 1 of 2 flows" in done.out
