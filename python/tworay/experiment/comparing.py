"""Run the arms of a comparison over the same seeds."""

from __future__ import annotations

import functools
import math
import os
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.experiment.arms import label, line_up
from tworay.experiment.axes import ARM, Axis
from tworay.experiment.comparison import Comparison, Failure
from tworay.experiment.engines import Shard, Threads
from tworay.experiment.lengths import fixed_ends
from tworay.experiment.options import Options, taking
from tworay.experiment.plan import Cell, Plan
from tworay.experiment.session import Session
from tworay.experiment.store.batches import DONE, Batches
from tworay.experiment.store.manifest import read_manifest
from tworay.experiment.store.reading import Stored, read, record_of, source_digests, take
from tworay.metrics import by_number, check, judge_named
from tworay.naming import Nodes
from tworay.running.entries import check_entries, entered
from tworay.running.executing import check_jobs, silent
from tworay.running.radios import cut_links, draft_on_aggregates
from tworay.running.resources import saturated
from tworay.running.scenarios import overrides
from tworay.running.spec import LEAST_UNTIL_CI, MAX_SEEDS, check_precision, more_seeds, parse_seeds
from tworay.running.switching import flows_of, numbers, switched_off, warnings_of
from tworay.running.watching import watching
from tworay.running.workers import in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from tworay.experiment.comparison import Paths
    from tworay.experiment.engines import Engine
    from tworay.experiment.store.batches import Place, Row
    from tworay.experiment.store.place import Lock
    from tworay.experiment.store.tables import Rows
    from tworay.running.executing import Watcher
    from tworay.running.memory import Kept
    from tworay.running.scenarios import Scenario, Source

__all__ = ["Comparison", "compare"]

DEFAULT_SEEDS = 10
DEFAULT_MAX_SEEDS = 100
# From this many nodes on, examining paths takes seconds.
MANY_NODES = 5000
# Name of the arm in runs that measure capacity.
SATURATED = "throughput_max"


