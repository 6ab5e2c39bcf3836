"""Calls of Python's functions with arguments that they don't have are refused with what to write instead."""

from __future__ import annotations

import functools
import inspect
import json
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from tworay import _native
from tworay.arguments import functions
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Taken = ParamSpec("Taken")
Result = TypeVar("Result")

# An example for the argument after those that have a place of their own.
EXAMPLES = {"tcp": '"reno"', "seed": "3", "out": '"DIR"', "output": '"plot.svg"', "flow": "0"}
# What sweeps have in another place.
REMEDIES = {
    (
        "Experiment.run",
        "force",
    ): "finished runs stay and the others are done; name another directory with out",
    ("Experiment.run", "resume"): "it goes on with the directory that out names",
    ("Experiment.run", "series"): 'write keep = ["series"] into the experiment',
    ("Experiment.run", "costs"): 'write set={"energy.costs": "FILE.csv"}',
}


class CallError(InputError, TypeError):
    """A function was called with an argument that it doesn't have; also a ``TypeError``, as Python's own."""


def plainly(function: Callable[Taken, Result]) -> Callable[Taken, Result]:
    """Let a function refuse arguments that it doesn't have with what to write instead."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*values: Taken.args, **named: Taken.kwargs) -> Result:
        check_call(function, values, named, signature)
        return function(*values, **named)

    return called


def check_call(
    function: Callable[..., object],
    values: tuple[object, ...],
    named: Mapping[str, object],
    signature: inspect.Signature,
) -> None:
    """Check that ``function``, whose parameters are those of ``signature``, has these arguments.

    Raises:
        CallError: it lacks one; the text names the nearest, or the functions that have it.

    """
    parameters = signature.parameters
    called = _name(function)
    for name in named:
        if name not in parameters:
            raise CallError(f"{called} has no argument `{name}`; {_remedy(called, name, parameters)}")
    placed = [one.name for one in parameters.values() if one.kind is not one.KEYWORD_ONLY]
    if len(values) > len(placed):
        after = next((name for name in parameters if name in EXAMPLES and name not in placed), None)
        example = f", such as {after}={EXAMPLES[after]}" if after else ""
        first = ", ".join(name for name in placed if name != "self") or "nothing"
        raise CallError(f"{called} takes {first} without a name; write the names of the others{example}")


def _name(function: Callable[..., object]) -> str:
    """Return what users call a function: ``tworay.run``, ``Experiment.run``."""
    name = function.__qualname__
    return name if "." in name else f"tworay.{name}"


def _remedy(called: str, name: str, parameters: Iterable[str]) -> str:
    if (called, name) in REMEDIES:
        return REMEDIES[called, name]
    if near := _native.nearest(name, [one for one in parameters if one != "self"]):
        return f"did you mean {near}?"
    if name in json.loads(_native.json_schema())["properties"]:
        return f'as a key of the scenario it belongs into set, such as set={{"{name}": ...}}'
    others = [_name(one) for one in functions() if name in inspect.signature(one).parameters]
    if others:
        return f"{' and '.join(others)} {'has' if len(others) == 1 else 'have'} it; leave it out"
    return f"it has {', '.join(one for one in parameters if one != 'self')}"
