"""Standard input, output and error as a program finds them: closed, full, or without a way to write ±."""

from __future__ import annotations

import codecs
import errno
import fcntl
import io
import os
import sys
import unicodedata
from pathlib import Path
from typing import TextIO

from tworay.errors import InputError, OutputError

STDIN, STDOUT = Path("/dev/stdin"), Path("/dev/stdout")

# What Unicode's own decompositions don't turn into ASCII.
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
    """Make printing safe: neither a closed stream nor an encoding may cost the results of hours.

    A closed descriptor would go to the next file that is opened, and what is printed would end there. What
    is printed on a closed stdout must not get lost in silence: one that can't be written to takes its place.
    """
    codecs.register_error(FALLBACK, _plainly)
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            # It gets the lowest free descriptor: this one.
            os.open(os.devnull, mode)
    sys.stdin = sys.stdin or _open(0, "r")
    sys.stderr = sys.stderr or _open(2, "w")
    sys.stdout = _Stdout.over(sys.stdout or _open(1, "w"))
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors=FALLBACK)


def stdout_path(option: str) -> Path:
    """Return the file that standard output is, for what is no text."""
    if not os.access(STDOUT, os.W_OK) or fcntl.fcntl(1, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise InputError(f"{option} -: standard output is closed")
    return STDOUT


def _open(descriptor: int, mode: str) -> io.TextIOWrapper:
    stream = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
    assert isinstance(stream, io.TextIOWrapper)
    return stream


class _Stdout(io.TextIOWrapper):
    """Standard output whose failure is one error, whoever prints, and is not tried again at the end."""

    @classmethod
    def over(cls, stream: TextIO) -> TextIO:
        """Take over a stream's buffer; one that has none, as in some shells, stays as it is."""
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
    """Turn a failure to print into what the user is told."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)
    if error.errno == errno.EPIPE:
        # Who reads has had enough, as in `tworay variants | head`.
        return SystemExit(1)
    reason = "it is closed" if error.errno == errno.EBADF else error.strerror
    return OutputError(f"cannot write to standard output: {reason}")


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Write in ASCII what an encoding has no character for."""
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
