"""Threads that work through a list: order, errors, and Ctrl-C at any place."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tworay
from tworay.running.workers import Workers, in_order, undisturbed

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType


def slow(item: int) -> int:
    time.sleep(0.01)
    return item * item


def test_results_come_in_the_items_order() -> None:
    told: list[tuple[int, int]] = []
    delays = [0.05, 0.0, 0.03, 0.01]

    def nap(index: int) -> int:
        time.sleep(delays[index])
        return index

    assert in_order(nap, range(4), jobs=4, watch=lambda *step: told.append(step)) == [0, 1, 2, 3]
    assert told[-1] == (4, 4)
    assert told == sorted(told)


def test_nothing_to_do_is_done_at_once() -> None:
    assert in_order(slow, [], jobs=2) == []


def test_what_the_function_raises_comes_out_and_nothing_more_is_begun() -> None:
    begun: list[int] = []
    halted: list[bool] = []

    def fail(item: int) -> None:
        begun.append(item)
        raise ValueError(f"item {item}")

    with (
        pytest.raises(ValueError, match="item 0"),
        Workers(fail, range(1000), jobs=1, halt=lambda: halted.append(True)) as workers,
    ):
        for _ in workers.results():
            pass
    assert halted == [True]
    assert begun == [0]


@pytest.mark.parametrize("line", range(1, 301, 3))
def test_an_interrupt_at_any_line_ends_all_threads(line: int) -> None:
    """Ctrl-C can strike while this thread holds a lock of a library's own, which then stays locked."""
    outcomes: list[str] = []

    def work() -> None:
        left = line

        def strike(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal left
            if not frame.f_globals["__name__"].startswith(("tworay.running.workers", "concurrent.futures")):
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return strike

        sys.settrace(strike)
        try:
            in_order(slow, range(4), jobs=2)
            outcomes.append("done")
        except KeyboardInterrupt:
            outcomes.append("interrupted")
        finally:
            sys.settrace(None)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(timeout=20)
    assert outcomes in (["interrupted"], ["done"])
    # A strike at the very end leaves threads that are about to end, but none that waits for ever.
    for worker in [thread for thread in threading.enumerate() if thread.name.startswith("tworay")]:
        worker.join(timeout=20)
        assert not worker.is_alive()


def test_polars_own_interrupt_costs_no_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Polars raises in each thread that is in a query of its, though Ctrl-C is the main thread's affair."""
    write = pl.DataFrame.write_parquet
    struck: list[str] = []

    def interrupted(self: pl.DataFrame, *args: Any, **options: Any) -> None:
        worker = threading.current_thread()
        if worker is not threading.main_thread() and worker.name not in struck:
            struck.append(worker.name)
            raise KeyboardInterrupt
        write(self, *args, **options)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", interrupted)
    found = tworay.compare("string-2", tcp="reno", seeds=4, set={"duration": "2s"}, out=tmp_path / "out")
    assert struck
    assert len(found) == 4


def test_the_main_thread_is_interrupted_once() -> None:
    done: list[int] = []

    def step() -> None:
        done.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        undisturbed(step)
    assert done == [1]
