"""Judges claims: measures their cells on the runs of a sweep, then applies the rule to these."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from tworay.analysis import stats
from tworay.analysis.contrasts import Group, difference, groups, select
from tworay.errors import InputError
from tworay.papers.bands import across, claimed_of
from tworay.papers.quantities import with_quantity
from tworay.papers.rule import LEVEL, Verdict, verdict_of
from tworay.papers.verdicts import Cell, Judgement, Measured, together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tworay.papers.library import Claim


def decided(claim: Claim) -> Judgement | None:
    """Return the judgement of a claim that needs no runs, or ``None``."""
    if "cannot" in claim.how:
        return Judgement(Verdict.UNTESTED, reason=claim.how["cannot"])
    if "contradicted" in claim.how:
        return Judgement(Verdict.CONTRADICTED, reason=claim.how["contradicted"])
    return None


def judge_claim(claim: Claim, runs: pl.DataFrame, axes: Sequence[str]) -> Judgement:
    """Judge a claim on the runs of its experiment."""
    try:
        return judge_measured(claim, measure(claim, runs, axes))
    except InputError as error:
        return Judgement(Verdict.UNTESTED, reason=f"not covered by these runs ({error})")


def judge_measured(claim: Claim, measured: Sequence[Measured]) -> Judgement:
    """Judge a claim from the estimates and intervals of its cells. All verdicts come from here."""
    over = across(claim.how)
    cells = []
    for one in measured:
        claimed = claimed_of(claim.how, one.labels)
        low, high = one.low, one.high
        if low is None or high is None or one.estimate is None:
            cells.append(Cell(one, claimed, Verdict.UNTESTED))
            continue
        cells.append(Cell(one, claimed, verdict_of(one.estimate, low, high, claimed)))
    return together(cells, over, "" if claim.kind == "value" else "%")


def measure(claim: Claim, runs: pl.DataFrame, axes: Sequence[str]) -> list[Measured]:
    """Return estimate and 95 % interval of each cell of a claim.

    Raises:
        InputError: the runs lack a label or metric of the claim.

    """
    how = claim.how
    metric = str(how[claim.kind])
    frame = with_quantity(select(runs, how.get("where", {}), axes), metric)
    found = groups(frame, axes, metric)
    places = _places(found, axes, how.get("each", ()))
    if claim.kind == "value":
        median = bool(how.get("median"))
        return [_value(p, _pick(found, axes, p, how.get("of", {})), median=median) for p in places]
    if claim.kind == "grows":
        return _growth(claim, found, axes, places)
    of, over = _several(how["of"]), _several(how["over"])
    return [
        _gain(
            p + ([_said(b)] if len(over) > 1 else []) + ([_said(a)] if len(of) > 1 else []),
            _pick(found, axes, p, a),
            _pick(found, axes, p, b),
        )
        for p in places
        for a in of
        for b in over
    ]


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


def _gain(place: list[str], a: Mapping[int, float], b: Mapping[int, float]) -> Measured:
    if not (a.keys() & b.keys()):
        return Measured(tuple(place), None, None, None, 0)
    row = difference(a, b, LEVEL)
    return Measured(tuple(place), row["percent"], row["percent_low"], row["percent_high"], row["n"])


def _value(place: list[str], a: Mapping[int, float], *, median: bool = False) -> Measured:
    values = sorted(a.values())
    if median:
        low, high = median_interval(values, LEVEL)
        middle = statistics.median(values) if values else None
        return Measured(tuple(place), middle, low, high, len(values))
    interval = stats.t_interval(values, LEVEL)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Measured(tuple(place), stats.mean(values), low, high, len(values))


def median_interval(ordered: list[float], confidence: float) -> tuple[float | None, float | None]:
    """Return the interval of the median between two order statistics (sign test)."""
    from scipy.stats import binom

    n = len(ordered)
    place = int(binom.ppf((1 - confidence) / 2, n, 0.5)) if n else 0
    return (ordered[place - 1], ordered[n - place]) if place >= 1 else (None, None)


def _growth(claim: Claim, found: Group, axes: Sequence[str], places: list[list[str]]) -> list[Measured]:
    """Return by how much a gain grows from the first to the last label of an axis, in points of percent."""
    how = claim.how
    along = str(how["along"])
    labels = list(dict.fromkeys(key[axes.index(along)] for key in found))
    if not labels:
        return []
    first, last = how.get("from", labels[0]), how.get("to", labels[-1])
    (of,), (over,) = _several(how["of"]), _several(how["over"])
    measured = []
    for place in places:
        ends = []
        for label in (first, last):
            a = _pick(found, axes, place, of | {along: str(label)})
            b = _pick(found, axes, place, over | {along: str(label)})
            seeds = sorted(a.keys() & b.keys())
            base = stats.mean([b[s] for s in seeds])
            ends.append({s: 100 * (a[s] - b[s]) / base for s in seeds} if base else {})
        seeds = sorted(ends[0].keys() & ends[1].keys())
        steps = [ends[1][s] - ends[0][s] for s in seeds]
        interval = stats.t_interval(steps, LEVEL)
        low, high = (interval.low, interval.high) if interval else (None, None)
        measured.append(Measured(tuple(place), stats.mean(steps), low, high, len(seeds)))
    return measured
