"""Files that a scenario written by the simulator names: movements, or a trace of traffic."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LINE = re.compile(r"^file = .*$", re.MULTILINE)


def replaced(text: str, value: Callable[[Path], str]) -> str:
    """Return the scenario's text with another value for each file that is there."""

    def line(found: re.Match[str]) -> str:
        try:
            # A name with quotation marks is written with escapes, or as another kind of string.
            path = Path(tomllib.loads(found[0])["file"])
        except (tomllib.TOMLDecodeError, TypeError):
            return found[0]
        return f"file = {value(path)}" if path.is_file() else found[0]

    return LINE.sub(line, text)
