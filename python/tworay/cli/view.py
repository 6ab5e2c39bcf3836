"""``tworay view``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import app


@app.command()
def view(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A directory with results in it or below it.")
    ] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port. 0 chooses a free one.")] = 0,
    open_: Annotated[bool, typer.Option("--open", help="Open the index in the browser.")] = False,
) -> None:
    """Serve reports on localhost.

    Shows an index of all results below DIR. Ctrl-C stops it.
    """
    from tworay.cli.output import serve_until_interrupted
    from tworay.report.serving import server

    with server(directory, port) as serving:
        serve_until_interrupted(serving, f"shows the results in {directory}", browser=open_)
