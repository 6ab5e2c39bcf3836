"""The options of comparisons and sweeps, declared once for Python and the command line."""

from __future__ import annotations

import functools
import inspect
from dataclasses import KW_ONLY, dataclass, fields
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from tworay.calls import check_call

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from tworay.experiment.arms import Vary
    from tworay.experiment.engines import Engine
    from tworay.running.executing import Watch
    from tworay.running.scenarios import Source
    from tworay.running.spec import Variants

Keywords = ParamSpec("Keywords")
Told = TypeVar("Told")
Owner = TypeVar("Owner")
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Common:
    """Options of comparisons and of sweeps; in a sweep they replace what the experiment says."""

    tcp: Variants | None = None
    vary: Vary | None = None
    routing: str | None = None
    mix: str | Iterable[str] | None = None
    seeds: int | str | Iterable[int] | None = None
    set: Mapping[str, object] | Iterable[str] | str | None = None
    until_ci: float | None = None
    max_seeds: int | None = None
    judge: str | None = None
    metrics: str | Iterable[str] | None = None
    entries: str | None = None
    resources: bool = False
    out: str | os.PathLike[str] | None = None
    jobs: int | None = None
    shard: str | None = None
    engine: Engine | None = None
    watch: Watch = None

    def words(self) -> list[str]:
        """Return the options that decide the runs as words of a command line."""
        found = []
        for name in (one.name for one in fields(self) if one.name in DECIDE):
            value = getattr(self, name)
            several = value if isinstance(value, list | tuple) else [value]
            for one in several if value not in (None, False) else ():
                text = f"{one:g}" if isinstance(one, float) else str(one)
                found += [f"--{name.replace('_', '-')}", *([] if value is True else [text])]
        return found


# Options that decide which runs there are and what is shown, in the order of a command line.
DECIDE = (
    *(
        "tcp",
        "vary",
        "routing",
        "mix",
        "seeds",
        "set",
        "until_ci",
        "max_seeds",
        "judge",
        "entries",
        "resources",
    ),
    *("costs", "metrics", "retry_failed"),
)


@dataclass(frozen=True)
class Options(Common):
    """The arguments of ``tworay.compare``, whose documentation explains them."""

    scenario: Source | None = None
    _: KW_ONLY
    resume: str | os.PathLike[str] | None = None
    force: bool = False
    costs: str | os.PathLike[str] | None = None


@dataclass(frozen=True)
class SweepOptions(Common):
    """The arguments of ``Experiment.run``, whose documentation explains them."""

    out: str | os.PathLike[str] | None = None
    _: KW_ONLY
    retry_failed: bool = False


def taking(
    options: Callable[Keywords, Told],
) -> Callable[[Callable[[Told], Result]], Callable[Keywords, Result]]:
    """Turn a function of ``options`` into one with the options as parameters."""

    def decorated(function: Callable[[Told], Result]) -> Callable[Keywords, Result]:
        @functools.wraps(function)
        def called(*values: Keywords.args, **named: Keywords.kwargs) -> Result:
            check_call(function, values, named, inspect.signature(options))
            return function(options(*values, **named))

        _show(called, function, options)
        return called

    return decorated


def method_taking(
    options: Callable[Keywords, Told],
) -> Callable[[Callable[[Owner, Told], Result]], Callable[Concatenate[Owner, Keywords], Result]]:
    """Turn a method of ``options`` into one with the options as parameters."""

    def decorated(
        function: Callable[[Owner, Told], Result],
    ) -> Callable[Concatenate[Owner, Keywords], Result]:
        @functools.wraps(function)
        def called(self: Owner, *values: Keywords.args, **named: Keywords.kwargs) -> Result:
            check_call(function, values, named, inspect.signature(options))
            return function(self, options(*values, **named))

        _show(called, function, options)
        # mypy would keep the name of its first parameter.
        return cast("Callable[Concatenate[Owner, Keywords], Result]", called)

    return decorated


def _show(called: Any, function: Callable[..., Any], options: Callable[..., Any]) -> None:
    """Let help() show the options in place of the function's last parameter."""
    own = inspect.signature(function)
    parameters = [*list(own.parameters.values())[:-1], *inspect.signature(options).parameters.values()]
    called.__signature__ = own.replace(parameters=parameters)
