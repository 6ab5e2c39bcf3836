"""``--cpu-times=N``: the CPU time of the N files of tests that cost most, with that of the commands they run.

The clock says little on a machine that does other work. Missing: processes that outlive the test that starts
them.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

OPTION = "--cpu-times"
NAME = "cpu seconds"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, type=int, default=0, metavar="N", help="show CPU time of the N costliest files")


def _of_children() -> float:
    """Return the CPU time of ended children of this process's running ones: of commands that ran in forks."""
    total = 0
    for task in Path("/proc/self/task").glob("*/children"):
        # Threads and children may end while they are looked at.
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                with contextlib.suppress(OSError):
                    fields = Path("/proc", child, "stat").read_text().rpartition(")")[2].split()
                    total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def _spent() -> float:
    ended = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in ended) + _of_children()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if not item.config.getoption(OPTION):
        return (yield)
    item.stash[START] = _spent()
    return (yield)


START = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Any:
    report = yield
    if START in item.stash:
        now = _spent()
        report.user_properties.append((NAME, now - item.stash[START]))
        item.stash[START] = now
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    shown = config.getoption(OPTION)
    files: dict[str, float] = defaultdict(float)
    tests: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, seconds in getattr(report, "user_properties", []):
                if name == NAME:
                    files[report.nodeid.partition("::")[0]] += seconds
                    tests[report.nodeid] += seconds
    if not files:
        return
    terminalreporter.section(f"CPU time: {sum(files.values()):.0f} s")
    for title, table in (("files", files), ("tests", tests)):
        terminalreporter.write_line(f"{title}:")
        for name, seconds in sorted(table.items(), key=lambda one: -one[1])[:shown]:
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
