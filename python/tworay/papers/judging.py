"""Judges claims on the runs of a sweep."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from tworay.analysis import stats
from tworay.analysis.contrasts import Group, difference, groups, select
from tworay.papers.quantities import with_quantity
from tworay.papers.verdicts import (
    ALIKE,
    LESS,
    MORE,
    PRINTED,
    Band,
    Cell,
    Judgement,
    Verdict,
    judge,
    level,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tworay.papers.library import Claim

WORDS = {"more": MORE, "less": LESS, "alike": Band(-ALIKE, ALIKE)}


def band_of(found: Any) -> Band:
    """Return the band given as a word, a printed figure, or two numbers, either of which may be ``inf``."""
    if isinstance(found, str):
        return WORDS[found]
    if isinstance(found, int | float):
        reach = abs(found) * PRINTED
        return Band(found - reach, found + reach)
    low, high = map(float, found)
    return Band(low, high)


def decided(claim: Claim) -> Judgement | None:
    """Return the judgement of a claim that needs no runs, or ``None``."""
    if "shown" in claim.how:
        return Judgement(Verdict.HOLDS, reason=f"shown by a test: {claim.how['shown']}")
    if "cannot" in claim.how:
        return Judgement(Verdict.UNTESTED, reason=claim.how["cannot"])
    if "contradicted" in claim.how:
        return Judgement(Verdict.CONTRADICTED, reason=claim.how["contradicted"])
    return None


def judge_claim(claim: Claim, runs: pl.DataFrame, axes: Sequence[str]) -> Judgement:
    """Judge a claim on the runs of its experiment."""
    known = decided(claim)
    if known is not None:
        return known
    how = claim.how
    try:
        frame = select(runs, how.get("where", {}), axes)
    except Exception as error:
        return Judgement(Verdict.UNTESTED, reason=f"not covered by these runs ({error})")
    metric = str(how[claim.kind])
    frame = with_quantity(frame, metric)
    found = groups(frame, axes, metric)
    places = _places(found, axes, how.get("each", ()))
    pairs: list[tuple[list[str], dict[int, float], dict[int, float] | None]]
    if claim.kind == "value":
        pairs = [(p, _pick(found, axes, p, how.get("of", {})), None) for p in places]
    elif claim.kind == "grows":
        return _growth(claim, found, axes, places)
    else:
        of = _several(how["of"])
        over = _several(how["over"])
        pairs = [
            (p + ([_said(b)] if len(over) > 1 else []) + ([_said(a)] if len(of) > 1 else []), x, y)
            for p in places
            for a in of
            for b in over
            for x, y in [(_pick(found, axes, p, a), _pick(found, axes, p, b))]
        ]
    confidence = level(len(pairs))
    cells = []
    for place, one, other in pairs:
        band = _band(how, place, value=claim.kind == "value")
        if other is None:
            cells.append(_value(place, one, band, confidence, median=bool(how.get("median"))))
        else:
            cells.append(_gain(place, one, other, band, confidence))
    return together(cells, "" if claim.kind == "value" else "%")


def _band(how: Mapping[str, Any], place: list[str], *, value: bool) -> Band:
    for label in place:
        if label in how.get("bands", {}):
            return band_of(how["bands"][label])
    return band_of(how.get("band", 0.0 if value else "more"))


def _several(found: Any) -> list[dict[str, str]]:
    entries = found if isinstance(found, list) else [found]
    return [{"tcp": one} if isinstance(one, str) else {k: str(v) for k, v in one.items()} for one in entries]


def _said(place: Mapping[str, str]) -> str:
    return " ".join(place.values())


def _places(found: Group, axes: Sequence[str], each: Sequence[str]) -> list[list[str]]:
    """Return the combinations of labels of the axes ``each`` that have runs, in order."""
    numbers = [axes.index(axis) for axis in each]
    return [list(p) for p in dict.fromkeys(tuple(key[i] for i in numbers) for key in found)]


def _pick(found: Group, axes: Sequence[str], place: list[str], fixed: Any) -> dict[int, float]:
    """Return the values by seed of the only cell with these labels; empty if there is no such cell."""
    fixed = _several(fixed)[0] if fixed else {}
    match = [
        values
        for key, values in found.items()
        if all(key[axes.index(axis)] == label for axis, label in fixed.items()) and set(place) <= set(key)
    ]
    return match[0] if len(match) == 1 else {}


def _gain(
    place: list[str], a: Mapping[int, float], b: Mapping[int, float], band: Band, confidence: float
) -> Cell:
    if not (a.keys() & b.keys()):
        return Cell(" ".join(place), None, None, None, 0, band, Verdict.UNTESTED)
    row = difference(a, b, confidence)
    low, high = row["percent_low"], row["percent_high"]
    return Cell(" ".join(place), row["percent"], low, high, row["n"], band, judge(low, high, band))


def _value(
    place: list[str], a: Mapping[int, float], band: Band, confidence: float, *, median: bool = False
) -> Cell:
    values = sorted(a.values())
    if median:
        low, high = median_interval(values, confidence)
        middle = statistics.median(values) if values else None
        return Cell(" ".join(place), middle, low, high, len(values), band, judge(low, high, band, value=True))
    interval = stats.t_interval(values, confidence)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Cell(
        " ".join(place), stats.mean(values), low, high, len(values), band, judge(low, high, band, value=True)
    )


def median_interval(ordered: list[float], confidence: float) -> tuple[float | None, float | None]:
    """Return the interval of the median between two order statistics (sign test)."""
    from scipy.stats import binom

    n = len(ordered)
    place = int(binom.ppf((1 - confidence) / 2, n, 0.5)) if n else 0
    return (ordered[place - 1], ordered[n - place]) if place >= 1 else (None, None)


def _growth(claim: Claim, found: Group, axes: Sequence[str], places: list[list[str]]) -> Judgement:
    """Judge whether a gain grows from the first to the last label of an axis (falls, with band ``less``)."""
    how = claim.how
    along = str(how["along"])
    labels = list(dict.fromkeys(key[axes.index(along)] for key in found))
    if not labels:
        return together([])
    first, last = how.get("from", labels[0]), how.get("to", labels[-1])
    (of,), (over,) = _several(how["of"]), _several(how["over"])
    cells = []
    for place in places:
        band = _band(how, place, value=False)
        ends = []
        for label in (first, last):
            a = _pick(found, axes, place, of | {along: str(label)})
            b = _pick(found, axes, place, over | {along: str(label)})
            seeds = sorted(a.keys() & b.keys())
            base = stats.mean([b[s] for s in seeds])
            ends.append({s: 100 * (a[s] - b[s]) / base for s in seeds} if base else {})
        seeds = sorted(ends[0].keys() & ends[1].keys())
        steps = [ends[1][s] - ends[0][s] for s in seeds]
        interval = stats.t_interval(steps, level(len(places)))
        low, high = (interval.low, interval.high) if interval else (None, None)
        estimate = stats.mean(steps)
        cells.append(Cell(" ".join(place), estimate, low, high, len(seeds), band, judge(low, high, band)))
    return together(cells)
