"""Many runs at once: failures, stopping, independence from threads."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from conftest import MadeRun

import tworay
from tworay._native import RunControl
from tworay.errors import InputError, OutputError, RunError
from tworay.running import executing, progress
from tworay.running.executing import Effort, Task, check_jobs, execute

WORLD = tworay.load("string-2")


def tasks(number: int) -> list[Task]:
    return [Task(seed, "reno", WORLD) for seed in range(1, number + 1)]


def made(scenario: object, *, seed: int, **options: object) -> MadeRun:
    if seed == 3:
        raise RunError("the ledger does not balance")
    return MadeRun("reno", seed)


def test_a_run_that_fails_does_not_disturb_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "run", made)
    seen: list[int] = []
    failures = execute(tasks(5), jobs=2, series=False, finished=lambda task, run: seen.append(task.seed))
    assert sorted(seen) == [1, 2, 4, 5]
    assert [(f.task.seed, f.message) for f in failures] == [(3, "the ledger does not balance")]


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
    monkeypatch.setattr(executing, "run", made)
    told: list[tuple[int, int, float]] = []
    execute(
        tasks(4),
        jobs=2,
        series=False,
        finished=lambda task, run: None,
        watch=lambda done, total, fraction: told.append((done, total, fraction)),
    )
    assert told[-1] == (4, 4, 1.0)
    assert [step[2] for step in told] == sorted(step[2] for step in told)


def test_trouble_with_a_result_stops_the_runs_under_way() -> None:
    endless = tworay.load("string-2", set={"duration": "100000s"})

    def no_room(task: Task, run: Any) -> None:
        raise OutputError("disk full")

    quick = tworay.load("string-2", set={"duration": "2s"})
    with pytest.raises(OutputError, match="disk full"):
        execute(
            [Task(1, "reno", quick), Task(2, "reno", endless), Task(3, "reno", endless)],
            jobs=2,
            series=False,
            finished=no_room,
        )
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("tworay")]


def test_an_interrupt_stops_the_runs_under_way() -> None:
    endless = tworay.load("string-2", set={"duration": "100000s"})

    def interrupt(done: int, total: int, fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(
            [Task(1, "reno", endless)], jobs=1, series=False, finished=lambda task, run: None, watch=interrupt
        )
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("tworay")]


@pytest.mark.parametrize("jobs", [0, -1, 100_000])
def test_a_number_of_jobs_out_of_range_is_refused(jobs: int) -> None:
    with pytest.raises(InputError, match="allowed are 1 to 1024"):
        check_jobs(jobs)


def test_all_cores_are_used_unless_told() -> None:
    assert check_jobs(None) == executing.cores() >= 1


def test_the_share_done_goes_by_what_runs_of_a_kind_took() -> None:
    quick, slow = [[Task(seed, kind, None) for seed in (1, 2)] for kind in ("quick", "slow")]  # type: ignore[arg-type]
    effort = Effort([*quick, *slow])
    assert effort.share([]) == 0.0
    effort.took(quick[0], 1.0)
    effort.ended(quick[0])
    # Nothing is known of the other kind yet: it counts as this one.
    assert effort.share([]) == pytest.approx(1 / 4)
    effort.took(slow[0], 9.0)
    effort.ended(slow[0])
    assert effort.share([]) == pytest.approx(10 / 20)
    effort.ended(quick[1])  # It failed: done, whatever it took.
    assert effort.share([]) == pytest.approx(11 / 20)
    half_way = RunControl()
    assert effort.share([(slow[1], half_way)]) == pytest.approx(11 / 20)
    effort.ended(slow[1])
    assert effort.share([]) == 1.0
    assert Effort([]).share([]) == 1.0
