"""Live networks in virtual time: the same bytes every time, nothing of the host, nothing left behind."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from conftest import Result, command
from machines import ended, processes_of

import tworay
from studies.live import station
from tworay.errors import RunError
from tworay.live import Options
from tworay.virtual import cache, carrying, machine, stillness
from tworay.virtual.arms import run_kernel
from tworay.virtual.controllers import CONTROLLERS
from tworay.virtual.order import OUT
from tworay.virtual.running import run_virtual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from forking import Forks

STATION = Path(station.__file__).resolve()
SIZE = 300_000
SERVER = f"exec {sys.executable} {STATION} serve {SIZE}"
# What programs see: the transfer, random numbers, hashes, addresses, clock, environment.
LOOK = f"""
{sys.executable} {STATION} fetch http://$TWORAY_PEER:8000/ 1
head -c 8 /dev/urandom | od -A n -x
{sys.executable} -c 'import os; print(hash("word"), id(object()), os.getrandom(4).hex())'
date +%s.%N
env | sort
ss -tn | grep -c . || true
"""
LOSSY = (
    "string-2", "--set", "mac.data_rate=11Mbps", "--set", "mac.basic_rate=2Mbps",
    "--set", "errors.pkt_err.bernoulli.rate=0.02",
)  # fmt: skip


def virtual(*arguments: str | Path, cwd: Path, **environment: str) -> Result:
    return Result(
        subprocess.run(
            command("live", "run", *arguments),
            cwd=cwd,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    )


def in_fork(forks: Forks, *arguments: str | Path, cwd: Path, **environment: str) -> Result:
    """Do what ``virtual`` does, one at a time."""
    words = ["live", "run", *map(str, arguments)]
    return Result(forks.run(words, cwd, os.environ | environment, seconds=120))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def said_in(scratch: Path) -> str:
    """Return what programs of a machine have printed."""
    try:
        return (scratch / OUT).read_text(encoding="utf-8")
    except OSError:
        return ""


def left_behind(home: Path) -> list[Path]:
    place = home / "tworay/virtual"
    return list(place.iterdir()) if place.is_dir() else []


# Without a kernel.


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--virtual", "--slow", "2"), "--slow is for real time"),
        (("--virtual", "--congestion", "tworay_welcome"), "it has no BPF trampolines"),
        (("--virtual", "--congestion", "cubik"), "the kernel has no such controller; it has reno, bbr"),
        (("--keep", "kept"), "--keep is for machines in virtual time: add --virtual"),
        (("--memory", "512"), "--memory is for machines in virtual time: add --virtual"),
    ],
)
def test_wrong_options_are_refused(cli: Callable[..., Result], arguments: tuple[str, ...], text: str) -> None:
    refused = cli("live", "run", "string-2", *arguments, "--", "true")
    assert refused.code == 2
    assert text in refused.err
    assert refused.out == ""


def test_directories_that_the_machine_hides_or_that_are_taken_are_refused(
    forks: Forks, tmp_path: Path
) -> None:
    false_kernel(tmp_path, "#!/bin/sh\n")
    home = {"XDG_CACHE_HOME": str(tmp_path)}
    hidden = in_fork(forks, "string-2", "--virtual", "--", "true", cwd=Path("/dev"), **home)
    assert hidden.code == 2
    assert "the working directory /dev is not seen in virtual time" in hidden.err
    (tmp_path / "file").touch()
    taken = in_fork(forks, "string-2", "--virtual", "--keep", "file", "--", "true", cwd=tmp_path, **home)
    assert taken.code == 2
    assert "--keep file exists already and is no empty directory" in taken.err


def test_without_a_kernel_the_remedy_is_named(forks: Forks, tmp_path: Path) -> None:
    home = {"XDG_CACHE_HOME": str(tmp_path)}
    refused = in_fork(forks, "string-2", "--virtual", "--out", "out", "--", "true", cwd=tmp_path, **home)
    assert refused.code == 2
    assert "`tworay live kernel build` builds it" in refused.err
    compare = ["compare", "string-2", "--tcp", "newreno,kernel:cubic"]
    arms = forks.run(compare, tmp_path, os.environ | home, seconds=120)
    assert arms.returncode == 2
    assert "`tworay live kernel build` builds it" in arms.stderr
    assert list(tmp_path.iterdir()) == []


def test_arms_without_a_controller_are_refused_with_the_reason(cli: Callable[..., Result]) -> None:
    ours = cli("compare", "string-2", "--tcp", "newreno,kernel:tworay_welcome")
    assert ours.code == 2
    assert "it has no BPF trampolines" in ours.err
    unknown = cli("compare", "string-2", "--tcp", "newreno,kernel:cubik")
    assert unknown.code == 2
    assert "--tcp kernel:cubik: the kernel has no such controller; it has reno" in unknown.err
    single = cli("run", "string-2", "--tcp", "kernel:cubic")
    assert single.code == 2
    assert "`tworay live run --virtual --congestion cubic`" in single.err


def false_kernel(home: Path, script: str) -> None:
    place = home / f"tworay/kernels/6.1.0-{cache.recipe()}"
    place.mkdir(parents=True)
    (place / "about.json").write_text(
        json.dumps({"version": "6.1.0", "recipe": cache.recipe()}), encoding="ascii"
    )
    (place / "linux").write_text(script, encoding="ascii")
    (place / "linux").chmod(0o755)


def test_a_kernel_that_does_not_boot_shows_its_last_lines(forks: Forks, tmp_path: Path) -> None:
    false_kernel(tmp_path, "#!/bin/sh\necho 'Kernel panic - not syncing: no root'; exit 3\n")
    failed = in_fork(
        forks, "string-2", "--virtual", "--json", "--", "true", cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path)
    )
    assert failed.code == 1
    assert "did not start (exit code 3" in failed.err
    assert "Kernel panic - not syncing: no root" in failed.err
    assert failed.out == ""
    assert left_behind(tmp_path) == []


def test_too_little_memory_is_said_before_the_start(forks: Forks, tmp_path: Path) -> None:
    false_kernel(tmp_path, "#!/bin/sh\ntouch started\n")
    home = {"XDG_CACHE_HOME": str(tmp_path)}
    least = in_fork(forks, "string-2", "--virtual", "--memory", "64", "--", "true", cwd=tmp_path, **home)
    assert least.code == 2
    assert "--memory 64: allowed are 128 to 65536 (MiB)" in least.err
    much = in_fork(forks, "string-2", "--virtual", "--memory", "65536", "--", "true", cwd=tmp_path, **home)
    assert much.code == 2
    assert re.search(r"needs 65536 MiB .* but only \d+ MiB are free", much.err)


def test_a_time_that_stands_still_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    false_kernel(tmp_path, "#!/bin/sh\nexec sleep 100\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(stillness, "SLOW", 0.2)
    monkeypatch.setattr(stillness, "STUCK", 0.6)
    warned: list[str] = []
    with pytest.raises(RunError, match="virtual time stood still"):
        run_virtual(tworay.load("string-2"), Options(), ["true"], None, warn=warned.append)
    assert len(warned) == 1
    assert left_behind(tmp_path) == []


def test_scratch_directories_of_dead_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    dead = tmp_path / "tworay/virtual/0123456789abcdef"
    dead.mkdir(parents=True)
    (dead / "lock").touch()
    with cache.scratch() as one, cache.scratch() as other:
        # Those in use stay.
        assert sorted(left_behind(tmp_path)) == sorted([one, other])
    assert left_behind(tmp_path) == []


def test_a_report_is_the_same_after_it_was_carried_over(tmp_path: Path) -> None:
    run = tworay.run("string-2", set={"duration": "5s"})
    assert run._report is not None
    carrying.write(tmp_path, run._report)
    carried = tworay.Run(carrying.read(tmp_path))
    assert carried.json == run.json
    assert carried.lost_at_source == run.lost_at_source
    assert list(carried.tables) == list(run.tables)
    assert all(carried.tables[name].equals(run.tables[name]) for name in run.tables)


# With the kernel.


@pytest.fixture(scope="module")
def twice(
    virtual_able: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, list[Result]]]:
    """Run the same three times at once, with another environment, and with another seed."""
    place = tmp_path_factory.mktemp("virtual")

    def one(number: int, seed: int, environment: dict[str, str]) -> Result:
        return virtual(
            *LOSSY, "--virtual", "--seed", str(seed), "--json", "--out", place / f"out{number}",
            "--pcap", place / f"{number}.pcapng", "--serve", SERVER, "--", "sh", "-c", LOOK,
            cwd=place, **environment,
        )  # fmt: skip

    other = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "HOME": str(place), "MINE": "1", "LANG": "C"}
    # Another home has another cache, but the kernel is in this one.
    other["XDG_CACHE_HOME"] = str(cache.kernels_home().parents[1])
    with ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(one, *each) for each in ((0, 1, {}), (1, 1, other), (2, 2, {}))]
        yield place, [future.result() for future in futures]


def test_runs_give_the_same_bytes_with_captures_and_what_programs_see(
    twice: tuple[Path, list[Result]],
) -> None:
    place, (first, second, _) = twice
    assert first.code == 0, first.err
    assert first.document["flows"][0]["retransmitted_segments"] > 0
    assert second.out == first.out
    lines = [
        [line for line in one.err.splitlines() if "results are in" not in line] for one in (first, second)
    ]
    assert [line for line in lines[0] if "capture is" not in line] == [
        line for line in lines[1] if "capture is" not in line
    ]
    assert digest(place / "0.pcapng") == digest(place / "1.pcapng")
    tables = sorted(path.name for path in (place / "out0").glob("*.parquet"))
    assert "ledger.parquet" in tables
    assert all(digest(place / "out0" / name) == digest(place / "out1" / name) for name in tables)


def test_another_seed_gives_another_network_and_other_random_numbers(
    twice: tuple[Path, list[Result]],
) -> None:
    place, (first, _, third) = twice
    assert third.code == 0, third.err
    assert third.document["events"] != first.document["events"]
    assert digest(place / "2.pcapng") != digest(place / "0.pcapng")
    random = [re.search(r"^( [0-9a-f]{4}){4}$", one.err, re.MULTILINE) for one in (first, third)]
    assert random[0] is not None
    assert random[1] is not None
    assert random[0][0] != random[1][0]


def test_nothing_of_the_environment_but_the_path_is_seen(twice: tuple[Path, list[Result]]) -> None:
    _, (_, second, _) = twice
    assert "MINE=" not in second.err
    assert "TZ=UTC" in second.err
    # The machine's day is always the same: 2026-01-01, 1767225600 s after 1970.
    seconds = re.search(r"^(\d{10})\.\d{9}$", second.err, re.MULTILINE)
    assert seconds is not None
    assert 1_767_225_600 <= int(seconds[1]) < 1_767_225_600 + 600


def test_the_flow_is_one_of_a_live_run(twice: tuple[Path, list[Result]]) -> None:
    _, (first, _, _) = twice
    document = first.document
    (flow,) = [flow for flow in document["flows"] if flow["goodput_bps"] > 0]
    assert flow["tcp"] == "kernel:cubic"
    # The server's headers come on top of the data.
    carried = flow["goodput_bps"] * document["sim_seconds"] / 8
    assert carried >= SIZE
    assert document["live"]["lateness"]["max_seconds"] < 1e-3
    kernel = cache.kernel().name
    assert document["live"]["virtual"] == {"kernel": kernel, "memory_mib": machine.MEMORY, "loops": []}


def test_time_is_virtual_the_host_is_read_only_and_the_exit_code_passes(
    virtual_able: None, forks: Forks, tmp_path: Path
) -> None:
    (tmp_path / "old").write_text("old\n", encoding="ascii")
    script = (
        "cat old; echo new > new; rm old; mkdir sub; echo deep > sub/deep; a=$(date +%s); sleep 60; "
        "echo slept $(($(date +%s) - a)); cat /proc/sys/net/ipv4/tcp_available_congestion_control; exit 7"
    )
    began = time.monotonic()
    done = in_fork(forks, "string-2", "--virtual", "--keep", "kept", "--", "sh", "-c", script, cwd=tmp_path)
    assert time.monotonic() - began < 60
    assert done.code == 1
    assert "the command ended with exit code 7" in done.err
    assert "slept 60" in done.out
    assert (tmp_path / "old").read_text(encoding="ascii") == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "old"]
    kept = tmp_path / "kept" / tmp_path.relative_to("/")
    assert (kept / "new").read_text(encoding="ascii") == "new\n"
    assert (kept / "sub/deep").read_text(encoding="ascii") == "deep\n"
    available = next(line for line in done.out.splitlines() if "cubic" in line).split()
    assert sorted(available) == sorted(CONTROLLERS)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_process(
    virtual_able: None, tmp_path: Path, number: signal.Signals
) -> None:
    before = set(left_behind(cache.home().parent))
    # It waits in a loop, in which virtual time stands still.
    process = subprocess.Popen(
        command("live", "run", "string-2", "--virtual", "--", "sh", "-c", "echo begun; while :; do :; done"),
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    mine: list[int] = []
    while not mine and time.monotonic() < until:
        time.sleep(0.1)
        scratch = set(left_behind(cache.home().parent)) - before
        mine = processes_of(*scratch)
    assert mine
    # Until its own programs run; a busy host takes long.
    until = time.monotonic() + 300
    while not any(said_in(one) for one in scratch) and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert ("ended without results: programs computed on" in said) == (number == signal.SIGINT)
    assert ended(*scratch)
    with cache.scratch():
        assert not scratch & set(left_behind(cache.home().parent))


def test_a_killed_run_leaves_no_process_that_its_kernel_has_just_made(tmp_path: Path) -> None:
    # In the place of the kernel: its new process stands still, and the kernel does not trace it yet.
    program = tmp_path / "kernel"
    program.write_text("#!/bin/sh\nsh -c 'kill -STOP $$' &\necho $$ > number\nwait\n")
    program.chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    run = (
        "from pathlib import Path\n"
        "from tworay.live import Options\n"
        "from tworay.virtual import cache, running\n"
        "from tworay.virtual.machine import Machine\n"
        f"kernel = cache.Kernel('test', 'stopped', Path({str(program)!r}))\n"
        f"Machine(kernel, 1).run(Path({str(scratch)!r}), running.order_for(Options()))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", run], cwd=tmp_path)

    def states() -> list[str]:
        """Return the states of the machine's processes: its kernel leads their session."""
        try:
            leader = (scratch / "number").read_text().strip()
        except OSError:
            return []
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
                if session == leader:
                    found.append(state)
        return found

    def wait_until(done: Callable[[], bool]) -> None:
        until = time.monotonic() + 60
        while not done():
            assert time.monotonic() < until, states()
            time.sleep(0.05)

    wait_until(lambda: "T" in states())
    process.kill()
    process.wait()
    wait_until(lambda: not states())


