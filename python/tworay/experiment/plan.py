"""A plan of runs: of a sweep scenarios × settings × variants × seeds, of a comparison arms × seeds.

A cell is one combination; its runs differ only in the seed. A run is identified by its seed and a hash of the
resolved scenario and the engine's version. Every setting and default counts; names, comments, the order of
keys and the location of files don't.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay._native import RESULTS, VERSION
from tworay.errors import InputError
from tworay.experiment.axes import MIX, SCENARIO, TCP, Axis
from tworay.experiment.mixing import parse_mixes
from tworay.experiment.store.namedfiles import replaced
from tworay.metrics import TCP as TCP_FLOWS
from tworay.metrics import Judge
from tworay.running.control import CongestionControl, is_kernel, is_reference, load_class
from tworay.running.scenarios import load
from tworay.running.switching import numbers
from tworay.virtual import cache
from tworay.virtual.arms import check_carried, check_routable
from tworay.virtual.controllers import controller_of
from tworay.virtual.daemons import KEY as ROUTING
from tworay.virtual.daemons import is_daemon, routed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tworay.experiment.mixing import Mix
    from tworay.running.control import Variant
    from tworay.running.scenarios import Scenario
    from tworay.virtual.daemons import Daemon

# Tables that need the time series of a run.
SERIES = frozenset({"series", "alive"})
# Tables of recorded runs only.
RECORDED = frozenset({"segments", "routing", "moves"})
DEFAULT_MAX_SEEDS = 100
MAX_CELLS = 100_000
# Version of the storage format and the hash.
FORM = 1
# What determines results in addition to the scenario.
ENGINE = f"{VERSION}, results {RESULTS}"


@dataclass(frozen=True)
class Cell:
    """One combination of the axes' values; of a comparison, one arm."""

    number: int
    place: dict[str, str]
    world: Scenario = field(repr=False, compare=False)
    key: str
    """The identity of its runs beside the seed: of a sweep a hash, of a comparison the arm's name."""
    mix: Mix | None = field(default=None, repr=False, compare=False)
    kernel: str | None = None
    """The controller of the kernel in virtual time that sends the TCP flows, if one does."""
    daemon: Daemon | None = field(default=None, repr=False)
    """The daemon that routes in that kernel; ``None``: the scenario's protocol."""
    flows: tuple[int, ...] | None = None
    """The numbers of its flows if some are switched off; ``None``: 0, 1, 2 …."""
    saturated: bool = False
    """The scenario has saturating sources, and its runs measure nothing but capacity."""

    @cached_property
    def files(self) -> dict[str, str]:
        """Files that repeat its runs; of a mixture the run with seed 0, which gives flows their variants."""
        return kept(self.at(0))

    def at(self, seed: int) -> Scenario:
        """Return the scenario for ``seed``, which decides which flow of a mixture gets which variant."""
        return self.mix.apply(self.world, seed) if self.mix else self.world

    def files_at(self, seed: int) -> dict[str, str]:
        """Return the files that repeat the run with this seed."""
        return kept(self.at(seed)) if self.mix else self.files

    @property
    def name(self) -> str:
        """The labels in one line; of an arm its name."""
        return " ".join(f"{axis}={label}" for axis, label in self.place.items()) or self.key


