"""Live networks from the command line: standing networks, slow machines, wrong input."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import polars as pl
import pytest
from waiting import wait_for

import tworay as tworay_package
from studies.live.station import PATIENT, tworay

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

pytestmark = pytest.mark.usefixtures("live_able")


def test_a_standing_network_is_entered_by_others_and_ended(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    name = f"test-{os.getpid()}"
    up = cli("live", "up", "string-2", "--name", name, *PATIENT, "--out", "out")
    assert up.code == 0, up.err
    assert name in cli("live", "status").out
    again = cli("live", "up", "string-2", "--name", name)
    assert again.code == 2
    assert "is up already" in again.err
    ping = cli("live", "shell", "--name", name, "0", "--", "ping", "-c", "2", "10.0.0.2")
    assert "2 received" in ping.out
    # Two networks side by side don't meet: each answers for itself.
    assert cli("live", "up", "string-2", "--name", f"{name}-b", *PATIENT).code == 0
    process = next(
        one for one in json.loads(cli("live", "status", "--json").out) if one["name"] == f"{name}-b"
    )
    os.kill(process["pid"], signal.SIGKILL)
    # On a busy machine a killed process holds its lock a moment longer, and would be ended as one that is up.
    assert wait_for(lambda: f"{name}-b" not in cli("live", "status").out)
    gone = cli("live", "down", f"{name}-b")
    assert (gone.code, "had ended already" in gone.out) == (0, True)
    down = cli("live", "down", name)
    assert (down.code, "report.html" in down.out) == (0, True)
    # The table that `live run` prints at its end.
    assert "goodput kb/s" in down.out
    assert "engine: " in down.out
    assert "had ended before" not in down.out
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["live"]["settings"]["layer"] == 3
    assert "<html" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    nobody = cli("live", "shell", "--name", name, "0")
    assert nobody.code == 2
    assert "live" in nobody.err


def test_why_a_standing_network_ended_is_told_by_the_next_command(cli: Callable[..., Result]) -> None:
    name = f"test-{os.getpid()}-limit"
    assert cli("live", "up", "string-2", "--name", name, *PATIENT, "--limit", "1").code == 0
    assert wait_for(lambda: name not in cli("live", "status").out)
    gone = cli("live", "down", name)
    assert (gone.code, "time limit of 1 s" in gone.out) == (0, True), gone.err


# Any scenario can stand in for a profile of `tworay sedlane fit`.
PROFILE = """
name = "replay"
duration = "60s"
[topology]
kind = "string"
hops = 1
[[flow]]
from = 0
to = 1
"""
# No machine is on time within a nanosecond.
NEVER_IN_TIME = ("--most-late", "0.000001")


# Two hops of 200 m, and nobody who sends.
FLOWLESS = 'name = "quiet"\nduration = "60s"\n[topology]\nkind = "string"\nhops = 2\n'


@pytest.mark.parametrize("chosen", [("--nodes", "0,2"), ("--all",), ("--layer", "2"), ("--all", "--virtual")])
def test_stations_bring_their_own_traffic(
    cli: Callable[..., Result], tmp_path: Path, request: pytest.FixtureRequest, chosen: tuple[str, ...]
) -> None:
    request.getfixturevalue("virtual_able" if "--virtual" in chosen else "live_able")
    (tmp_path / "quiet.toml").write_text(FLOWLESS)
    late = () if "--virtual" in chosen else PATIENT
    at_itself = ("ping", "-c", "1", "{peer}") if "2" not in chosen else ("sh", "-c", "echo $TWORAY_NODE")
    done = cli("live", "run", "quiet.toml", *chosen, *late, "--out", "out", "--", *at_itself)
    assert done.code == 0, done.err
    assert ("0\n" if "2" in chosen else "1 received") in done.out
    # What is stored is what was given, and its page is there.
    assert "[[flow]]" not in (tmp_path / "out" / "scenario.toml").read_text()
    assert (tmp_path / "out" / "report.html").is_file()
    shown = cli("show", "out")
    assert shown.code == 0, shown.err


# One hop of 200 m whose bulk transfer a command replaces, and a flow of web pages that nobody sends.
BROWSED = (
    FLOWLESS.replace("hops = 2", "hops = 1")
    + """
