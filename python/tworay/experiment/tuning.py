"""Search parameters of a variant on training scenarios and seeds, and judge the best on others.

Optuna proposes parameters (tree-structured Parzen estimators, seeded: the same call finds the same), or
every combination is tried (a grid). A
trial's score is its gain over the defaults, paired by seed, averaged over the scenarios. The search uses only
the training runs; the reported gain is measured on scenarios and seeds that it did not use.
"""

from __future__ import annotations

import importlib
import itertools
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import tworay
from tworay._native import VERSION, Scenario
from tworay.analysis import stats
from tworay.analysis.contrasts import UNCLEAR, difference
from tworay.errors import InputError
from tworay.metrics.of_runs import values
from tworay.running.workers import in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tworay.running.scenarios import ParameterInfo

# Factor around the default within which a parameter without bounds is searched.
REACH = 10.0
# Ranges with a larger ratio are searched on a logarithmic scale.
WIDE = 50.0
# A larger grid is no search but a sweep.
MOST_COMBINATIONS = 1000


@dataclass(frozen=True)
class Range:
    """Values of a parameter that a search tries: numbers from ``low`` to ``high``, or words."""

    part: str
    name: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    words: tuple[str, ...] = ()
    default: float | str | None = None

    @property
    def key(self) -> str:
        """Its name in the search."""
        return f"{self.part}.{self.name}"

    def holds(self, value: float | str | None) -> bool:
        """Return whether a value is among those that are tried."""
        if value is None or isinstance(value, str):
            return value in self.words
        return self.low <= value <= self.high


@dataclass
class Tuned:
    """The result of a search."""

    variant: str
    ranges: list[Range]
    metric: str
    better_more: bool
    best: str = ""
    score: float = 0.0
    trials: int = 0
    training: list[dict[str, Any]] = field(default_factory=list)
    held_out: list[dict[str, Any]] = field(default_factory=list)
    as_good: list[str] = field(default_factory=list)
    """The tried variants that the training seeds don't tell apart from the best, the best included."""
    tried: int = 0
    """Number of different variants tried."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that were found, from the variant's text."""
        return {r.key: _given(self.best, r) for r in self.ranges}

    def document(self) -> dict[str, Any]:
        """Return it for JSON and for the preset file."""
        return {
            "variant": self.best,
            "default": self.variant,
            "metric": self.metric,
            "trials": self.trials,
            "score": self.score,
            "training": self.training,
            "held_out": self.held_out,
            "tried": self.tried,
            "as_good": self.as_good,
        }

    def flatness(self) -> str:
        """Return a sentence that says how flat the optimum is."""
        numbers = [one for one in self.ranges if not one.words]
        among = f"{len(self.as_good)} of {self.tried} tried"
        if len(numbers) != 1 or len(self.ranges) != 1 or len(self.as_good) < 2:
            return f"as good in training: {among}"
        given = sorted(float(_given(text, numbers[0]) or 0.0) for text in self.as_good)
        return f"as good in training: {among}, {numbers[0].name} from {given[0]:g} to {given[-1]:g}"


def ranges_of(variant: str, wanted: Sequence[str]) -> list[Range]:
    """Return what is searched: ``NAME``, ``NAME=LOW..HIGH`` or ``NAME=A|B``; all parameters unless named."""
    known = {entry.name: entry for entry in tworay.variants()}
    parts = [re.sub(r"\(.*\)$", "", part) for part in re.split(r"\+(?![^(]*\))", variant)]
    for part in parts:
        if part not in known:
            raise InputError(f"there is no variant {part}; `tworay variants` lists them")
    if "(" in variant:
        raise InputError(f"{variant}: name the variant without parameters; --param says what is searched")
    there = [(part, parameter) for part in parts for parameter in known[part].parameters]
    if not there:
        raise InputError(f"{variant} has no parameters to search")
    if not wanted:
        return [_default_range(part, parameter) for part, parameter in there]
    return [_range(text, there) for text in wanted]


def _range(text: str, there: list[tuple[str, ParameterInfo]]) -> Range:
    name, _, bounds = text.partition("=")
    found = [(p, q) for p, q in there if name in (q.name, f"{p}.{q.name}")]
    if len(found) != 1:
        names = ", ".join(f"{p}.{q.name}" for p, q in there)
        raise InputError(f"--param {text}: there is no parameter `{name}`; there are {names}")
    part, parameter = found[0]
    base = _default_range(part, parameter)
    if not bounds:
        return base
    if parameter.choices:
        words = tuple(bounds.split("|"))
        for word in words:
            if word not in parameter.choices:
                raise InputError(f"--param {text}: `{word}` is not among {', '.join(parameter.choices)}")
        return Range(part, parameter.name, words=words, default=base.default)
    match = re.fullmatch(r"(-?[\d.]+)\.\.(-?[\d.]+)", bounds)
    low, high = (float(match[1]), float(match[2])) if match else (0.0, 0.0)
    if not (match and parameter.minimum <= low < high <= parameter.maximum):
        raise InputError(
            f"--param {text}: write LOW..HIGH between {parameter.minimum:g} and {parameter.maximum:g}"
        )
    whole = "." not in match[1] + match[2] and (parameter.default or 0.0) % 1 == 0
    return Range(part, parameter.name, low, high, whole, default=base.default)


