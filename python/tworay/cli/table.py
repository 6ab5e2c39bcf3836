"""``tworay table``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tworay.cli.app import app
from tworay.cli.options import JsonOption, JudgeOption, joined

if TYPE_CHECKING:
    import polars as pl

    from tworay.analysis.contrasts import Contrast
    from tworay.experiment.api import Results


@app.command()
def table(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A directory of `tworay sweep`, also of one that is running."),
    ],
    rows: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AXIS,AXIS", help="Axes of the rows. Default: all that --cols doesn't use. Repeatable."
        ),
    ] = None,
    cols: Annotated[
        str | None,
        typer.Option(metavar="AXIS", help="Axis of the columns. Default: tcp, or the last one that varies."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The metric to show (see `tworay metrics`). Default: the experiment's first."
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="AXIS=VALUE,VALUE", help="Use only these values of an axis. Repeatable."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="Compare all columns with this one instead of all pairs."),
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Also print every paired difference with its tests.")
    ] = False,
    interaction: Annotated[
        bool, typer.Option("--interaction", help="Also print interactions of rows and columns.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the table into FILE: .svg, .pdf or .png.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Kind of --plot: lines, dots, ecdf or heat.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write means and intervals as CSV; - is stdout.")
    ] = None,
    judge: JudgeOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    json: JsonOption = False,
) -> None:
    """Tabulate a sweep.

    Means with 95 % intervals, and paired differences, corrected for the number of tests in the table.
    """
    import polars as pl

    from tworay.cli.output import check_csv, check_free, note, print_json, write_file, write_text
    from tworay.errors import InputError
    from tworay.experiment.api import Results
    from tworay.experiment.store.manifest import find_manifest

    results = Results(directory, judge=judge)
    chosen = _where(where or [])
    frame = results.where(chosen)
    if frame.is_empty():
        raise InputError(f"{directory}: no run has finished yet")
    for text in _told(results, chosen):
        note(f"tworay: {text}")
    varying = [axis for axis in results.axes if frame[axis].n_unique() > 1] or [results.axes[0]]
    sides, over = _layout(results.axes, varying, joined(rows), cols)
    side = ", ".join(sides)
    name = metric or (find_manifest(directory) or {"metrics": ["goodput_bps"]})["metrics"][0]
    if plot is not None:
        check_free(plot, force=force)
    if csv is not None:
        check_csv("--csv", csv, force=force)
    if over is None:
        means, found = (
            results.table(name, sides, where=chosen),
            results.compare(name, over=sides[0], by=(), where=chosen, against=against),
        )
    else:
        found = results.compare(name, over=over, by=sides, where=chosen, against=against)
        means = found.means
    if len(sides) > 1:
        means = means.with_columns(pl.concat_str(sides, separator=", ").alias(side))
    if interaction and (over is None or len(sides) > 1):
        raise InputError("--interaction needs two axes; name one with --rows and one with --cols")
    if plot is not None:
        from tworay.showing.drawing import Look, draw
        from tworay.showing.pictures import write

        title = ", ".join([directory.resolve().name.removesuffix(".sweep"), *(where or [])])
        figure = draw(means, found.metric, rows=side, lines=over, kind=kind, look=Look(title=title))
        write_file(plot, lambda path: write(figure, path, plot.suffix))
    if csv is not None:
        write_text(csv, means.drop("values").write_csv())
        if str(csv) == "-":
            return
    if json:
        document: dict[str, Any] = {
            "metric": found.metric,
            "judge": results.judge,
            "repeated_seeds": list(results.repeated(chosen)),
            "rows": side,
            "cols": over,
            "cells": means.drop("values").to_dicts(),
            "pairs": found.frame.to_dicts(),
        }
        if interaction and over:
            document["interaction"] = results.interaction(name, side, over, where=chosen).to_dicts()
        print_json(document)
        return
    _show(means, found, side, over, pairs=pairs or over is None or against is not None)
    if interaction and over:
        _show_interaction(results.interaction(name, side, over, where=chosen), found.metric)


def _told(results: Results, where: dict[str, list[str]]) -> list[str]:
    """Return notes about the runs: whether some are missing, and whether some repeat others."""
    from tworay.experiment.store.manifest import find_manifest

    manifest = find_manifest(results.path) or {}
    notes = []
    planned = len(manifest.get("seeds") or []) * int(manifest.get("cells") or 0)
    if results.runs.height < planned:
        notes.append(
            f"{results.runs.height} of {planned} runs are finished; `tworay sweep` with the same experiment "
            "does the others"
        )
    again, seeds = results.repeated(where), results.where(where)["seed"].n_unique()
    if again and len(again) == seeds - 1:
        notes.append(
            f"all {seeds} seeds gave the same runs, because nothing in them is random, and count once; "
            'entries = "2s" in the experiment draws the flows\' start times from the seed'
        )
    elif still := results.still(where):
        cells = results.where(where)["cell"].n_unique()
        notes.append(
            f"{len(still)} of {cells} cells gave the same run with every seed, because nothing in "
            "them is random; two of them have no test"
        )
    elif again:
        notes.append(f"{len(again)} of {seeds} seeds repeat the runs of another one, and count once")
    return notes


def _layout(
    axes: list[str], varying: list[str], rows: str | None, cols: str | None
) -> tuple[list[str], str | None]:
    """Return the axes of the rows, and the axis of the columns if there is one."""
    from tworay.analysis.contrasts import resolve
    from tworay.errors import InputError

    sides = [resolve(one.strip(), axes, "--rows") for one in rows.split(",")] if rows else []
    over = resolve(cols, axes, "--cols") if cols else None
    named = [*sides, *([over] if over else [])]
    for axis in named:
        if named.count(axis) > 1:
            raise InputError(f"--rows, --cols: `{axis}` is named twice; name each axis once")
    if over is None:
        others = [axis for axis in varying if axis not in sides]
        wanted = others if sides or len(others) > 1 else []
        over = ("tcp" if "tcp" in wanted else wanted[-1]) if wanted else None
    return sides or [axis for axis in varying if axis != over] or [varying[0]], over


def _where(texts: list[str]) -> dict[str, list[str]]:
    from tworay.errors import InputError
    from tworay.experiment.arms import split_list

    found: dict[str, list[str]] = {}
    for text in texts:
        axis, equals, values = text.partition("=")
        if not (axis.strip() and equals and values.strip()):
            raise InputError(f"--where {text}: write AXIS=VALUE, such as --where tcp=reno,newreno")
        found.setdefault(axis.strip(), []).extend(one.strip() for one in split_list(values))
    return found


def _show(means: pl.DataFrame, found: Contrast, side: str, over: str | None, *, pairs: bool) -> None:
    from tworay.metrics import find
    from tworay.showing.drawing import scaled
    from tworay.showing.layout import Column
    from tworay.showing.layout import table as lay_out
    from tworay.showing.rendering import show
    from tworay.showing.text import Group, Text

    heading, scale = scaled(found.metric)
    known = find(found.metric)
    form = known.form if known else ",.3g"
    labels = list(dict.fromkeys(means[side].to_list()))
    names = list(dict.fromkeys(means[over].to_list())) if over else [found.metric]
    cells = {(row[side], row[over] if over else found.metric): row for row in means.iter_rows(named=True)}

    def cell(label: str, name: str) -> str:
        row = cells.get((label, name))
        if row is None or row["mean"] is None:
            return "–"
        half = "" if row["low"] is None else f" ± {(row['high'] - row['low']) / 2 * scale:{form}}"
        return f"{row['mean'] * scale:{form}}{half}"

    columns = [Column(name, [cell(label, name) for label in labels]) for name in names]
    seeds = means["n"].unique().sort().to_list()
    shown: list[Any] = [
        Text(heading + (f" by {side} and {over}" if over else f" by {side}")),
        *lay_out(side, labels, columns),
    ]
    shown.append(
        Text(f"Means ± 95 % intervals over {'–'.join(map(str, [seeds[0], seeds[-1]][: len(seeds)]))} seeds.")
    )
    if found.frame.height:
        shown.append(Text(found.conclusion()))
    if pairs and found.frame.height:
        lines = list(found.frame.iter_rows(named=True))
        places = [
            " ".join([*(str(row[axis]) for axis in found.by), f"{row['a']} − {row['b']}"]) for row in lines
        ]
        shown += ["", *lay_out("pair", places, _pair_columns(lines, scale, form))]
    show(Group(*shown))


def _pair_columns(lines: list[dict[str, Any]], scale: float, form: str) -> list[Any]:
    from tworay.showing.layout import Column

    def number(value: float | None, spec: str, factor: float = 1.0) -> str:
        return "–" if value is None else f"{value * factor:{spec}}"

    return [
        Column("difference", [number(row["difference"], f"+{form}", scale) for row in lines]),
        Column("%", [number(row["percent"], "+.1f") for row in lines]),
        Column(
            "95 % interval, %",
            [
                f"{number(row['percent_low'], '+.1f')} to {number(row['percent_high'], '+.1f')}"
                for row in lines
            ],
        ),
        Column("Holm p", [number(row["p_holm"], ".2g") for row in lines]),
        Column("verdict", [row["verdict"] for row in lines]),
    ]


def _show_interaction(frame: pl.DataFrame, metric: str) -> None:
    from tworay.showing.drawing import scaled
    from tworay.showing.layout import Column
    from tworay.showing.layout import table as lay_out
    from tworay.showing.rendering import show
    from tworay.showing.text import Group, Text

    heading, scale = scaled(metric)
    lines = list(frame.iter_rows(named=True))
    axes = frame.columns[:2]
    names = [f"{row[axes[0]]}, {row[axes[1]]}" for row in lines]
    cells = [
        f"{row['difference'] * scale:+,.1f} ({row['low'] * scale:+,.1f} to {row['high'] * scale:+,.1f})"
        if row["low"] is not None
        else "–"
        for row in lines
    ]
    ps = ["–" if row["p_holm"] is None else f"{row['p_holm']:.2g}" for row in lines]
    show(
        Group(
            "",
            Text(f"Together, beyond the sum of each alone: {heading}"),
            *lay_out(" × ".join(axes), names, [Column("interaction", cells), Column("Holm p", ps)]),
        )
    )
