"""Options with an optional file: ``tworay run strip-50 --pcap``."""

from __future__ import annotations

import typer

# Options with an optional file, and the endings that distinguish files from scenarios.
OPTIONAL_FILE = {"--pcap": (".pcapng", ".pcap"), "--animate": (".xml",)}


def filled_in(arguments: list[str], app: typer.Typer) -> list[str]:
    """Let ``--pcap`` and ``--animate`` without a file use the working directory; the run names the file."""
    if arguments[:1] == ["live"]:
        # The rest belongs to another program.
        return arguments
    filled = []
    for place, argument in enumerate(arguments):
        bare = argument in OPTIONAL_FILE and not _is_file(arguments, place + 1, OPTIONAL_FILE[argument], app)
        filled.append(f"{argument}=." if bare else argument)
    return filled


def _is_file(arguments: list[str], place: int, endings: tuple[str, ...], app: typer.Typer) -> bool:
    """Return whether the word after an option is its file, and not the scenario or another option."""
    word = arguments[place] if place < len(arguments) else ""
    if not word or (word.startswith("-") and word != "-"):
        return False
    # `run --pcap strip-50` means a capture of strip-50; with a scenario elsewhere the word is a file.
    return word.endswith(endings) or word == "-" or any(other != place for other in _words(arguments, app))


def _words(arguments: list[str], app: typer.Typer) -> list[int]:
    """Return the indices of words after the command that are neither options nor their values."""
    command = typer.main.get_command(app).commands["run"]  # type: ignore[attr-defined]
    valued = {name for one in command.params if not getattr(one, "is_flag", False) for name in one.opts}
    places = []
    taken = True
    for place, argument in enumerate(arguments):
        if not taken and (argument == "-" or not argument.startswith("-")):
            places.append(place)
        taken = argument in valued and argument not in OPTIONAL_FILE
    return places