class Comparing(Session):
    """A comparison to run. It is checked when created, before any run; ``result`` grows while it runs."""

    def __init__(self, options: Options) -> None:
        self.jobs = check_jobs(options.jobs)
        self._engine: Engine = options.engine or Threads(self.jobs)
        self._begun: set[int] = set()
        shard = Shard.parse(options.shard)
        if shard.count > 1 and options.out is None and options.resume is None:
            raise InputError(
                f"--shard {options.shard} needs --out DIR: `tworay merge` joins the directories of all parts"
            )
        self._lock: Lock | None = None
        self._stored: Stored | None = None
        if options.resume is not None:
            self._lock, self._stored = _read(options.resume, options.out, options.force)
        earlier = self._stored.manifest if self._stored else {}
        scenario, settings, costs = options.scenario, options.set, options.costs
        if scenario is None:
            scenario, settings, costs = _same_scenario(self._stored, settings, costs)
        seeds = options.seeds
        wanted = [] if seeds is None and earlier else parse_seeds(DEFAULT_SEEDS if seeds is None else seeds)
        self.seeds, self.left_out = _seeds(earlier.get("seeds", []), wanted, self._stored)
        until_ci = earlier.get("until_ci") if options.until_ci is None else options.until_ci
        limit = options.max_seeds or earlier.get("max_seeds", DEFAULT_MAX_SEEDS)
        shard.refuse_growth(until_ci)
        check_precision(until_ci, options.max_seeds, len(self.seeds))
        self.field = line_up(
            scenario,
            tcp=options.tcp,
            vary=options.vary,
            routing=options.routing,
            mix=options.mix,
            set=settings,
            costs=costs,
            earlier=self._stored.arms if self._stored else (),
        )
        base = self.field.base
        entries = _entries(options.entries, earlier, self._stored)
        chosen = overrides(settings)
        left = numbers(chosen, base.flows)
        on = {
            number for arm in self.field.arms for number in arm.numbers(chosen) or range(arm.scenario.flows)
        }
        nodes, there = Nodes(base.names), flows_of(base, left)
        judge = judge_named(options.judge or earlier.get("judge"), nodes, there)
        metrics = check(by_number(options.metrics, nodes, there)) or earlier.get("metrics")
        judge.check(base.tcp_flows, base.flows + len(switched_off(chosen)), on)
        entered(base, self.seeds[0], entries, left)
        sources = source_digests(self.field.classes)
        if self._stored:
            self._stored.refuse_other(base)
            self._stored.refuse_other_sources(sources)
            base_name = earlier["scenario"]
            if (until_ci, min(limit, MAX_SEEDS)) != (earlier["until_ci"], earlier["max_seeds"]):
                # The stopping rule changed: all stored runs count from the start.
                done = sorted({seed for _, seed in self._stored.records})
                self.seeds = list(dict.fromkeys([*self.seeds, *done]))
        else:
            base_name = base.name
        # By place and seed: mean hops, time without a path, and that of each flow.
        self._paths: dict[tuple[str, int], Paths] = {}
        self._stage: Callable[[str], None] = lambda text: None
        self.result = Comparison(base_name, self.field.names, self.field.arms, judge, metrics or ())
        resources = options.resources or earlier.get("resources", False)
        # The capacity of each combination of settings, shared by the arms that have it.
        self._crowded: dict[str, tuple[str, Scenario]] = {}
        if resources:
            for varied, world in self.field.worlds.items():
                self._crowded[f"{SATURATED} {label(varied)}"] = (label(varied), saturated(world))
        place = options.resume if options.out is None else options.out
        self.result.directory = None if place is None else Path(place)
        air = options.routing is not None or any(arm.daemon for arm in self.field.arms)
        air = air or earlier.get("air", False)
        plan = Plan(
            base_name,
            (Axis(ARM, tuple(self.field.names), ((),) * len(self.field.names)),),
            tuple(self.seeds),
            until_ci=until_ci,
            max_seeds=min(limit, MAX_SEEDS),
            entries=entries or "",
            whole=place is not None,
            air=air,
        )
        cells = [
            Cell(number, {}, arm.scenario, arm.name, arm.mix, arm.kernel, arm.daemon, arm.numbers(chosen))
            for number, arm in enumerate(self.field.arms)
        ]
        cells += [
            Cell(number, {}, world, name, saturated=True)
            for number, (name, (_, world)) in enumerate(self._crowded.items(), len(cells))
        ]
        super().__init__(plan, cells, shard)
        # Stored runs count when their seeds' turn has come, as if they were done then.
        self._bank = dict(self._stored.records) if self._stored else {}
        self._kept: dict[Place, Rows | None] = self._stored.tables if self._stored else {}
        self._runs = dict.fromkeys(self._bank, DONE)
        for record in self._bank.values():
            if record.get("facts"):
                hops, parted, flows = record["facts"]
                self._paths[self.result.arms[record["variant"]].place, record["seed"]] = (hops, parted, flows)
        self._store = None
        if place is not None:
            from tworay.experiment.store.results import Store

            details: dict[str, Any] = {
                "source": _source(scenario),
                "set": chosen,
                "costs": None if costs is None else os.fspath(costs),
                "arms": {arm.name: arm.describe() for arm in self.field.arms},
                "seeds": self.seeds,
                "until_ci": until_ci,
                "max_seeds": plan.max_seeds,
                "resources": resources,
                "air": air,
                "judge": judge.name,
                "metrics": metrics,
                "entries": entries,
                "maxima": {name: settings for name, (settings, _) in self._crowded.items()},
                "sources": sources,
            }
            self._store = Store(
                Path(place),
                "compare",
                force=options.force,
                scenario=base,
                details=details,
                resume=options.out is None,
                classes=self.field.classes,
            )

    @property
    def stored_runs(self) -> int:
        """Finished runs of the comparison that is resumed."""
        return sum("document" in record for record in self._bank.values())

    @property
    def problems(self) -> list[str]:
        """Files and lines of the resumed comparison that can't be read, or are gone."""
        return self._stored.problems if self._stored else []

    @property
    def place(self) -> Path | None:
        """Where results are written."""
        return self._store.path if self._store else None

    def announce(self, tell: Callable[[Scenario, int, int, Kept], None]) -> None:
        """Call ``tell`` with each scenario, a seed, the number of threads, and what is kept of a run."""
        for world in self.field.places().values():
            tell(world, self.seeds[0], self.jobs, self.memory)

    def run(self, watch: Watcher = silent, stage: Callable[[str], None] = lambda text: None) -> Comparison:
        """Do the runs. Ctrl-C raises ``KeyboardInterrupt``; finished runs are in ``result`` and ``out``.

        ``stage`` receives a text about slow steps before the runs.
        """
        self._stage = stage
        with ExitStack() as stack:
            stack.callback(self.release)
            if self._store:
                self._store.claim()
            stack.callback(self._finish)
            self.check_memory(self._engine, self.field.places().values())
            self.execute(self._engine, watch)
        return self.result

    def release(self) -> None:
        """Let other processes write to the directory."""
        try:
            if self._store:
                self._store.release()
        finally:
            if self._lock:
                self._lock.release()

    def _finish(self) -> None:
        """Write what is finished, also runs of an earlier session that this one did not reach."""
        for key in sorted(self._bank):
            self._take(key)
        self.result.failures.sort(key=lambda one: (one.seed, one.variant))
        if self._store and len(self.result):
            self._store.finish(self.result, self._kept)

    @property
    def runs(self) -> dict[Place, str]:
        """The status of each stored run."""
        return self._runs

    def keep(self, key: str, seed: int, name: str, table: pl.DataFrame) -> None:
        """Store a table of a run."""
        if self._store:
            self._store.keep(key, seed, name, table)

    def add(self, row: Row) -> None:
        """Store a run that has ended, and add it to the result."""
        key = arm, seed = row["world"], row["seed"]
        self._runs[key] = row["status"]
        if row["status"] != DONE:
            self.result.failures.append(Failure(arm, seed, row["message"]))
            return
        if arm not in self._crowded:
            row["path_hops"], row["partitioned"], row["shares"] = self._paths[
                self.result.arms[arm].place, seed
            ]
        if self._store:
            self._store.add(row)
        record = record_of(row)
        if arm not in self._crowded:
            self._kept[key] = record["tables"]
        self._bank[key] = record
        self._take(key)

    def _take(self, key: Place) -> None:
        """Add a stored run to the result."""
        record = self._bank.pop(key, None)
        if record is not None:
            take(self.result, record, {name: settings for name, (settings, _) in self._crowded.items()})

    def begin(self, seeds: dict[int, list[int]]) -> None:
        """Examine the paths of new seeds, and add their stored runs to the result."""
        new = [seed for seed in seeds[0] if seed not in self._begun]
        self._begun |= set(new)
        self._look_at(new)
        for cell in self.cells:
            for seed in new:
                self._take((cell.key, seed))

    @functools.cached_property
    def _drafts(self) -> list[str]:
        """The note on senders of drafts, which is that of the first arm that has one."""
        simulated = (cell.world for cell in self.cells if cell.kernel is None)
        return next(filter(None, map(draft_on_aggregates, simulated)), [])

    def _look_at(self, batch: list[int]) -> None:
        """Examine the paths of the seeds, and warn about flows without a path."""
        places = self.field.places()
        varied = {key for arm in self.field.arms for key, _ in arm.settings}
        self.result.warnings = [*self._drafts, *fixed_ends(places.values(), varied)]
        for place, world in places.items():
            arm = f"{place}: " if len(places) > 1 else ""
            self.result.warnings += [arm + text for text in cut_links(world)]
            unknown = [seed for seed in batch if (place, seed) not in self._paths]
            if world.nodes >= MANY_NODES:
                of = f" of {place}" if place else ""
                self._stage(f"looking for paths among {world.nodes:,} nodes, {len(unknown)} seeds{of}")
            for seed, paths in zip(unknown, in_order(world.paths, unknown, jobs=self.jobs), strict=True):
                self._paths[place, seed] = paths
            for seed in batch:
                self.result.add_facts(seed, self._paths[place, seed][:2], place)
            shares = [self._paths[place, seed][2] for seed in self.result.seeds_seen(place)]
            means = [math.fsum(flow) / len(flow) for flow in zip(*shares, strict=True)]
            # Also flows whose packets are too long; with many nodes, looking for paths again takes long.
            if any(means) or world.nodes < MANY_NODES:
                texts = world.path_warnings(self.seeds[0], means)
                self.result.warnings += [arm + text for text in warnings_of(texts, self.field.flows(place))]

    def more(self, seeds: dict[int, list[int]]) -> bool:
        """Add seeds to all arms until the interval of goodput is narrow."""
        done = seeds[0]
        assert self.plan.until_ci is not None
        precision = self.result.headline_precision()
        if len(done) >= LEAST_UNTIL_CI and precision is not None and precision <= self.plan.until_ci:
            return False
        if len(done) >= LEAST_UNTIL_CI and len(self.result.repeated) == len(done) - 1:
            return False  # All seeds give the same run, and so will further ones.
        fresh = more_seeds(done, self.plan.max_seeds)
        for of_cell in seeds.values():
            of_cell += fresh
        return bool(fresh)


