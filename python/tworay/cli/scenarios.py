"""``tworay scenarios``."""

from __future__ import annotations

from typing import Annotated

import typer

import tworay
from tworay.cli.app import app
from tworay.cli.options import JsonOption
from tworay.cli.output import only_one, print_entry, print_json

# A longer name has a line of its own.
WIDEST = 20


@app.command()
def scenarios(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Print this scenario as TOML.")] = None,
    show: Annotated[str | None, typer.Option(metavar="NAME", help="The same as NAME.")] = None,
    json: JsonOption = False,
) -> None:
    """List the built-in scenarios, or print one.

    A printed scenario is a TOML file to copy and change.
    """
    show = only_one(name, show)
    if show is not None:
        text = tworay.scenario_text(show)
        print(text, end="" if text.endswith("\n") else "\n")
    elif json:
        print_json([entry._asdict() for entry in tworay.scenarios()])
    else:
        entries = tworay.scenarios()
        width = max(len(entry.name) for entry in entries if len(entry.name) <= WIDEST) + 2
        for entry in entries:
            print_entry(entry.name, entry.summary, width=width)
