"""Many runs at once: failures, stopping, independence from threads."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from conftest import MadeRun

import tworay
from tworay.errors import InputError, OutputError, RunError
from tworay.experiment import onerun
from tworay.experiment.engines import Threads
from tworay.experiment.plan import Cell, Plan
from tworay.experiment.session import Session
from tworay.running import executing, progress
from tworay.running.executing import Effort, State, check_jobs, silent

WORLD = tworay.load("string-2")


class Memory(Session):
    """Runs of one cell, which are stored nowhere."""

    def __init__(self, seeds: int, world: Any = WORLD) -> None:
        super().__init__(Plan("made", (), tuple(range(1, seeds + 1))), [Cell(0, {}, world, "reno")])
        self.rows: list[dict[str, Any]] = []

    @property
    def runs(self) -> dict[tuple[str, int], str]:
        return {(row["world"], row["seed"]): row["status"] for row in self.rows}

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)


def made(scenario: object, *, seed: int, **options: object) -> MadeRun:
    if seed == 3:
        raise RunError("the ledger does not balance")
    return MadeRun("reno", seed)


def test_a_run_that_fails_does_not_disturb_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onerun, "run", made)
    session = Memory(5)
    session.execute(Threads(2), silent)
    ended = {row["seed"]: (row["status"], row["message"]) for row in session.rows}
    assert ended.pop(3) == ("failed", "the ledger does not balance")
    assert ended == dict.fromkeys([1, 2, 4, 5], ("done", None))
    assert (session.state.stored, session.state.done, session.state.failed) == (4, 4, 1)


def test_a_single_run_says_what_it_is_doing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.01)

    class Control:
        share = 0.0

        def progress(self) -> float:
            return self.share

    control = Control()
    with progress.RunProgress("big", 60_000, control):  # type: ignore[arg-type]
        for share in (0.0, 0.25):
            control.share = share
            deadline = time.monotonic() + 20
            expected = "25% done" if share else "setting up 60,000 nodes"
            text = ""
            while expected not in text:
                assert time.monotonic() < deadline
                text += capsys.readouterr().err
                time.sleep(0.005)


def test_progress_is_told_up_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onerun, "run", made)
    told: list[tuple[int, int, float]] = []

    def watch(state: State) -> None:
        told.append((state.ended, state.todo, state.share))

    Memory(4).execute(Threads(2), watch)
    assert told[-1] == (4, 4, 1.0)
    assert [step[2] for step in told] == sorted(step[2] for step in told)


ENDLESS = tworay.load("string-2", set={"duration": "100000s"})


def test_trouble_with_a_result_stops_the_runs_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    real = onerun.run

    def quick(scenario: Any, *, seed: int, **options: Any) -> Any:
        return MadeRun("reno", 1) if seed == 1 else real(scenario, seed=seed, **options)

    monkeypatch.setattr(onerun, "run", quick)

    class Full(Memory):
        def add(self, row: object) -> None:
            raise OutputError("disk full")

    with pytest.raises(OutputError, match="disk full"):
        Full(3, ENDLESS).execute(Threads(2), silent)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("tworay")]


def test_an_interrupt_stops_the_runs_under_way() -> None:
    def interrupt(state: State) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Memory(1, ENDLESS).execute(Threads(1), interrupt)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("tworay")]


@pytest.mark.parametrize("jobs", [0, -1, 100_000])
def test_a_number_of_jobs_out_of_range_is_refused(jobs: int) -> None:
    with pytest.raises(InputError, match="allowed are 1 to 1024"):
        check_jobs(jobs)


def test_all_cores_are_used_unless_told() -> None:
    assert check_jobs(None) == executing.cores() >= 1


def test_the_share_done_goes_by_what_runs_of_a_kind_took() -> None:
    effort = Effort()
    assert effort.share([]) == 1.0
    effort.plan(["quick", "quick", "slow", "slow"])
    assert effort.share([]) == 0.0
    effort.ended("quick", 1.0)
    # Nothing is known of the other kind yet: it counts as this one.
    assert effort.share([]) == pytest.approx(1 / 4)
    effort.ended("slow", 9.0)
    assert effort.share([]) == pytest.approx(10 / 20)
    effort.ended("quick", None)  # It failed: done, whatever it took.
    assert effort.share([]) == pytest.approx(11 / 20)
    assert effort.share([("slow", 1 / 3)]) == pytest.approx(14 / 20)
    effort.ended("slow", 9.0)
    assert effort.share([]) == 1.0


def test_a_log_tells_the_progress_of_runs_and_cells_once(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.Progress("big", cells=True) as told:
        # Seconds, finished runs of 100, their share, finished cells of 4.
        steps = [(1, 5, 0.05, 0), (3, 25, 0.25, 0), (4, 35, 0.35, 1), (50, 36, 0.36, 1)]
        for seconds, done, share, cells in steps:
            told.watch(State(4, cells, 100, done, 100, done, 0, seconds, share))
        told.watch(State(4, 1, 100, 37, 100, 37, 0, 80, 0.37))
        told.watch(State(4, 3, 100, 99, 100, 99, 1, 100, 1.0))
        told.watch(State(4, 3, 100, 99, 100, 99, 1, 100, 1.0))
    assert capsys.readouterr().err.splitlines() == [
        "big: 25/100 runs, 0 of 4 cells, 8.3 runs/s, 9 s left",
        # A tenth has passed since, then a minute.
        "big: 36/100 runs, 1 of 4 cells, 0.72 runs/s, 89 s left",
        "big: 100/100 runs, 3 of 4 cells, 1 failed, 1 runs/s, done",
    ]