def _seeds(planned: list[int], wanted: list[int], stored: Stored | None) -> tuple[list[int], list[int]]:
    """Return the seeds to run, and those that were planned earlier but are dropped now.

    Named seeds are added to the plan. Other planned seeds are dropped unless they have a finished run: no
    finished run is lost, and each seed has all arms.
    """
    seeds = list(dict.fromkeys([*planned, *wanted]))
    if not wanted or stored is None:
        return seeds, []
    begun = {seed for _, seed in stored.records}
    left_out = [seed for seed in seeds if seed not in begun and seed not in wanted]
    return [seed for seed in seeds if seed not in left_out], left_out


def _entries(wanted: str | None, earlier: dict[str, Any], stored: Stored | None) -> str | None:
    """Return the span within which flows start; that of a resumed comparison can't change."""
    chosen = None if wanted is None else check_entries(wanted, "--entries")
    if stored is None or chosen is None:
        return earlier.get("entries") if stored else chosen
    if chosen != earlier.get("entries"):
        made = f"--entries {earlier['entries']}" if earlier.get("entries") else "no --entries"
        raise InputError(f"--resume {stored.path}: it was made with {made}; start a new one with --out")
    return chosen


def _source(scenario: Source) -> str | None:
    """Return how to load the scenario again; ``None`` if it came from Python or standard input."""
    name = os.fspath(scenario) if isinstance(scenario, str | os.PathLike) else None
    return None if name == "-" else name


