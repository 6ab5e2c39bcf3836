"""Arms against each other over the same worlds: the main job."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.arms import Field, label, line_up
from tworay.comparison import Comparison
from tworay.executing import Task, check_jobs, execute, silent
from tworay.resources import carried, saturated
from tworay.spec import MAX_SEEDS, parse_seeds
from tworay.workers import in_order

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from tworay.arms import Vary
    from tworay.control import CongestionControl, Variant
    from tworay.executing import Watcher
    from tworay.running import Run
    from tworay.scenarios import Scenario, Source
    from tworay.store import Store

__all__ = ["Comparison", "compare"]

MIN_SEEDS_UNTIL_CI = 5
# Stands for an arm in the runs that find what a world can carry.
SATURATED = "throughput_max"


class Plan:
    """A comparison to be done: checked when it is made, before anything runs; ``result`` grows meanwhile."""

    def __init__(
        self,
        scenario: Source,
        *,
        tcp: str | type[CongestionControl] | Iterable[Variant] | None = None,
        vary: Vary | None = None,
        mix: str | Iterable[str] | None = None,
        seeds: int | str | Iterable[int] = 10,
        set: Mapping[str, object] | Iterable[str] | str | None = None,
        jobs: int | None = None,
        until_ci: float | None = None,
        max_seeds: int = 100,
        out: str | os.PathLike[str] | None = None,
        force: bool = False,
        resources: bool = False,
        costs: str | os.PathLike[str] | None = None,
    ) -> None:
        self.seeds = parse_seeds(seeds)
        self.field = line_up(scenario, tcp=tcp, vary=vary, mix=mix, set=set, costs=costs)
        self._jobs = check_jobs(jobs)
        self._until_ci, self._max_seeds = until_ci, min(max_seeds, MAX_SEEDS)
        base = self.field.base
        self.result = Comparison(base.name, self.field.names, self.field.arms)
        self._crowded = (
            {f"{SATURATED} {label(s)}": (label(s), saturated(w)) for s, w in self.field.worlds.items()}
            if resources
            else {}
        )
        self._store = _open_store(out, force, base, self.field, self.seeds)

    def execute(self, watch: Watcher = silent) -> Comparison:
        """Do the runs. Ctrl-C comes out of here with the finished runs in ``result`` and in ``out``."""
        try:
            self._do(self.seeds, watch)
            if self._until_ci is not None:
                self._add_seeds(self._until_ci, watch)
        finally:
            if self._store and len(self.result):
                self._store.finish(self.result)
        return self.result

    def _do(self, batch: list[int], watch: Watcher) -> None:
        # Seed by seed, so that an interruption leaves whole pairs.
        tasks = []
        for seed in batch:
            tasks += [Task(seed, arm.name, arm.at(seed)) for arm in self.field.arms]
            tasks += [Task(seed, name, world) for name, (_, world) in self._crowded.items()]
        for place, world in self.field.places().items():
            for seed, facts in zip(batch, in_order(world.facts, batch, jobs=self._jobs), strict=True):
                self.result.add_facts(seed, facts, place)
        self.result.failures += execute(
            tasks, jobs=self._jobs, series=self._store is not None, finished=self._finished, watch=watch
        )

    def _finished(self, task: Task, outcome: Run) -> None:
        if task.variant in self._crowded:
            self.result.add_maximum(task.seed, carried(outcome), self._crowded[task.variant][0])
            return
        if self._store:
            self._store.add_run(task.variant, task.seed, outcome)
        self.result.add(task.variant, task.seed, outcome.summary)

    def _add_seeds(self, until_ci: float, watch: Watcher) -> None:
        """Add seeds by half as many again; how many depends on results only, so the end is reproducible."""
        done = list(self.seeds)
        while len(done) < self._max_seeds:
            precision = self.result.headline_precision()
            if len(done) >= MIN_SEEDS_UNTIL_CI and precision is not None and precision <= until_ci:
                return
            wanted = min(self._max_seeds, max(MIN_SEEDS_UNTIL_CI, len(done) + (len(done) + 1) // 2))
            fresh = list(itertools.islice(itertools.count(max(done) + 1), wanted - len(done)))
            self._do(fresh, watch)
            done += fresh


def compare(
    scenario: Source,
    *,
    tcp: str | type[CongestionControl] | Iterable[Variant] | None = None,
    vary: Vary | None = None,
    mix: str | Iterable[str] | None = None,
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
) -> Comparison:
    """Run every arm over the same seeds, on all cores, and compare them seed by seed.

    Arms are the variants of ``tcp``, each with every combination of the settings in ``vary``
    (``{"routing.protocol": ["aodv", "dsr"]}`` or ``"routing.protocol=aodv,dsr"``), and the mixtures of
    ``mix`` (``"vegas:0.5,newreno:0.5"``) with their pure cases (``tworay.mixing``).

    ``seeds`` is a number (seeds 1 to N), a list, or text such as ``"1-10"`` or ``"3,5,9"``. With
    ``until_ci=0.05`` seeds are added until every arm's 95 % interval of goodput is within ± 5 % of
    its mean, or ``max_seeds`` are done. ``out`` writes Parquet tables and ``summary.json`` there.
    ``resources`` fills in EEE and UAR, which takes one run more a seed: saturating sources in the same
    world, shared by all variants (``tworay.resources``). ``costs`` names a table of computing costs to
    be used in place of the scenario's.

    The result depends on the scenario, the arms, the seeds and the version, not on ``jobs``. Runs
    that fail are listed in ``failures`` and left out. Ctrl-C raises ``KeyboardInterrupt`` with the
    finished runs kept in ``out``.
    """
    plan = Plan(
        scenario,
        tcp=tcp,
        vary=vary,
        mix=mix,
        seeds=seeds,
        set=set,
        jobs=jobs,
        until_ci=until_ci,
        max_seeds=max_seeds,
        out=out,
        force=force,
        resources=resources,
        costs=costs,
    )
    return plan.execute(watch)


def _open_store(
    out: str | os.PathLike[str] | None, force: bool, base: Scenario, arms: Field, seeds: list[int]
) -> Store | None:
    if out is None:
        return None
    from tworay.store import Store

    details: dict[str, Any] = {"tcp": arms.names, "seeds": seeds}
    return Store(Path(out), "compare", force=force, scenario=base, details=details)
