"""``tworay report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import app


@app.command()
def report(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A directory of results. Its report.html is replaced.")
    ],
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    arm: Annotated[
        str | None, typer.Option(metavar="NAME", help="Write the page of one run of a comparison: its arm.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="The seed of that run. Without --arm: the one whose arms the page shows over time.",
        ),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            metavar="DIR",
            help="Write report-with-NAME.html: this run and another one on one axis; repeatable.",
        ),
    ] = None,
    qlog: Annotated[
        int | None,
        typer.Option(
            metavar="FLOW", help="Also write this flow of a recorded run as qlog (flow-FLOW.sqlog)."
        ),
    ] = None,
) -> None:
    """Write report.html for the browser.

    One file that needs no network. Commands with --out write it, too.
    """
    from tworay.cli.output import note
    from tworay.report.writing import write_report

    if qlog is not None:
        from tworay.report.qlog import LARGE, write_qlog

        written = write_qlog(directory, qlog)
        note(f"wrote {written}")
        if written.stat().st_size > LARGE:
            note(f"tworay: {written} has {written.stat().st_size / 1e6:.0f} MB; viewers of qlog will be slow")
    place = write_report(directory, arm=arm, seed=seed, against=against or ())
    note(f"wrote {place}")
    if open_:
        typer.launch(place.absolute().as_uri())
