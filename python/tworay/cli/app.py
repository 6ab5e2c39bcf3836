"""The command and its exit codes."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    name="tworay",
    help="TCP for networks that move: simulate it, see why every packet was lost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Typer itself ends with 2 on wrong options and with 130 on Ctrl-C.
FAILED, WRONG_INPUT = 1, 2


def _version(wanted: bool) -> None:
    if wanted:
        from tworay import __version__

        typer.echo(f"tworay {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Handle the options before the command."""
