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
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A directory that `run --out` or `compare --out` wrote.")
    ],
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="The flow to explain: its number, or names of its ends (barn:gw, or barn if it has one flow "
            "only). Without --at, the default is all flows.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Explain the loss next to this time, such as 20.5s, or, if that is far and the run was "
            "recorded, the delay; default: the longest times in which nothing new was acknowledged.",
        ),
    ] = None,
    arm: Annotated[
        str | None, typer.Option(metavar="NAME", help="The arm to explain, in a comparison.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="The seed to explain, in a comparison.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Explain pauses and losses of a run.

    For each: the loss, its true cause, what the sender guessed, and the retransmission. Of a delay without a
    loss, where packets waited: `run --record` keeps that.
    """
    from tworay.experiment.store.reading import run_of
    from tworay.experiment.store.tables import known_tables

    time = None if at is None else _seconds(at)
    with known_tables(directory):
        explanation = run_of(directory, arm, seed).explain(flow=flow, at=time)
    if json:
        print_json(explanation.document)
    else:
        print(explanation)


def _seconds(spec: str) -> float:
    match = TIME.fullmatch(spec)
    if match is None:
        raise InputError(f"--at `{spec}` is not a time of a run; write for example `20.5s` or `20500ms`")
    return float(match[1]) / (1000 if match[2] == "ms" else 1)
