"""Messages for a first word that is no command, for options that a command lacks, and for words too many."""

from __future__ import annotations

import re
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


def of_extra(words: list[str], command: Any, context: Any) -> str:
    """Return the message for words that a command doesn't take: what it takes, and where they may belong."""
    arguments = [one for one in command.get_params(context) if one.param_type_name == "argument"]
    taken = " and ".join((one.metavar or one.name).strip("[]{}").upper() for one in arguments)
    options = _long_options(command, context)
    option = next((one for one in _takers(words[0]) if one in options), None)
    known = f"did you mean {option} {words[0]}?" if option else f"`{context.command_path} -h` lists options."
    many = "is a word" if len(words) == 1 else "are words"
    return f"`{' '.join(words)}` {many} too many: {context.command_path} takes {taken or 'no words'}; {known}"


def _takers(word: str) -> list[str]:
    """Return the options whose value a word may be, by what it looks like."""
    from tworay._native import builtin_text
    from tworay.errors import InputError
    from tworay.metrics import check
    from tworay.running.scenarios import variants

    if Path(word).suffix in (".svg", ".pdf", ".png"):
        return ["--output", "--plot"]
    if word.endswith(".csv"):
        return ["--csv"]
    names = re.split(r"[,+(]", word)
    if {one.name for one in variants()} & set(names):
        return ["--tcp"]
    if "=" in word:
        return ["--where", "--set"]
    if re.fullmatch(r"\d+(-\d+)?", word):
        return ["--seed", "--seeds"]
    if builtin_text(word) is not None:
        return []
    if Path(word).is_dir():
        return ["--with", "--out"]
    try:
        check(word)
    except InputError:
        return []
    return ["--metric", "--metrics"]


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
