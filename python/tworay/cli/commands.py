"""The commands, one file each, imported when they are called."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from tworay.cli.optional_files import OPTIONAL_FILE
from tworay.cli.summaries import COMMANDS, GROUPS

if TYPE_CHECKING:
    import typer

# `tworay --help` and `tworay --version` need no command.
WITHOUT_COMMAND = ("", "-h", "--help", "--version")
# Set when a shell asks for completions; bash's words, or those of other shells.
COMPLETION = "_TWORAY_COMPLETE"
TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
_loaded: set[str] = set()


def load(words: list[str], app: typer.Typer) -> None:
    """Import the file of the command that a command line calls; of all if the first word is no command.

    ``app`` gets the commands.
    """
    called = words[0] if words else ""
    if COMPLETION in os.environ:
        # The shell's words begin with the program's name. A word being typed may become any command.
        typed = " ".join(os.environ.get(name, "") for name in TYPED)
        called = next(iter(typed.split()[1:]), "?")
    if called in COMMANDS or called in GROUPS:
        names = [called]
    elif called in WITHOUT_COMMAND:
        return
    else:
        names = [*COMMANDS, *GROUPS]
    if any(word in OPTIONAL_FILE for word in words):
        # Whether a word after such an option is its file depends on the options of `run`.
        names.append("run")
    _import(names, app)


def load_all(app: typer.Typer) -> None:
    """Import the files of all commands."""
    _import([*COMMANDS, *GROUPS], app)


def _import(names: list[str], app: typer.Typer) -> None:
    for name in names:
        if name not in _loaded:
            _loaded.add(name)
            module = importlib.import_module(f"tworay.cli.{name}")
            if name in GROUPS:
                app.add_typer(module.app, name=name)
