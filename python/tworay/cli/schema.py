"""``tworay schema``."""

from __future__ import annotations

import tworay
from tworay.cli.app import app
from tworay.cli.output import print_json


@app.command()
def schema() -> None:
    """Print the JSON Schema of the scenario file."""
    print_json(tworay.schema())
