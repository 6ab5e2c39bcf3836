"""Variants against each other over the same worlds: the main job."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay import metrics, stats
from tworay.control import name_of
from tworay.diagnosis import scores
from tworay.executing import Task, check_jobs, execute, silent
from tworay.resources import carried, saturated, with_resources
from tworay.scenarios import Source, load, with_variant
from tworay.spec import MAX_SEEDS, parse_seeds, parse_variants
from tworay.workers import in_order

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    import polars as pl

    from tworay.control import CongestionControl, Variant
    from tworay.executing import Failure, Watcher
    from tworay.running import Run
    from tworay.scenarios import Scenario
    from tworay.store import Store

# The figure whose interval `until_ci` watches.
HEADLINE = "goodput_bps"
MIN_SEEDS_UNTIL_CI = 5
# Stands for a variant in the run that finds what a world can carry.
SATURATED = "throughput_max"


class Comparison:
    """What a comparison found; complete or, after an interruption, what of it is finished.

    ``summary`` is the document of ``tworay compare --json``; ``table``, ``runs``, ``pairs`` and
    ``ledger`` are polars data frames of it.
    """

    def __init__(self, scenario: str, variants: list[str]) -> None:
        self.scenario = scenario
        self.variants = variants
        self.failures: list[Failure] = []
        self.sim_seconds = 0.0
        self._documents: dict[tuple[str, int], dict[str, Any]] = {}
        self._facts: dict[int, tuple[float | None, float]] = {}
        self._maxima: dict[int, float] = {}
        self.warnings: list[str] = []

    def add(self, variant: str, seed: int, document: dict[str, Any]) -> None:
        """Take in a finished run."""
        self._documents[variant, seed] = document
        self.sim_seconds = document["sim_seconds"]

    def add_facts(self, seed: int, facts: tuple[float | None, float]) -> None:
        """Take in what the world of a seed looks like."""
        self._facts[seed] = facts

    def add_maximum(self, seed: int, throughput_max: float) -> None:
        """Take in how much the world of a seed can carry, in bits a second: the base of EEE and UAR."""
        self._maxima[seed] = throughput_max

    def __repr__(self) -> str:
        return f"<tworay.Comparison {self.scenario}: {', '.join(self.variants)}; {len(self.seeds)} seeds>"

    def __len__(self) -> int:
        """Count the finished runs."""
        return len(self._documents)

    @property
    def seeds(self) -> list[int]:
        """Seeds of which at least one run is finished."""
        return sorted({seed for _, seed in self._documents})

    def values(self, variant: str) -> dict[int, metrics.Values]:
        """Return the metrics of a variant's runs by seed, in the order of the seeds."""
        return {
            seed: metrics.values(self._document(variant, seed))
            for seed in self.seeds
            if (variant, seed) in self._documents
        }

    def _document(self, variant: str, seed: int) -> dict[str, Any]:
        document = self._documents[variant, seed]
        return with_resources(document, self._maxima[seed]) if seed in self._maxima else document

    @property
    def summary(self) -> dict[str, Any]:
        """The document of ``tworay compare --json``."""
        by_variant = {variant: self.values(variant) for variant in self.variants}
        diagnosis = self._counts("diagnosis")
        return {
            "scenario": self.scenario,
            "seeds": self.seeds,
            "scenario_facts": self._scenario_facts(),
            "variants": {variant: _describe(runs) for variant, runs in by_variant.items()},
            "pairs": _pairs(by_variant),
            "diagnosis": diagnosis,
            "diagnosis_scores": {name: scores(counts) for name, counts in diagnosis.items()},
            "ledger": self._counts("ledger"),
            "costs": self._costs(),
            "warnings": self.warnings,
        }

    @property
    def table(self) -> pl.DataFrame:
        """One row per variant and metric: mean, standard deviation, intervals, number of runs."""
        import polars as pl

        rows = [
            {"variant": variant, "metric": metric, "mean": cell["mean"], "std": cell["std"]}
            | _ends("ci90", cell["ci90"])
            | _ends("ci95", cell["ci95"])
            | {"n": cell["n"]}
            for variant, cells in self.summary["variants"].items()
            for metric, cell in cells.items()
        ]
        return pl.DataFrame(rows, schema=_TABLE, orient="row")

    @property
    def runs(self) -> pl.DataFrame:
        """One row per run with every metric."""
        import polars as pl

        rows: list[dict[str, Any]] = [
            {"variant": variant, "seed": seed} | values
            for variant in self.variants
            for seed, values in self.values(variant).items()
        ]
        names = list(dict.fromkeys(name for row in rows for name in row))
        kinds = {"variant": pl.String, "seed": pl.UInt64}
        return pl.DataFrame(rows, schema={name: kinds.get(name, pl.Float64) for name in names}, orient="row")

    @property
    def pairs(self) -> pl.DataFrame:
        """One row per pair of variants and metric: difference a - b, its interval, and the tests."""
        import polars as pl

        rows = [
            {key: value for key, value in pair.items() if key != "ci95"} | _ends("ci95", pair["ci95"])
            for pair in self.summary["pairs"]
        ]
        return pl.DataFrame(rows, schema=_PAIRS, orient="row")

    @property
    def ledger(self) -> pl.DataFrame:
        """One row per variant and true cause of loss: lost segments, summed over the runs."""
        import polars as pl

        rows = [
            {"variant": variant, "cause": cause} | counts
            for variant, causes in self._counts("ledger").items()
            for cause, counts in causes.items()
        ]
        return pl.DataFrame(
            rows, schema={"variant": pl.String, "cause": pl.String, "data": pl.Int64, "ack": pl.Int64}
        )

    @property
    def diagnosis(self) -> pl.DataFrame:
        """One row per variant, guess of the sender and true cause: how often they met."""
        import polars as pl

        rows = [
            {"variant": variant, "guess": guess, "cause": cause, "count": count}
            for variant, guesses in self._counts("diagnosis").items()
            for guess, causes in guesses.items()
            for cause, count in causes.items()
        ]
        return pl.DataFrame(
            rows, schema={"variant": pl.String, "guess": pl.String, "cause": pl.String, "count": pl.Int64}
        )

    def headline_precision(self) -> float | None:
        """Half width of the widest 95 % interval of goodput, as a share of its mean; ``None``: unknown."""
        widths = []
        for variant in self.variants:
            width = stats.relative_half_width(_column(self.values(variant), HEADLINE))
            if width is None:
                return None
            widths.append(width)
        return max(widths)

    def seeds_needed(self, relative: float) -> int | None:
        """Seeds that bring every variant's 95 % interval of goodput within ± ``relative``, by the spread."""
        needed = [
            stats.seeds_needed(_column(self.values(variant), HEADLINE), relative) for variant in self.variants
        ]
        return max((n for n in needed if n is not None), default=None) if None not in needed else None

    def _scenario_facts(self) -> dict[str, float | None]:
        facts = [self._facts[seed] for seed in sorted(self._facts)]
        return {
            "mean_shortest_path_hops": stats.mean([hops for hops, _ in facts if hops is not None]),
            "partitioned_fraction": stats.mean([share for _, share in facts]),
        }

    def _costs(self) -> dict[str, Any] | None:
        """Return by which table computing was counted, the same in all runs; ``None`` without energy."""
        first = next(iter(self._documents.values()), None)
        return first.get("energy", {}).get("costs") if first else None

    def costed(self) -> dict[str, set[str]]:
        """Return how each variant's computing was counted: in ``instructions``, ``run time``, or both."""
        # In the order of the variants, not in the order in which their runs were done.
        result: dict[str, set[str]] = {variant: set() for variant in self.variants}
        for (variant, _), document in self._documents.items():
            kinds = result[variant]
            for flow in document["flows"]:
                kinds |= {"instructions"} if flow.get("instructions") else set()
                kinds |= {"run time"} if flow.get("computing_seconds") else set()
        return result

    def _counts(self, section: str) -> dict[str, dict[str, dict[str, int]]]:
        result: dict[str, dict[str, dict[str, int]]] = {}
        for variant in self.variants:
            total = result.setdefault(variant, {})
            for seed in self.seeds:
                metrics.add_counts(total, self._documents.get((variant, seed), {}).get(section) or {})
        return result


