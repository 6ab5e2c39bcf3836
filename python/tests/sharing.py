"""Tests in several processes: what each has for itself, and which files it gets when."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tworay.virtual import cache

if TYPE_CHECKING:
    from collections.abc import Iterator

# Files that create networks of this kernel, look for those that are up, load controllers, or measure
# in real time. Most of their time they wait, which keeps no core from others.
MACHINE = ("test_kernel", "test_live_", "test_report_live", "test_protocols", "test_virtual_standing")
# Files that take six seconds of CPU time or ten of the clock, the longest first: `pytest --cpu-times=30`
# lists them.
COSTLY = (
    "test_virtual_routing.py",
    "test_scripts.py",
    "test_virtual.py",
    "test_compare_spread.py",
    "test_resume.py",
    "test_report_run_page.py",
    "test_many_writers.py",
    "test_memory.py",
    "test_faulty_disk.py",
    "test_docs.py",
    "test_sweep_storing.py",
    "test_site.py",
    "test_cli_trouble.py",
    "test_papers.py",
    "test_report_many_runs.py",
    "test_golden.py",
    "test_docs_blocks.py",
    "test_papers_settings.py",
    "test_planning.py",
    "test_nothing_lost.py",
    "test_exports.py",
    "test_virtual_traffic.py",
    "test_hostile_results.py",
    "test_cluster.py",
    "test_report_access_safety.py",
    "test_report_run_kinds.py",
    "test_report_together.py",
    "test_streams.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Give the process a cache of its own, with no machines in virtual time but those of its tests."""
    users = cache.home()
    own = Path(tempfile.mkdtemp(prefix="tworay-cache-"))
    (own / "tworay").mkdir()
    (own / "tworay/kernels").symlink_to(users / "kernels")
    # Its list of fonts takes seconds to make.
    plots = users.parent / "matplotlib"
    plots.mkdir(parents=True, exist_ok=True)
    (own / plots.name).symlink_to(plots)
    os.environ["XDG_CACHE_HOME"] = str(own)
    config.add_cleanup(lambda: shutil.rmtree(own, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while tests are collected, and later not among what that made, which all stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def scope_of(nodeid: str) -> str:
    """Return which tests go to one process together: those of a file, and all of ``MACHINE``."""
    file = Path(nodeid.partition("::")[0]).name
    return "machine" if file.startswith(MACHINE) else file


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that no process has much to do when the others have ended."""
    if not hasattr(config, "workerinput"):
        return
    tests = Counter(scope_of(item.nodeid) for item in items)
    first = {scope: place for place, scope in enumerate(("machine", *COSTLY))}
    items.sort(
        key=lambda item: (
            first.get(scope := scope_of(item.nodeid), len(first)),
            -tests[scope],
            item.nodeid.partition("::")[0],
        )
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out files in the order of ``pytest_collection_modifyitems``."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduler(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid)

    config.option.loadscopereorder = False
    return Scheduler(config, log)
