"""Options in messages as arguments of Python's functions: ``--until-ci 5%`` is ``until_ci=0.05`` there."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# Commands keep their options.
OPTION = re.compile(r"`tworay [^`]*`|(?<![\w-])--([a-z][a-z-]*)")
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
        return match[0] if name not in known else f"{name}=True" if known[name] else name

    return OPTION.sub(named, text)


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

    return (tworay.run, tworay.compare, tworay.Experiment.run, tworay.plot, tworay.Run.explain)