_TABLE = {"variant": str, "metric": str, "mean": float, "std": float}
_TABLE |= {"ci90_low": float, "ci90_high": float, "ci95_low": float, "ci95_high": float, "n": int}
_PAIRS = {"a": str, "b": str, "metric": str, "difference": float, "ci95_low": float, "ci95_high": float}
_PAIRS |= {"welch_p": float, "paired_t_p": float, "wilcoxon_p": float}
_PAIRS |= {"effect_size": float, "holm_p": float}


def _ends(name: str, interval: list[float] | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _column(runs: dict[int, metrics.Values], metric: str) -> list[float]:
    return [value for values in runs.values() if (value := values.get(metric)) is not None]


def _describe(runs: dict[int, metrics.Values]) -> dict[str, Any]:
    names = dict.fromkeys(name for values in runs.values() for name in values)
    return {name: _cell(_column(runs, name)) for name in names}


def _cell(values: list[float]) -> dict[str, Any]:
    return {
        "mean": stats.mean(values),
        "std": stats.std(values),
        "ci90": _listed(stats.t_interval(values, 0.90)),
        "ci95": _listed(stats.t_interval(values, 0.95)),
        "n": len(values),
    }


def _listed(interval: stats.Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _pairs(by_variant: dict[str, dict[int, metrics.Values]]) -> list[dict[str, Any]]:
    """Compare every two variants seed by seed; Holm corrects over the pairs of one metric."""
    result = []
    everything = [values for runs in by_variant.values() for values in runs.values()]
    known = [m for m in metrics.TESTED_IF_KNOWN if any(v.get(m) is not None for v in everything)]
    for metric in (*metrics.TESTED, *known):
        family = [_pair(a, b, metric, by_variant) for a, b in itertools.combinations(by_variant, 2)]
        for pair, p in zip(family, stats.holm([pair["paired_t_p"] for pair in family]), strict=True):
            pair["holm_p"] = p
        result += family
    return result


def _pair(a: str, b: str, metric: str, by_variant: dict[str, dict[int, metrics.Values]]) -> dict[str, Any]:
    left: list[float] = []
    right: list[float] = []
    for seed, values in by_variant[a].items():
        x, y = values.get(metric), by_variant[b].get(seed, {}).get(metric)
        if x is not None and y is not None:
            left.append(x)
            right.append(y)
    difference = stats.differences(left, right)
    return {
        "a": a,
        "b": b,
        "metric": metric,
        "difference": stats.mean(difference),
        "ci95": _listed(stats.t_interval(difference)),
        "welch_p": stats.welch_p(left, right),
        "paired_t_p": stats.paired_t_p(left, right),
        "wilcoxon_p": stats.wilcoxon_p(left, right),
        "effect_size": stats.cohens_dz(left, right),
    }


def compare(
    scenario: Source,
    *,
    tcp: str | type[CongestionControl] | Iterable[Variant],
    seeds: int | str | Iterable[int] = 10,
    set: Mapping[str, object] | Iterable[str] | str | None = None,
    jobs: int | None = None,
    until_ci: float | None = None,
    max_seeds: int = 100,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    resources: bool = False,
    costs: str | os.PathLike[str] | None = None,
    watch: Watcher = silent,
    announce: Callable[[Scenario, int, int], None] = lambda world, seed, jobs: None,
) -> Comparison:
    """Run every variant over the same seeds, on all cores, and compare them seed by seed.

    ``seeds`` is a number (seeds 1 to N), a list, or text such as ``"1-10"`` or ``"3,5,9"``. With
    ``until_ci=0.05`` seeds are added until every variant's 95 % interval of goodput is within ± 5 % of
    its mean, or ``max_seeds`` are done. ``out`` writes Parquet tables and ``summary.json`` there.
    ``resources`` fills in EEE and UAR, which takes one run more a seed: saturating sources in the same
    world, shared by all variants (``tworay.resources``). ``costs`` names a table of computing costs to
    be used in place of the scenario's. ``announce`` is told of the world, a seed and the number of threads
    before the first run.

    The result depends on the scenario, the variants, the seeds and the version, not on ``jobs``. Runs
    that fail are listed in ``failures`` and left out. Ctrl-C raises ``KeyboardInterrupt`` with the
    finished runs kept in ``out``.
    """
    chosen = parse_variants(tcp)
    names = [name_of(variant) for variant in chosen]
    first_seeds = parse_seeds(seeds)
    threads = check_jobs(jobs)
    base = load(scenario, set=set, costs=costs)
    announce(base, first_seeds[0], threads)
    worlds = {name_of(variant): with_variant(base, variant) for variant in chosen}
    result = Comparison(base.name, names)
    crowded = saturated(base) if resources else None
    store = _open_store(out, force, base, names, first_seeds)

    def finished(task: Task, outcome: Run) -> None:
        if task.scenario is crowded:
            result.add_maximum(task.seed, carried(outcome))
            return
        if store:
            store.add_run(task.variant, task.seed, outcome)
        result.add(task.variant, task.seed, outcome.summary)

    shares: list[list[float]] = []
    kinds = [*worlds.items(), *([(SATURATED, crowded)] if crowded else [])]

    def do(batch: list[int]) -> None:
        # Seed by seed, so that an interruption leaves whole pairs.
        tasks = [Task(seed, name, world) for seed in batch for name, world in kinds]
        for seed, (hops, parted, flows) in zip(batch, in_order(base.paths, batch, jobs=threads), strict=True):
            result.add_facts(seed, (hops, parted))
            shares.append(flows)
        means = [math.fsum(flow) / len(flow) for flow in zip(*shares, strict=True)]
        result.warnings = base.path_warnings(first_seeds[0], means) if any(means) else []
        result.failures += execute(
            tasks, jobs=threads, series=store is not None, finished=finished, watch=watch
        )

    try:
        do(first_seeds)
        if until_ci is not None:
            _add_seeds(result, first_seeds, do, until_ci, min(max_seeds, MAX_SEEDS))
    finally:
        if store and len(result):
            store.finish(result)
    return result


def _add_seeds(result: Comparison, seeds: list[int], do: Any, until_ci: float, limit: int) -> None:
    """Add seeds by half as many again; how many depends on results only, so the end is reproducible."""
    done = list(seeds)
    while len(done) < limit:
        precision = result.headline_precision()
        if len(done) >= MIN_SEEDS_UNTIL_CI and precision is not None and precision <= until_ci:
            return
        wanted = min(limit, max(MIN_SEEDS_UNTIL_CI, len(done) + (len(done) + 1) // 2))
        fresh = list(itertools.islice(itertools.count(max(done) + 1), wanted - len(done)))
        do(fresh)
        done += fresh


def _open_store(
    out: str | os.PathLike[str] | None, force: bool, base: Scenario, names: list[str], seeds: list[int]
) -> Store | None:
    if out is None:
        return None
    from tworay.store import Store

    return Store(Path(out), "compare", force=force, scenario=base, details={"tcp": names, "seeds": seeds})
