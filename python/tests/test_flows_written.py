"""Flows written ``FROM:TO:APP`` take every application of a scenario, with usual settings."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import InputError
from tworay.running import flows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

LINKS = "from,to,loss\nroof,barn,0\nbarn,roof,0\n"


@pytest.mark.parametrize("app", [app for app in flows.apps() if app != "replay"])
def test_measured_links_take_every_application(cli: Cli, tmp_path: Path, app: str) -> None:
    (tmp_path / "net.csv").write_text(LINKS)
    made = cli("convert", "net.csv", "--flow", f"roof:barn:{app}", "-o", "mesh.toml")
    assert made.code == 0, made.err
    run = tworay.run(tmp_path / "mesh.toml", set={"duration": "10s"})
    assert run.summary["flows"][0]["goodput_bps"] > 0
    assert tomllib.loads((tmp_path / "mesh.toml").read_text())["flow"][0]["app"] == app


def test_a_trace_is_found_beside_the_scenario(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text(LINKS)
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "sent.trace").write_text("100\n200\n300\n")
    made = cli("convert", "net.csv", "--flow", "roof:barn:replay:file=sent.trace", "-o", "apart/mesh.toml")
    assert made.code == 0, made.err
    run = tworay.run(tmp_path / "apart" / "mesh.toml", set={"duration": "5s"})
    assert run.summary["flows"][0]["sent_segments"] == 3


def test_an_unknown_application_is_answered_with_all(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text(LINKS)
    told = cli("convert", "net.csv", "--flow", "roof:barn:wed", "-o", "mesh.toml").err
    assert 'unknown application "wed"; did you mean web?' in told
    assert "allowed are ftp, cbr, on-off, web, request, video, replay" in told


def test_messages_about_flows_show_them_as_typed(cli: Cli, tmp_path: Path) -> None:
    # barn is node 0 and roof node 1 inside: these numbers are not what the user typed.
    (tmp_path / "net.csv").write_text(LINKS.replace("roof,barn,0\n", "", 1) + "roof,barn,0\n")
    (tmp_path / "walk.csv").write_text("id,time,x,y\nbarn,0,0,0\nroof,0,100,0\nroof,9,90,0\n")
    for file in ("net.csv", "walk.csv"):
        for flow, told in (
            ("roof:barn:wep", 'unknown application "wep"; did you mean web?'),
            ("roof:barn:ftp:fast", '"fast" is not a setting'),
            ("roof:barn:web:fast", '"fast" is not a setting'),
            ("roof:barm:web", '"barm:web" begins with no node; did you mean barn?'),
        ):
            refused = cli("convert", file, "--flow", flow, "-o", "mesh.toml")
            assert refused.code == 2
            assert f"--flow {flow}: {told}" in refused.err, refused.err


@pytest.mark.parametrize(
    ("flow", "keys"),
    [
        ("0:1:web:think=1s:sizes=20kB", {"think": "1s", "sizes": {"kind": "fixed", "size": "20kB"}}),
        ("0:1:web:transfers=3", {"every": "2s", "transfers": 3}),
        ("0:1:video:rate=1Mbps:start=7s", {"rate": "1Mbps", "start": "7s"}),
        ("0:1:request:port=80", {"think": "500ms", "port": 80, "start": "1s"}),
    ],
)
def test_settings_replace_usual_ones(flow: str, keys: dict[str, object]) -> None:
    (table,) = tomllib.loads(flows.tables([flow]))["flow"]
    assert keys.items() <= table.items()
    # A web flow is either a Poisson process or a closed loop.
    assert not {"every", "think"} <= table.keys()


def test_moves_keep_the_order_of_their_flows(tmp_path: Path) -> None:
    """The simulator's converter writes three applications; others take the place of equal ones."""
    moves = tmp_path / "walk.movements"
    moves.write_text("0 0 0 20 100 0\n0 100 0 20 0 0\n0 50 50\n")
    wanted = ["0:1:ftp", "0:1:web", "1:0:cbr", "0:1:ftp", "1:2:video:start=3s"]
    text = tworay.convert(moves, flows=wanted, output=tmp_path / "walk.toml")
    found = tomllib.loads(text)["flow"]
    assert [(one["from"], one["to"], one["app"]) for one in found] == [
        (0, 1, "ftp"), (0, 1, "web"), (1, 0, "cbr"), (0, 1, "ftp"), (1, 2, "video"),
    ]  # fmt: skip
    with pytest.raises(tworay.ScenarioError, match="node 7"):
        tworay.convert(moves, flows=["0:7:web"], output=tmp_path / "walk.toml")
    with pytest.raises(InputError, match="is not a setting"):
        tworay.convert(moves, flows=["0:1:web:fast"], output=tmp_path / "walk.toml")
