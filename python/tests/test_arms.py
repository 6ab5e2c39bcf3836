"""Arms of a comparison: variants, values of settings, and what can't be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import InputError, ScenarioError
from tworay.experiment.arms import line_up, parse_vary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

QUICK = {"duration": "10s"}


def test_settings_are_crossed_with_each_other_and_with_the_variants() -> None:
    field = line_up(
        "string-2", tcp="reno,sack", vary=["routing.protocol=static,aodv", "mac.rts_threshold=0B,3000B"]
    )
    assert field.names == [
        "reno routing.protocol=static mac.rts_threshold=0B",
        "sack routing.protocol=static mac.rts_threshold=0B",
        "reno routing.protocol=static mac.rts_threshold=3000B",
        "sack routing.protocol=static mac.rts_threshold=3000B",
        "reno routing.protocol=aodv mac.rts_threshold=0B",
        "sack routing.protocol=aodv mac.rts_threshold=0B",
        "reno routing.protocol=aodv mac.rts_threshold=3000B",
        "sack routing.protocol=aodv mac.rts_threshold=3000B",
    ]


def test_without_vary_the_arms_are_called_as_the_variants() -> None:
    assert line_up("string-2", tcp="reno,newreno+sca(10,1)").names == ["reno", "newreno+sca(10,1)"]


def test_without_tcp_the_scenarios_own_variants_run() -> None:
    field = line_up("string-2", tcp=None, vary="tcp.variant=reno,vegas")
    assert field.names == ["tcp.variant=reno", "tcp.variant=vegas"]


def test_a_value_may_hold_commas_in_brackets_and_quotes() -> None:
    assert parse_vary("topology.positions=[[0,0],[9,0]],[[0,0],[5,0]]") == [
        ("topology.positions", ["[[0,0],[9,0]]", "[[0,0],[5,0]]"])
    ]
    assert parse_vary('name="a,b",c') == [("name", ['"a,b"', "c"])]
    assert parse_vary({"mac.queue": [10, 50], "x": True}) == [("mac.queue", ["10", "50"]), ("x", ["true"])]


@pytest.mark.parametrize(
    ("vary", "problem"),
    [
        ("routing.protocol", "write KEY=VALUE"),
        ("routing.protocol=", "write KEY=VALUE"),
        ("=aodv", "write KEY=VALUE"),
        ("routing.protocol=aodv,,dsr", "write KEY=VALUE"),
        ("routing.protocol=aodv,aodv", "`aodv` is given twice"),
        (["mac.queue=1", "mac.queue=2"], "the key is given twice"),
        # 3000 B and 3 kB are one threshold.
        ("mac.rts_threshold=3000B,3kB", "are the same scenario"),
        # --tcp decides over all flows.
        ("tcp.variant=reno,sack", "are the same scenario"),
        ({"mac.queue": range(1, 1000)}, "allowed are up to 64"),
    ],
)
def test_what_cannot_be_varied_is_refused(vary: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        line_up("string-2", tcp="newreno", vary=vary)


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to compare"):
        tworay.compare("string-2")
    with pytest.raises(ScenarioError, match="already loaded"):
        tworay.compare(tworay.load("string-2"), vary="mac.queue=1,2")


def test_a_mistake_in_a_varied_setting_is_shown_before_anything_runs(cli: Cli, tmp_path: Path) -> None:
    base = ("compare", "string-2", "--tcp", "newreno", "--out", "results", "--vary")
    unknown_value = cli(*base, "routing.protocol=aodv,ospf")
    assert unknown_value.code == 2
    assert "Allowed: static, aodv, dsr, olsr." in unknown_value.err
    unknown_key = cli(*base, "routng.protocol=aodv,dsr")
    assert unknown_key.code == 2
    assert 'Did you mean "routing"?' in unknown_key.err
    assert list(tmp_path.iterdir()) == []


def test_arms_are_compared_seed_by_seed_like_variants() -> None:
    result = tworay.compare(
        "string-3", tcp="newreno", vary={"mac.rts_threshold": ["0B", "3000B"]}, seeds=3, set=QUICK
    )
    with_rts, without = result.variants
    assert (with_rts, without) == ("newreno mac.rts_threshold=0B", "newreno mac.rts_threshold=3000B")
    alone = tworay.compare("string-3", tcp="newreno", seeds=3, set=QUICK | {"mac.rts_threshold": "3000B"})
    documents = result.summary["variants"]
    assert documents[without] == alone.summary["variants"]["newreno"]
    assert documents[with_rts]["mac.sent.rts"]["mean"] > 0 == documents[without]["mac.sent.rts"]["mean"]
    pair = result.summary["pairs"][0]
    assert (pair["a"], pair["b"]) == (with_rts, without)
    assert pair["difference"] == pytest.approx(
        documents[with_rts]["goodput_bps"]["mean"] - documents[without]["goodput_bps"]["mean"]
    )
    assert result.summary["arms"][without] == {"tcp": "newreno", "set": {"mac.rts_threshold": "3000B"}}


def test_what_the_world_is_like_is_said_of_each_arm_where_it_differs() -> None:
    result = tworay.compare("string-4", tcp="newreno", vary="topology.spacing=100m,200m", seeds=1, set=QUICK)
    facts = [arm["scenario_facts"]["mean_shortest_path_hops"] for arm in result.summary["arms"].values()]
    # A radio reaches 250 m: two hops of 200 m, or four.
    assert facts == [2.0, 4.0]
    assert result.summary["scenario_facts"]["mean_shortest_path_hops"] == 3.0
