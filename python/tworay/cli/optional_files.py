"""Options whose file may be left out: ``tworay run strip-50 --pcap``."""

from __future__ import annotations

import typer

from tworay.cli.app import app

# Options whose file may be left out, with the endings that tell a file from a scenario.
OPTIONAL_FILE = {"--pcap": (".pcapng", ".pcap"), "--animate": (".xml",)}


def filled_in(arguments: list[str]) -> list[str]:
    """Give a ``--pcap`` or ``--animate`` without a file the working directory, where the run names one."""
    if arguments[:1] == ["live"]:
        # What follows belongs to another program, whose words are its own.
        return arguments
    filled = []
    for place, argument in enumerate(arguments):
        bare = argument in OPTIONAL_FILE and not _is_file(arguments, place + 1, OPTIONAL_FILE[argument])
        filled.append(f"{argument}=." if bare else argument)
    return filled


def _is_file(arguments: list[str], place: int, endings: tuple[str, ...]) -> bool:
    """Tell whether the word after an option is its file, or is the scenario, or no word of its own."""
    word = arguments[place] if place < len(arguments) else ""
    if not word or (word.startswith("-") and word != "-"):
        return False
    # `run --pcap strip-50` means a capture of strip-50; with a scenario elsewhere the word is a file.
    return word.endswith(endings) or word == "-" or any(other != place for other in _words(arguments))


def _words(arguments: list[str]) -> list[int]:
    """Return the places of words behind the verb that are neither options nor values of options."""
    command = typer.main.get_command(app).commands["run"]  # type: ignore[attr-defined]
    valued = {name for one in command.params if not getattr(one, "is_flag", False) for name in one.opts}
    places = []
    taken = True
    for place, argument in enumerate(arguments):
        if not taken and (argument == "-" or not argument.startswith("-")):
            places.append(place)
        taken = argument in valued and argument not in OPTIONAL_FILE
    return places
