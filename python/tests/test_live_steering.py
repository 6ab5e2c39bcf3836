"""A running network is changed, watched, and its changes are replayed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import polars as pl
import pytest
from report_browser import started
from watchers import events, watched

import tworay as tworay_package
from studies.live.station import PATIENT, tworay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Result

# Two hops of 200 m; radios reach 250 m.
HOUSE = """
name = "house"
duration = "20s"
[names]
roof = 0
alice = 2
[topology]
kind = "string"
hops = 2
[routing]
protocol = "static"
[[flow]]
from = "roof"
to = "alice"
app = "cbr"
interval = "100ms"
size = "100B"
"""
# With TCP, for real programs.
LIVE = HOUSE.replace('app = "cbr"\ninterval = "100ms"\nsize = "100B"\n', "")


# Says that it runs, and ends at a line of input.
WAITS = "echo up; read _; exit 0"


def lost(cli: Callable[..., Result], place: Path, script: str) -> list[tuple[float, str, int]]:
    """Simulate the datagrams of ``house`` with a script: when each loss struck, why and where."""
    (place / "house.toml").write_text(HOUSE)
    (place / "s.txt").write_text(script)
    done = cli("run", "house.toml", "--script", "s.txt", "--out", "out", "--force", "--json")
    assert done.code == 0, done.err
    table = pl.read_parquet(place / "out" / "ledger.parquet")
    return sorted((row["since_s"], row["cause"], row["root_node"]) for row in table.to_dicts())


def test_a_script_is_replayed_in_simulation(cli: Callable[..., Result], tmp_path: Path) -> None:
    """The last node leaves the range of its neighbour, comes back, and goes off: when, geometry says."""
    # At 10 m/s from 400 m on, it is 250 m from the relay (at 200 m) 5 s later.
    found = lost(cli, tmp_path, "5s move alice 500,0 10\n15.5s move alice 400,0\n18s off alice\n")
    assert {cause for _, cause, _ in found} <= {"link-failure", "node-down"}
    walked = [at for at, cause, _ in found if cause == "link-failure"]
    # One datagram each 100 ms; out of range from 10 s to 15.5 s.
    assert walked[0] == pytest.approx(10.05, abs=0.06)
    assert walked[-1] == pytest.approx(15.45, abs=0.06)
    assert len(walked) == pytest.approx(55, abs=1)
    gone = [at for at, cause, _ in found if cause == "node-down"]
    assert len(gone) == pytest.approx(20, abs=1)
    assert gone[0] == pytest.approx(18.05, abs=0.06)


def test_all_frames_are_lost_where_the_script_says_so(cli: Callable[..., Result], tmp_path: Path) -> None:
    found = lost(cli, tmp_path, "5s loss alice 1\n10s loss alice 0\n")
    assert {cause for _, cause, _ in found} == {"channel"}
    # 50 datagrams; those sent just before the end may be repeated until it is over.
    assert len(found) == pytest.approx(50, abs=2)
    assert lost(cli, tmp_path, "5s loss alice 0\n") == []


def test_a_script_is_as_good_as_events_of_the_scenario(cli: Callable[..., Result], tmp_path: Path) -> None:
    scripted = lost(cli, tmp_path, "5.5s off 1\n7s on 1\n8s loss 1 0.5\n12s move 1 200,300\n")
    events = [
        ("5.5s", "down", ""),
        ("7s", "up", ""),
        ("8s", "loss", "rate = 0.5\n"),
        ("12s", "move", "to = [200.0, 300.0]\n"),
    ]
    text = "".join(f'[[event]]\nnode = 1\nat = "{at}"\nwhat = "{what}"\n{more}' for at, what, more in events)
    (tmp_path / "events.toml").write_text(HOUSE + text)
    assert cli("run", "events.toml", "--out", "own").code == 0
    table = pl.read_parquet(tmp_path / "own" / "ledger.parquet")
    assert scripted == sorted((row["since_s"], row["cause"], row["root_node"]) for row in table.to_dicts())
    # Off for 1.5 s, and out of range of both ends for the last 8 s.
    counts = [sum(cause == one for _, cause, _ in scripted) for one in ("node-down", "link-failure")]
    assert counts == pytest.approx([15, 80], abs=1)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("\n3s off carol\n", ("s.txt:2:8", 'no node has the name "carol"', "Names here: alice, roof")),
        ("3s off 7\n", ("s.txt:1:8", "there is no node 7", "numbered 0 to 2")),
        ("3s jump 1\n", ("s.txt:1:4", '"jump" is no command', "move NODE X,Y")),
        ("3s move 1 1e9,0\n", ("s.txt:1:11", "outside the field")),
        ("30s off 1\n", ("s.txt:1:1", "after the run's end")),
        ("3s off 1\n3s on 1\n", ("s.txt:2:1", "another line or event")),
    ],
)
def test_wrong_lines_are_shown(
    cli: Callable[..., Result], tmp_path: Path, script: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "house.toml").write_text(HOUSE)
    (tmp_path / "s.txt").write_text(script)
    done = cli("run", "house.toml", "--script", "s.txt")
    assert done.code == 2
    for word in words:
        assert word in done.err


def test_what_is_no_script_is_refused(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "air.pcapng").write_bytes(bytes([10, 13, 13, 10, 0xFF]))
    for file, word in (
        ("air.pcapng", "byte 4 is 0xff"),
        ("none.txt", "No such file"),
        (".", "Is a directory"),
    ):
        done = cli("run", "string-2", "--script", file)
        assert (done.code, word in done.err, "such as `12s off 3`" in done.err) == (2, True, True), done.err


@contextlib.contextmanager
def standing(cli: Callable[..., Result], place: Path, *options: str) -> Iterator[str]:
    """Keep the network ``house`` up with a station at every node; gives its name."""
    (place / "house.toml").write_text(LIVE)
    name = f"house-{os.getpid()}"
    up = cli("live", "up", "house.toml", "--all", "--name", name, *PATIENT, *options)
    assert up.code == 0, up.err
    try:
        yield name
    finally:
        cli("live", "down", name)


def ping(cli: Callable[..., Result], name: str) -> bool:
    """Return whether alice answers roof."""
    done = cli("live", "shell", "--name", name, "roof", "--", "ping", "-c", "1", "-W", "2", "alice")
    return "1 received" in str(done.out)


@pytest.mark.usefixtures("live_able")
def test_a_running_network_is_changed_and_its_log_replays(cli: Callable[..., Result], tmp_path: Path) -> None:
    done = []

    def change(*words: str) -> None:
        answer = cli("live", *words, "--name", name)
        assert answer.code == 0, answer.err
        done.append(str(answer.out).strip())

    with standing(cli, tmp_path, "--out", "out", "--record") as name:
        assert ping(cli, name)
        change("off", "1")
        assert not ping(cli, name)
        change("on", "1")
        assert ping(cli, name)
        # 451 m from its neighbour, then back at 1000 m/s.
        change("move", "alice", "651,0")
        assert not ping(cli, name)
        change("move", "alice", "400,0", "--speed", "1000")
        time.sleep(0.5)
        assert ping(cli, name)
        change("loss", "alice", "1")
        assert not ping(cli, name)
        for words, said in (
            (("off", "carol"), 'no node has the name "carol"'),
            (("move", "alice", "1,2,3"), "is no place"),
            (("loss", "alice", "2"), "2 is no share"),
        ):
            wrong = cli("live", *words, "--name", name)
            assert (wrong.code, said in wrong.err) == (2, True), wrong.err
        assert cli("live", "down", name).code == 0
    assert [line.split(" ", 1)[1] for line in done] == [
        "off 1", "on 1", "move alice 651,0", "move alice 400,0 1000", "loss alice 1",
    ]  # fmt: skip
    script = (tmp_path / "out" / "script.txt").read_text().splitlines()
    assert script[0].startswith("#")
    assert script[1:] == done
    # Each cause of the losses is one of the changes.
    table = pl.read_parquet(tmp_path / "out" / "ledger.parquet")
    assert set(table["cause"].unique()) == {"node-down", "link-failure", "channel"}
    # Stories name them, with the times of the script.
    told = " ".join(cli("explain", "out", "--at", done[0].split("s ")[0]).out.split())
    assert f"(node 1 switched off at {float(done[0].split('s ')[0]):.3f} s)" in told
    # The same changes at the same times, in simulation.
    (tmp_path / "long.toml").write_text(HOUSE.replace('"20s"', '"200s"'))
    again = cli("run", "long.toml", "--script", "out/script.txt", "--out", "again", "--json")
    assert again.code == 0, again.err
    table = pl.read_parquet(tmp_path / "again" / "ledger.parquet")
    assert set(table["cause"].unique()) == {"node-down", "link-failure", "channel"}
    off = float(done[0].split("s ")[0])
    first = table.filter(pl.col("cause") == "node-down")["since_s"].min()
    # One datagram each 100 ms.
    assert isinstance(first, float)
    assert 0 <= first - off <= 0.11


@pytest.mark.usefixtures("live_able")
def test_a_watcher_sees_moves_losses_and_the_end(cli: Callable[..., Result], tmp_path: Path) -> None:
    with standing(cli, tmp_path) as name, watched(name) as address:
        first = events(address, lambda kind, _: kind == "view")
        names = ["roof", "1", "alice"]
        about = {"name": name, "scenario": "house", "names": names, "stations": [0, 1, 2], "virtual": False}
        assert first[0] == ("about", about)
        view = first[-1][1]
        # A string of 200 m hops; nobody is off, nothing waits; ranges of ns-2's radio: 250 m and 550 m.
        assert view["nodes"] == [[0.0, 0.0, True, 0], [200.0, 0.0, True, 0], [400.0, 0.0, True, 0]]
        assert view["ranges"] == pytest.approx([250, 550], abs=0.5)
        assert cli("live", "move", "alice", "651,0", "--name", name).code == 0
        assert not ping(cli, name)
        lossy = events(address, lambda kind, view: kind == "view" and view["lost"] > 0)[-1][1]
        assert lossy["nodes"][2][:2] == [651.0, 0.0]
        assert lossy["losses"][0][2:] == ["link-failure", 1]
        assert [line.split(" ", 1)[1] for line in lossy["steered"]] == ["move alice 651,0"]
        assert lossy["flows"][0][1:3] == [0, 2]
        # Other sites' pages may not ask.
        request = urllib.request.Request(f"{address}events", headers={"Host": "example.org"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(request, timeout=20)
        assert cli("live", "down", name).code == 0
        assert events(address, lambda kind, _: kind == "ended")[-1][0] == "ended"


@pytest.mark.usefixtures("live_able")
def test_the_page_draws_what_it_gets(cli: Callable[..., Result], tmp_path: Path) -> None:
    with standing(cli, tmp_path) as name, watched(name) as address, started() as browser:
        page = browser.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        page.wait_for_selector("#map circle[data-node='2']")
        assert page.locator("#map text").all_text_contents() == ["roof", "1", "alice"]
        # Two hops of 200 m are links, 400 m is none.
        assert page.locator("#map line").count() == 2
        cli("live", "off", "1", "--name", name)
        page.wait_for_selector("#map .off")
        assert page.locator("#map line").count() == 0
        assert "off 1" in page.locator("#steered").inner_text()
        assert not wrong


@pytest.mark.usefixtures("live_able")
def test_a_run_in_another_terminal_is_changed_and_replayed(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "house.toml").write_text(LIVE)
    run = subprocess.Popen(
        tworay("run", "house.toml", "--all", *PATIENT, "--out", "out", "--", "sh", "-c", WAITS),
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert run.stdout is not None
    assert run.stdout.readline() == "up\n"
    listed = json.loads(str(cli("live", "status", "--json").out))
    name = next(one["name"] for one in listed if one["pid"] == run.pid)
    assert cli("live", "off", "alice", "--name", name).code == 0
    assert not ping(cli, name)
    run.communicate("\n", timeout=30)
    assert run.returncode == 0
    assert "off alice" in (tmp_path / "out" / "script.txt").read_text()
    assert run.pid not in [one["pid"] for one in json.loads(str(cli("live", "status", "--json").out))]
    # The script again, live: alice is off from then on.
    again = cli(
        "live", "run", "house.toml", "--all", *PATIENT, "--script", "out/script.txt", "--",
        "sh", "-c", "sleep 4; ping -c 1 -W 1 alice",
    )  # fmt: skip
    assert "0 received" in again.out


def test_nothing_runs_that_could_be_changed(cli: Callable[..., Result]) -> None:
    for words in (("off", "1"), ("move", "1", "2,3"), ("watch", "nobody-here"), ("loss", "1", "0.5")):
        done = cli("live", *words, *(() if words[0] == "watch" else ("--name", "nobody-here")))
        assert done.code == 2
        assert "no live network" in done.err


def test_a_script_does_not_hinder_what_a_scenario_stores(tmp_path: Path) -> None:
    world = tworay_package.Scenario.from_toml(HOUSE, "house.toml", str(tmp_path), [])
    scripted = world.with_script("3s move alice 400,10 2\n", "s.txt")
    again = tworay_package.Scenario.from_toml(scripted.to_toml(), "house.toml", str(tmp_path), [])
    assert again.to_toml() == scripted.to_toml()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("loss", "r2", "20%"), "RATE 20%: write a share from 0 to 1, 0.2 for 20%"),
        (("loss", "r2", "much"), "RATE much: write a share from 0 to 1, such as 0.2"),
        (("move", "r2", "1,2", "--speed", "5mph"), "--speed 5mph: write m/s, such as 5, or a unit, such as"),
    ],
)
def test_shares_and_speeds_are_refused_with_their_forms(
    cli: Callable[..., Result], words: tuple[str, ...], said: str
) -> None:
    refused = cli("live", *words)
    assert (refused.code, said in refused.err) == (2, True), refused.err
