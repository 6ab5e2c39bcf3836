"""``tworay show``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, cast

import tworay
from tworay.cli.comparing import print_comparison
from tworay.cli.writing import check_free, note, print_json, write_file
from tworay.errors import InputError
from tworay.layout import screen_width
from tworay.metriclist import METRICS, Better
from tworay.records import RUNS, read_manifest

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.plotting import What


def show_results(directory: Path, *, wanted: str | None, pairs: bool, as_json: bool) -> None:
    """Print a stored run or comparison again."""
    found = tworay.results(directory)
    if isinstance(found, tworay.Run):
        if as_json:
            print_json(found.summary)
        else:
            from tworay.rendering import run_report, show

            show(run_report(found.summary))
        return
    print_comparison(found, wanted, pairs=pairs, as_json=as_json)
    planned = len(read_manifest(directory)["seeds"]) * len(found.variants)
    if (directory / RUNS).is_dir() or len(found) < planned:
        note(
            f"tworay: {len(found)} of at least {planned} runs are finished; go on with "
            f"`tworay compare --resume {directory}`"
        )


def plot_results(
    directory: Path,
    what: str,
    output: Path,
    *,
    flow: int | None,
    seed: int | None,
    metric: str,
    force: bool,
) -> None:
    """``tworay plot``."""
    from tworay.plotting import FORMATS, KINDS, plot, write

    if what not in KINDS:
        raise InputError(f"there is no plot `{what}`; there are {', '.join(KINDS)}")
    if output.suffix.lower() not in FORMATS:
        raise InputError(f"{output}: plots are written as {', '.join(FORMATS)}; name such a file")
    check_free(output, force=force)
    figure = plot(directory, cast("What", what), flow=flow, seed=seed, metric=metric)
    write_file(output, lambda path: write(figure, path, output.suffix))


def list_metrics(*, as_json: bool) -> None:
    """``tworay metrics``."""
    if as_json:
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
