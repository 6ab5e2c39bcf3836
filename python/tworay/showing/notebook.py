"""Results in the cells of notebooks: verdict, table and plot as HTML that needs no other file.

Pictures are embedded as SVG. Text of scenarios and arms is escaped.
"""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay import metrics
from tworay.arguments import in_python
from tworay.naming import Nodes
from tworay.showing.bins import Bins
from tworay.showing.drawing import Look, draw, scaled
from tworay.showing.layout import Column
from tworay.showing.lines import ACKNOWLEDGED, stairs
from tworay.showing.lines import of_run as lines_of
from tworay.showing.pictures import drawn, empty
from tworay.showing.rendering import flow_columns, loss_columns, transfer_columns
from tworay.showing.reporting import columns_of, conclusion, labelled, labels, means, seeds_of
from tworay.showing.underway import none_lost, under_way

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

    from tworay.analysis.contrasts import Contrast
    from tworay.experiment.api import Results
    from tworay.experiment.comparison import Comparison
    from tworay.running.run import Run

# A notebook with a longer table is not read; data frames have all rows.
MOST_ROWS = 40
HEADLINE = "goodput_bps"
LOSSES = "lost: data + ACK"


def run_html(run: Run) -> str:
    """Return a run: its flows, causes of loss, and acknowledged data over time if its series were kept."""
    document = run.summary
    names, columns = flow_columns(document["flows"], Nodes.of(document))
    lost, never = loss_columns([document["ledger"]])
    parts = [
        _head(f"{run.scenario}, seed {run.seed}", f"{document['sim_seconds']:g} s simulated"),
        _table("flow", names, columns),
        *(_table("flow", *one) for one in transfer_columns(document["flows"], Nodes.of(document))),
        _table(LOSSES, ["segments"], lost) if lost else _note(none_lost(under_way(document, run.warmup))),
        _note(f"No loss by {', '.join(never)}.") if lost and never else "",
        *(_warning(one if isinstance(one, str) else one["text"]) for one in document.get("warnings", [])),
    ]
    found = list(lines_of(run)) if "series" in run.tables and run.series.height else []
    if found:
        figure, axes = empty()
        stairs(axes, found, document["sim_seconds"], Bins())
        axes.set_xlabel("time, s")
        axes.set_ylabel(f"{ACKNOWLEDGED}, kb/s")
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.legend(frameon=False, fontsize="small")
        parts.append(_picture(figure, f"{ACKNOWLEDGED} over time, {run.scenario}"))
    return _cell(parts)


def comparison_html(result: Comparison) -> str:
    """Return a comparison: verdict, means with intervals, causes of loss, and goodput by arm."""
    if not len(result):
        return _cell([_head(result.scenario, "no run has finished yet")])
    document = result.summary
    same, heading, names = labels(document["arms"])
    shown = result.chosen or columns_of(result)
    rows = [names[arm] for arm in document["variants"]]
    lost, never = loss_columns(list(document["ledger"].values()))
    failed = len(result.failures)
    parts = [
        _head(", ".join([document["scenario"], *same]), seeds_of(document)),
        *map(_note, labelled(document["arms"])),
        *(f"<p>{escape(in_python(line))}</p>" for line in conclusion(result, shown, names)),
        _table(heading or "arm", rows, means(document, shown)),
        _note("Means ± 95 % intervals over the seeds. In a column, arms that share a letter don't differ."),
        _table(LOSSES, rows, lost) if lost else _note("No segment was lost."),
        _note(f"No loss by {', '.join(never)}.") if lost and never else "",
        *map(_warning, document["warnings"]),
        *(_warning(f"metrics: {text}") for text in result.missing),
        _warning(f"{failed} runs failed; .failures has their messages.") if failed else "",
    ]
    frame = _by_arm(result, names)
    if frame.height:
        look = Look(x=heading or "arm", singles=True)
        figure = draw(frame, HEADLINE, rows="arm", kind="dots", look=look)
        parts.append(_picture(figure, f"{metrics.words(HEADLINE)[0]} by arm"))
    return _cell(parts)


