"""Threads that work through a list, and end when Ctrl-C strikes, wherever it strikes.

Python raises ``KeyboardInterrupt`` in the main thread between any two of its steps. A lock that a library
has just taken there may stay taken for ever: ``concurrent.futures.wait`` takes one lock a future, and the
workers then wait for those. So the main thread shares with the workers queues of the interpreter only,
whose steps cannot be broken in two.
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

    ``watch`` is told how many are done out of how many. Ctrl-C ends after the items under way.
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


class Workers(Generic[Item, Result]):
    """Apply ``function`` to every item in ``jobs`` threads, within a ``with``.

    Leaving the ``with`` waits until all threads are quiet. Left by an exception, no further item is begun,
    and ``halt`` is called, which should end what is under way soon.
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
        """Whether nothing more is to be begun."""
        return self._stopped

    @property
    def waiting(self) -> int:
        """Items that are done and not yet handed out."""
        return self._ended.qsize()

    def results(self) -> Iterator[tuple[Item, Result] | None]:
        """Begin, and hand out each item with its result as it is done, and ``None`` a few times a second.

        What ``function`` raises comes out here, and no further item is begun.
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
