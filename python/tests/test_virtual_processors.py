"""Each machine in virtual time has a processor of its own, as long as there are enough."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tworay.virtual import processors

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_no_two_machines_have_the_same_processor() -> None:
    allowed = sorted(os.sched_getaffinity(0))
    with ExitStack() as machines:
        claimed = [machines.enter_context(processors.one()) for _ in allowed]
        assert claimed == allowed
        # One more goes where the system lets it.
        assert machines.enter_context(processors.one()) is None
    with processors.one() as again:
        assert again == allowed[0]


def test_what_is_started_meanwhile_runs_on_one_processor_and_nothing_else() -> None:
    def of_a_child() -> str:
        ask = "import os; print(sorted(os.sched_getaffinity(0)))"
        return subprocess.check_output([sys.executable, "-I", "-S", "-c", ask], text=True).strip()

    before = os.sched_getaffinity(0)
    last = max(before)
    with processors.only(last):
        assert of_a_child() == f"[{last}]"
    assert os.sched_getaffinity(0) == before
    with processors.only(None):
        assert of_a_child() == str(sorted(before))
