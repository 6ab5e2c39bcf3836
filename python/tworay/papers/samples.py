"""Figures that count what the kept tables of all runs of an arm have: relays, speeds, distributions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from tworay.analysis import stats
from tworay.histograms import histogram
from tworay.papers.kept import TITLES, Arm, within
from tworay.showing import curves
from tworay.showing.curves import Words

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.library import Figure
    from tworay.papers.tables import Table

# Names of the nodes of the route break (Papanastasiou 2006, figure 3.1).
LETTERS = "ABCDEF"


def relays(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    """Say which relays each node announces last before the end of the window, and in how many runs."""
    del file
    arm = arms[0]
    tables = [arm.table("relays", run) for run in range(len(arm.runs))]
    known = [within(figure, table) for table in tables if table is not None]
    if not known:
        return None
    rows = []
    for node in sorted({node for table in known for node in table["node"].to_list()}):
        last = [table.filter(pl.col("node") == node).sort("t_s")["relays"].to_list()[-1:] for table in known]
        sets = Counter(", ".join(LETTERS[relay] for relay in one[0]) for one in last if one)
        said = "; ".join(
            f"{relays or 'none'} ({count} of {len(known)} seeds)" for relays, count in sets.most_common()
        )
        rows.append([LETTERS[node], said, str(figure.printed.get(LETTERS[node], ""))])
    return ["node", "its relays", "the paper's"], rows


def speeds(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    """Measure the mean speed of all nodes over a run, and its 95 % interval over the runs."""
    del file
    rows = []
    for arm in arms:
        tables = [arm.table("moves", run) for run in range(len(arm.runs))]
        found = [
            mean_speed(table, figure.window[1] if figure.window else 0.0)
            for table in tables
            if table is not None
        ]
        interval = stats.t_interval(found)
        if interval:
            half = (interval.high - interval.low) / 2
            printed = figure.value(arm.label, None)
            rows.append(
                [arm.label, f"{stats.mean(found):.2f} ± {half:.2f}", f"{printed:g}" if printed else ""]
            )
    return (["highest speed", "mean speed (m/s)", "the paper's"], rows) if rows else None


def mean_speed(moves: pl.DataFrame, end: float) -> float:
    """Return the mean over nodes and time, until ``end``, s, of the speed in a table ``moves``, m/s."""
    ordered = moves.sort("node", "t_s").with_columns(
        until=pl.col("t_s").shift(-1).over("node").fill_null(end),
        speed=(pl.col("vx_mps") ** 2 + pl.col("vy_mps") ** 2).sqrt(),
    )
    spans = (ordered["until"].clip(upper_bound=end) - ordered["t_s"].clip(upper_bound=end)).to_numpy()
    return float((ordered["speed"].to_numpy() * spans).sum() / spans.sum())


def bins(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    """Draw how often the values of a column in the kept tables are, over all seeds of each arm."""
    shown, rows = [], []
    for arm in arms:
        tables = [arm.table(figure.table, run) for run in range(len(arm.runs))]
        values = [table[figure.metric].drop_nulls() for table in tables if table is not None]
        counted = histogram(pl.concat(values).to_list() if values else [], figure.bins)
        if not counted.counts:
            continue
        shown.append((arm.label, counted))
        total = sum(counted.counts)
        for low, high, count in zip(counted.edges, counted.edges[1:], counted.counts, strict=False):
            rows.append([arm.label, f"{low:.3g} to {high:.3g}", str(count), f"{100 * count / total:.2g}"])
    if not shown:
        return None
    title = TITLES.get(figure.metric, figure.metric)
    curves.bars(shown, Words(figure.title, "", "values of all seeds", x=title), output=file)
    return [figure.x or figure.rows, title, "values", "% of them"], rows
