"""What the lines of a verdict warn of: nothing arrived, flows that starve behind a good sum."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conftest import QUICK, Result

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
