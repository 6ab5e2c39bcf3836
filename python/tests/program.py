"""The command with all its commands, as called in this process.

Making them takes a twentieth of a second, and ``app(...)`` does it for each call.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from typer.main import get_command

from tworay.cli.whole import app


@cache
def program() -> Any:
    """Return the commands as click has them."""
    return get_command(app)


def called(*words: str) -> None:
    """Do what ``tworay WORDS`` does."""
    program()(list(words), standalone_mode=False)