@dataclass(frozen=True)
class Plan:
    """The contents of an experiment file. ``cells`` resolves it."""

    name: str
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    set: tuple[str, ...] = ()
    until_ci: float | None = None
    ci_metric: str = "goodput_bps"
    max_seeds: int = DEFAULT_MAX_SEEDS
    metrics: tuple[str, ...] = ("goodput_bps",)
    keep: tuple[str, ...] = ()
    facts: bool | str = False
    resources: bool = False
    entries: str = ""
    judge: Judge = TCP_FLOWS
    about: str = ""
    base: Path = Path()
    text: str = ""
    whole: bool = False
    """Every table of every run is kept, as comparisons do."""
    air: bool = False
    """Routing is measured on the air (``tworay.running.air``)."""
    document: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    where: str = ""

    @property
    def series(self) -> bool:
        """True if runs record time series."""
        return self.whole or bool(SERIES & set(self.keep))

    @property
    def record(self) -> bool:
        """True if runs record every segment, frame and route."""
        return bool(RECORDED & set(self.keep))

    @property
    def extras(self) -> dict[str, Any]:
        """Results wanted beyond a run's document; part of a run's identity."""
        return {
            "facts": self.facts,
            "keep": list(self.keep),
            "resources": self.resources,
            "entries": self.entries,
            "whole": self.whole,
            "air": self.air,
        }

    def cells(self) -> list[Cell]:
        """Resolve every combination; raises ``ScenarioError`` or ``InputError`` before anything runs."""
        number = 1
        for axis in self.axes:
            number *= len(axis.labels)
        if number > MAX_CELLS:
            raise InputError(
                f"{self.name}: {number} cells; allowed are up to {MAX_CELLS}, vary less at a time"
            )
        classes: dict[str, type[CongestionControl]] = {}
        combinations = itertools.product(*(zip(a.labels, a.settings, strict=True) for a in self.axes))
        return [self._cell(i, combination, classes) for i, combination in enumerate(combinations)]

    def _cell(self, number: int, combination: Any, classes: dict[str, type[CongestionControl]]) -> Cell:
        settings = [setting for _, group in combination for setting in group]
        chosen = dict(settings)
        scenario, tcp, mixture = (chosen.pop(key, None) for key in (SCENARIO, TCP, MIX))
        if scenario is None:
            raise InputError(f'{self.name}: no scenario; write scenario = "string-4" or a list of them')
        if tcp is not None and mixture is not None:
            raise InputError(f"{self.name}: both tcp = {tcp} and mix = {mixture} in one cell; leave one out")
        kernel = controller_of(tcp) if tcp is not None and is_kernel(tcp) else None
        daemon = None
        if is_daemon(chosen.get(ROUTING, "")):
            daemon = routed(self._beside_daemon(chosen.pop(ROUTING)), kernel=kernel is not None)
        variant: Variant | None = tcp if kernel is None else None
        if tcp is not None and is_reference(tcp):
            variant = self._class(tcp, classes)
        overrides = [*self.set, *(f"{key}={value}" for key, value in chosen.items())]
        world = load(self._beside(scenario), tcp=variant, set=overrides or None)
        flows = numbers(overrides, world.flows)
        place = {axis.name: label for axis, (label, _) in zip(self.axes, combination, strict=True)}
        if daemon is not None:
            check_routable(world, daemon.name)
        if kernel is not None:
            check_carried(world, str(tcp))
        if mixture is None:
            cell = Cell(number, place, world, "", kernel=kernel, daemon=daemon, flows=flows)
            extras = self.extras
            if daemon is not None:
                extras |= {"daemon": f"{daemon.name} {daemon.digest}"}
            if kernel is not None:
                extras |= {"kernel": f"{kernel} of {cache.kernel().name}"}
        else:
            (mix,) = parse_mixes(mixture, lambda name: self._class(name, classes))
            mix.check(world)
            cell, extras = Cell(number, place, world, "", mix, flows=flows), self.extras | {"mix": mix.name}
        return replace(cell, key=digest(cell.files, extras | {"flows": flows and list(flows)}))

    def _class(self, reference: str, classes: dict[str, type[CongestionControl]]) -> type[CongestionControl]:
        """Load a class of a file beside the experiment once, so that all cells run the same one."""
        file, _, name = reference.rpartition(":")
        if reference not in classes:
            classes[reference] = load_class(f"{self._beside(file)}:{name}")
        return classes[reference]

    def _beside_daemon(self, protocol: str) -> str:
        """Return a daemon with the path of its script, which may lie beside the experiment."""
        name, colon, file = protocol.partition(":")
        return f"{name}{colon}{self._beside(file)}" if file else name

    def _beside(self, name: str) -> str:
        """Return the path of a file next to the experiment if it exists, else the name unchanged."""
        path = self.base / name
        return str(path) if path.is_file() else name


# Lines that can't change a result.
LABELS = re.compile(r"^(name|summary) = .*\n?", re.MULTILINE)


def kept(world: Scenario) -> dict[str, str]:
    """Return the files of a scenario by name: complete text, costs, classes of variants."""
    from tworay.experiment.store.results import keep

    return keep(world)


def digest(files: Mapping[str, str], extras: Mapping[str, Any], engine: str = ENGINE) -> str:
    """Hash everything but the seed that decides a run's results: resolved scenario and simulator.

    The scenario's name and summary are left out, because they can't change a result. Of files that it names
    the contents count, not the location.
    """
    lines = []
    for name, content in sorted(files.items()):
        if name.endswith(".toml"):
            content = replaced(LABELS.sub("", content), _sum)
        lines.append(json.dumps([name, content]))
    wanted = {key: value for key, value in extras.items() if value}
    lines.append(json.dumps([FORM, engine, wanted], sort_keys=True))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
