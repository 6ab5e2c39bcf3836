"""Time for which virtual time stands still: work of the machine counts, not its waits for a processor."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tworay.virtual import stillness
from tworay.virtual.stillness import Stillness, processor_seconds


class Host:
    """A clock, and what the machine has computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.computed = 100.0, 7.0
        monkeypatch.setattr(stillness.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(stillness, "processor_seconds", lambda session: self.computed)

    def passes(self, still: Stillness, seconds: int, *, computing: float) -> float:
        for _ in range(seconds):
            self.now += 1.0
            self.computed += computing
            found = still.seconds()
        return found


def test_a_machine_on_a_busy_host_is_slow_and_not_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    # It gets a fortieth of a processor: a minute is 1.5 s of computing, less that of the first second.
    host = Host(monkeypatch)
    assert host.passes(Stillness(1), 60, computing=0.025) == pytest.approx(59 * 0.025)


def test_a_machine_that_computes_stands_as_long_as_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch)
    still = Stillness(1)
    assert host.passes(still, 61, computing=0.8) == pytest.approx(60 * 0.8)
    still.moved()
    assert host.passes(still, 11, computing=0.8) == pytest.approx(10 * 0.8)


def test_a_machine_that_computes_nothing_stands_as_long_as_one_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch)
    assert host.passes(Stillness(1), 45, computing=0.0) == 45.0


def test_what_a_session_has_computed_is_that_of_its_processes() -> None:
    busy = "import sys\nwhile True: pass"
    process = subprocess.Popen(
        ["sh", "-c", '"$0" -c "$1" & "$0" -c "$1"', sys.executable, busy], start_new_session=True
    )
    try:
        before, began = processor_seconds(process.pid), time.monotonic()
        while processor_seconds(process.pid) - before < 0.3 and time.monotonic() - began < 30:
            time.sleep(0.05)
        spent = processor_seconds(process.pid) - before
        assert 0.3 <= spent <= 2.2 * (time.monotonic() - began) + 0.1
    finally:
        os.killpg(process.pid, 9)
        process.wait()
    assert processor_seconds(1 << 30) == 0.0