def _default_range(part: str, parameter: ParameterInfo) -> Range:
    if parameter.choices:
        default = parameter.choices[int(parameter.default or 0)]
        return Range(part, parameter.name, words=tuple(parameter.choices), default=default)
    middle = parameter.default if parameter.default else max(parameter.minimum, 1.0)
    # A default of 0 turns the part off: the search may leave it so.
    low = 0.0 if parameter.default == 0 else max(parameter.minimum, middle / REACH)
    high = min(parameter.maximum, middle * REACH)
    whole = float(middle).is_integer() and middle >= 3
    return Range(
        part, parameter.name, math.ceil(low) if whole else low, high, whole, default=parameter.default
    )


def default_of(variant: str) -> str:
    """Return what the best is compared with: the variant, without parts whose parameters have no default."""
    known = {entry.name: entry for entry in tworay.variants()}
    parts = variant.split("+")
    kept = [part for part in parts if all(p.default is not None for p in known[part].parameters)]
    if not kept:
        raise InputError(f"{variant} has no defaults to compare with; join it to one: newreno+{variant}")
    return "+".join(kept)


def spelt(variant: str, ranges: Sequence[Range], chosen: dict[str, float | str]) -> str:
    """Write the variant with its parameters: ``newreno+sca(n=23)``."""
    parts = []
    for part in variant.split("+"):
        mine = [f"{r.name}={_plain(chosen[r.key])}" for r in ranges if r.part == part and r.key in chosen]
        parts.append(f"{part}({','.join(mine)})" if mine else part)
    return "+".join(parts)


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _given(text: str, one: Range) -> str | None:
    match = re.search(rf"(?:^|\+){re.escape(one.part)}\(([^)]*)\)", text)
    pairs = dict(pair.split("=") for pair in match[1].split(",")) if match else {}
    return pairs.get(one.name)


def tune(
    variant: str,
    scenarios: Sequence[str],
    *,
    parameters: Sequence[str] = (),
    metric: str = "goodput_bps",
    less: bool = False,
    trials: int = 40,
    seeds: Sequence[int] = range(1, 6),
    held_out_seeds: Sequence[int] = range(1001, 1021),
    held_out_scenarios: Sequence[str] = (),
    settings: Sequence[str] = (),
    grid: bool = False,
    jobs: int = 1,
    watch: Callable[[int, int, float], None] = lambda done, total, best: None,
) -> Tuned:
    """Search ``variant``'s parameters on ``scenarios`` and ``seeds``; judge the best on what is held out.

    ``less``: a smaller ``metric`` is better. Held-out scenarios are those of the training unless named.
    ``grid``: every combination of whole numbers and words, instead of ``trials`` that a search proposes.
    """
    if set(seeds) & set(held_out_seeds):
        raise InputError(
            "training and held-out seeds have some in common; a search must not see what judges it"
        )
    ranges = ranges_of(variant, parameters)
    plain = default_of(variant)
    result = Tuned(plain, ranges, metric, not less)
    worlds = [tworay.load(name, set=list(settings) or None) for name in scenarios]
    judges = [tworay.load(name, set=list(settings) or None) for name in held_out_scenarios] or worlds
    base = [_runs(world, plain, seeds, metric, jobs) for world in worlds]
    seen: dict[str, float] = {}
    measured: dict[str, list[dict[int, float]]] = {}

    def score(text: str) -> float:
        if text not in seen:
            gains = []
            measured[text] = [_runs(world, text, seeds, metric, jobs) for world in worlds]
            for own, default in zip(measured[text], base, strict=True):
                row = difference(own, default)
                gains.append(row["percent"] if row["percent"] is not None else 0.0)
            seen[text] = sum(gains) / len(gains)
        return seen[text]

    if grid:
        result.best, result.trials = _over_the_grid(variant, ranges, score, watch, less=less)
    else:
        result.best, result.trials = _searched(variant, ranges, score, watch, trials, less=less)
    result.score, result.tried = score(result.best), len(seen)
    result.as_good = [text for text in seen if not _told_apart(measured[text], measured[result.best])]
    result.training = [
        _judged(world, result, _runs(world, result.best, seeds, metric, jobs), default)
        for world, default in zip(worlds, base, strict=True)
    ]
    for world in judges:
        best = _runs(world, result.best, held_out_seeds, metric, jobs)
        default = _runs(world, plain, held_out_seeds, metric, jobs)
        result.held_out.append(_judged(world, result, best, default))
    return result


