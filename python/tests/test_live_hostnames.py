"""Names of nodes that are no names of hosts: refused before a station starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import InputError
from tworay.live.hostnames import check_host_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result


def named(name: str, node: int) -> tworay.Scenario:
    return tworay.load("string-2", set={f"names.{name}": node})


@pytest.mark.parametrize(
    ("name", "node", "why"),
    [
        # The guide: a node without a name is node-N, and one with a name is so, too.
        ("node-2", 0, r"x.toml: names.node-2 = 0: stations know node 2 by this name; .* or node-0"),
        ("Node-1", 2, "stations know node 1"),
        ("localhost", 1, r"x.toml: names.localhost = 1: every station calls itself so; choose another name"),
        ("LocalHost", 1, "every station calls itself so"),
        ("ip6-loopback", 1, "every station calls itself so"),
    ],
)
def test_names_that_mean_another_host_are_refused(name: str, node: int, why: str) -> None:
    with pytest.raises(InputError, match=why):
        check_host_names(named(name, node), "x.toml")


@pytest.mark.parametrize(("name", "node"), [("node-1", 1), ("node-7", 0), ("node-02", 0), ("roof", 0)])
def test_names_that_mean_no_other_host_are_fine(name: str, node: int) -> None:
    check_host_names(named(name, node), "x.toml")


@pytest.mark.parametrize("command", ["run", "up"])
def test_commands_refuse_them(cli: Callable[..., Result], tmp_path: Path, command: str) -> None:
    done = cli("live", command, "string-2", "--set", "names.node-2=0", *(["--", "true"] * (command == "run")))
    assert (done.code, "string-2: names.node-2 = 0: stations know node 2" in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ("cellar,cellar,roof", "--nodes cellar,cellar,roof: node cellar is named twice"),
        ("cellar,0,roof", "--nodes cellar,0,roof: node 0 is named twice"),
        ("roof", "--nodes roof: a live network needs two stations"),
    ],
)
def test_nodes_are_named_as_the_user_did(cli: Callable[..., Result], nodes: str, why: str) -> None:
    names = ["--set", "names.cellar=0", "--set", "names.roof=2"]
    done = cli("live", "run", "string-2", *names, "--nodes", nodes, "--", "true")
    assert (done.code, why in " ".join(done.err.split())) == (2, True), done.err
