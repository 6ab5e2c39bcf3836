"""The estimate of memory: within a factor of two of what a run takes, and a refusal where it is lacking."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.running import memory

if TYPE_CHECKING:
    from pathlib import Path

FIELD = """
name = "field"
duration = "{duration}s"
[topology]
kind = "uniform"
nodes = {nodes}
width = "{side}m"
height = "{side}m"
[routing]
protocol = "{protocol}"
[[flow]]
from = 0
to = 1
app = "ftp"
"""
MEASURE = """
import sys, tworay
def peak():
    # Of this process alone: ru_maxrss has the parent's memory in it, which a fork shares.
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
world = tworay.load(sys.argv[1])
tworay.run("string-1", set={"duration": "2s"}, series=False)
before = peak()
tworay.run(world, series=False)
print(world.memory(1), peak() - before)
"""


def field(place: Path, nodes: int, side: int, protocol: str, duration: int) -> Path:
    file = place / "field.toml"
    file.write_text(FIELD.format(nodes=nodes, side=side, protocol=protocol, duration=duration))
    return file


@pytest.mark.parametrize(
    ("nodes", "side", "protocol", "duration"),
    [
        (2000, 100, "static", 1),  # everyone hears everyone: 4 million pairs
        (3000, 2000, "static", 1),
        (5000, 10_000, "static", 2),
        (5000, 10_000, "aodv", 2),
        (300, 2400, "olsr", 20),
    ],
)
def test_the_estimate_is_within_a_factor_of_two(
    tmp_path: Path, nodes: int, side: int, protocol: str, duration: int
) -> None:
    file = field(tmp_path, nodes, side, protocol, duration)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(file)], capture_output=True, text=True, check=True
    )
    estimated, taken = map(int, done.stdout.split())
    assert 0.5 < estimated / taken < 2, f"estimated {estimated / 1e6:.0f} MB, took {taken / 1e6:.0f} MB"


def test_twenty_thousand_nodes_that_hear_each_other_need_gigabytes(tmp_path: Path) -> None:
    """For every two stations a candidate (2 bytes) and a hearer (16 bytes): 20,000² × 18 B = 7.2 GB."""
    world = tworay.load(field(tmp_path, 20_000, 100, "static", 1))
    assert 7.0e9 < world.memory(1) < 7.6e9


def test_a_run_without_the_memory_for_it_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = field(tmp_path, 3000, 100, "static", 1)  # 9 million pairs: 162 MB
    monkeypatch.setattr(memory, "available", lambda: 100_000_000)
    with pytest.raises(tworay.RunError, match=r"3000 nodes needs about 17\d MB of memory; 100 MB are free"):
        tworay.run(file)
    with pytest.raises(tworay.RunError, match="fewer nodes"):
        tworay.compare(file, tcp="reno,vegas", seeds=1, out=tmp_path / "c")
    assert not (tmp_path / "c").exists()
    monkeypatch.setattr(memory, "available", lambda: 200_000_000)
    with pytest.raises(tworay.RunError, match=r"and 4 run at a time; 200 MB are free: .*--jobs 1"):
        tworay.compare(file, tcp="reno,vegas", seeds=3, jobs=4)
    plan = {"scenario": str(file), "tcp": ["reno", "vegas"], "seeds": 3}
    with pytest.raises(tworay.RunError, match="4 run at a time"):
        tworay.Experiment(plan).run(tmp_path / "s", jobs=4)


def test_the_limit_of_a_process_counts(tmp_path: Path) -> None:
    """With three gigabytes of address space, as `ulimit -v` gives it, 7.2 GB are refused."""
    file = field(tmp_path, 20_000, 100, "static", 1)
    program = (
        "import resource, sys, tworay\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "try:\n    tworay.run(sys.argv[1])\n"
        "except tworay.RunError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True
    )
    assert "needs about 7.3 GB of memory" in done.stdout
