"""``tworay plot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tworay.cli.options import EveryOption, IntervalsOption, JudgeOption
from tworay.cli.output import check_free, write_file
from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay.showing.plotting import What

from tworay.cli.app import app


def _kind(what: str) -> str:
    """Refuse a wrong WHAT first: a missing -o says nothing about it."""
    from tworay.showing.plotting import check_kind

    check_kind(what)
    return what


@app.command()
def plot(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A directory that `run --out` or `compare --out` wrote.")
    ],
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            callback=_kind,
            help="cwnd, rtt, goodput (acknowledged data) or sequence (over time), rate or aggregates (of "
            "links, over time), transfers (by size) or box (a metric by arm).",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write: .svg, .pdf or .png.")
    ],
    flow: Annotated[
        str | None,
        typer.Option(metavar="N", help="Only this flow: its number, or names of its ends, such as barn:gw."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="The seed to draw, in a comparison. Default: the first, or the mean."),
    ] = None,
    metric: Annotated[str, typer.Option(metavar="NAME", help="The metric of box. See `tworay metrics`.")] = (
        "goodput_bps"
    ),
    judge: JudgeOption = None,
    against: Annotated[
        list[Path] | None,
        typer.Option("--with", metavar="DIR", help="Another run to draw on the same axes; repeatable."),
    ] = None,
    zoom: Annotated[
        str | None,
        typer.Option(metavar="A:B", help="The stretch of time to show, s, or `trouble`: the first one."),
    ] = None,
    intervals: IntervalsOption = None,
    every: EveryOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Draw stored results.

    Window, RTT, goodput or sequence over time, of one run or several; rates and aggregates of links;
    transfers by size; or a metric by arm.
    """
    from tworay.experiment.store.tables import known_tables
    from tworay.showing.pictures import FORMATS, write
    from tworay.showing.plotting import plot

    if output.suffix.lower() not in FORMATS:
        raise InputError(f"{output}: plots are written as {', '.join(FORMATS)}; name such a file")
    check_free(output, force=force)
    with known_tables(directory):
        figure = plot(
            directory,
            cast("What", what),
            flow=flow,
            seed=seed,
            metric=metric,
            judge=judge,
            against=against or (),
            zoom=zoom,
            intervals=intervals,
            every=every,
        )
    write_file(output, lambda path: write(figure, path, output.suffix))
