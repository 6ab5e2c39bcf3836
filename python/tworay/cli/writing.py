"""Files that the command line writes: whole or not at all, and never over another unless asked."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def note(text: str) -> None:
    """Say something beside the results: on stderr."""
    print(text, file=sys.stderr)


def print_json(document: Any) -> None:
    """Print a document on stdout."""
    print(json.dumps(document, indent=2, allow_nan=False))


def check_free(file: Path, *, force: bool) -> None:
    """Refuse a file that exists already, or whose directory does not."""
    if file.exists() and not force:
        raise InputError(f"{file} exists already; add --force to replace it, or name another file")
    if not file.absolute().parent.is_dir():
        raise InputError(f"{file}: there is no directory {file.absolute().parent}; make it first")


def write_text(file: Path, text: str) -> None:
    """Write a text."""

    def fill(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    write_file(file, fill)


def write_file(file: Path, fill: Callable[[Path], object]) -> None:
    """Let `fill` write a hidden file, which then takes the name at once."""
    hidden = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        fill(hidden)
        hidden.replace(file)
    except OSError as error:
        raise OutputError(f"cannot write {file}: {error.strerror}") from error
    finally:
        hidden.unlink(missing_ok=True)
    note(f"wrote {file}")
