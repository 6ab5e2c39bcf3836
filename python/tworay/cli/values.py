"""Convert the words of a command line without Pydantic.

Typer builds a Pydantic adapter for every parameter of the command that runs, also for those that are not
given; importing Pydantic takes longer than a short simulation. Words of the types below are converted here.
A word that doesn't fit goes to Typer, whose message names the option.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
DECIMAL = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")


def _path(word: str) -> Path | None:
    """Typer refuses a file that exists but can't be read."""
    return Path(word) if os.access(word, os.R_OK) or not os.path.exists(word) else None  # noqa: PTH110


# Conversions from text; None: the text is not of this type, or unusual.
CONVERSIONS: dict[type, Callable[[str], Any]] = {
    str: lambda word: word,
    Path: _path,
    int: lambda word: int(word) if WHOLE.fullmatch(word) else None,
    float: lambda word: float(word) if DECIMAL.fullmatch(word) else None,
}


class Values:
    """Takes the place of a parameter's adapter (``RuntimeParam`` in Typer)."""

    def __init__(self, typers: Callable[[], Any]) -> None:
        self._typers = typers

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert a parameter's value; what is not known here is converted by Typer."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        found = _converted(value, param.type_descriptor)
        return self._typers().coerce(value, param=param, ctx=ctx) if found is None else found


def with_quick_values(param: Any) -> Any:
    """Return a parameter of a command, which now converts its values without Pydantic.

    A version of Typer that has no ``get_runtime_param`` goes on as it does.
    """
    typers = getattr(param, "get_runtime_param", None)
    if typers is not None and hasattr(param, "type_descriptor") and not isinstance(typers, _Known):
        param.get_runtime_param = _Known(Values(typers))
    return param


class _Known:
    """Returns the values of a parameter, in place of the method that makes an adapter."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def __call__(self) -> Values:
        return self._values


def _converted(value: Any, descriptor: Any) -> Any:
    """Return the value in its parameter's type; None if Typer has to decide."""
    annotation, about = descriptor.annotation, descriptor.parameter_info
    if about.parser is not None or about.min is not None or about.max is not None or _checked_path(about):
        return None
    if get_origin(annotation) is list:
        (annotation,) = get_args(annotation)
        if annotation not in CONVERSIONS or not isinstance(value, list | tuple):
            return None
        several = [_one(word, annotation) for word in value]
        return None if None in several else several
    return _one(value, annotation) if annotation in CONVERSIONS else None


def _one(value: Any, annotation: type) -> Any:
    """Convert one word; a default may have its type already."""
    if isinstance(value, str):
        return CONVERSIONS[annotation](value)
    return value if type(value) is annotation or (annotation is Path and isinstance(value, Path)) else None


def _checked_path(about: Any) -> bool:
    """Return whether Typer has to look at the file."""
    return bool(
        about.exists or about.resolve_path or about.writable or not (about.file_okay and about.dir_okay)
    )
