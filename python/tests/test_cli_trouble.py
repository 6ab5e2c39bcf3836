"""The command line when something is wrong: input, warnings, interrupts, outputs that cannot be written."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from conftest import QUICK, Result, command, finished_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from forking import Forks

    Cli = Callable[..., Result]


# Wrong input: one paragraph, exit code 2, nothing written

WRONG = {
    "unknown scenario": (("run", "strip-5O"), "strip-50"),
    "missing file": (("run", "nowhere.toml"), "nowhere.toml"),
    "unknown key": (("run", "string-2", "--set", "mac.rts_treshold=1B"), "rts_threshold"),
    "wrong unit": (("run", "string-2", "--set", "duration=10m"), "duration"),
    "negative value": (("run", "string-2", "--set", "duration=-10s"), "duration"),
    "override without value": (("run", "string-2", "--set", "duration"), "duration"),
    "unknown variant": (("run", "string-2", "--tcp", "newrno"), "newreno"),
    "unknown variant of several": (("compare", "string-2", "--tcp", "reno,tahoo"), "tahoe"),
    "variant twice": (("compare", "string-2", "--tcp", "reno,reno"), "given twice"),
    "no variant": (("compare", "string-2"), "--tcp"),
    "seeds backwards": (("compare", "string-2", "--tcp", "reno", "--seeds", "9-1"), "backwards"),
    "no seeds": (("compare", "string-2", "--tcp", "reno", "--seeds", "0"), "allowed are 1 to"),
    "no jobs": (("compare", "string-2", "--tcp", "reno", "--jobs", "0"), "allowed are 1 to"),
    "negative seed": (("run", "string-2", "--seed", "-1"), "allowed are 0 to"),
    "share of nothing": (("compare", "string-2", "--tcp", "reno", "--until-ci", "0%"), "5%"),
    "unknown verb": (("simulate",), "simulate"),
    "unknown key to vary": (
        ("compare", "string-2", "--vary", "nonsense=1,2"),
        '--vary: unknown key "nonsense"',
    ),
    "wrong value to vary": (
        ("compare", "string-2", "--vary", "tcp.window=4,x"),
        '--vary: tcp.window: found the text "x"',
    ),
    "sizes that are none": (
        ("run", "string-2", "--set", "flow.0.sizes=x"),
        '{ kind = "fixed", size = ... }. Kinds: fixed, exponential, pareto, listed.',
    ),
    "a file for results": (("show", __file__), "is a file; name the directory that --out"),
    "no results": (
        ("show", "nowhere"),
        "there is no such directory; --out of `tworay run` or `compare` writes one",
    ),
    "a file for a sweep": (("table", __file__), "is a file, not the directory of a sweep"),
    "unknown scenario to show": (("scenarios", "--show", "strip"), "tworay scenarios"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_explained_and_leaves_nothing(cli: Cli, tmp_path: Path, case: str) -> None:
    arguments, hint = WRONG[case]
    out = ("--out", "results") if arguments[0] in ("run", "compare") else ()
    result = cli(*arguments, *out)
    assert result.code == 2
    assert result.out == ""
    assert hint in result.err
    assert "Traceback" not in result.err
    assert len(result.err.splitlines()) <= 8
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_in_a_file_is_shown_at_its_place(cli: Cli, tmp_path: Path) -> None:
    text = cli("scenarios", "--show", "string-2").out
    line = text.splitlines().index("[topology]") + 2
    (tmp_path / "mine.toml").write_text(text.replace("[topology]", '[topology]\nspeling = "250m"'))
    result = cli("run", "mine.toml")
    assert result.code == 2
    assert f"mine.toml:{line}" in result.err
    assert "speling" in result.err


def test_a_directory_of_someone_else_is_not_touched(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("years of work")
    result = cli("compare", "string-2", "--tcp", "reno", "--out", "thesis", "--force", *QUICK)
    assert result.code == 2
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter1.tex"]


def test_a_binary_file_for_a_trace_is_answered_with_what_a_trace_is(cli: Cli, tmp_path: Path) -> None:
    scenario = cli("scenarios", "--show", "string-2").out
    (tmp_path / "mine.toml").write_text(
        f'{scenario}\n[[flow]]\nfrom = 0\nto = 2\napp = "replay"\nfile = "x.bin"\n'
    )
    for content, told in (
        (b"\x89PNG\r\n\x1a\n", "it is neither a capture nor text; it begins with 89 50 4e 47"),
        (b"one\n", 'it is not a trace: it begins with "one"'),
    ):
        (tmp_path / "x.bin").write_bytes(content)
        refused = cli("run", "mine.toml")
        assert refused.code == 2
        for words in (
            "mine.toml:",
            'file = "x.bin"',
            "flow.1.file: x.bin",
            told,
            "a trace is a pcapng or pcap file",
        ):
            assert words.lower() in refused.err.lower(), refused.err


# What to know before trusting the figures

APART = """
duration = "10s"
[topology]
kind = "explicit"
positions = [[0, 0], [200, 0], [600, 0]]
[[flow]]
from = 0
to = 2
"""
NO_PATH = (
    "flow 0 (0 to 2) never has a path: at the start nodes 1 and 2 are 400 m apart, but links reach 250 m"
)


def test_a_flow_without_a_path_is_said_to_have_none_and_what_would_help(cli: Cli, tmp_path: Path) -> None:
    world = tmp_path / "apart.toml"
    world.write_text(APART)
    table = cli("run", world)
    assert f"Warning  {NO_PATH}" in " ".join(table.out.split("\n"))
    document = cli("run", world, "--json")
    assert [warning["kind"] for warning in document.document["warnings"]] == ["no-path"]
    assert NO_PATH in document.err
    comparison = cli("compare", world, "--tcp", "reno,sack", "--seeds", "2", "--json")
    assert [text[: len(NO_PATH)] for text in comparison.document["warnings"]] == [NO_PATH]
    assert NO_PATH in comparison.err
    assert "Warning  " in cli("compare", world, "--tcp", "reno,sack", "--seeds", "2").out


def test_very_many_nodes_are_announced_with_what_they_take(cli: Cli) -> None:
    big = cli("run", "grid-71x71", "--set", "duration=2s", "--set", "routing.protocol=static", "--json")
    assert big.code == 0
    assert "tworay: 5041 nodes: a run needs roughly" in big.err
    assert "nodes" not in cli("run", "grid-5x5", "--set", "duration=2s", "--json").err


@pytest.mark.parametrize("protocol", ["static", "aodv"])
def test_memory_goes_with_the_nodes_not_with_their_square(protocol: str) -> None:
    """Tables for every pair of 10,000 nodes would take 600 MB with static routes."""
    # The peak of a process that was just executed. wait4's ru_maxrss would have that of the parent in it too,
    # whose memory a fork shares until then.
    program = (
        "import sys, tworay\n"
        f"tworay.run('grid-100x100', set={{'duration': '2s', 'routing.protocol': {protocol!r}}})\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    _, kilobytes, unit = done.stdout.split()
    assert unit == "kB"
    assert int(kilobytes) < 250_000


# Trouble on the way


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_the_finished_runs(tmp_path: Path, signal_number: int) -> None:
    out = tmp_path / "results"
    # Far more runs than the test waits for.
    process = subprocess.Popen(
        command("compare", "string-3", "--tcp", "reno,sack", "--seeds", "5000", "--out", out, *QUICK),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while finished_runs(out) < 4:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal_number)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    # What is finished is shown.
    assert "reno" in stdout
    assert "goodput" in stdout
    assert f"interrupted; finished runs are in {out}" in stderr
    assert "Traceback" not in stderr
    summary = json.loads((out / "summary.json").read_text())
    flows = pl.read_parquet(out / "flows.parquet")
    assert flows.height == sum(cells["goodput_bps"]["n"] for cells in summary["variants"].values()) >= 4
    assert {path.name for path in out.iterdir() if path.name.startswith(".")} == set()


def test_an_interrupt_before_the_first_run_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "results"
    process = subprocess.Popen(
        command(
            "compare", "string-3", "--tcp", "reno", "--seeds", "2", "--out", out, "--set", "duration=500000s"
        ),
        stderr=subprocess.PIPE,
        text=True,
    )
    # A run is under way when a thread has computed that isn't the command's first one, which starts it.
    deadline = time.monotonic() + 60
    while computed(process.pid) < 0.3:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert list(tmp_path.iterdir()) == []


def computed(pid: int) -> float:
    """Return the CPU time of the busiest thread of a process but its first, s."""
    found = [0]
    for task in Path(f"/proc/{pid}/task").iterdir():
        if task.name != str(pid):
            # A thread may end meanwhile.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                user, system = (task / "stat").read_text().rpartition(")")[2].split()[11:13]
                found.append(int(user) + int(system))
    return max(found) / os.sysconf("SC_CLK_TCK")


def test_files_that_cannot_be_written_end_the_run_with_one_line(forks: Forks, tmp_path: Path) -> None:
    out = tmp_path / "results"
    run = ["run", "string-3", "--out", str(out), "--set", "duration=60s"]
    # Small tables are not larger, series are.
    process = forks.run(run, tmp_path, os.environ, seconds=120, largest_file=4096)
    assert process.returncode == 1
    remedy = "see to the disk and run the same command again"
    assert process.stderr == f"tworay: cannot write results to {out}: File too large; {remedy}\n"
    assert list(tmp_path.iterdir()) == []


def test_stdout_that_cannot_be_written_ends_the_run_with_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            command("run", "string-2", "--json", *QUICK),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert process.returncode == 1
    assert "No space left on device" in process.stderr
    assert "Traceback" not in process.stderr
    assert len(process.stderr.splitlines()) == 1


@pytest.mark.parametrize("verb", ["run", "compare"])
def test_results_go_into_the_working_directory_itself(forks: Forks, tmp_path: Path, verb: str) -> None:
    here = tmp_path / "results"
    here.mkdir()
    before = here.stat().st_ino
    tcp = ("--tcp", "reno", "--seeds", "2") if verb == "compare" else ()
    for force in ((), ("--force",)):
        words = [verb, "string-1", *QUICK, *tcp, "--out", ".", *force]
        process = forks.run(words, here, os.environ, seconds=120)
        assert process.returncode == 0, process.stderr
        assert json.loads((here / "summary.json").read_text())
        assert [path.name for path in here.iterdir() if path.name.startswith(".")] == []
    # The same directory: a shell that stands in it sees the results.
    assert here.stat().st_ino == before
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_metrics_that_these_runs_lack_cost_no_results(cli: Callable[..., Result], tmp_path: Path) -> None:
    # A download without end is no transfer that could be completed.
    shown = cli(
        "compare", "string-2", *QUICK, "--tcp", "newreno,vegas", "--seeds", "2", "--out", "out",
        "--metrics", "goodput_bps,transfer_p95_seconds",
    )  # fmt: skip
    assert shown.code == 0, shown.err
    assert "goodput" in shown.out
    assert "--metrics: no run has transfer_p95_seconds" in shown.err
    assert finished_runs(tmp_path / "out") == 4
