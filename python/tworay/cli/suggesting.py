"""Messages for a first word that is no command, and for options that a command lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from tworay.cli.commands import load_all
from tworay.cli.summaries import COMMANDS


def of_scenario(word: str) -> str | None:
    """Return the message for a word that is a scenario; None if it is none."""
    from tworay._native import builtin_text

    if builtin_text(word) is None and not (word.endswith(".toml") and Path(word).is_file()):
        return None
    return f"{word} is a scenario, not a command. Did you mean `tworay run {word}`?"


def of_option(option: str, context: Any, app: typer.Typer) -> str:
    """Return the message for an option that the command of a context lacks.

    It names the commands that have this one, or the nearest option of this command.
    """
    elsewhere = _commands_with(option, context, app)
    if elsewhere:
        known = elsewhere[0] if len(elsewhere) == 1 else f"{', '.join(elsewhere[:-1])} and {elsewhere[-1]}"
        return f"No such option: {option}. It is an option of {known}."
    from tworay._native import nearest

    near = nearest(option, _long_options(context.command, context))
    return f"No such option: {option}." + (f" Did you mean {near}?" if near else "")


def _long_options(command: Any, context: Any) -> list[str]:
    return [
        name
        for one in command.get_params(context)
        for name in (*one.opts, *one.secondary_opts)
        if "--" in name
    ]


def _commands_with(option: str, context: Any, app: typer.Typer) -> list[str]:
    load_all(app)
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return [f"`tworay {name}`" for name in COMMANDS if option in _long_options(commands[name], context)]
