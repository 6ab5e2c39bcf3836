"""``tworay explain``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import app
from tworay.cli.options import JsonOption
from tworay.cli.output import print_json
from tworay.errors import InputError

TIME = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(s|ms|)\s*")


@app.command()
def explain(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="What --out of `run` or `compare` wrote.")],
    flow: Annotated[
        int | None, typer.Option(metavar="N", help="Which flow; may be left out where there is one only.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Explain the loss next to this time, such as 20.5s; default: the longest times in which "
            "nothing new was acknowledged.",
        ),
    ] = None,
    arm: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a comparison: the run of this arm.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of a comparison: the run with this seed.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Say what a sender saw and what happened: the loss, its cause, the guess, the retransmission."""
    from tworay.stored.reading import run_of

    found = run_of(directory, arm, seed)
    explanation = found.explain(flow=flow, at=None if at is None else _seconds(at))
    if json:
        print_json(explanation.document)
    else:
        print(explanation)


def _seconds(spec: str) -> float:
    match = TIME.fullmatch(spec)
    if match is None:
        raise InputError(f"--at `{spec}` is no time of a run; write for example `20.5s` or `20500ms`")
    return float(match[1]) / (1000 if match[2] == "ms" else 1)