def contrast_html(found: Contrast) -> str:
    """Return means with intervals, how many differences are clear, and the plot."""
    return _cell(_contrast(found))


def sweep_html(results: Results, metric: str) -> str:
    """Return a sweep: how far it is, and a metric by its axes with the plot."""
    runs, failed = results.labelled.height, results.failures.height
    parts = [
        _head(results.path.name, f"{runs:,} runs by {', '.join(results.axes)}"),
        _warning(f"{failed} runs failed; .failures has their messages.") if failed else "",
    ]
    if results.varying:
        parts += _contrast(results.compare(metric))
    return _cell(parts)


def _contrast(found: Contrast) -> list[str]:
    heading, scale = scaled(found.metric)
    known = metrics.find(found.metric)
    form = known.form if known else ",.3g"
    by = list(found.by) or [found.over]
    columns = list(dict.fromkeys(found.means[found.over])) if found.by else [found.metric]
    cells = {}
    for row in found.means.iter_rows(named=True):
        label = ", ".join(str(row[axis]) for axis in by)
        cells[label, row[found.over] if found.by else found.metric] = row
    rows = list(dict.fromkeys(label for label, _ in cells))

    def text(label: str, name: str) -> str:
        row = cells.get((label, name))
        if row is None or row["mean"] is None:
            return "–"
        half = "" if row["low"] is None else f" ± {(row['high'] - row['low']) / 2 * scale:{form}}"
        return f"{row['mean'] * scale:{form}}{half}"

    shown = [Column(str(name), [text(label, name) for label in rows]) for name in columns]
    parts = [
        f"<p>{escape(heading)}: {escape(found.conclusion())}</p>",
        _table(", ".join(by), rows, shown),
        _note("Means ± 95 % intervals over the seeds."),
    ]
    # Further axes of the rows would lie on top of each other.
    if len(found.by) < 2 and found.means["mean"].drop_nulls().len():
        parts.append(_picture(found.plot(), f"{heading} by {', '.join(by)}"))
    return parts


def _by_arm(result: Comparison, names: dict[str, str]) -> pl.DataFrame:
    """Return the means of goodput as ``draw`` takes them."""
    cells = result.summary["variants"]
    again = result.summary["repeated_seeds"]
    rows = []
    for arm, of in cells.items():
        cell = of.get(HEADLINE)
        if cell is not None and cell["mean"] is not None:
            low, high = cell["ci95"] or (None, None)
            found = [one.get(HEADLINE) for seed, one in result.values(arm).items() if seed not in again]
            values = [one for one in found if one is not None][: cell["n"]]
            rows.append((names[arm], cell["mean"], low, high, cell["n"], values))
    numbers = dict.fromkeys(("mean", "low", "high"), pl.Float64)
    schema: Any = {"arm": pl.String, **numbers, "n": pl.Int64, "values": pl.List(pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _cell(parts: Iterable[str]) -> str:
    return f'<div class="tworay">{"".join(parts)}</div>'


def _head(name: str, about: str) -> str:
    return f"<p><strong>{escape(name)}</strong>: {escape(about)}</p>"


def _note(text: str) -> str:
    return f'<p style="opacity: 0.7"><small>{escape(text)}</small></p>'


def _warning(text: str) -> str:
    return f"<p><strong>Warning</strong> {escape(text)}</p>"


def _table(heading: str, rows: Sequence[str], columns: Sequence[Column]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in [heading, *(one.heading for one in columns)])
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(one.cells[i])}</td>' for one in columns)}</tr>"
        for i, name in enumerate(rows[:MOST_ROWS])
    )
    more = len(rows) - MOST_ROWS
    left = _note(f"and {more:,} more rows, which the data frames have") if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}"


def _picture(figure: Figure, about: str) -> str:
    data = base64.b64encode(drawn(figure, ".svg")).decode()
    return f'<img alt="{escape(about)}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">'
