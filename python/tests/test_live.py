"""Live networks: real kernels over simulated air.

They run in real time but need little of the processor, so those of all tests run at once, and each test
waits for its own. Where the machine can't run them, the tests say what is missing; as root with /dev/net/tun
they fail.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import live_station
import pytest

from tworay import _native

MISSING = _native.live_missing()
ABLE = os.geteuid() == 0 and Path("/dev/net/tun").exists()
STATION = Path(live_station.__file__).resolve()
MEGABYTE = 1_000_000
# At 11 Mb/s two hops carry a megabyte in some four seconds.
FAST = ("--set", "mac.data_rate=11Mbps", "--set", "mac.basic_rate=2Mbps")
# A busy machine may be late: these tests are about bytes, not about time.
PATIENT = ("--most-late", "2000")

SCENARIOS = {
    # In the middle of the transfer the link that carries it is gone for a second.
    "cut.toml": """
name = "cut"
duration = "60s"
mac = { data_rate = "11Mbps", basic_rate = "2Mbps" }
routing = { protocol = "static" }
[topology]
kind = "string"
hops = 2
[[flow]]
from = 0
to = 2
[[event]]
at = "2s"
what = "cut"
for = "1s"
""",
}


@pytest.fixture(autouse=True)
def able() -> None:
    """Skip where there are no rights or devices; where there are, nothing may be missing."""
    if MISSING is not None:
        assert not ABLE, MISSING
        pytest.skip(f"{MISSING}; then: sudo .venv/bin/pytest python/tests/test_live.py")


def tworay(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tworay", "live", *map(str, arguments)]


def python(*arguments: str) -> list[str]:
    return [sys.executable, str(STATION), *arguments]


def shell(words: list[str]) -> str:
    import shlex

    return "exec " + shlex.join(words)


SERVER = shell(python("serve", str(MEGABYTE)))
CURL = ("sh", "-c", "curl -s --max-time 60 http://$TWORAY_PEER:8000/ | sha256sum >&2")

# What runs for the tests below, by name: the arguments of `tworay live run`.
RUNS: dict[str, list[str | Path]] = {
    "plain": ["string-2", *FAST, *PATIENT, "--serve", SERVER, "--json", "--", *CURL],
    "lossy": [
        "string-2", *FAST, *PATIENT, "--set", "errors.pkt_err.bernoulli.rate=0.02", "--serve", SERVER, "--json",
        "--", *CURL,
    ],
    "cut": ["cut.toml", *PATIENT, "--serve", SERVER, "--json", "--", *CURL],
    "ten": [
        "string-2", *FAST, *PATIENT, "--serve", shell(python("serve", "50000")), "--json",
        "--", *python("fetch", "http://{peer}:8000/", "10"),
    ],
}  # fmt: skip


class Jobs:
    """Live networks started when the first test asks for one."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._pool = ThreadPoolExecutor(len(RUNS))
        self._futures: dict[str, Future[subprocess.CompletedProcess[str]]] = {}

    def __getitem__(self, name: str) -> subprocess.CompletedProcess[str]:
        for one, arguments in RUNS.items():
            if one not in self._futures:
                self._futures[one] = self._pool.submit(self._run, one, arguments)
        return self._futures[name].result()

    def _run(self, name: str, arguments: list[str | Path]) -> subprocess.CompletedProcess[str]:
        place = self._place / name
        place.mkdir()
        for file, text in SCENARIOS.items():
            (place / file).write_text(text, encoding="utf-8")
        return subprocess.run(
            tworay("run", *arguments), cwd=place, capture_output=True, text=True, timeout=100, check=False
        )

    def document(self, name: str) -> Any:
        done = self[name]
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("live"))


def losses(document: Any) -> dict[str, int]:
    return {cause: n["data"] + n["ack"] for cause, n in document["ledger"].items() if n["data"] + n["ack"]}


@pytest.mark.parametrize(("name", "cause"), [("plain", None), ("lossy", "channel"), ("cut", "link-failure")])
def test_a_megabyte_over_two_hops_arrives_as_it_was(jobs: Jobs, name: str, cause: str | None) -> None:
    document = jobs.document(name)
    assert hashlib.sha256(live_station.content(MEGABYTE)).hexdigest() in jobs[name].stderr
    flow = document["flows"][0]
    # The server's payload and its header: the flow is turned to where the data goes.
    assert (flow["from"], flow["to"]) == (2, 0)
    assert flow["tcp"].startswith("kernel:")
    assert flow["goodput_bps"] * document["sim_seconds"] / 8 > MEGABYTE / 2
    assert flow["mean_hops"] == 2
    assert flow["sent_segments"] >= flow["acked_segments"] > 0
    if cause is not None:
        assert losses(document)[cause] > 0


def test_ten_connections_at_once_are_ten_flows(jobs: Jobs) -> None:
    document = jobs.document("ten")
    right = hashlib.sha256(live_station.content(50_000)).hexdigest()
    assert jobs["ten"].stderr.count(right) == 10
    assert len(document["flows"]) == 10
    assert all(flow["completion_seconds"] is not None for flow in document["flows"])
