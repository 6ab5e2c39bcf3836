"""Tables of a page: the numbers of a figure, and the senders' guesses."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING

from tworay.analysis.contrasts import difference, groups, means, select
from tworay.errors import InputError
from tworay.papers import answers
from tworay.papers.medians import with_medians
from tworay.papers.quantities import heading, sum_of, with_quantity
from tworay.papers.shown import comparable, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import polars as pl

    from tworay.papers.library import Figure

Table = tuple[list[str], list[list[str]]]
Guesses = dict[str, dict[str, Counter[str]]]
"""By variant and guess: number of each true cause."""


def numbers(figure: Figure, frame: pl.DataFrame, axes: Sequence[str]) -> Table | None:
    """Return means ± half the 95 % interval, or medians with theirs; ``None`` if there are no runs.

    The error of a measured factor is part of the interval. Rows and columns are those of the figure; with
    ``columns``, a row is a cell and a column a metric. The differences over the figure's ``over`` follow in
    percent, and the paper's values in parentheses.
    """
    keys = [axis for axis in (figure.panels, figure.rows, figure.cols) if axis]
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    try:
        if figure.kind in answers.KINDS:
            return answers.answer(figure, frame, axes)
        frame = comparable(figure, select(frame, figure.where, axes))
        metrics = shown_in(figure)
        for metric in metrics:
            _, scale = heading(metric)
            known = with_quantity(frame, metric)
            percent = _percent(figure, known, keys, metric)
            for row in with_medians(figure, means(known, keys, metric)).iter_rows(named=True):
                place = tuple(str(row[key]) for key in keys)
                printed = figure.value(
                    "/".join(str(row[key]) for key in keys if key != figure.cols),
                    metric if figure.columns else row.get(figure.cols or ""),
                )
                value = _middle(figure, metric, row, scale) + percent.get(place, "")
                beside = "" if printed is None else f" (paper: {printed:g})"
                cells.setdefault(place, {})[metric] = value + beside
    except InputError:
        return None  # --quick leaves some cells out.
    if not any(value != "–" for cell in cells.values() for value in cell.values()):
        return None
    places = list(cells)
    if figure.panels:
        order = list(dict.fromkeys(place[0] for place in places))
        places.sort(key=lambda place: order.index(place[0]))
    titles = [figure.x if key == figure.rows and figure.x else figure.axes.get(key, key) for key in keys]
    shown = [words(figure, key, (place[i] for place in places)) for i, key in enumerate(keys)]
    cells = {
        tuple(known[one] for known, one in zip(shown, place, strict=True)): cells[place] for place in places
    }
    places = list(cells)
    if figure.columns:
        named = [figure.named.get(metric, heading(metric)[0]) for metric in metrics]
        rows = [[*place, *(cells[place].get(one, "–") for one in metrics)] for place in places]
        return [*titles, *named], rows
    title = figure.y or heading(figure.metric)[0]
    if not figure.cols:
        return [*titles, title], [[*place, *cells[place].values()] for place in places]
    across = list(dict.fromkeys(place[-1] for place in cells))
    down = list(dict.fromkeys(place[:-1] for place in places))
    rows = [[*label, *(cells.get((*label, c), {}).get(figure.metric, "") for c in across)] for label in down]
    return [title, *titles[1:-1], *across], rows


def shown_in(figure: Figure) -> tuple[str, ...]:
    """Return what the figure's table shows: parts of a total with the total."""
    if figure.apart:
        return (*figure.columns, sum_of(figure.columns))
    return figure.columns or (figure.metric,)


def _percent(
    figure: Figure, frame: pl.DataFrame, keys: Sequence[str], metric: str
) -> dict[tuple[str, ...], str]:
    """Return, by cell, its difference over the row or column that the figure names, in words."""
    if not figure.over:
        return {}
    found = groups(frame, list(keys), metric)
    said = {}
    for place, values in found.items():
        bases = [
            tuple(figure.over if i == at else one for i, one in enumerate(place)) for at in range(len(place))
        ]
        base = next((found[one] for one in bases if one in found and one != place), None)
        percent = difference(values, base)["percent"] if base and figure.over not in place else None
        if percent is not None:
            said[place] = f", {percent:+.1f} %"
    return said


def _middle(figure: Figure, metric: str, row: Mapping[str, Any], scale: float) -> str:
    """Return a mean ± half of its interval, or a median with its interval, in words."""
    middle, low, high = (None if row[one] is None else row[one] * scale for one in ("mean", "low", "high"))
    if middle is None:
        return "–"
    if low is None or high is None:
        return _short(middle, 4)
    if figure.median:
        return f"{_short(middle, 4)} ({_short(low, 4)} to {_short(high, 4)})"
    half = math.hypot(middle - low, middle * _cost_error(figure, metric, row))
    return f"{_short(middle, 4)} ± {_short(half, 2)}"


def _cost_error(figure: Figure, metric: str, row: Mapping[str, Any]) -> float:
    """Return the relative error of the measured factor in a cell, which the last of the metrics has."""
    measured = not figure.columns or metric == figure.columns[-1]
    return figure.errors.get(str(row[figure.rows]), 0.0) if measured else 0.0


def _short(value: float, digits: int) -> str:
    """Return a number with this many digits, but no powers of ten where whole numbers say the same."""
    return f"{value:.0f}" if 10**digits <= abs(value) < 1e7 else f"{value:.{digits}g}"


def guesses(frame: pl.DataFrame) -> Guesses:
    """Count the senders' guesses by variant and true cause over all runs of an experiment."""
    found: Guesses = {}
    arms = frame["tcp"] if "tcp" in frame.columns else [""] * frame.height
    for arm, text in zip(arms, frame["document"], strict=True):
        for guess, causes in (json.loads(text).get("diagnosis") or {}).items():
            found.setdefault(str(arm), {}).setdefault(guess, Counter()).update(causes)
    return found


def guess_table(found: Guesses) -> Table:
    """Return a table with a row per variant and guess, and a column per true cause."""
    causes = sorted({cause for by in found.values() for counts in by.values() for cause in counts})
    rows = [
        [arm, guess, *(str(counts[cause]) if counts[cause] else "" for cause in causes)]
        for arm, by in found.items()
        for guess, counts in sorted(by.items())
    ]
    return ["variant", "guess", *causes], rows
