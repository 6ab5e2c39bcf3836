"""Warnings in the lines of a verdict: nothing arrived, flows that starve, neighbours given up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from conftest import QUICK, Result

import tworay

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Cli = Callable[..., Result]

ARMS = ("--tcp", "newreno,vegas", "--seeds", "3", *QUICK)


def test_arms_that_all_deliver_nothing_are_not_called_equal(cli: Cli) -> None:
    # Two nodes 400 m apart, the radio reaches 250 m.
    shown = cli("compare", "string-2", "--set", "topology.spacing=400m", *ARMS)
    assert shown.code == 0, shown.err
    assert "No verdict: nothing arrived in any run; `tworay run string-2` says why." in shown.out
    assert "No difference" not in shown.out


def test_flows_that_starve_behind_a_good_sum_are_named(cli: Cli, tmp_path: Path) -> None:
    # Of three flows one has a receiver in range: it gets everything, and Jain's index is 1/3.
    flows = "".join(f'[[flow]]\nfrom = 0\nto = {to}\napp = "ftp"\n' for to in (1, 2, 3))
    positions = "[[0, 0], [100, 0], [5000, 0], [6000, 0]]"
    (tmp_path / "one-of-three.toml").write_text(
        f'topology = {{ kind = "explicit", positions = {positions} }}\nrouting.protocol = "static"\n{flows}',
        encoding="utf-8",
    )
    unfair = cli("compare", "one-of-three.toml", *ARMS)
    assert unfair.code == 0, unfair.err
    assert "Flows starve with every arm: the least one gets under 1 % of the sum." in unfair.out
    # A single flow has nobody beside it.
    assert "starve" not in cli("compare", "string-2", *ARMS).out


def test_flows_that_ask_for_little_do_not_starve(cli: Cli, tmp_path: Path) -> None:
    # 250 bytes a second beside bulk data are under 1 % of the sum, and all that was asked for.
    (tmp_path / "page.toml").write_text(
        'topology = { kind = "explicit", positions = [[0, 0], [100, 0]] }\nrouting.protocol = "static"\n'
        '[[flow]]\nfrom = 0\nto = 1\napp = "ftp"\n'
        '[[flow]]\nfrom = 0\nto = 1\napp = "web"\nevery = "1s"\n'
        'sizes = { kind = "pareto", least = "200B", most = "300B" }\n',
        encoding="utf-8",
    )
    shown = cli("compare", "page.toml", *ARMS)
    assert shown.code == 0, shown.err
    assert "starve" not in shown.out


def test_neighbours_that_routing_gives_up_are_named_where_flows_share_the_air(
    cli: Cli, tmp_path: Path
) -> None:
    # Nothing moves: every broken link is one that is in reach.
    flows = "".join(f'[[flow]]\nfrom = {at}\nto = {8 - at}\napp = "ftp"\n' for at in (0, 8))
    (tmp_path / "two.toml").write_text(
        f'topology = {{ kind = "string", hops = 8 }}\n{flows}', encoding="utf-8"
    )
    ways = ("--tcp", "newreno,vegas", "--seeds", "3", "--set", "duration=30s")
    shown = cli("compare", "two.toml", *ways)
    assert shown.code == 0, shown.err
    words = " ".join(shown.out.split())
    assert re.search(
        r"Routing gives up neighbours that are in reach, up to \d+ times a run, with newreno", words
    ), shown.out
    fixed = cli("compare", "two.toml", *ways, "--set", "routing.protocol=static")
    assert "gives up" not in fixed.out
    # RFC 3561 §6.10 and RFC 3626 §13: whether the MAC's notices count is a setting of both.
    deaf = cli("compare", "two.toml", *ways, "--set", "routing.aodv.link_layer_feedback=false")
    assert deaf.code == 0, deaf.err
    assert "gives up" not in deaf.out
    # Stored results have the scenario, too.
    assert cli("compare", "two.toml", *ways, "--out", "kept").code == 0
    assert "Routing gives up neighbours" in " ".join(cli("show", "kept").out.split())


@pytest.mark.parametrize("protocol", ["aodv", "dsr", "olsr"])
def test_whether_routing_heeds_the_mac_is_a_setting_of_its_protocol(protocol: str) -> None:
    for heeds in (True, False):
        settings = {"routing.protocol": protocol, f"routing.{protocol}.link_layer_feedback": heeds}
        assert tworay.load("string-2", set=settings).heeds_link_layer is heeds
    assert not tworay.load("string-2", set={"routing.protocol": "static"}).heeds_link_layer


def test_seeds_that_would_have_shown_a_difference_are_not_asked_for_again(cli: Cli) -> None:
    # Over one hop and fixed routes runs hardly differ, so few seeds show 5 %.
    same = cli(
        "compare", "string-1", "--tcp", "vegas,newreno", "--entries", "1s", "--seeds", "8",
        "--set", "tcp.window=4", "--set", "duration=5s", "--set", "routing.protocol=static",
    )  # fmt: skip
    assert same.code == 0, same.err
    assert "these seeds would probably have shown one of 5 %" in " ".join(same.out.split()), same.out
    assert "seeds would show one" not in same.out


def test_arms_that_every_seed_gives_the_same_get_no_promise_of_seeds(cli: Cli) -> None:
    # Where nothing is lost, SACK does what New Reno does.
    same = cli(
        "compare", "string-1", "--tcp", "sack,newreno", "--entries", "1s", "--seeds", "8",
        "--set", "tcp.window=4", "--set", "duration=5s", "--set", "routing.protocol=static",
    )  # fmt: skip
    assert same.code == 0, same.err
    said = " ".join(same.out.split())
    assert "No difference in goodput between sack and newreno: every seed gave them the same." in said, said
    assert "seeds would" not in said


def test_many_arms_that_are_not_told_from_the_best_are_counted_not_praised(cli: Cli) -> None:
    # Over one hop any window keeps the radio busy but that of a single segment, which waits for each ACK.
    many = cli(
        "compare", "string-1", "--tcp", "newreno", "--vary", "tcp.window=1,3,4,5,6,8", "--entries", "1s",
        "--seeds", "6", "--set", "duration=20s",
    )  # fmt: skip
    assert many.code == 0, many.err
    found = re.search(
        r"Best in goodput: (\d) by its mean; (\d) of the other 5 arms are not told from it", many.out
    )
    assert found is not None, many.out
    assert found[1] != "1"
    assert int(found[2]) >= 3


def test_runs_without_a_value_are_no_lack_of_seeds() -> None:
    """Of six transfers some are not over at the end: more seeds would not help, and the verdict says so."""
    changes = {"duration": "10s", "flow.0.bytes": "440kB"}
    found = tworay.compare("string-3", tcp="newreno,tahoe", seeds=6, set=changes)
    done = [
        sum(row["completion_seconds"] is not None for row in found.values(arm).values())
        for arm in found.variants
    ]
    assert done[0] == 6 > done[1]
    assert found.conclusion("completion_seconds") == [
        f"No verdict: only {done[1]} of 6 runs of tahoe have a value of completion, "
        "and arms are compared seed by seed."
    ]
    # Without an amount of data there is nothing to complete.
    endless = tworay.compare("string-3", tcp="newreno,tahoe", seeds=6, set={"duration": "3s"})
    assert endless.conclusion("completion_seconds") == [
        "No verdict: no run has a value of completion (completion_seconds)."
    ]


def test_arms_of_a_flow_that_is_off_are_called_the_same_run(tmp_path: Path) -> None:
    """Without the only TCP flow its variant changes nothing: four arms are one run."""
    file = tmp_path / "off.toml"
    file.write_text(
        'duration = "4s"\ntopology = { kind = "string", hops = 2 }\n'
        '[[flow]]\nfrom = 0\nto = 2\napp = "ftp"\n'
        '[[flow]]\nfrom = 2\nto = 0\napp = "cbr"\ninterval = "100ms"\nsize = "200B"\n',
        encoding="ascii",
    )
    found = tworay.compare(
        str(file), tcp="newreno,vegas,cubic,reno", vary={"flow.0": ["on", "off"]}, seeds=6, judge="udp"
    )
    off = [f"{tcp} flow.0=off" for tcp in ("newreno", "vegas", "cubic", "reno")]
    assert off in found.alike
    lines = found.conclusion("latency_under_load_seconds")
    assert "With every seed, newreno off, vegas off, cubic off and reno off gave the same run." in lines
    assert "newreno off by its mean" not in lines[0]
