"""``tworay metrics``."""

from __future__ import annotations

import textwrap

from tworay.cli.app import app
from tworay.cli.options import JsonOption
from tworay.cli.output import print_json


@app.command(name="metrics")
def metrics_(json: JsonOption = False) -> None:
    """List the metrics: name, unit, definition.

    The names are those of `--metrics` and of JSON documents.
    """
    from tworay.metrics.declared import METRICS, Better
    from tworay.showing.layout import screen_width

    if json:
        print_json(
            [
                {
                    "name": metric.name,
                    "unit": metric.unit,
                    "of": metric.of.value,
                    "better": None if metric.better is Better.NEITHER else metric.better.value,
                    "definition": metric.definition,
                    "source": metric.source,
                }
                for metric in METRICS
            ]
        )
        return
    width = screen_width()
    for metric in METRICS:
        better = "" if metric.better is Better.NEITHER else f", {metric.better.value} is better"
        print(f"{metric.name}  ({metric.unit}{better})")
        print(textwrap.fill(metric.definition, width, initial_indent="    ", subsequent_indent="    "))
