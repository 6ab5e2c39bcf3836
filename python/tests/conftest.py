"""Helpers of all tests: the command as a user runs it, runs made by hand, reports and a browser for them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from forking import Forks

import tworay
from tworay.experiment.store.batches import stored_rows

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

pytest_plugins = ["cpu_times", "hanging", "sharing"]

# Small enough that a run takes a moment, long enough that losses happen.
QUICK = ("--set", "duration=10s")


class Result:
    """Exit code and output of a finished command."""

    def __init__(self, process: subprocess.CompletedProcess[str]) -> None:
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    @property
    def document(self) -> Any:
        """Stdout as JSON; NaN and Infinity, which JSON does not know, are refused."""

        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tworay", *map(str, arguments)]


def finished_runs(out: Path) -> int:
    """Count the runs that a directory holds."""
    return len(stored_rows(out)[0])


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """Start the process in whose forks commands run."""
    forks = Forks()
    yield forks
    forks.end()


@pytest.fixture
def cli(tmp_path: Path, forks: Forks) -> Callable[..., Result]:
    """Run ``tworay`` in an empty directory."""

    def run(*arguments: str | Path) -> Result:
        # Wide enough that no sentence is broken.
        environment = os.environ | {"COLUMNS": "200"}
        return Result(forks.run([*map(str, arguments)], tmp_path, environment, seconds=120))

    return run


@pytest.fixture
def live_able() -> None:
    """Skip where live networks lack rights or devices; as root with /dev/net/tun nothing may be missing."""
    from tworay import _native

    missing = _native.live_missing()
    if missing is not None:
        assert not (os.geteuid() == 0 and Path("/dev/net/tun").exists()), missing
        pytest.skip(f"{missing}; then: sudo .venv/bin/pytest -k live")


def _without_virtual_time() -> str | None:
    """Return why networks in virtual time can't be tested here."""
    from tworay.errors import InputError
    from tworay.virtual import cache
    from tworay.virtual.controllers import check_machine

    try:
        check_machine()
        cache.kernel()
    except InputError as error:
        return str(error)
    return None


@pytest.fixture(scope="session")
def virtual_able() -> None:
    """Skip where the kernel of virtual time is not in the cache; the last line of the tests says so."""
    missing = _without_virtual_time()
    if missing is not None:
        pytest.skip(missing)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in the last line if virtual time was not tested."""
    skipped = [one for one in terminalreporter.stats.get("skipped", []) if "test_virtual" in one.nodeid]
    if skipped:
        terminalreporter.write_line(
            f"virtual time was not tested ({len(skipped)} tests): {_without_virtual_time()}"
        )


# A browser for each file: while it is open, the main thread has a running event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the browser in which the pages of reports are opened."""
    import report_browser

    with report_browser.started() as browser:
        yield browser


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record a walk of a few nodes whose sender guesses causes, with batteries; with its report."""
    place = tmp_path_factory.mktemp("recorded") / "one"
    # The only relay walks out of range and comes back.
    settings = {"duration": "40s", "energy.model": "states", "energy.battery": "50J"}
    tworay.run("signal-loss", tcp="welcome(timing=window)", set=settings, record=True, out=place)
    tworay.write_report(place)
    return place


@pytest.fixture(scope="session")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compare three variants over five seeds; with its report."""
    place = tmp_path_factory.mktemp("compared") / "some"
    tworay.compare("string-4", tcp="newreno,vegas,welcome", seeds=5, set={"duration": "20s"}, out=place)
    tworay.write_report(place)
    return place


def document(variant: str, seed: int, goodput: float = 100_000.0, **flow: Any) -> dict[str, Any]:
    """Make the document of a run with one flow."""
    return {
        "tworay": "0",
        "scenario": "made-up",
        "seed": seed,
        "sim_seconds": 100.0,
        "events": 1000,
        "cpu_seconds": 0.5,
        "flows": [
            {
                "id": 0,
                "from": 0,
                "to": 4,
                "tcp": variant,
                "goodput_bps": goodput,
                "throughput_bps": goodput * 1.1,
                "acked_segments": 100,
                "sent_segments": 110,
                "retransmitted_segments": 10,
                "timeouts": 1,
                "rto_idle_seconds": 1.5,
                "fast_retransmits": 2,
                "mean_cwnd_segments": 4.0,
                "mean_in_flight_segments": 3.0,
                "mean_rtt_seconds": 0.1,
                "completion_seconds": None,
                "delivery_ratio": 100 / 110,
                "mean_delay_seconds": 0.05,
                "jitter_seconds": 0.01,
                "mean_hops": 4.0,
                "handshake_seconds": 0.02,
            }
            | flow
        ],
        "ledger": {"congestion": {"data": 3, "ack": 0}, "contention": {"data": 4, "ack": 2}},
        "diagnosis": {"congestion": {"contention": 4}},
        "mac": {
            "collisions": {"rts_cts": 7, "data": 1, "ack": 0},
            "drops": {"rts_cts": 1, "data": 1, "ack": 0},
            "queue_drops": 3,
        },
        "routing": {
            "protocol": "aodv",
            "control_packets": 5,
            "control_bytes": 240,
            "route_changes": 1,
            "false_link_failures": 0,
        },
        "energy": {"joules_total": None},
        "metrics": {"jain_fairness": 1.0},
    }


class MadeRun:
    """A run made by hand, with the attributes of ``tworay.Run`` that storing needs."""

    def __init__(self, variant: str, seed: int, goodput: float = 100_000.0) -> None:
        self.summary = document(variant, seed, goodput)
        self.seed = seed
        self.tables = {
            "flows": pl.DataFrame({"flow": [0], "tcp": [variant], "goodput_bps": [goodput]}),
            "ledger": pl.DataFrame({"t_s": [1.0], "cause": ["congestion"]}),
            "guesses": pl.DataFrame({"t_s": [1.0], "guess": ["congestion"], "cause": ["none"]}),
            "series": pl.DataFrame({"t_s": [0.0, 1.0], "flow": [0, 0], "cwnd_segments": [1.0, 2.0]}),
        }
