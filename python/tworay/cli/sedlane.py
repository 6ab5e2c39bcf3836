"""``tworay sedlane``: a recorded network as a profile of delays and losses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import Typer
from tworay.cli.options import ForceOption, JsonOption

app = Typer(no_args_is_help=True, help="Replay a recorded network as classes of delay and loss.")


@app.command()
def fit(
    trace: Annotated[
        Path, typer.Argument(help="A directory that `tworay run --out` wrote, or a wireless trace of ns-2.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PROFILE.toml", help="The profile to write.")
    ] = None,
    flow: Annotated[
        int | None, typer.Option(help="The TCP flow to fit. Default: the one that sent most.")
    ] = None,
    classes: Annotated[int, typer.Option(help="The most classes to use, 1 to 16.")] = 16,
    export: Annotated[
        str | None,
        typer.Option(
            metavar="netem|dummynet", help="Print rules for netem or dummynet instead of writing a profile."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="The interface that the rules of --export name.")] = "eth0",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Fit a profile to a trace.

    `tworay run --profile` and `tworay live run --profile` replay it.
    """
    from tworay.cli.sedlanefit import fit_profile

    fit_profile(
        trace, output, flow=flow, classes=classes, export=export, device=device, force=force, as_json=json
    )
