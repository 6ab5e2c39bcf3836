"""The page of a sweep: small multiples over its axes, every cell's numbers, and what failed."""

from __future__ import annotations

import itertools
import shlex
from typing import TYPE_CHECKING, Any

from tworay import metrics
from tworay.errors import InputError, with_options
from tworay.report.figures import Point, Row, dots, figure, lines, numbers, series_legend
from tworay.report.page import capital, coded, esc, table, whole_page
from tworay.showing.labels import number as number_of
from tworay.showing.labels import with_unit

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tworay.experiment.api import Results

# The most pictures of one metric on a page.
MULTIPLES = 36


def sweep_page(directory: Path) -> str:
    """Return the page of a sweep's directory, finished or not."""
    from tworay.experiment.api import Results
    from tworay.experiment.store.manifest import find_manifest

    results = Results(directory)
    manifest = find_manifest(directory) or {}
    name = str(manifest.get("name", directory.name))
    failed = results.failures
    runs = results.runs
    planned = len(manifest.get("seeds", [])) * int(manifest.get("cells", 0))
    parts = [
        f'<header class="page-head"><h1>{esc(name)}: sweep</h1>'
        f'<p class="verdict">{runs.height:,} runs finished of {planned:,} planned, '
        f"{int(manifest.get('cells', 0)):,} cells.</p>",
        f"<p>{esc(manifest.get('about') or '')}</p>",
    ]
    if runs.height < planned and not manifest.get("until_ci"):
        parts.append(
            f'<p class="warning">{planned - runs.height:,} runs are missing or failed; '
            "<code>tworay sweep</code> with the same experiment does them.</p>"
        )
    parts.append("</header>")
    links = []
    if runs.is_empty():
        parts.append("<p>No run has finished yet.</p>")
    else:
        for metric in manifest.get("metrics") or ["goodput_bps"]:
            anchor = metric.replace(".", "-")
            links.append((anchor, capital(metrics.words(metric)[0])))
            parts.append(f'<section id="{esc(anchor)}">{_metric(results, metric, directory)}</section>')
    if not failed.is_empty():
        axes = results.axes
        rows = [
            [str(row["cell"]), *(row[a] for a in axes), row["seed"], row["message"]]
            for row in failed.to_dicts()
        ]
        parts.append(
            '<section id="failed"><h2>Failed runs</h2>'
            + table("Failed runs", ["cell", *axes, "seed", "message"], rows)
            + "</section>"
        )
        links.append(("failed", "Failed runs"))
    return whole_page(f"{name}: sweep – tworay", "\n".join(parts), {"kind": "figures"}, links=links)


def layout(results: Results) -> tuple[str | None, str | None, list[str]]:
    """Return the x axis of the pictures, the axis of their lines, and the axes that distinguish the pictures.

    Lines are variants (or the last axis that varies), the axis along is the longest of numbers.
    """
    varying = results.varying or results.axes[:1]
    over = "tcp" if "tcp" in varying else varying[-1]
    rest = [axis for axis in varying if axis != over]
    labels = {axis: results.labelled[axis].unique(maintain_order=True).to_list() for axis in rest}
    numeric = [axis for axis in rest if _numbers(labels[axis])]
    along = max(numeric or rest, key=lambda axis: len(labels[axis]), default=None)
    return along, over, [axis for axis in rest if axis != along]


def _numbers(labels: list[str]) -> list[float] | None:
    """Return the numbers of an axis's labels, if each has one of its own."""
    found = [number_of(label) for label in labels]
    known = [one for one in found if one is not None]
    return known if len(set(known)) == len(labels) > 1 else None


