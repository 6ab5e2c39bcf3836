"""The estimate of memory: within a factor of two of what a run takes, and a refusal where it is lacking."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import tworay
from studies.estimates import FIELD
from tworay.running import memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

# A transfer in a field.
TRANSFER = FIELD + '[[flow]]\nfrom = 0\nto = 1\napp = "ftp"\n'
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
    file.write_text(TRANSFER.format(nodes=nodes, side=side, protocol=protocol, duration=duration))
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


TABLES = """
import sys, tworay
from tworay.running.memory import Kept
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
name, record, out, *settings = sys.argv[1:]
record = record == "record"
world = tworay.load(name, set=settings)
tworay.run("string-1", set={"duration": "2s"}, out=f"{out}/first")
before = peak()
tworay.run(world, record=record, out=f"{out}/run")
after = peak()
if record:
    tworay.write_report(f"{out}/run")
kept = [Kept(True, record, page).memory(world, 1) for page in (False, True)]
print(kept[0], after - before, kept[1], peak() - before)
"""


@pytest.mark.parametrize(
    ("scenario", "record", "settings"),
    [
        ("string-2", "record", ["duration=600s", "tcp.variant=vegas"]),
        ("string-6", "record", ["duration=600s", "routing.protocol=static"]),
        ("strip-50-5", "record", ["duration=200s"]),
        ("bottleneck-2", "series", ["duration=200s"]),
        ("bottleneck-2", "record", ["duration=100s"]),
    ],
)
def test_the_estimate_of_tables_is_within_a_factor_of_two(
    tmp_path: Path, scenario: str, record: str, settings: list[str]
) -> None:
    words = [sys.executable, "-c", TABLES, scenario, record, str(tmp_path), *settings]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    estimated, taken, with_page, taken_with_page = map(int, done.stdout.split())
    assert 0.5 < estimated / taken < 2, f"estimated {estimated / 1e6:.0f} MB, took {taken / 1e6:.0f} MB"
    if record == "record":
        ratio = with_page / taken_with_page
        assert 0.5 < ratio < 2, f"estimated {with_page / 1e6:.0f} MB, took {taken_with_page / 1e6:.0f} MB"


DATAGRAMS = """
name = "datagrams"
duration = "1000s"
[topology]
kind = "string"
hops = 3
spacing = "200m"
[routing]
protocol = "static"
[[flow]]
from = 0
to = 3
app = "cbr"
interval = "10ms"
size = "64B"
"""


def test_a_record_without_the_memory_for_it_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    """100,000 datagrams over three hops: as many segments, 4 × 300,000 frames, 2 × 300,000 changes of queues.

    With the bytes per row of the estimate (400, 200, 85) and 200,000 rows of ``alive`` (70) these are 345 MB,
    and the page takes ``memory.PAGE`` times as much.
    """
    file = tmp_path / "datagrams.toml"
    file.write_text(DATAGRAMS)
    wanted = 100_000 * 400 + 1_200_000 * 200 + 600_000 * 85 + 200_000 * 70
    world = tworay.load(file)
    assert world.memory_of_tables(1, True, True) == wanted == 345_000_000
    # It is true of the rows: a tenth of the time has a tenth of them.
    tables = tworay.run(file, set={"duration": "100s"}, record=True).tables
    rows = {"segments": 10_000, "frames": 120_000, "queues": 60_000, "alive": 20_000}
    for name, expected in rows.items():
        assert tables[name].height == pytest.approx(expected, rel=0.03), name
    monkeypatch.setattr(memory, "available", lambda: 300_000_000)
    with pytest.raises(tworay.RunError, match=r"needs about 345 MB .*do without its record \(--record\)"):
        tworay.run(file, record=True)
    # 30 days take 2592 times as much, and the page's share of that.
    month = wanted * 2592 * memory.PAGE / 1e9
    refused = cli("run", str(file), "--set", "duration=2592000s", "--record", "--out", "out")
    assert refused.code == 1
    assert f"needs about {month:.1f} GB of memory; " in refused.err
    assert "shorten the run" in refused.err
    assert not (tmp_path / "out").exists()
    # Without a record there are only the rows of `alive`, 14 MB.
    monkeypatch.setattr(memory, "available", lambda: 20_000_000)
    with pytest.raises(tworay.RunError, match=r"needs about 14 MB of memory, and 2 run at a time"):
        tworay.compare(file, vary={"mac.queue_limit": ["10", "50"]}, seeds=1, jobs=2, out=tmp_path / "c")


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
