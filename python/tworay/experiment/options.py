"""The options of a comparison, declared once for Python, the command line and resumed comparisons."""

from __future__ import annotations

import functools
import inspect
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from tworay.running.executing import silent

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from tworay.experiment.arms import Vary
    from tworay.experiment.engines import Engine
    from tworay.running.control import CongestionControl, Variant
    from tworay.running.executing import Watcher
    from tworay.running.scenarios import Source

Keywords = ParamSpec("Keywords")
Told = TypeVar("Told")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Options:
    """The arguments of ``tworay.compare``, whose documentation explains them."""

    scenario: Source | None = None
    _: KW_ONLY
    tcp: str | type[CongestionControl] | Iterable[Variant] | None = None
    vary: Vary | None = None
    mix: str | Iterable[str] | None = None
    seeds: int | str | Iterable[int] | None = None
    set: Mapping[str, object] | Iterable[str] | str | None = None
    jobs: int | None = None
    until_ci: float | None = None
    max_seeds: int | None = None
    out: str | os.PathLike[str] | None = None
    resume: str | os.PathLike[str] | None = None
    force: bool = False
    resources: bool = False
    costs: str | os.PathLike[str] | None = None
    judge: str | None = None
    entries: str | None = None
    shard: str | None = None
    engine: Engine | None = None
    watch: Watcher = silent


def taking(
    options: Callable[Keywords, Told],
) -> Callable[[Callable[[Told], Result]], Callable[Keywords, Result]]:
    """Turn a function of ``Options`` into one with the options as parameters."""

    def decorated(function: Callable[[Told], Result]) -> Callable[Keywords, Result]:
        @functools.wraps(function)
        def called(*values: Keywords.args, **named: Keywords.kwargs) -> Result:
            return function(options(*values, **named))

        result = inspect.signature(function).return_annotation
        # Shown by help().
        called.__signature__ = inspect.signature(options).replace(return_annotation=result)  # type: ignore[attr-defined]
        return called

    return decorated