def _over_the_grid(
    variant: str,
    ranges: list[Range],
    score: Callable[[str], float],
    watch: Callable[[int, int, float], None],
    *,
    less: bool,
) -> tuple[str, int]:
    """Try every combination; return the best and their number."""
    columns: list[list[int | str]] = []
    for one in ranges:
        if not one.words and not one.whole:
            raise InputError(
                f"--grid: {one.key} is no whole number; say which to try, such as --param {one.name}=0..50"
            )
        columns.append([*one.words] if one.words else [*range(int(one.low), int(one.high) + 1)])
    total = math.prod(map(len, columns))
    if total > MOST_COMBINATIONS:
        raise InputError(
            f"--grid: {total:,} combinations; narrow the ranges to at most {MOST_COMBINATIONS}, or search "
            "without --grid"
        )
    best: tuple[float, str] | None = None
    for number, row in enumerate(itertools.product(*columns), 1):
        text = spelt(variant, ranges, {r.key: value for r, value in zip(ranges, row, strict=True)})
        found = score(text)
        if best is None or (found < best[0] if less else found > best[0]):
            best = found, text
        watch(number, total, best[0])
    assert best is not None
    return best[1], total


def _searched(
    variant: str,
    ranges: list[Range],
    score: Callable[[str], float],
    watch: Callable[[int, int, float], None],
    trials: int,
    *,
    less: bool,
) -> tuple[str, int]:
    """Let Optuna propose combinations; return the best and the number of trials."""
    try:
        optuna: Any = importlib.import_module("optuna")
    except ImportError:
        raise InputError("tune needs Optuna; pip install optuna, or add --grid") from None

    def objective(trial: Any) -> float:
        return score(spelt(variant, ranges, {r.key: _suggest(trial, r) for r in ranges}))

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="minimize" if less else "maximize", sampler=optuna.samplers.TPESampler(seed=1)
    )
    start = {r.key: r.default for r in ranges if r.holds(r.default)}
    if len(start) == len(ranges):
        study.enqueue_trial(start)
    study.optimize(
        objective,
        n_trials=trials,
        callbacks=[lambda study, trial: watch(trial.number + 1, trials, study.best_value)],
    )
    return spelt(variant, ranges, study.best_params), trials


def _told_apart(a: list[dict[int, float]], b: list[dict[int, float]]) -> bool:
    """Return whether the paired 95 % interval of a scenario leaves no doubt that they differ."""
    for one, other in zip(a, b, strict=True):
        row = difference(one, other)
        if row["low"] is not None and row["high"] is not None and not row["low"] <= 0 <= row["high"]:
            return True
    return False


def _suggest(trial: Any, one: Range) -> float | str:
    if one.words:
        return str(trial.suggest_categorical(one.key, list(one.words)))
    wide = one.low > 0 and one.high / one.low > WIDE
    if one.whole:
        return int(trial.suggest_int(one.key, int(one.low), int(one.high), log=wide))
    return float(trial.suggest_float(one.key, one.low, one.high, log=wide))


def _runs(world: Scenario, variant: str, seeds: Sequence[int], metric: str, jobs: int) -> dict[int, float]:
    chosen = world.with_variant(variant)

    def one(seed: int) -> float | None:
        found = values(tworay.run(chosen, seed=seed, series=False).summary)
        if metric not in found:
            raise InputError(f"--metric: there is no metric `{metric}`; `tworay metrics` lists them")
        return found[metric]

    results = in_order(one, seeds, jobs=jobs)
    return {seed: value for seed, value in zip(seeds, results, strict=True) if value is not None}


def _judged(
    world: Scenario, result: Tuned, best: dict[int, float], default: dict[int, float]
) -> dict[str, Any]:
    row = difference(best, default)
    clear = row["p"] is not None and row["p"] < stats.SIGNIFICANT
    up = (row["difference"] or 0.0) > 0
    verdict = ("better" if up == result.better_more else "worse") if clear else UNCLEAR
    keys = ("mean_a", "mean_b", "percent", "percent_low", "percent_high", "p", "n")
    names = ("tuned", "default", "percent", "low", "high", "p", "seeds")
    return (
        {"scenario": world.name}
        | {n: row[k] for n, k in zip(names, keys, strict=True)}
        | {"verdict": verdict}
    )


def preset(found: Tuned) -> str:
    """Return the preset file: a scenario names it (``variant = "FILE.toml"``), and so does ``--tcp``."""
    lines = [
        f"# Found by `tworay tune` with tworay {VERSION}: {found.trials} trials, {found.metric}.",
        *(
            f"# {row['scenario']}, held-out seeds: {_percent(row)} against the defaults ({row['verdict']})."
            for row in found.held_out
        ),
        f'variant = "{found.best}"',
        f'default = "{found.variant}"',
    ]
    return "\n".join(lines) + "\n"


def _percent(row: dict[str, Any]) -> str:
    if row["percent"] is None or row["low"] is None:
        return "no interval"
    return f"{row['percent']:+.1f} % ({row['low']:+.1f} to {row['high']:+.1f})"
