"""Searching a variant's parameters: the best is judged where the search has not looked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import InputError
from tworay.experiment.tuning import Tuned, preset, ranges_of, spelt, tune

if TYPE_CHECKING:
    from pathlib import Path


def test_a_known_optimum_is_found_and_named_in_a_preset(tmp_path: Path) -> None:
    """One hop carries more the larger the window limit is, until the pipe is full: 1 segment is worst."""

    def search() -> Tuned:
        return tune(
            "newreno+cwl",
            ["string-1"],
            parameters=["n=1..8"],
            trials=8,
            seeds=[1, 2],
            held_out_seeds=range(11, 17),
            settings=["duration=4s"],
        )

    found = search()
    assert found.best.startswith("newreno+cwl(n=")
    (row,) = found.held_out
    assert row["seeds"] == 6
    assert found.trials == 8
    file = tmp_path / "best.toml"
    file.write_text(preset(found))
    by_name = tworay.run("string-1", tcp=str(file), set="duration=4s", seed=3)
    assert (
        by_name.goodput_bps == tworay.run("string-1", tcp=found.best, set="duration=4s", seed=3).goodput_bps
    )
    mine = tworay.scenario_text("string-1").replace('variant = "newreno"', 'variant = "best.toml"')
    (tmp_path / "mine.toml").write_text(mine)
    named = tworay.run(tmp_path / "mine.toml", set="duration=4s", seed=3)
    assert named.goodput_bps == by_name.goodput_bps
    again = search()
    assert again.best == found.best, "the same call finds the same"


def test_every_value_of_a_grid_is_tried_and_those_as_good_as_the_best_are_named() -> None:
    """The peer's window is 3 segments: limits of 3 to 6 are the same, smaller ones carry less."""
    seen: list[tuple[int, int]] = []
    found = tune(
        *("newreno+cwl", ["bottleneck-1"]),
        parameters=["n=1..6"],
        grid=True,
        seeds=[1, 2, 3],
        held_out_seeds=[11, 12],
        settings=["duration=4s", "tcp.window=3"],
        watch=lambda done, total, best: seen.append((done, total)),
    )
    assert seen == [(n, 6) for n in range(1, 7)]
    assert (found.trials, found.tried) == (6, 6)
    assert found.best == "newreno+cwl(n=3)", "the first of the best"
    assert found.as_good == [f"newreno+cwl(n={n})" for n in (3, 4, 5, 6)]
    assert found.flatness() == "as good in training: 4 of 6 tried, n from 3 to 6"
    assert found.document()["as_good"] == found.as_good


def test_a_grid_needs_whole_numbers_and_an_end() -> None:
    with pytest.raises(InputError, match=r"welcome.a is no whole number; say which to try"):
        tune("newreno+welcome", ["string-1"], parameters=["a=0.2..0.9"], grid=True)
    with pytest.raises(InputError, match=r"2,500 combinations; narrow the ranges to at most 1000"):
        tune("newreno+cwl+sca", ["string-1"], parameters=["n=1..50", "theta=1..50"], grid=True)


def test_parameters_whose_default_is_nothing_are_searched_from_there() -> None:
    """SCA's `min_hops` and `keep` are 0 unless named: the search begins with the variant as it is."""
    seen: list[int] = []
    found = tune(
        *("reno+sca", ["string-1"]),
        trials=2,
        seeds=[1],
        held_out_seeds=[2],
        settings=["duration=2s"],
        watch=lambda done, total, best: seen.append(done),
    )
    assert seen == [1, 2]
    assert all(r.low <= float(r.default or 0) <= r.high for r in found.ranges if not r.words)


def test_a_default_outside_the_range_is_no_start() -> None:
    """SCA's parameter is 10 unless named; a search from 20 to 30 must not try it."""
    found = tune(
        *("reno+sca", ["string-1"]),
        parameters=["theta=20..30"],
        trials=3,
        seeds=[1],
        held_out_seeds=[2],
        settings=["duration=2s"],
    )
    assert 20 <= int(found.best.removeprefix("reno+sca(theta=").removesuffix(")")) <= 30


def test_parameters_are_spelt_out() -> None:
    ranges = ranges_of("newreno+sca", ["theta=1..50"])
    assert (ranges[0].low, ranges[0].high, ranges[0].whole) == (1, 50, True)
    assert spelt("newreno+sca", ranges, {"sca.theta": 23}) == "newreno+sca(theta=23)"


@pytest.mark.parametrize(
    ("variant", "parameters", "says"),
    [
        ("newreno", [], "no parameters to search"),
        ("newrino", [], "there is no variant newrino"),
        ("newreno+sca(4)", [], "without parameters"),
        ("newreno+sca", ["m=1..2"], "there is no parameter `m`"),
        ("newreno+sca", ["theta=5..1"], "LOW..HIGH"),
        ("probing", ["predictor=best"], "is not among"),
    ],
)
def test_what_cannot_be_searched_is_refused(variant: str, parameters: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says.replace("+", r"\+")):
        ranges_of(variant, parameters)


def test_judges_must_not_have_been_seen() -> None:
    with pytest.raises(InputError, match="in common"):
        tune("newreno+sca", ["string-1"], seeds=[1, 2], held_out_seeds=[2, 3])


def test_a_preset_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such preset"):
        tworay.run("string-1", tcp=str(tmp_path / "none.toml"))
