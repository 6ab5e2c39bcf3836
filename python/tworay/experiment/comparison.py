"""Results of a comparison: means, intervals and tests, computed from the documents of its runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tworay import metrics
from tworay.analysis import factors, stats, verdict
from tworay.analysis import pairs as pairing
from tworay.analysis.repeats import fingerprint, repeated, still
from tworay.experiment import arms, mixing
from tworay.metrics.diagnosis import scores
from tworay.naming import Nodes
from tworay.running.resources import with_resources
from tworay.running.scenarios import warmup_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import polars as pl

    from tworay.experiment.arms import Arm
    from tworay.running.scenarios import Scenario
    from tworay.showing.bins import Every

Facts: TypeAlias = "tuple[float | None, float]"
Paths: TypeAlias = "tuple[float | None, float, list[float]]"


@dataclass(frozen=True)
class Failure:
    """A run that failed."""

    variant: str
    seed: int
    message: str


# The metric whose interval `until_ci` observes.
HEADLINE = "goodput_bps"


class Comparison:
    """The results of a comparison; after an interruption those of the finished runs.

    ``summary`` is the document of ``tworay compare --json``; ``table``, ``runs``, ``pairs`` and
    ``ledger`` are polars data frames of it; ``series`` and ``goodput_over_time()`` are of its directory.
    """

    def __init__(
        self,
        scenario: str,
        variants: list[str],
        arms: Sequence[Arm] = (),
        judge: str | metrics.Judge | None = None,
        chosen: Sequence[str] = (),
        worlds: Callable[[Arm], Scenario | None] = lambda arm: arm.world,
    ) -> None:
        self.scenario = scenario
        self._judge = metrics.parse_judge(judge)
        self.variants = variants
        """Names of the arms: variants, with ``vary`` and ``mix`` with what tells them apart."""
        self.arms = {arm.name: arm for arm in arms}
        self.failures: list[Failure] = []
        self.directory: Path | None = None
        """The directory that keeps the tables of its runs, if there is one."""
        self._documents: dict[tuple[str, int], dict[str, Any]] = {}
        self._fingerprints: dict[tuple[str, int], str] = {}
        self._facts: dict[tuple[str, int], Facts] = {}
        self._maxima: dict[tuple[str, int], float] = {}
        self._summary: dict[str, Any] | None = None
        self._warnings: list[str] = []
        self._chosen = list(chosen)
        self._worlds = worlds

    @property
    def chosen(self) -> list[str]:
        """The metrics chosen to be shown, of those that the runs have; empty: the usual ones."""
        known = set(self.metrics)
        return [name for name in self._chosen if name in known]

    @property
    def missing(self) -> list[str]:
        """A sentence about each chosen metric that no run has, with the nearest one that the runs have."""
        return metrics.missing(self._chosen, self.metrics) if len(self) else []

    @property
    def headline(self) -> str:
        """The metric of the verdict: the first chosen one that is better high or low, else goodput."""
        headline: str = self.summary["verdict"]["metric"]
        return headline

    @property
    def judge(self) -> str:
        """The judged flows: ``tcp`` (all flows if there is no TCP), ``udp``, ``all`` or ``flow.0,flow.2``.

        They may be set by their ends: ``bob:alice``.
        """
        return self._judge.name

    @judge.setter
    def judge(self, flows: str | metrics.Judge) -> None:
        known = self._flows()
        chosen = metrics.judge_named(flows, self.nodes, known.values())
        if known:
            total = max(known) + 1
            chosen.check(total - sum(one["tcp"] is None for one in known.values()), total, known)
        self._judge, self._summary = chosen, None

    def _flows(self) -> dict[int, dict[str, Any]]:
        """Return the flows of all arms by number; an arm may have switched some off."""
        return {one["id"]: one for document in self._documents.values() for one in document["flows"]}

    def names_of_metrics(
        self, wanted: str | Iterable[str] | None, option: str = "--metrics"
    ) -> list[str] | None:
        """Return the full names of metrics that a user names, with their flows by number or by ends."""
        numbered = metrics.by_number(wanted, self.nodes, self._flows().values())
        return metrics.parse(numbered, self.metrics, option)

    @property
    def judged(self) -> str | None:
        """Which flows are judged, in words, if they are not all flows of a run."""
        return self._in_words(self._judge)

    def judged_by(self, metric: str) -> str | None:
        """Which flows a metric is about, in words: the judged ones, or the one that the metric names."""
        if metrics.follows_judge(metric):
            return self.judged
        one = re.match(r"flow\.\d+(?=\.)", metric)
        return None if one is None else self._in_words(metrics.Judge(one[0]))

    def _in_words(self, judge: metrics.Judge) -> str | None:
        # In the order of the arms, not of the runs' ends; an arm may have switched flows off.
        every: list[list[dict[str, Any]]] = [
            one["flows"] for variant in self.variants for one in self.documents(variant).values()
        ]
        most = max(every, key=len, default=None)
        return None if most is None else judge.words(most, self.nodes)

    @property
    def judged_flows(self) -> int:
        """Number of judged flows, in the run that has most."""
        return max((len(self._judge.of(one["flows"])) for one in self._documents.values()), default=0)

    @property
    def repeated(self) -> dict[int, int]:
        """For each seed whose runs equal those of an earlier seed, that seed. They are counted once."""
        runs: dict[int, dict[str, str]] = {}
        for variant in self.variants:
            for seed, found in self._prints(variant).items():
                runs.setdefault(seed, {})[variant] = found
        return repeated(runs)

    @property
    def still(self) -> list[str]:
        """Arms whose runs are equal with all seeds: they count as one run; two of them have no verdict."""
        return [variant for variant in self.variants if still(self._prints(variant).values())]

    def counted(self, arm: str) -> list[int]:
        """Seeds of an arm whose runs count in means and plots: each run once, if others are equal to it."""
        again = self.repeated
        seeds = [seed for seed in self.documents(arm) if seed not in again]
        return seeds[:1] if arm in self.still else seeds

    @property
    def alike(self) -> list[list[str]]:
        """Groups of arms that gave the same run with every seed, such as variants of a flow that is off."""
        groups: dict[tuple[tuple[int, str], ...], list[str]] = {}
        for variant in self.variants:
            if prints := self._prints(variant):
                groups.setdefault(tuple(sorted(prints.items())), []).append(variant)
        return [arms for arms in groups.values() if len(arms) > 1]

    def _prints(self, variant: str) -> dict[int, str]:
        for key, document in self._documents.items():
            if key not in self._fingerprints:
                self._fingerprints[key] = fingerprint(document)
        found = self._fingerprints
        return {seed: found[variant, seed] for seed in self.seeds if (variant, seed) in found}

    def _counted(self, variant: str) -> dict[int, metrics.Values]:
        """Return the metrics of a variant's runs by seed, without seeds that repeat an earlier one."""
        again = self.repeated
        return {seed: found for seed, found in self.values(variant).items() if seed not in again}

    @property
    def warnings(self) -> list[str]:
        """Warnings, for example about flows without a path."""
        return self._warnings

    @warnings.setter
    def warnings(self, texts: list[str]) -> None:
        self._warnings, self._summary = texts, None

    def seeds_seen(self, place: str = "") -> list[int]:
        """Seeds whose paths were examined, in ascending order."""
        return sorted(seed for where, seed in self._facts if where == place)

    def add(self, variant: str, seed: int, document: dict[str, Any]) -> None:
        """Add a finished run."""
        self._documents[variant, seed] = document
        self._fingerprints.pop((variant, seed), None)
        self._summary = None

    def add_facts(self, seed: int, facts: Facts, place: str = "") -> None:
        """Add facts about the paths of a seed; ``place`` is the arms' ``Arm.place``."""
        self._facts[place, seed] = facts
        self._summary = None

    def add_maximum(self, seed: int, throughput_max: float, settings: str = "") -> None:
        """Add the capacity of a seed's scenario, bit/s: the base of EEE and UAR."""
        self._maxima[settings, seed] = throughput_max
        self._summary = None

    def __repr__(self) -> str:
        return f"<tworay.Comparison {self.scenario}: {', '.join(self.variants)}; {len(self.seeds)} seeds>"

    def _repr_html_(self) -> str:
        from tworay.showing.notebook import comparison_html

        return comparison_html(self)

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
            seed: metrics.values(self._document(variant, seed), self._judge)
            for seed in self.seeds
            if (variant, seed) in self._documents
        }

    def documents(self, variant: str) -> dict[int, dict[str, Any]]:
        """Return the documents of an arm's runs by seed."""
        return {
            seed: self._documents[variant, seed] for seed in self.seeds if (variant, seed) in self._documents
        }

    def _document(self, variant: str, seed: int) -> dict[str, Any]:
        document = self._documents[variant, seed]
        arm = self.arms.get(variant)
        key = (arms.label(arm.settings) if arm else "", seed)
        return with_resources(document, self._maxima[key]) if key in self._maxima else document

    @property
    def sim_seconds(self) -> list[float]:
        """Simulated times of the runs: one, unless the arms differ in it."""
        return sorted({document["sim_seconds"] for document in self._documents.values()})

    @property
    def summary(self) -> dict[str, Any]:
        """The document of ``tworay compare --json``."""
        if self._summary is None:
            self._summary = self._summarize()
        return self._summary

    def _summarize(self) -> dict[str, Any]:
        again = self.repeated
        by_variant = {
            variant: {seed: found for seed, found in self.values(variant).items() if seed not in again}
            for variant in self.variants
        }
        still_arms = self.still
        described = {
            variant: pairing.describe(pairing.first(runs) if variant in still_arms else runs)
            for variant, runs in by_variant.items()
        }
        pairs = pairing.pairs(by_variant, still_arms)
        known = {name for cells in described.values() for name in cells}
        chosen = (name for name in self._chosen if name in known and verdict.has_direction(name))
        headline = next(chosen, HEADLINE)
        diagnosis = self._counts("diagnosis")
        by_outcome = self._counts("diagnosis_by_outcome")
        return {
            "scenario": self.scenario,
            "seeds": self.seeds,
            "scenario_facts": self._scenario_facts(),
            "variants": described,
            "pairs": pairs,
            "diagnosis": diagnosis,
            "diagnosis_by_outcome": by_outcome,
            "diagnosis_scores": {name: scores(counts) for name, counts in diagnosis.items()},
            "ledger": self._counts("ledger"),
            "costs": self._costs(),
            "warnings": self.warnings,
            "arms": {variant: self._describe_arm(variant) for variant in self.variants},
            "mixtures": self._mixtures(),
            "verdict": verdict.judge(described, pairs, headline),
            "judge": self.judge,
            "judged": self.judged,
            "repeated_seeds": list(again),
            "still_arms": still_arms,
            "factors": self.factors(headline),
        }

    @property
    def table(self) -> pl.DataFrame:
        """One row per arm and metric: what the arm varies, mean, deviation, intervals, number of runs.

        ``unit`` is that of the metric, ``group`` has the letters of the arm: arms that share one don't differ
        in the metric. It is null with too few seeds. ``--csv`` writes the same.
        """
        from tworay.experiment.exporting import means

        return means(self)

    @property
    def runs(self) -> pl.DataFrame:
        """One row per run with every metric."""
        import polars as pl

        from tworay.running.frames import Table

        rows: list[dict[str, Any]] = [
            {"variant": variant, "seed": seed} | values
            for variant in self.variants
            for seed, values in self.values(variant).items()
        ]
        names = list(dict.fromkeys(name for row in rows for name in row))
        kinds = {"variant": pl.String, "seed": pl.UInt64}
        return Table(rows, schema={name: kinds.get(name, pl.Float64) for name in names}, orient="row")

    @property
    def long(self) -> pl.DataFrame:
        """One row per run and metric: arm, what it varies, ``seed``, ``metric``, ``unit``, ``value``."""
        from tworay.experiment.exporting import long

        return long(self)

    @property
    def series(self) -> pl.DataFrame:
        """Time series of the senders (cwnd, RTT, acknowledged bytes), of every arm, seed and flow."""
        return self.table_of("series")

    def table_of(self, name: str) -> pl.DataFrame:
        """Return a table of every run, such as ``series``, ``ledger`` or ``transfers``, with arm and seed.

        They are kept in the directory of the comparison (``out``).
        """
        from tworay.experiment.overtime import table_of

        return table_of(self, name)

    def goodput_over_time(
        self, intervals: int | str | None = None, *, every: Every | None = None
    ) -> pl.DataFrame:
        """Return the rate of acknowledged payload in intervals of the run, by arm, seed and flow.

        ``intervals`` is the number of equal ones (as many as in plots: ``tworay.showing.bins.INTERVALS``),
        ``every`` their width instead, in seconds or as text, ``"200ms"``; the last one ends with the run.
        ``acknowledged_bps`` is what the sender knows of the goodput. In a short interval it may exceed any
        link's rate, since one acknowledgment covers all that waited for a repaired loss. Its mean is less
        than the goodput if much of what arrived was not yet acknowledged at the end.
        """
        from tworay.experiment.overtime import of_comparison
        from tworay.showing.bins import Bins

        return of_comparison(self, Bins.of(intervals, every))

    def verdict(self, metric: str | None = None) -> pl.DataFrame:
        """Return the verdict about a metric (the headline), one row per arm, best first.

        ``group`` has the arm's letters: arms that share one don't differ. ``best`` are the arms that no other
        is better than; null if there is no verdict (too few seeds, nothing arrived, equal runs with every
        seed), or neither more nor less is better.
        ``difference`` is to the first arm, paired by seed, with its 95 % interval and Holm's p.
        ``conclusion`` has the same in sentences.
        """
        from tworay.experiment.exporting import verdict

        return verdict(self, metric or self.headline)

    def conclusion(self, metric: str | None = None) -> list[str]:
        """Return what ``tworay compare`` says about a metric (the headline): its verdict in sentences.

        Options that it names are arguments here. With too few seeds it says how many would tell. Empty for a
        single arm, and for a metric of which neither more nor less is better.
        """
        from tworay.arguments import in_python
        from tworay.showing.reporting import conclusion, labels

        (name,) = self.names_of_metrics(metric, "--metric") or [self.headline]
        return [in_python(line) for line in conclusion(self, [name], labels(self.summary["arms"])[2])]

    @property
    def nodes(self) -> Nodes:
        """The names of the nodes; none if the arms call them differently."""
        names = {str(one.get("names")): one for one in self._documents.values()}
        return Nodes.of(next(iter(names.values()))) if len(names) == 1 else Nodes()

    def heeds_link_layer(self, variant: str) -> bool:
        """Return whether an arm's routing takes a frame that the MAC gave up for a broken link."""
        arm = self.arms.get(variant)
        # Nobody knows what a daemon does.
        world = None if arm is None or arm.daemon is not None else self._worlds(arm)
        return world is not None and world.heeds_link_layer

    def warmup(self, variant: str) -> float:
        """Return the warm-up of an arm, s, which figures of flows exclude and tables don't."""
        arm = self.arms.get(variant)
        world = None if arm is None else self._worlds(arm)
        return 0.0 if world is None else warmup_in(world.to_toml())

    @property
    def choices(self) -> dict[str, dict[str, str]]:
        """The choices of each arm: its variant (``tcp``), and the value of each varied setting."""
        return {variant: factors.choices(self._describe_arm(variant)) for variant in self.variants}

    def factors(self, metric: str) -> list[dict[str, Any]]:
        """Return a verdict for each factor, where the arms are every combination of several; else nothing."""
        found = factors.product(self.choices)
        if not found or len(self.still) > 1:
            return []
        return factors.by_factor(
            {variant: self._counted(variant) for variant in self.variants}, found, metric
        )

    @property
    def pairs(self) -> pl.DataFrame:
        """One row per pair of variants and metric: difference a - b, its interval, and the tests."""
        from tworay.running.frames import Table

        rows = [
            {key: value for key, value in pair.items() if key != "ci95"} | _ends("ci95", pair["ci95"])
            for pair in self.summary["pairs"]
        ]
        return Table(rows, schema=_PAIRS, orient="row")

    @property
    def ledger(self) -> pl.DataFrame:
        """One row per variant and true cause of loss: lost segments, summed over the runs."""
        import polars as pl

        from tworay.running.frames import Table

        rows = [
            {"variant": variant, "cause": cause} | counts
            for variant, causes in self._counts("ledger").items()
            for cause, counts in causes.items()
        ]
        return Table(
            rows, schema={"variant": pl.String, "cause": pl.String, "data": pl.Int64, "ack": pl.Int64}
        )

    @property
    def diagnosis(self) -> pl.DataFrame:
        """One row per variant, guess of the sender and true cause: how often they occurred together."""
        import polars as pl

        from tworay.running.frames import Table

        rows = [
            {"variant": variant, "guess": guess, "cause": cause, "count": count}
            for variant, guesses in self._counts("diagnosis").items()
            for guess, causes in guesses.items()
            for cause, count in causes.items()
        ]
        return Table(
            rows, schema={"variant": pl.String, "guess": pl.String, "cause": pl.String, "count": pl.Int64}
        )

    @property
    def metrics(self) -> list[str]:
        """Names of all metrics of the runs, in the order of the documents."""
        return list(dict.fromkeys(name for cells in self.summary["variants"].values() for name in cells))

    def kinds_of_flows(self) -> tuple[int, int]:
        """Return how many flows use TCP and how many send datagrams, in the run that has most."""
        counts = [
            [flow["tcp"] is not None for flow in document["flows"]] for document in self._documents.values()
        ]
        return max(map(sum, counts), default=0), max((len(c) - sum(c) for c in counts), default=0)

    def headline_precision(self) -> float | None:
        """Half width of the widest 95 % interval of goodput, relative to its mean; ``None`` if unknown."""
        widths = []
        for variant in self.variants:
            width = stats.relative_half_width(pairing.column(self._counted(variant), HEADLINE))
            if width is None:
                return None
            widths.append(width)
        return max(widths)

    def seeds_needed(self, relative: float) -> int | None:
        """Estimated seeds until every variant's 95 % interval of goodput is within ± ``relative``."""
        needed = [
            stats.seeds_needed(pairing.column(self._counted(variant), HEADLINE), relative)
            for variant in self.variants
        ]
        return max((n for n in needed if n is not None), default=None) if None not in needed else None

    def _scenario_facts(self, place: str | None = None) -> dict[str, float | None]:
        """Return means over the seeds of a place, or over all places."""
        facts = [self._facts[key] for key in sorted(self._facts) if place in (None, key[0])]
        return {
            "mean_shortest_path_hops": stats.mean([hops for hops, _ in facts if hops is not None]),
            "partitioned_fraction": stats.mean([share for _, share in facts]),
        }

    def _describe_arm(self, name: str) -> dict[str, Any]:
        arm = self.arms.get(name)
        if arm is None:
            return {"tcp": name, "set": {}}
        places = {one.place for one in self.arms.values()}
        facts = {"scenario_facts": self._scenario_facts(arm.place)} if len(places) > 1 else {}
        return arm.describe() | facts

    def _mixtures(self) -> dict[str, Any]:
        """Return for each mixture the results of its variants, compared with the unmixed cases."""
        found = {}
        again = self.repeated
        for arm in self.arms.values():
            if arm.mix:
                mixed = {seed: one for seed, one in self.documents(arm.name).items() if seed not in again}
                pure = {
                    one.tcp: self.documents(one.name)
                    for one in self.arms.values()
                    if one.tcp in arm.mix.shares and one.settings == arm.settings
                }
                found[arm.name] = mixing.effects(arm.mix, mixed, pure)
        return found

    def _costs(self) -> dict[str, Any] | None:
        """Return the table of computing costs, the same in all runs; ``None`` without energy."""
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


_PAIRS = {"a": str, "b": str, "metric": str, "n": int, "difference": float, "std": float}
_PAIRS |= {"ci95_low": float, "ci95_high": float}
_PAIRS |= {"p": float, "welch_p": float, "paired_t_p": float, "wilcoxon_p": float}
_PAIRS |= {"effect_size": float, "holm_p": float}


def _ends(name: str, interval: list[float] | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}
