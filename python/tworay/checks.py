"""Checks of arguments that the command line makes by itself, for callers from Python."""

from __future__ import annotations

import operator

from tworay.errors import InputError


def whole(value: object, what: str) -> int:
    """Return a whole number as a Python integer, numpy's too."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{what} is a whole number, found {value!r}") from None
