"""``tworay scenarios``."""

from __future__ import annotations

from typing import Annotated

import typer

import tworay
from tworay.cli.app import app
from tworay.cli.options import JsonOption
from tworay.cli.output import print_columns, print_json


@app.command()
def scenarios(
    show: Annotated[str | None, typer.Option(metavar="NAME", help="Print this scenario as TOML.")] = None,
    json: JsonOption = False,
) -> None:
    """List the built-in scenarios, or print one.

    A printed scenario is a TOML file to copy and change.
    """
    if show is not None:
        text = tworay.scenario_text(show)
        print(text, end="" if text.endswith("\n") else "\n")
    elif json:
        print_json([entry._asdict() for entry in tworay.scenarios()])
    else:
        print_columns([[entry.name, entry.summary] for entry in tworay.scenarios()])
