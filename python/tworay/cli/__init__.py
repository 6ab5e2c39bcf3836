"""The command ``tworay``: one file per command.

``--help`` imports only these files; each command imports what it needs when it is called.
"""

from __future__ import annotations

import importlib

from tworay.cli.app import app
from tworay.cli.main import main

__all__ = ["app", "main"]

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
for _command in COMMANDS:
    importlib.import_module(f"tworay.cli.{_command}")
for _group in GROUPS:
    app.add_typer(importlib.import_module(f"tworay.cli.{_group}").app, name=_group)
