"""Threads that work through a list, and end safely on Ctrl-C at any point.

Python raises ``KeyboardInterrupt`` in the main thread between any two instructions. A lock that a library
has just taken may then never be released: ``concurrent.futures.wait`` takes one lock per future, and the
workers wait for them. So the main thread and the workers share only queues of the interpreter, whose
operations are atomic.
"""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

Item = TypeVar("Item")
Result = TypeVar("Result")

TICK_SECONDS = 0.2


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    jobs: int,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Apply ``function`` to every item in ``jobs`` threads; the results in the items' order.

    ``watch`` receives the numbers of done and of all items. Ctrl-C ends after the current items.
    """
    todo = list(items)
    results: dict[int, Result] = {}
    with Workers(lambda index: function(todo[index]), range(len(todo)), jobs=jobs) as workers:
        for ended in workers.results():
            if ended is not None:
                index, result = ended
                results[index] = result
            watch(len(results), len(todo))
    return [results[index] for index in range(len(todo))]


def undisturbed(step: Callable[[], Result]) -> Result:
    """Return what ``step`` returns, and in a worker do it again if Ctrl-C ends it.

    Only the main thread decides what Ctrl-C ends. But polars also raises ``KeyboardInterrupt`` in each thread
    that is in one of its queries, and the run whose table is just being written would be lost.
    """
    while True:
        try:
            return step()
        except KeyboardInterrupt:
            if threading.current_thread() is threading.main_thread():
                raise


class Workers(Generic[Item, Result]):
    """Apply ``function`` to every item in ``jobs`` threads, within a ``with``.

    Leaving the ``with`` waits until all threads have ended. On an exception no further item is started,
    and ``halt`` is called, which should end the current items soon.
    """

    def __init__(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        jobs: int,
        halt: Callable[[], None] = lambda: None,
    ) -> None:
        self._function = function
        self._halt = halt
        self._stopped = False
        self._todo: SimpleQueue[Item] = SimpleQueue()
        self._ended: SimpleQueue[tuple[Item, Result] | BaseException] = SimpleQueue()
        for item in items:
            self._todo.put(item)
        self.total = self._todo.qsize()
        self._threads = [
            threading.Thread(target=self._work, name=f"tworay-{number}")
            for number in range(min(jobs, self.total))
        ]

    def __enter__(self) -> Workers[Item, Result]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._stopped = True
            self._halt()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    @property
    def stopped(self) -> bool:
        """True if no further item will be started."""
        return self._stopped

    @property
    def waiting(self) -> int:
        """Items that are done but not yet returned."""
        return self._ended.qsize()

    def results(self) -> Iterator[tuple[Item, Result] | None]:
        """Start, and yield each item with its result when it is done, and ``None`` a few times per second.

        An exception of ``function`` is raised here, and no further item is started.
        """
        for thread in self._threads:
            thread.start()
        left = self.total
        while left:
            try:
                ended = self._ended.get(timeout=TICK_SECONDS)
            except Empty:
                yield None
                continue
            if isinstance(ended, BaseException):
                raise ended
            left -= 1
            yield ended

    def _work(self) -> None:
        while not self._stopped:
            try:
                item = self._todo.get_nowait()
            except Empty:
                return
            try:
                self._ended.put((item, self._function(item)))
            except BaseException as error:
                self._stopped = True
                self._ended.put(error)
