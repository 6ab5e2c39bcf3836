"""The commands, one file each, imported when they are called.

``--help`` and a word that is no command need all of them; a command needs its own file only.
"""

from __future__ import annotations

import importlib

from tworay.cli.app import app
from tworay.cli.optional_files import OPTIONAL_FILE

# In the order of `tworay --help`.
COMMANDS = (
    "run",
    "compare",
    "show",
    "explain",
    "plot",
    "report",
    "view",
    "sweep",
    "table",
    "merge",
    "tune",
    "reproduce",
    "scenarios",
    "variants",
    "metrics",
    "schema",
    "convert",
    "costs",
    "energy",
)
# Groups of commands.
GROUPS = ("kernel", "live", "sedlane")
_loaded: set[str] = set()


def load(words: list[str]) -> None:
    """Import the files of the command that a command line calls, or of all commands."""
    called = words[0] if words else ""
    # Whether a word after an option is its file depends on all options of `run`.
    known = called in (*COMMANDS, *GROUPS) and not any(word in OPTIONAL_FILE for word in words)
    for name in (called,) if known else (*COMMANDS, *GROUPS):
        if name not in _loaded:
            _loaded.add(name)
            module = importlib.import_module(f"tworay.cli.{name}")
            if name in GROUPS:
                app.add_typer(module.app, name=name)
