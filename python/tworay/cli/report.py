"""``tworay report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import app


@app.command()
def report(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="What --out wrote; its report.html is made again.")
    ],
    open_: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    arm: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a comparison: the page of this arm's run.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of a comparison: the page of the run with this seed.")
    ] = None,
    qlog: Annotated[
        int | None,
        typer.Option(metavar="FLOW", help="Write this flow of a recorded run as qlog beside it (.sqlog)."),
    ] = None,
) -> None:
    """Write results as a page for the browser: one file, no network needed."""
    from tworay.cli.output import note
    from tworay.report.writing import write_report

    if qlog is not None:
        from tworay.report.qlog import LARGE, write_qlog

        written = write_qlog(directory, qlog)
        note(f"wrote {written}")
        if written.stat().st_size > LARGE:
            note(f"tworay: {written} has {written.stat().st_size / 1e6:.0f} MB; viewers of qlog will be slow")
    place = write_report(directory, arm=arm, seed=seed)
    note(f"wrote {place}")
    if open_:
        typer.launch(place.absolute().as_uri())