[[flow]]
from = 0
to = 1
[[flow]]
from = 0
to = 1
app = "web"
every = "1s"
sizes = { kind = "fixed", size = "20kB" }
"""
)


@pytest.mark.parametrize("how", ["live", "virtual"])
def test_a_missing_server_and_flows_that_nobody_sends_are_named(
    cli: Callable[..., Result], tmp_path: Path, request: pytest.FixtureRequest, how: str
) -> None:
    """Nothing listens at the other end, whose kernel answers the SYN by an RST (RFC 9293, 3.10.7.1)."""
    request.getfixturevalue(f"{how}_able")
    (tmp_path / "quiet.toml").write_text(BROWSED)
    time = PATIENT if how == "live" else ("--virtual",)
    words = ("live", "run", "quiet.toml", *time, "--out", "out")
    failed = cli(*words, "--", "iperf3", "-c", "{peer}", "-t", "1")
    assert failed.code == 1
    hint = "node 1 refused a connection: no program listens there; --serve 'iperf3 -s' starts one first"
    assert f"tworay: the command ended with exit code 1: {hint}" in failed.err
    silent = "Not sent: flow 1 (web) of quiet"
    assert failed.err.count(silent) == 1
    assert silent in failed.out
    (warning,) = json.loads((tmp_path / "out" / "summary.json").read_text())["warnings"]
    assert (warning["kind"], silent in warning["text"]) == ("not-sent", True)
    assert silent in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    # A command may fail for reasons of its own, also with a server.
    for serve, command in (((), "exit 3"), (("--serve", "exec iperf3 -s"), "exit 3")):
        other = cli(*words, "--force", *serve, "--", "sh", "-c", command)
        assert "exit code 3\n" in other.err


def test_without_flows_stations_are_to_be_chosen(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "quiet.toml").write_text(FLOWLESS)
    for words in (("live", "up"), ("live", "run")):
        refused = cli(*words, "quiet.toml")
        assert (refused.code, "--nodes" in refused.err) == (2, True), refused.err
    for words in (("run",), ("compare", "--tcp", "reno,vegas")):
        refused = cli(*words, "quiet.toml")
        assert refused.code == 2, (words, refused.out)
        assert "there is no flow" in refused.err
        assert 'Add a flow: [[flow]] with from = 0, to = 1 and app = "ftp"' in refused.err


def test_a_strict_network_stops_when_the_machine_is_too_slow(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    late = cli(
        "live", "run", "string-2", *NEVER_IN_TIME, "--strict", "--out", "out", "--json",
        "--", "ping", "-c", "9", "{peer}",
    )  # fmt: skip
    assert late.code == 1
    assert "ms late at" in late.err
    assert "--slow 2" in late.err
    # The reason is in all results, too.
    for document in (late.document, json.loads((tmp_path / "out" / "summary.json").read_text())):
        assert "ms late at" in document["live"]["ended_early"]
    assert "ended early" in cli("show", "out").out
    assert "ended early" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_by_default_late_times_are_marked_everywhere(cli: Callable[..., Result], tmp_path: Path) -> None:
    command = ["live", "run", "string-2", *NEVER_IN_TIME, "--out", "out", "--json", "--", "curl", "-s"]
    late = cli(*command, "--retry", "2", "--retry-connrefused", "http://{peer}:8000/")
    # Nobody listens: curl tries three times, one and two seconds apart, and the network goes on.
    assert "ended with exit code 7" in late.err
    document = late.document
    assert document["sim_seconds"] > 3
    spans = document["live"]["late_spans"]
    assert spans
    assert document["live"]["ended_early"] is None
    for span in spans:
        assert 0 <= span["from_seconds"] <= span["to_seconds"] <= document["sim_seconds"]
        assert span["max_seconds"] > 0
    warned = [one["text"] for one in document["warnings"] if one["kind"] == "late"]
    assert len(warned) == 1
    assert "This machine was late" in warned[0]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["live"]["late_spans"] == spans
    assert "This machine was late" in cli("show", "out").out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "This machine was late" in page
    assert "machine too slow" in page
    table = pl.read_parquet(tmp_path / "out" / "late.parquet")
    assert table["from_s"].to_list() == [span["from_seconds"] for span in spans]
    if cli("plot", "out", "cwnd", "-o", "cwnd.svg").code == 0:
        assert "machine too slow" in plotted(tmp_path / "out")


def plotted(directory: Path) -> list[str]:
    """Return the labels of a plot of the window."""
    _, labels = tworay_package.plot(directory, "cwnd").axes[0].get_legend_handles_labels()
    return [str(label) for label in labels]


def test_a_network_in_time_has_no_marks(cli: Callable[..., Result]) -> None:
    document = cli("live", "run", "string-2", *PATIENT, "--json", "--", "ping", "-c", "1", "{peer}").document
    assert document["live"]["late_spans"] == []
    assert "late" not in {one["kind"] for one in document["warnings"]}


def test_a_profile_and_a_command_are_told_apart(cli: Callable[..., Result], tmp_path: Path) -> None:
    """docs/guide/live.md: what follows -- is the command, also when a profile replaces the scenario."""
    (tmp_path / "profile.toml").write_text(PROFILE)
    done = cli("live", "run", "--profile", "profile.toml", *PATIENT, "--", "ping", "-c", "1", "{peer}")
    assert done.code == 0, done.err
    assert "1 received" in done.out


def test_a_missing_iperf3_names_its_package(tmp_path: Path) -> None:
    (tmp_path / "ip").symlink_to(str(shutil.which("ip")))
    done = subprocess.run(
        tworay("run", "string-2"), cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "apt-get install iperf3" in done.stderr


def test_hints_of_a_network_work_beside_another(cli: Callable[..., Result]) -> None:
    names = [f"test-{os.getpid()}-{letter}" for letter in "cd"]
    try:
        for name in names:
            up = cli("live", "up", "string-2", "--name", name, *PATIENT)
            assert up.code == 0, up.err
        hint = next(line for line in up.out.splitlines() if "opens a shell" in line)
        words = hint.partition("  ")[0].split()
        assert words[0] == "tworay"
        assert cli(*words[1:], "--", "true").code == 0
    finally:
        for name in names:
            cli("live", "down", name)


def test_a_controller_that_is_not_loaded_names_how_to_load_it(cli: Callable[..., Result]) -> None:
    done = cli("live", "run", "string-2", "--congestion", "tworay_nonsense")
    assert done.code == 2
    assert "tworay kernel load nonsense" in done.err


def test_slow_motion_stretches_the_round_trip(cli: Callable[..., Result]) -> None:
    """Five times slower: a ping that takes some 7 ms of the air's time takes 35 ms of the station's."""
    document = cli(
        "live", "run", "string-2", *PATIENT, "--slow", "5", "--set", "routing.protocol=static", "--json",
        "--", "ping", "-c", "5", "-i", "0.2", "{peer}",
    )  # fmt: skip
    times = [
        float(line.split("time=")[1].split()[0]) for line in document.err.splitlines() if "time=" in line
    ]
    assert min(times) > 25
    assert document.document["flows"][0]["mean_delay_seconds"] < 0.02


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("string-2", "--congestion", "nonsense"), "has no congestion control"),
        (("string-2", "--nodes", "0,9"), "there is no node 9"),
        (("string-2", "--nodes", "0,0"), "--nodes 0,0: node 0 is named twice"),
        (("string-2", "--nodes", "2"), "--nodes 2: a live network needs two stations"),
        (("string-2", "--nodes", "a"), "names no nodes; give a number"),
        (("string-2", "--layer", "4"), "--layer 4"),
        (("string-2", "--layer", "2", "--freeze"), "--layer 3"),
        (("string-2", "--slow", "0.5"), "--slow 0.5"),
        (("string-2", "--mtu", "9000"), "68 to 2304"),
        (("dumbbell-2", "--layer", "2"), "wired only"),
        (("string-2", "--", "no-such-program"), "can't start no-such-program"),
        (("nowhere",), "nowhere"),
    ],
)
def test_wrong_input_is_named(cli: Callable[..., Result], arguments: tuple[str, ...], words: str) -> None:
    result = cli("live", "run", *arguments)
    assert result.code == 2
    assert words in result.err


def test_without_rights_one_sentence_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        ["setpriv", "--bounding-set=-sys_admin,-net_admin", *tworay("run", "string-2")],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "needs root" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    # sudo has a path of its own, in which a virtual environment is not.
    command = done.stderr.strip().partition("run it with sudo: ")[2]
    assert command.startswith("sudo /") or command.startswith("sudo tworay")


def test_data_under_way_when_a_program_ends_is_not_undelivered(
    cli: Callable[..., Result], live_able: None
) -> None:
    """iperf3's server closes at the end of a test, and resets what still arrives: nothing was lost."""
    serve = ("--serve", "exec iperf3 -s -1", "--", "iperf3", "-c", "{peer}", "-t", "3")
    done = cli("live", "run", "string-2", *PATIENT, "--json", *serve)
    assert done.code == 0, done.err
    flow = max(done.document["flows"], key=lambda one: one["sent_segments"])
    lost = sum(counts["data"] for counts in done.document["ledger"].values())
    undelivered = (lost + flow["retransmitted_segments"]) / flow["acked_segments"]
    assert flow["delivery_ratio"] >= 1 - undelivered - 1e-9
    # The last acknowledgment came at the time of its packet, not when the kernel was asked next.
    assert flow["connection_seconds"] <= flow["completion_seconds"]
