"""Files of result directories, read and written whole, with errors that say what to do."""

from __future__ import annotations

import contextlib
import errno
from typing import TYPE_CHECKING

from tworay.errors import OutputError
from tworay.files import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one step, safe against a power cut; create its directory if necessary."""
    with told("write", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, durable=True) as hidden:
            hidden.write_bytes(content)


def bytes_of(path: Path) -> bytes:
    """Return the bytes of a file; raise ``FileNotFoundError`` if it is gone."""
    with told("read", path, but=FileNotFoundError):
        return path.read_bytes()


@contextlib.contextmanager
def told(what: str, path: Path, but: type[OSError] | tuple[()] = ()) -> Iterator[None]:
    """Turn errors of the system, ``but`` this one, into one line that says what to do."""
    try:
        yield
    except but:
        raise
    except OSError as error:
        raise OutputError(
            f"cannot {what} {path}: {error.strerror or error}; finished runs are kept: {remedy(error)} and "
            "run the same command again (a comparison with --resume)"
        ) from error


def remedy(error: Exception) -> str:
    """Return what to do about an error of the system."""
    return "make room" if getattr(error, "errno", None) in FULL else "see to the disk"
