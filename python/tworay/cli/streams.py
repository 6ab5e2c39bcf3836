"""Cope with standard streams that are closed, full, or can't encode characters such as ±."""

from __future__ import annotations

import codecs
import errno
import fcntl
import io
import os
import sys
import unicodedata
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tworay.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIN, STDOUT = Path("/dev/stdin"), Path("/dev/stdout")

# Characters that Unicode's decompositions don't turn into ASCII.
PLAIN = {
    "−": "-",
    "–": "-",
    "—": "-",
    "→": ">",
    "±": "+-",
    "×": "x",
    "µ": "u",
    "…": "...",
    "≥": ">=",
    "≤": "<=",
}
FALLBACK = "tworay-plain"


def prepare() -> None:
    """Make printing safe: a closed stream or an encoding must not cost the results of hours.

    The next opened file would get a closed descriptor, and prints would go into that file. Prints to a closed
    stdout must not be lost silently, so a stream that can't be written to replaces it.
    """
    codecs.register_error(FALLBACK, _plainly)
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free descriptor is this one.
            os.open(os.devnull, mode)
    sys.stdin = sys.stdin or _open(0, "r")
    sys.stderr = sys.stderr or _open(2, "w")
    sys.stdout = _Stdout.over(sys.stdout or _open(1, "w"))
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors=FALLBACK)


# Standard output while ``sys.stdout`` is directed elsewhere.
_document: list[TextIO] = []


@contextmanager
def only_the_document() -> Iterator[None]:
    """Direct prints to stderr, such as those of a Python variant; ``document_stream`` still is stdout."""
    _document.append(sys.stdout)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = _document.pop()


def document_stream() -> TextIO:
    """Return where a JSON document goes."""
    return _document[-1] if _document else sys.stdout


def stdout_path(option: str) -> Path:
    """Return the path of standard output, for binary data."""
    if not os.access(STDOUT, os.W_OK) or fcntl.fcntl(1, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise InputError(f"{option} -: standard output is closed")
    return STDOUT


def refuse_bytes(arguments: list[str]) -> None:
    """Raise ``InputError`` for an argument that is not UTF-8: scenarios and tables hold names as text."""
    for argument in arguments:
        if argument == "--":
            return  # The rest belongs to another program.
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(argument).decode("ascii", "backslashreplace")
            raise InputError(f"`{shown}` is not UTF-8 text; rename the file or directory") from None


def _open(descriptor: int, mode: str) -> io.TextIOWrapper:
    stream = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
    assert isinstance(stream, io.TextIOWrapper)
    return stream


class _Stdout(io.TextIOWrapper):
    """Standard output that reports a failure once, as one error, and is not flushed again at exit."""

    @classmethod
    def over(cls, stream: TextIO) -> TextIO:
        """Take over a stream's buffer; a stream without one, as in some shells, stays unchanged."""
        if not isinstance(stream, io.TextIOWrapper):
            return stream
        encoding, by_line = stream.encoding, stream.line_buffering
        return cls(stream.detach(), encoding, FALLBACK, line_buffering=by_line)

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError as error:
            raise _lost(error) from error

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise _lost(error) from error


def _lost(error: OSError) -> BaseException:
    """Turn a failure to print into an error message."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)
    if error.errno == errno.EPIPE:
        # The reader has closed the pipe, as in `tworay variants | head`.
        return SystemExit(1)
    reason = "it is closed" if error.errno == errno.EBADF else error.strerror
    return OutputError(f"cannot write to standard output: {reason}")


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that the encoding lacks by ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(_plain, text)), error.end


def _plain(character: str) -> str:
    if character in PLAIN:
        return PLAIN[character]
    if "\u2500" <= character <= "\u257f":  # lines of tables
        return "-" if character in "─━═" else "|"
    decomposed = unicodedata.normalize("NFKD", character)
    return "".join(c for c in decomposed if c.isascii()) or "?"