def _read(
    resume: str | os.PathLike[str], out: str | os.PathLike[str] | None, force: bool
) -> tuple[Lock, Stored]:
    from tworay.experiment.store.place import Lock, sweep

    if out is not None:
        raise InputError(
            "--out and --resume can't be used together; --resume continues the results in its directory"
        )
    if force:
        raise InputError("--force replaces results, --resume keeps them; leave one of the two out")
    place = Path(resume)
    Stored(place, read_manifest(place), {}, []).refuse_other_engine()
    lock = Lock(place)
    sweep(place)
    # Takes over the journal of a process that was killed, and puts damaged batches aside.
    broken = Batches(place).found.broken
    stored = read(place)
    stored.problems.extend(broken)
    stored.forget_without_tables()
    return lock, stored


def _same_scenario(stored: Stored | None, set: object, costs: object) -> tuple[str, list[str], str | None]:
    """Return the scenario, settings and costs with which the comparison was started."""
    if stored is None:
        raise InputError("no scenario given; `tworay scenarios` lists those that are built in")
    if set or costs is not None:
        raise InputError(
            f"--resume {stored.path}: settings and costs can't change; leave --set and --costs out"
        )
    manifest = stored.manifest
    if manifest["source"] is None:
        raise InputError(
            f"--resume {stored.path}: its scenario came from Python or standard input; give it again"
        )
    return manifest["source"], manifest["set"], manifest["costs"]


