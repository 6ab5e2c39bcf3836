"""Sweeps and comparisons on a Dask cluster: workers over TLS, one is killed; the tables of one machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from test_compare_spread import compare, digests
from tiny_sweep import TINY

from tworay.errors import InputError, OutputError
from tworay.experiment import cluster as remote
from tworay.experiment.cluster import Cluster, check_address, work
from tworay.experiment.experimentfile import read
from tworay.experiment.store.batches import stored_rows
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tworay.experiment.cluster import Call
    from tworay.experiment.engines import Todo

DOCUMENT: dict[str, Any] = {
    **TINY,
    "name": "spread",
    "seeds": 12,
    "set": {"duration": "10s"},
    "keep": ["flows"],
}


def certificates(folder: Path) -> dict[str, Path]:
    """Make a certificate that is its own authority, for this machine and this hour."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    request = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost"
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    subprocess.run(
        [*request.split(), *names, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True
    )
    return {"ca": cert, "cert": cert, "key": key}


def kept(place: Path) -> dict[str, bytes]:
    """Return the tables that a sweep keeps."""
    return {file.name: file.read_bytes() for file in (place / "tables" / "flows").iterdir()}


class Machines:
    """A scheduler and two workers, as a user would start them."""

    def __init__(self, folder: Path) -> None:
        self.tls = certificates(folder)
        options = [
            "--tls-ca-file",
            self.tls["ca"],
            "--tls-cert",
            self.tls["cert"],
            "--tls-key",
            self.tls["key"],
        ]
        self._options = list(map(str, options))
        self._folder = folder
        self._all: list[subprocess.Popen[bytes]] = []
        self.log = folder / "scheduler.log"
        self._start("scheduler", "tls://127.0.0.1:0", "--no-dashboard", "--no-show", log=self.log)
        self.address = self._told(self.log, r"Scheduler at:\s+(tls://[\d.:]+)")
        self.workers = [
            self._start(
                "worker",
                self.address,
                "--nthreads",
                "1",
                "--no-nanny",
                "--no-dashboard",
                "--host",
                "tls://127.0.0.1",
                "--local-directory",
                str(folder),
                log=folder / f"worker{i}.log",
            )
            for i in range(2)
        ]
        for i in range(2):
            self._told(folder / f"worker{i}.log", "Registered to")

    def _start(self, what: str, *arguments: str, log: Path) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "distributed.cli.dask_" + ("scheduler" if what == "scheduler" else "worker"),
        ]
        host = (
            ["--host", arguments[0].rpartition(":")[0], "--port", "0"]
            if what == "scheduler"
            else [arguments[0]]
        )
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*command, *host, *arguments[1:], *self._options], stdout=file, stderr=file, cwd=self._folder
            )
        self._all.append(process)
        return process

    def _told(self, log: Path, pattern: str) -> str:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = re.search(pattern, log.read_text())
            if found:
                return found[found.lastindex or 0]
            time.sleep(0.05)
        raise AssertionError(log.read_text())

    def stop(self) -> None:
        for process in reversed(self._all):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Start them for two tests, of which the second kills a worker."""
    found = Machines(tmp_path_factory.mktemp("machines"))
    yield found
    found.stop()


def test_a_comparison_on_a_cluster_has_the_bytes_of_this_machine(
    tmp_path: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MOST_RUNS", 2)
    compare(out=tmp_path / "alone")
    progress: list[tuple[int, int]] = []
    found = compare(
        out=tmp_path / "spread",
        engine=Cluster(machines.address, **machines.tls),
        watch=lambda state: progress.append((state.ended, state.todo)),
    )
    # Nine runs, and the capacity of each of three seeds.
    assert progress[-1] == (12, 12)
    assert len(found) == 9
    assert digests(tmp_path / "spread") == digests(tmp_path / "alone")


def test_two_workers_over_tls_one_killed(
    tmp_path: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Sweep(read(DOCUMENT), tmp_path / "alone")
    alone.run(jobs=2)
    monkeypatch.setattr(remote, "MOST_RUNS", 4)
    spread = Sweep(read(DOCUMENT), tmp_path / "spread")
    killed = threading.Event()

    def watch(state: Any) -> None:
        if state.done >= 20 and not killed.is_set():
            os.kill(machines.workers[0].pid, signal.SIGKILL)
            killed.set()

    state = spread.run(engine=Cluster(machines.address, **machines.tls), watch=watch)
    assert killed.is_set()
    assert (state.stored, state.failed) == (48, 0)
    assert (spread.path / "runs.parquet").read_bytes() == (alone.path / "runs.parquet").read_bytes()
    assert kept(spread.path) == kept(alone.path)
    assert len(kept(alone.path)) == 48
    # In the clear, or with a certificate that the scheduler doesn't trust, nothing is said.
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    with pytest.raises(OutputError, match="no scheduler answers"):
        Sweep(read(DOCUMENT), tmp_path / "other").run(
            engine=Cluster(machines.address, **certificates(stranger), patience=3.0)
        )


def test_work_goes_out_as_text_and_comes_back_as_parquet() -> None:
    (cell, *_) = read(DOCUMENT).cells()
    extras = {"facts": False, "keep": [], "resources": False, "entries": "", "whole": False}
    text = cell.files["scenario.toml"]
    content, tables = work(remote.ENGINE, [text], [(0, cell.key, 1, False)], extras)
    assert (content[:4], tables) == (b"PAR1", [])
    wanted = extras | {"keep": ["flows", "pairs"]}
    _, tables = work(remote.ENGINE, [text], [(0, cell.key, 1, False)], wanted)
    assert [(key, seed, name, table[:4]) for key, seed, name, table in tables] == [
        (cell.key, 1, "flows", b"PAR1"),
        (cell.key, 1, "pairs", b"PAR1"),
    ]
    with pytest.raises(RuntimeError, match=r"this worker has tworay .*, the experiment is one of 0\.0\.1"):
        work("0.0.1", [text], [(0, cell.key, 1, False)], extras)


class Here(Cluster):
    """A cluster that does its batches in this process, as they come."""

    def _spread(
        self, todo: Sequence[Todo], call: Callable[[list[Todo]], Call]
    ) -> Iterator[tuple[list[Todo], Any]]:
        for first in range(0, len(todo), 5):
            batch = list(todo[first : first + 5])
            function, arguments = call(batch)
            yield batch, function(*arguments)


@pytest.mark.parametrize(
    "document",
    [
        {"scenario": "bottleneck-4", "mix": ["vegas:0.5,newreno:0.5"], "seeds": 3, "keep": ["flows"]},
        {"scenario": ["string-2", "string-3"], "tcp": ["newreno", "vegas"], "seeds": 4, "entries": "1s"},
        {"scenario": "strip-50", "seeds": 3, "facts": "only"},
    ],
)
def test_a_cluster_stores_what_threads_store(tmp_path: Path, document: dict[str, Any]) -> None:
    plan = read({"name": "engines", "set": {"duration": "2s"}} | document)
    Sweep(plan, tmp_path / "threads").run(jobs=2)
    Sweep(plan, tmp_path / "cluster").run(engine=Here("tls://here:8786"))
    threads, cluster = (stored_rows(tmp_path / engine)[0] for engine in ("threads", "cluster"))
    assert threads
    assert threads == cluster
    tables = [
        {file.name: file.read_bytes() for file in (tmp_path / engine / "tables").rglob("*.parquet")}
        for engine in ("threads", "cluster")
    ]
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("address", "insecure", "becomes"),
    [
        ("tls://head.example.org:8786", False, "tls://head.example.org:8786"),
        ("head.example.org:8786", False, "tls://head.example.org:8786"),
        ("tcp://127.0.0.1:8786", False, "tcp://127.0.0.1:8786"),
        ("tcp://localhost:8786", False, "tcp://localhost:8786"),
        ("tcp://10.0.0.7:8786", True, "tcp://10.0.0.7:8786"),
        ("tcp://10.0.0.7:8786", False, None),
        ("tcp://head.example.org:8786", False, None),
        ("ucx://10.0.0.7:8786", True, None),
        ("10.0.0.7", False, None),
    ],
)
def test_what_is_unencrypted_is_refused_unless_asked_for(
    address: str, insecure: bool, becomes: str | None
) -> None:
    if becomes is None:
        with pytest.raises(InputError, match="cluster"):
            check_address(address, insecure=insecure)
    else:
        assert check_address(address, insecure=insecure) == becomes


def test_tls_needs_certificates(tmp_path: Path) -> None:
    sweep = Sweep(read(DOCUMENT), tmp_path / "s")
    with pytest.raises(InputError, match="TLS needs certificates"):
        sweep.run(engine=Cluster("tls://127.0.0.1:1"))
    with pytest.raises(InputError, match="there is no such file"):
        sweep.run(engine=Cluster("tls://127.0.0.1:1", ca=tmp_path / "ca.pem"))
