"""Write files completely or not at all, and replace files only on request."""

from __future__ import annotations

import itertools
import json
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from tworay.cli import streams
from tworay.errors import InputError, OutputError
from tworay.files import is_device, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.server import HTTPServer
    from pathlib import Path

    import tworay


def note(text: str) -> None:
    """Print a note on stderr."""
    print(text, file=sys.stderr)


def serve_until_interrupted(server: HTTPServer, shows: str, *, browser: bool) -> None:
    """Note the address of a server on localhost and what is there; serve until Ctrl-C."""
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    note(f"{address} {shows}; Ctrl-C ends it")
    if browser:
        import typer

        typer.launch(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        note("")


def print_json(document: Any) -> None:
    """Print a document on stdout."""
    print(json.dumps(document, indent=2, allow_nan=False), file=streams.document_stream())


def check_apart(outputs: Mapping[str, Path | None]) -> None:
    """Reject outputs that would overwrite each other: the same file, or a file in a result directory."""
    places = {option: path.resolve() for option, path in outputs.items() if path is not None}
    for (one, place), (other, its_place) in itertools.permutations(places.items(), 2):
        if place == its_place and not is_device(place):
            raise InputError(f"{one} and {other} both name {outputs[one]}; give each a place of its own")
        if place in its_place.parents:
            raise InputError(
                f"{other} {outputs[other]} lies in {one} {outputs[one]}, which is written as a whole; "
                "name a place outside"
            )


def is_stdout(file: Path) -> bool:
    """Return whether a file's name means standard output."""
    return str(file) == "-"


def check_free(file: Path, *, force: bool) -> None:
    """Reject a file that exists, or whose directory doesn't exist."""
    if is_stdout(file) or is_device(file):
        return
    if file.exists() and not (force and file.is_file()):
        raise InputError(f"{file} exists already; add --force to replace it, or name another file")
    if not file.absolute().parent.is_dir():
        raise InputError(f"{file}: there is no directory {file.absolute().parent}; make it first")


# Endings of other formats, whose programs would refuse CSV in such a file.
NOT_CSV = frozenset(
    [
        ".parquet",
        ".arrow",
        ".feather",
        ".json",
        ".jsonl",
        ".ndjson",
        ".xls",
        ".xlsx",
        ".ods",
        ".html",
        ".md",
        ".toml",
        ".svg",
        ".pdf",
        ".png",
        ".gz",
        ".zip",
        ".zst",
    ]
)


def check_csv(option: str, file: Path, *, force: bool) -> None:
    """Reject a file for CSV that exists, or that is called like one of another format."""
    if file.suffix.lower() in NOT_CSV:
        kept = ", or read the tables of a result directory, which are Parquet"
        raise InputError(
            f"{option} {file}: this option writes CSV; name it {file.with_suffix('.csv').name}"
            + kept * (file.suffix.lower() == ".parquet")
        )
    check_free(file, force=force)


def write_text(file: Path, text: str) -> None:
    """Write a text, also to standard output."""
    if is_stdout(file):
        print(text, end="")
        return

    def fill(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    write_file(file, fill)


def write_file(file: Path, fill: Callable[[Path], object]) -> None:
    """Let `fill` write the file, which appears as a whole."""
    try:
        with replacing(file) as place:
            fill(place)
    except OSError as error:
        raise OutputError(f"cannot write {file}: {error.strerror}") from error
    note(f"wrote {file}")


def print_columns(rows: list[list[str]]) -> None:
    """Print rows in columns of the necessary width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def only_one(name: str | None, option: str | None) -> str | None:
    """Return a name given as an argument or with ``--show``."""
    if name is not None and option is not None:
        raise InputError(f"--show {option}: `{name}` is named already; leave one out")
    return option if name is None else name


def print_entry(name: str, *texts: str, width: int, line: int = 80, indent: int = 0) -> None:
    """Print a name, then texts beside it, each on lines of its own that fit a terminal."""
    margin = " " * (indent + width)
    head = f"{' ' * indent}{name:{width}}"
    if not head.endswith("  "):
        print(head.rstrip())
        head = margin
    for text in filter(None, texts):
        print(
            textwrap.fill(text, line, initial_indent=head, subsequent_indent=margin, break_on_hyphens=False)
        )
        head = margin


def print_comparison(result: tworay.Comparison, wanted: str | None, *, pairs: bool, as_json: bool) -> None:
    """Print the comparison, also an interrupted one."""
    if len(result) and as_json:
        for warning in result.warnings:
            note(f"tworay: {warning}")
        print_json(result.summary)
    elif len(result):
        from tworay.showing.rendering import show
        from tworay.showing.reporting import comparison_report

        shown = result.names_of_metrics(wanted)
        show(comparison_report(result, shown=shown, pairs=pairs))
