"""Live networks: whatever ends one, no namespace, interface or program of it is left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tworay as tworay_package
from studies.live import station as live_station
from studies.live.station import PATIENT, tworay
from tworay.live import Network, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Result

pytestmark = pytest.mark.usefixtures("live_able")


@contextlib.contextmanager
def nothing_left() -> Iterator[None]:
    """Afterwards no namespace is left that was not there before, and the host has the same interfaces."""
    before, links = live_station.namespaces(), subprocess.check_output(["ip", "-o", "link"])
    yield
    until = time.monotonic() + 10
    while (left := live_station.namespaces() - before) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
    assert subprocess.check_output(["ip", "-o", "link"]) == links


# Leaves a child of its own that doesn't end when asked to, then goes on.
STUBBORN = "setsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 0.1; done' >/dev/null 2>&1 & echo up; "


@contextlib.contextmanager
def started(place: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a command that leaves a stubborn child over a network; what is given has begun."""
    with subprocess.Popen(
        tworay("run", "string-2", *PATIENT, "--", "sh", "-c", STUBBORN + "sleep 60"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.wait(timeout=20)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_of_a_network_that_is_killed(how: signal.Signals, tmp_path: Path) -> None:
    with nothing_left():
        with started(tmp_path) as process:
            if how == signal.SIGINT:
                os.killpg(process.pid, how)
            else:
                process.kill()
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)


def test_status_names_and_down_clears_what_a_killed_run_left(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    with nothing_left(), started(tmp_path) as process:
        process.kill()
    # The kernel has ended everything but the directory, which doctor names and leaves alone.
    (told,) = [
        one for one in cli("doctor", "--json").document["checks"] if one["name"] == "ended live networks"
    ]
    assert (told["works"], told["found"]) == (False, "string-2 left a directory")
    # Without the name it would end another network, if one is up.
    assert told["remedy"] == "tworay live down string-2"
    status = cli("live", "status")
    assert (status.code, status.out) == (0, "no live network is up\n")
    assert "string-2 has ended and left a directory" in status.err
    down = cli("live", "down", "string-2")
    assert (down.code, "string-2 had ended already" in down.out) == (0, True)
    assert cli("live", "status").err == ""


def test_a_closed_terminal_ends_a_run_as_ctrl_c_does(cli: Callable[..., Result], tmp_path: Path) -> None:
    with nothing_left(), started(tmp_path) as process:
        os.killpg(process.pid, signal.SIGHUP)
    assert process.returncode == 130
    assert cli("live", "status").err == ""


def test_what_outlives_the_keeper_too_is_ended_by_the_next_down(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    with nothing_left():
        before = live_station.namespaces()
        with started(tmp_path) as process:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            keepers = [pid for pid in children if "tworay-keeper" in Path(f"/proc/{pid}/cmdline").read_text()]
            assert len(keepers) == 1
            os.kill(int(keepers[0]), signal.SIGKILL)
            process.kill()
        assert live_station.inside(live_station.namespaces() - before), "the stubborn child is still there"
        down = cli("live", "down")
        assert (down.code, "that a killed network had left running" in down.out) == (0, True), down.err


def test_programs_end_with_the_network_though_its_object_lives() -> None:
    own = live_station.namespaces()
    with Network(tworay_package.load("string-2"), Options(most_late=2.0)) as network:
        assert network.start(0, ["sh", "-c", STUBBORN]).wait(10.0) == 0
        stations = live_station.namespaces() - own
        assert live_station.inside(stations)
    assert not live_station.inside(stations)
    assert network.finish()[1] is None