def test_an_interrupted_run_has_the_results_so_far(virtual_able: None, tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("live", "run", "string-2", "--virtual", "--json", "--out", "out", "--pcap", "air.pcapng",
                "--serve", f"exec {sys.executable} {STATION} serve {100 * SIZE}", "--", "sh", "-c",
                "(sleep 20; echo begun >&2) & "
                f"exec {sys.executable} {STATION} fetch http://$TWORAY_PEER:8000/ 1"),
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    while "begun" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    document = json.loads(out)
    assert 20 < document["sim_seconds"] < 3600
    assert document["flows"][0]["goodput_bps"] > 0
    assert json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8")) == document
    assert (tmp_path / "out/report.html").is_file()
    assert (tmp_path / "air.pcapng").stat().st_size > 0
    assert f"results are in {'out'}" in err


def test_kernels_are_arms_of_comparisons_and_resume(virtual_able: None, tmp_path: Path) -> None:
    def compare(*arguments: str) -> Any:
        done = subprocess.run(
            command("compare", *arguments, "--json"), cwd=tmp_path, capture_output=True, text=True,
            timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr

    arms = ("string-2", "--tcp", "newreno,kernel:reno", "--set", "duration=10s")
    one, _ = compare(*arms, "--seeds", "1", "--out", "one")
    both, notes = compare("--resume", "one", "--seeds", "2")
    whole, _ = compare(*arms, "--seeds", "2", "--out", "two")
    assert one["variants"]["kernel:reno"]["goodput_bps"]["n"] == 1
    # The first seed is not done again, and the result is that of all at once.
    assert "2 runs" in notes
    assert both["variants"] == whole["variants"]
    goodput = whole["variants"]["kernel:reno"]["goodput_bps"]["mean"]
    # Two hops share a channel of 2 Mb/s, on which one hop carries less than 1.7 Mb/s with RTS and CTS.
    assert 0.2e6 < goodput < 0.85e6


def test_a_comparison_is_not_continued_with_another_kernel(
    cli: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    false_kernel(tmp_path, "#!/bin/sh\necho no; exit 3\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    # Runs of the arm fail, but its kernel is in the manifest.
    arms = ("string-2", "--tcp", "newreno,kernel:cubic", "--seeds", "1", "--set", "duration=3s")
    failed = cli("compare", *arms, "--out", "one")
    assert "the machine in virtual time did not start" in failed.err
    manifest = tmp_path / "one/tworay.json"
    name = f"6.1.0-{cache.recipe()}"
    text = manifest.read_text(encoding="utf-8")
    assert name in text
    manifest.write_text(text.replace(name, "6.1.0-00000000"), encoding="utf-8")
    refused = cli("compare", "--resume", "one", "--seeds", "2")
    assert refused.code == 2
    assert f"run by the kernel 6.1.0-00000000, and this one is {name}" in refused.err


def test_no_privilege_is_needed(virtual_able: None, tmp_path: Path) -> None:
    words = command("live", "run", "string-2", "--virtual", "--", "ping", "-c", "2", "{peer}")
    # As root a process without any capability may do what another user may.
    drop = (
        ["setpriv", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"] if os.geteuid() == 0 else []
    )
    done = subprocess.run(
        [*drop, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "2 packets transmitted, 2 received" in done.stdout


def test_a_cancelled_comparison_ends_its_machines(virtual_able: None, tmp_path: Path) -> None:
    before = set(left_behind(cache.home().parent))
    process = subprocess.Popen(
        command("compare", "string-2", "--tcp", "kernel:reno,kernel:cubic", "--set", "duration=5000s"),
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    scratch: set[Path] = set()
    while not scratch and time.monotonic() < until:
        time.sleep(0.1)
        scratch = set(left_behind(cache.home().parent)) - before
    assert scratch
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert ended(*scratch)
    assert not scratch & set(left_behind(cache.home().parent))


EXPERIMENT = """
scenario = "string-2"
tcp = ["newreno", "kernel:cubic"]
seeds = 1
[set]
duration = "3s"
"""


def test_kernels_are_cells_of_sweeps(virtual_able: None, cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "exp.toml").write_text(EXPERIMENT, encoding="ascii")
    first = cli("sweep", "exp.toml", "--out", "swept", "--json")
    assert first.code == 0, first.err
    assert (first.document["stored"], first.document["failed"]) == (2, 0)
    again = cli("sweep", "exp.toml", "--out", "swept", "--json")
    assert (again.document["stored"], again.document["done"]) == (2, 0)
    ours = cli("sweep", "exp.toml", "--out", "other", "--tcp", "kernel:tworay_welcome")
    assert ours.code == 2
    assert "it has no BPF trampolines" in ours.err


MIXED = """
name = "mixed"
duration = "6s"
[topology]
kind = "string"
hops = 2
[[flow]]
from = 0
to = 2
start = "3s"
port = 80
[[flow]]
app = "cbr"
from = 1
to = 2
interval = "100ms"
size = "100B"
[[flow]]
from = 2
to = 0
start = "1s"
bytes = "20000B"
"""


def test_flows_have_the_numbers_of_the_scenario(virtual_able: None, tmp_path: Path) -> None:
    (tmp_path / "mixed.toml").write_text(MIXED, encoding="ascii")
    world = tworay.load(tmp_path / "mixed.toml")
    run = run_kernel(world, 1, "vegas")
    assert run.summary["sim_seconds"] == 6.0
    flows = [(flow["id"], flow["from"], flow["to"], flow["tcp"]) for flow in run.summary["flows"]]
    assert flows == [(0, 0, 2, "kernel:vegas"), (1, 1, 2, None), (2, 2, 0, "kernel:vegas")]
    # The third has an end, before the first begins.
    assert run.summary["flows"][2]["completion_seconds"] is not None
    assert run.summary["flows"][0]["completion_seconds"] is None
    assert run.flows["flow"].to_list() == [0, 1, 2]
    began = run.series.group_by("flow").agg(pl.col("t_s").min()).sort("flow")
    times = dict(began.iter_rows())
    assert 1.0 <= times[2] < 1.5
    assert 3.0 <= times[0] < 3.5