def _metric(results: Results, metric: str, directory: Path) -> str:
    declared = metrics.find(metric)
    title, unit = metrics.words(metric)
    heading = f"{title}, {unit}" if unit else title
    scale = declared.scale if declared else 1.0
    definition = declared.definition if declared else ""
    about = f"{coded(capital(definition))}. " if definition else ""
    about = f"<p>{about}Bars are 95 % intervals over the seeds.</p>"
    along, over, others = layout(results)
    keys = [axis for axis in (*others, along, over) if axis is not None]
    try:
        means = results.table(metric, keys)
    except InputError as error:
        return f"<h2>{esc(capital(heading))}</h2><p>{esc(with_options(error))}</p>"
    facets = list(itertools.product(*(_labels(results, axis) for axis in others)))
    shown = facets[:MULTIPLES]
    call = ["tworay", "table", directory.resolve().name, "--metric", metric]
    call += ["--rows", along or over or "", *(["--cols", over] if along and over else [])]
    call += ["--plot", f"{metric}.svg"]
    again = f"<p>As a table and a picture: <code>{esc(shlex.join(call))}</code>"
    if others:
        wanted = " ".join(f"--where {axis}=…" for axis in others)
        again += f"; with <code>{esc(wanted)}</code> as the headings say, one of those below"
    again += ".</p>"
    figures = []
    ends = [row[key] for row in means.to_dicts() for key in ("mean", "high") if row[key] is not None]
    highest = max(ends) * scale if ends else None
    for place in shown:
        frame = means
        for axis, value in zip(others, place, strict=True):
            frame = frame.filter(frame[axis] == value)
        if frame.is_empty():
            continue
        where = [f"{axis}={value}" for axis, value in zip(others, place, strict=True)]
        name = ", ".join(where) or title
        picture = _picture(results, frame, (along, over), scale, heading, highest)
        head = [*(axis for axis in (along, over) if axis), heading, "95 % from", "to", "seeds"]
        rows = [
            [
                *(row[axis] for axis in (along, over) if axis),
                *(None if row[key] is None else row[key] * scale for key in ("mean", "low", "high")),
                row["n"],
            ]
            for row in frame.to_dicts()
        ]
        safe = "".join(c if c.isalnum() else "-" for c in f"{metric} {' '.join(where)}")
        figures.append(figure(safe, name, "", picture, numbers(name, head, rows)))
    left = len(facets) - len(shown)
    more = (
        f'<p class="thinned">{left} more combinations are not drawn; the tables have them.</p>'
        if left
        else ""
    )
    return (
        f'<h2>{esc(capital(heading))}</h2>{about}{again}{more}<div class="multiples">{"".join(figures)}</div>'
    )


def _labels(results: Results, axis: str) -> list[Any]:
    return results.labelled[axis].unique(maintain_order=True).to_list()


def _picture(
    results: Results,
    frame: pl.DataFrame,
    axes: tuple[str | None, str | None],
    scale: float,
    heading: str,
    highest: float | None,
) -> str:
    """Draw lines over an axis of numbers, else dots."""
    along, over = axes
    places = _numbers(_labels(results, along)) if along else None
    if along and over and places:
        series = []
        for name in frame[over].unique(maintain_order=True).to_list():
            rows = frame.filter(frame[over] == name).to_dicts()
            points = [
                Point(
                    number_of(row[along]) or 0.0,
                    row["mean"] * scale,
                    None if row["low"] is None else (row["low"] * scale, row["high"] * scale),
                )
                for row in rows
                if row["mean"] is not None
            ]
            series.append((str(name), sorted(points)))
        names = [name for name, _ in series]
        return series_legend(names) + lines(
            series,
            with_unit(along, [str(label) for label in _labels(results, along)]),
            heading,
            heading,
            highest=highest,
        )
    drawn = [
        Row(
            " ".join(str(row[axis]) for axis in (along, over) if axis),
            [value * scale for value in row["values"]],
            None if row["mean"] is None else row["mean"] * scale,
            None if row["low"] is None else (row["low"] * scale, row["high"] * scale),
        )
        for row in frame.to_dicts()
    ]
    return dots(drawn, heading, heading)
