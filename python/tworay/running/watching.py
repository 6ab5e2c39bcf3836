"""The progress of runs that are started from Python: in a cell of a notebook, on stderr, or by a callback."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tworay._native import RunControl
from tworay.errors import InputError
from tworay.running.executing import silent
from tworay.running.progress import PATIENCE, TICK_SECONDS, Progress, duration, in_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tworay.running.executing import State, Watch, Watcher


def in_notebook() -> bool:
    """Return whether this is a cell of a notebook: IPython with a kernel, whose displays can change."""
    found: Any = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None else None
    return getattr(shell, "kernel", None) is not None


@contextmanager
def watching(
    watch: Watch, what: str, *, cells: bool = False
) -> Iterator[tuple[Watcher, Callable[[str], None]]]:
    """Return what gets the progress of many runs, and the texts about slow steps before them.

    ``watch`` is that of ``tworay.compare``: ``None`` shows a bar in notebooks and nothing elsewhere.
    """
    if callable(watch):
        yield watch, _nothing
    elif watch is not None and not isinstance(watch, bool):
        raise InputError(f"watch = {watch!r}: give a function that takes the progress, True, False or None")
    elif watch is False or (watch is None and not in_notebook()):
        yield silent, _nothing
    elif in_notebook():
        bar = _Cell(what, cells=cells)
        yield bar.watch, bar.stage
    else:
        with Progress(what, cells=cells) as progress:
            yield progress.watch, progress.stage


@contextmanager
def watching_one(what: str, control: RunControl | None) -> Iterator[RunControl | None]:
    """Show the progress of a single run that takes long in a notebook; yield the control to run it with.

    A run that its caller controls, or that is one of many in threads, shows nothing of its own.
    """
    if control is not None or threading.current_thread() is not threading.main_thread() or not in_notebook():
        yield control
        return
    control, over = RunControl(), threading.Event()
    thread = threading.Thread(target=_report, args=(what, control, over), daemon=True)
    thread.start()
    try:
        yield control
    finally:
        over.set()
        thread.join()


def _nothing(_: str) -> None:
    """Receive a text, and show nothing."""


def _report(what: str, control: RunControl, over: threading.Event) -> None:
    if over.wait(PATIENCE):
        return
    shown = _Display()
    while not over.wait(TICK_SECONDS):
        share = control.progress() or 0.0
        shown.update(what, share, f"{share:.0%} simulated")
    shown.update(what, 1.0, "simulated")


class _Display:
    """A line with a bar in the output of a cell; it appears with its first text."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._before = ""

    def update(self, what: str, share: float, text: str) -> None:
        """Show other values."""
        shell: Any = import_module("IPython.display")
        bar = f'<progress max="1" value="{share:.3f}"></progress>'
        html = f'<div class="tworay">{escape(what)} {bar} {escape(text)}</div>'
        if html == self._before:
            return
        self._before = html
        if self._handle is None:
            self._handle = shell.display(shell.HTML(html), display_id=True)
        else:
            self._handle.update(shell.HTML(html))


class _Cell:
    """The progress of many runs in a notebook."""

    def __init__(self, what: str, *, cells: bool) -> None:
        self._what, self._cells = what, cells
        self._shown = _Display()

    def watch(self, state: State) -> None:
        """Move the bar; at the end say how long it took."""
        if state.ended == state.todo:
            last = f", {duration(state.seconds)}"
        else:
            last = "" if state.seconds_left is None else f", {duration(state.seconds_left)} left"
        self._shown.update(self._what, state.share, in_numbers(state, self._cells) + last)

    def stage(self, text: str) -> None:
        """Show what is done before the runs."""
        self._shown.update(self._what, 0.0, text)
