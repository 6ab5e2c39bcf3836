"""Judges claims: measures their cells on the runs of a sweep, then applies the rule to these."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tworay.analysis import stats
from tworay.analysis.contrasts import Group, difference, groups, select
from tworay.errors import InputError, with_options
from tworay.papers.agreeing import conclusions, share_interval
from tworay.papers.bands import across, claimed_of
from tworay.papers.medians import median_interval
from tworay.papers.quantities import with_quantity
from tworay.papers.rule import LEVEL, Verdict, verdict_of
from tworay.papers.verdicts import Cell, Judgement, Measured, together

if TYPE_CHECKING:
    import polars as pl

    from tworay.papers.library import Claim


NO_PART = "none of the claims that it summarises has been run"
Arm = tuple[str, frozenset[tuple[str, str]]]
"""A cell of an experiment: its name, and the label of each axis."""


def decided(claim: Claim) -> Judgement | None:
    """Return the judgement of a claim that needs no runs, or ``None``."""
    if "cannot" in claim.how:
        return Judgement(Verdict.UNTESTED, reason=claim.how["cannot"])
    if "contradicted" in claim.how:
        return Judgement(Verdict.CONTRADICTED, reason=claim.how["contradicted"])
    return None


Frames = Mapping[str, tuple["pl.DataFrame", Sequence[str]]]
"""By experiment: its runs and the names of its axes."""


def judge_claim(claim: Claim, frames: Frames) -> Judgement:
    """Judge a claim on the runs of its experiments."""
    try:
        return judge_measured(claim, measure(claim, frames))
    except InputError as error:
        return Judgement(Verdict.UNTESTED, reason=f"not covered by these runs ({with_options(error)})")


def judge_summary(claim: Claim, judgements: Mapping[str, Judgement]) -> Judgement:
    """Judge a summary of other claims by all of their cells; those without a verdict do not count."""
    known = [(name, judgements[name]) for name in claim.parts if name in judgements]
    cells = [
        replace(cell, measured=replace(cell.measured, labels=(name, *cell.measured.labels)))
        for name, one in known
        for cell in one.cells
    ]
    units = {one.unit for _, one in known}
    unit = units.pop() if len(units) == 1 else ""
    return together(cells, across(claim.how), unit) if cells else Judgement(Verdict.UNTESTED, reason=NO_PART)


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
    return together(cells, over, "" if claim.kind in ("value", "agree") else "%")


@dataclass(frozen=True)
class Sample:
    """The values by seed of a cell of a claim, and the cells of the experiments that they come from."""

    labels: tuple[str, ...]
    arms: tuple[Arm, ...]
    values: dict[int, float]
    """A value in the unit of its metric; a difference in percent of the second mean; growth in points."""
    measured: Measured


def measure(claim: Claim, frames: Frames) -> list[Measured]:
    """Return estimate and 95 % interval of each cell of a claim.

    Raises:
        InputError: the runs lack a label or metric of the claim.

    """
    return [one.measured for one in sampled(claim, frames)]


def sampled(claim: Claim, frames: Frames) -> list[Sample]:
    """Return the values and the estimate of each cell of a claim.

    With ``also``, cells of further experiments count as well, under the name of theirs. With ``against``, the
    gain is compared with that in another experiment, seed by seed, in points of percent. ``agree`` has one
    cell over all of its experiments.

    Raises:
        InputError: the runs lack a label or metric of the claim.

    """
    how = claim.how
    first = str(how["experiment"]) if "experiment" in how else next(iter(frames))
    if "against" in how:
        here, there = (_of_one(claim, trial, frames[trial]) for trial in (first, str(how["against"])))
        return [_apart(a, b) for a, b in zip(here, there, strict=True)]
    if claim.kind == "agree":
        return [_agreement(claim, [(trial, *frames[trial]) for trial in claim.experiments])]
    found = _of_one(claim, first, frames[first])
    if "also" not in how:
        return found
    rest = [one for trial in how["also"] for one in _named(trial, _of_one(claim, trial, frames[trial]))]
    return _named(first, found) + rest


def _agreement(claim: Claim, runs: Sequence[tuple[str, pl.DataFrame, Sequence[str]]]) -> Sample:
    """Return in how many comparisons of variants, over all cells, two tests come to the same conclusion."""
    how, arms, same = claim.how, [], []
    fewest = math.inf
    for trial, frame, axes in runs:
        metric = str(how["agree"])
        cells = Cells(trial, axes, groups(with_quantity(frame, metric), axes, metric))
        for place in _places(cells, how["each"]):
            picked = [cells.pick(place, one) for one in _several(how["of"])]
            arms += [arm for of, _ in picked for arm in of]
            same += conclusions([values for _, values in picked], float(how["level"]))
            fewest = min([fewest, *(len(values) for _, values in picked)])
    if not same:
        return Sample((), tuple(arms), {}, Measured((), None, None, None, 0))
    return Sample((), tuple(arms), {}, Measured((), *share_interval(same), int(fewest)))


def _named(trial: str, samples: list[Sample]) -> list[Sample]:
    return [
        replace(
            one,
            labels=(trial, *one.labels),
            measured=replace(one.measured, labels=(trial, *one.measured.labels)),
        )
        for one in samples
    ]


def _apart(a: Sample, b: Sample) -> Sample:
    """Return by how much the first gain exceeds the second, in points of percent."""
    values = {seed: a.values[seed] - b.values[seed] for seed in sorted(a.values.keys() & b.values.keys())}
    return Sample(a.labels, a.arms + b.arms, values, _mean_of(a.labels, values))


def _of_one(claim: Claim, trial: str, run: tuple[pl.DataFrame, Sequence[str]]) -> list[Sample]:
    how, (runs, axes) = claim.how, run
    metric = str(how[claim.kind])
    frame = with_quantity(select(runs, how.get("where", {}), axes), metric)
    cells = Cells(trial, axes, groups(frame, axes, metric))
    places = _places(cells, how.get("each", ()))
    if claim.kind == "value":
        median = bool(how.get("median"))
        return [_value(cells, place, how.get("of", {}), median=median) for place in places]
    if claim.kind == "grows":
        return _growth(claim, cells, places)
    errors = how.get("errors", {})
    gain = _median_gain if how.get("median") else _gain
    return [
        _widened(gain(cells, p, labels, a, b), errors, a, b)
        for p in places
        for labels, a, b in _pairs(how, p)
    ]


def _pairs(
    how: Mapping[str, Any], place: list[str]
) -> list[tuple[list[str], dict[str, str], dict[str, str]]]:
    """Return the pairs of cells that are compared at a place, each with its labels.

    With ``of_at`` nothing is compared with itself, so that ``over`` may be all of an axis.
    """
    of, over = _several(_of(how, place)), _several(how["over"])
    pairs = [(a, b) for a in of for b in over if a != b or "of_at" not in how]
    return [(place + _said(over, b) + _said(of, a), a, b) for a, b in pairs]


def _of(how: Mapping[str, Any], place: Sequence[str]) -> Any:
    """Return what is compared at a place: ``of``, or what ``of_at`` has for its label, if anything."""
    if "of_at" not in how:
        return how["of"]
    return next((how["of_at"][label] for label in place if label in how["of_at"]), [])


def _several(found: Any) -> list[dict[str, str]]:
    entries = found if isinstance(found, list) else [found]
    return [{"tcp": one} if isinstance(one, str) else {k: str(v) for k, v in one.items()} for one in entries]


def _said(several: Sequence[Mapping[str, str]], place: Mapping[str, str]) -> list[str]:
    """Return the label of one of several places that are compared; none if there is only one."""
    return [" ".join(place.values())] if len(several) > 1 else []


def _widened(
    sample: Sample, errors: Mapping[str, float], of: Mapping[str, str], over: Mapping[str, str]
) -> Sample:
    """Return a difference whose interval has the errors of a measured factor of both variants.

    The factor's errors (relative half-widths of 95 % intervals) belong to the ratio of the means. They and
    the chance of the runs are independent, so half-widths add as roots of squares.
    """
    one = sample.measured
    if not errors or one.estimate is None or one.low is None or one.high is None:
        return sample
    factor = (100 + one.estimate) * math.hypot(errors[of["tcp"]], errors[over["tcp"]])
    half = math.hypot((one.high - one.low) / 2, factor)
    low = max(-100.0, one.estimate - half)
    return replace(sample, measured=replace(one, low=low, high=one.estimate + half))


@dataclass(frozen=True)
class Cells:
    """The values of one metric in the cells of an experiment, by their labels."""

    trial: str
    axes: Sequence[str]
    found: Group

    def pick(self, place: Sequence[str], fixed: Any) -> tuple[tuple[Arm, ...], dict[int, float]]:
        """Return the only cell with these labels and its values by seed; nothing if there is no such cell."""
        wanted = _several(fixed)[0] if fixed else {}
        match = [
            (key, values)
            for key, values in self.found.items()
            if all(key[self.axes.index(axis)] == label for axis, label in wanted.items())
            and set(place) <= set(key)
        ]
        if len(match) != 1:
            return (), {}
        ((key, values),) = match
        return ((self.trial, frozenset(zip(self.axes, key, strict=True))),), values


def _places(cells: Cells, each: Sequence[str]) -> list[list[str]]:
    """Return the combinations of labels of the axes ``each`` that have runs, in order."""
    numbers = [cells.axes.index(axis) for axis in each]
    return [list(p) for p in dict.fromkeys(tuple(key[i] for i in numbers) for key in cells.found)]


def _gain(cells: Cells, place: list[str], labels: list[str], of: Any, over: Any) -> Sample:
    (one, a), (other, b) = cells.pick(place, of), cells.pick(place, over)
    values = _percent(a, b)
    if not (a.keys() & b.keys()):
        return Sample(tuple(labels), one + other, values, Measured(tuple(labels), None, None, None, 0))
    row = difference(a, b, LEVEL)
    measured = Measured(tuple(labels), row["percent"], row["percent_low"], row["percent_high"], row["n"])
    return Sample(tuple(labels), one + other, values, measured)


def _median_gain(cells: Cells, place: list[str], labels: list[str], of: Any, over: Any) -> Sample:
    """Return the median of the differences by seed, in percent of the second median."""
    (one, a), (other, b) = cells.pick(place, of), cells.pick(place, over)
    seeds = sorted(a.keys() & b.keys())
    base = statistics.median([b[seed] for seed in seeds]) if seeds else 0.0
    values = {seed: 100 * (a[seed] - b[seed]) / base for seed in seeds} if base else {}
    return Sample(tuple(labels), one + other, values, _median_of(labels, values))


def _percent(a: Mapping[int, float], b: Mapping[int, float]) -> dict[int, float]:
    """Return the differences by common seed, in percent of the second mean."""
    seeds = sorted(a.keys() & b.keys())
    base = stats.mean([b[seed] for seed in seeds])
    return {seed: 100 * (a[seed] - b[seed]) / base for seed in seeds} if base else {}


def _value(cells: Cells, place: list[str], of: Any, *, median: bool = False) -> Sample:
    arm, by_seed = cells.pick(place, of)
    if not median:
        return Sample(tuple(place), arm, by_seed, _mean_of(place, by_seed))
    return Sample(tuple(place), arm, by_seed, _median_of(place, by_seed))


def _median_of(place: Sequence[str], by_seed: Mapping[int, float]) -> Measured:
    values = sorted(by_seed.values())
    low, high = median_interval(values, LEVEL)
    middle = statistics.median(values) if values else None
    return Measured(tuple(place), middle, low, high, len(values))


def _mean_of(place: Sequence[str], by_seed: Mapping[int, float]) -> Measured:
    values = sorted(by_seed.values())
    interval = stats.t_interval(values, LEVEL)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Measured(tuple(place), stats.mean(values), low, high, len(values))


def _growth(claim: Claim, cells: Cells, places: list[list[str]]) -> list[Sample]:
    """Return by how much a gain grows along an axis, in points of percent.

    It grows from the axis' first label, or ``from``, to its last, or each of ``to``.
    """
    how = claim.how
    along = str(how["along"])
    labels = list(dict.fromkeys(key[cells.axes.index(along)] for key in cells.found))
    if not labels:
        return []
    first, to = how.get("from", labels[0]), how.get("to", labels[-1])
    lasts = to if isinstance(to, list) else [to]
    found = []
    for place in places:
        for (names, of, over), last in itertools.product(_pairs(how, place), lasts):
            arms: tuple[Arm, ...] = ()
            ends = []
            for label in (first, last):
                one, a = cells.pick(place, of | {along: str(label)})
                other, b = cells.pick(place, over | {along: str(label)})
                arms += one + other
                ends.append(_percent(a, b))
            steps = {s: ends[1][s] - ends[0][s] for s in sorted(ends[0].keys() & ends[1].keys())}
            said = [*names, str(last)] if len(lasts) > 1 else names
            found.append(Sample(tuple(said), arms, steps, _mean_of(said, steps)))
    return found
