"""``tworay merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import app
from tworay.cli.options import JsonOption


@app.command()
def merge(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Directories of the same sweep or comparison.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where to write. Default: the first directory."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Join the shards of a sweep or a comparison.

    No run is lost or counted twice.
    """
    from tworay.cli.output import note, print_json
    from tworay.experiment.store.manifest import find_manifest
    from tworay.experiment.store.merging import merge as join

    place = out or directories[0]
    runs, notes = join(directories, place)
    for text in notes:
        note(f"tworay: {text}")
    if runs and (find_manifest(place) or {}).get("command") == "compare":
        from tworay.report.writing import write_report

        note(f"results are in {place}; open {write_report(place)} in a browser")
    if json:
        print_json({"directory": str(place), "runs": runs})
    else:
        print(f"{place}: {runs} runs")