@taking(Options)
def compare(options: Options) -> Comparison:
    """Run every arm over the same seeds, on all cores, and compare them seed by seed.

    Arms are the variants of ``tcp``, each with every combination of the settings in ``vary``
    (``{"routing.protocol": ["aodv", "dsr"]}`` or ``"routing.protocol=aodv,dsr"``; with labels
    ``{"tcp.window": {"small": 4, "big": 32}}`` or ``"tcp.window=small=4,big=32"``), and the mixtures of
    ``mix`` (``"vegas:0.5,newreno:0.5"``) with their unmixed cases (``tworay.experiment.mixing``). ``tcp`` is
    a text, a list, or a mapping that gives each variant a label: ``{"mine": Mine, "base": "newreno"}``, as
    text ``"mine=mine.py:Mine,base=newreno"``.

    ``routing="aodv,babeld"`` varies ``routing.protocol``, also by real daemons of kernels in virtual time
    (babeld, batman-adv, batman-adv-v, bird-babel; ``"babeld:FILE"`` with a script of your own), and measures
    routing on the air (``tworay.running.air``).

    ``seeds`` is a number (seeds 1 to N; 10), a list, or text such as ``"1-10"`` or ``"3,5,9"``. With
    ``until_ci=0.05`` seeds are added until every arm's 95 % interval of goodput is within ± 5 % of
    its mean, or ``max_seeds`` (100) are done. ``out`` writes Parquet tables and ``summary.json`` there;
    ``tworay.write_report(out)`` adds the page for the browser, as ``tworay compare --out`` does.
    ``resume`` continues the comparison in such a directory, also after an interruption: arms and seeds
    named here are added to those of the directory. Planned seeds that have not started and are not named
    here are dropped. Without ``scenario`` all options are those of the directory.
    ``resources`` measures EEE and UAR, which adds one run per seed with saturating sources, shared by all
    variants (``tworay.running.resources``). ``costs`` names a table of computing costs to use instead of
    the scenario's.
    ``judge`` chooses the flows whose metrics are compared: ``tcp`` (all flows if there is no TCP), ``udp``,
    ``all``, ``flow.0,flow.2``, or ends such as ``bob:alice``. ``entries="2s"`` draws the flows' start times
    from the seed, from 0 to 2 s: a wired network has no other randomness. Seeds whose runs are equal are
    counted once.
    ``metrics`` are the columns to show, such as ``"transfer_p95_seconds,goodput_bps"``; the verdict is about
    the first.
    ``shard="1/4"`` does only the first of four parts, for ``tworay merge``; ``engine`` does the runs in place
    of this process's threads, such as ``tworay.experiment.cluster.Cluster("tls://HOST:PORT")``.
    ``watch`` shows the progress: a function gets it a few times per second
    (``tworay.running.executing.State``), ``True`` shows a bar (in a notebook below the cell, else on stderr),
    ``False`` nothing; by default there is a bar in notebooks only.

    The result depends on the scenario, the arms, the seeds and the version, not on ``jobs``. Runs
    that fail are listed in ``failures`` and excluded. Ctrl-C raises ``KeyboardInterrupt`` with the
    finished runs kept in ``out``.
    """
    work = Comparing(options)
    with watching(options.watch, work.result.scenario) as (watch, stage):
        result = work.run(watch, stage)
    for text in result.missing:
        warnings.warn(f"metrics: {text}", stacklevel=3)
    return result
