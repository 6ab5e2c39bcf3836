"""Live networks from the command line: standing networks, slow machines, wrong input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

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
    gone = cli("live", "down", f"{name}-b")
    assert (gone.code, "had ended already" in gone.out) == (0, True)
    down = cli("live", "down", name)
    assert (down.code, "report.html" in down.out) == (0, True)
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["live"]["settings"]["layer"] == 3
    assert "<html" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    nobody = cli("live", "shell", "--name", name, "0")
    assert nobody.code == 2
    assert "live" in nobody.err


def test_why_a_standing_network_ended_is_told_by_the_next_command(cli: Callable[..., Result]) -> None:
    name = f"test-{os.getpid()}-limit"
    assert cli("live", "up", "string-2", "--name", name, *PATIENT, "--limit", "1").code == 0
    until = time.monotonic() + 20
    while name in cli("live", "status").out and time.monotonic() < until:
        time.sleep(0.2)
    gone = cli("live", "down", name)
    assert (gone.code, "time limit of 1 s" in gone.out) == (0, True), gone.err


def test_a_machine_that_is_too_slow_is_told_so(cli: Callable[..., Result]) -> None:
    late = cli("live", "run", "string-2", "--most-late", "0.000001", "--", "ping", "-c", "9", "{peer}")
    assert late.code == 1
    assert "ms late at" in late.err
    assert "--slow 2" in late.err


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
        (("string-2", "--nodes", "a"), "node numbers"),
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
