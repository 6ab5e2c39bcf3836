"""Tables that compare the arms of an experiment: ranges of gains, and the best parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.analysis.contrasts import difference, groups, select
from tworay.analysis.stats import mean
from tworay.papers.quantities import with_quantity
from tworay.showing.labels import number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from tworay.papers.library import Figure
    from tworay.papers.tables import Table

# Share of the best mean that still counts as as good, where intervals are narrow.
AS_GOOD = 0.05


def answer(figure: Figure, frame: pl.DataFrame, axes: Sequence[str]) -> Table:
    """Return the numbers of a figure whose kind compares arms.

    Raises:
        InputError: the runs lack a label or metric of the figure.

    """
    frame = with_quantity(select(frame, figure.where, axes), figure.metric)
    return KINDS[str(figure.kind)](figure, frame, axes)


def _best(figure: Figure, frame: pl.DataFrame, axes: Sequence[str]) -> Table:
    """Return the best column of each row, and which others differ from it by chance or by less than 5 %."""
    del axes
    assert figure.cols is not None
    found = groups(frame, [figure.rows, figure.cols], figure.metric)
    rows = []
    for row in dict.fromkeys(key[0] for key in found):
        cells = {key[1]: values for key, values in found.items() if key[0] == row}
        means = {name: mean(list(values.values())) or 0.0 for name, values in cells.items()}
        best = max(means, key=lambda name: means[name])
        alike, near = [], []
        for name, values in cells.items():
            gain = difference(values, cells[best])
            low, high = gain["low"], gain["high"]
            if name == best or low is None or high is None or low <= 0 <= high:
                alike.append(name)
            if means[name] >= (1 - AS_GOOD) * means[best]:
                near.append(name)
        printed = figure.value(row, None)
        rows.append(
            [
                f"{number(row) or 0:g}",
                "–" if printed is None else f"{printed:g}",
                _parameter(best),
                f"{means[best]:.4g}",
                _ranges(alike, list(cells)),
                _ranges(near, list(cells)),
            ]
        )
    head = ["hops", "the paper's best", "best", "its segments", "not told apart from it", "within 5 % of it"]
    return head, rows


def _ranges(names: Sequence[str], tried: Sequence[str]) -> str:
    """Return parameters in words: three or more in a row of those tried become ``1 to 3``."""
    order = sorted(tried, key=lambda name: number(name) or 0.0)
    runs: list[list[str]] = []
    for name in (name for name in order if name in names):
        if runs and order.index(name) == order.index(runs[-1][-1]) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    said = []
    for run in runs:
        known = [_parameter(name) for name in run]
        said.append(f"{known[0]} to {known[-1]}" if len(run) > 2 else ", ".join(known))
    return ", ".join(said)


def _parameter(name: str) -> str:
    found = number(name)
    return "0" if found is None else f"{found:g}"


def _gains(figure: Figure, frame: pl.DataFrame, axes: Sequence[str]) -> Table:
    """Return the range, over the figure's `panels`, of the gains in percent over the first column."""
    del axes
    assert figure.cols is not None
    found = groups(frame, [figure.rows, figure.cols, figure.panels], figure.metric)
    columns = list(dict.fromkeys(key[1] for key in found))
    base, others = columns[0], columns[1:]
    rows = []
    for row in dict.fromkeys(key[0] for key in found):
        cells = [row]
        for column in others:
            gains = [
                difference(values, found[row, base, place])["percent"]
                for (one, name, place), values in found.items()
                if (one, name) == (row, column) and (row, base, place) in found
            ]
            known = [gain for gain in gains if gain is not None]
            said = f"{round(min(known))} to {round(max(known))}" if known else "–"
            printed = figure.printed.get(row, {}).get(column)
            cells.append(f"{said} (paper: {printed})" if printed else said)
        rows.append(cells)
    return [figure.x or figure.rows, *(f"{column} over {base}, %" for column in others)], rows


# By the `kind` of a figure.
KINDS: dict[str, Callable[[Figure, pl.DataFrame, Sequence[str]], Table]] = {"best": _best, "gains": _gains}
