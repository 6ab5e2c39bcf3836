"""Options in messages as arguments of Python's functions: ``--until-ci 5%`` is ``until_ci=0.05`` there."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# Commands keep their options. A number after an option is its value, also with a unit.
OPTION = re.compile(
    r"`tworay [^`]*`|(?<![\w-])--([a-z][a-z-]*)(?: (\d+(?:\.\d+)?)(%|[a-z]+)?(?=[:;,.)]?(?:\s|$)))?"
)
# Options with another name in Python.
OTHERS = {"with": "against"}


def in_python(text: str) -> str:
    """Return a message with the names of arguments in place of those of options; flags are ``force=True``."""
    known = _known()

    def named(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        name = match[1].replace("-", "_")
        name = OTHERS.get(name, name)
        if name not in known:
            return match[0]
        if known[name]:
            return f"{name}=True"
        return name if match[2] is None else f"{name}={_value(match[2], match[3])}"

    return OPTION.sub(named, text)


def _value(number: str, unit: str | None) -> str:
    """Return a value as Python has it: ``5%`` as ``0.05``, ``2s`` as text."""
    if unit == "%":
        return f"{float(number) / 100:g}"
    return number if unit is None else f'"{number}{unit}"'


@functools.cache
def _known() -> dict[str, bool]:
    """Return the arguments of the functions that results are made with, and whether each is a flag."""
    found: dict[str, bool] = {}
    for function in functions():
        for name, one in inspect.signature(function).parameters.items():
            found[name] = isinstance(one.default, bool)
    return found


def functions() -> tuple[Callable[..., Any], ...]:
    """Return the functions that results are made with."""
    import tworay

    return (
        tworay.run,
        tworay.compare,
        tworay.Experiment.run,
        tworay.plot,
        tworay.write_report,
        tworay.Run.explain,
    )
