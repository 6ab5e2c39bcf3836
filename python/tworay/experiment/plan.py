"""An experiment: scenarios × settings × variants × seeds, read from TOML and expanded into cells.

A cell is one combination; its runs differ only in the seed. A run is identified by its seed and a hash of the
resolved scenario and the engine's version. Every setting and default counts; names, comments, the order of
keys and the location of files don't.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay import _native
from tworay._native import RESULTS, VERSION
from tworay.errors import InputError
from tworay.experiment.arms import parse_vary
from tworay.experiment.axes import MIX, SCENARIO, TCP, Axis, labelled, several, text, vary, zipped
from tworay.experiment.mixing import parse_mixes
from tworay.metrics import TCP as TCP_FLOWS
from tworay.metrics import Judge, check, find, parse_judge
from tworay.running.control import CongestionControl, is_reference, load_class, name_of
from tworay.running.entries import check_entries
from tworay.running.scenarios import load, overrides
from tworay.running.spec import check_precision, parse_percent, parse_seeds, parse_variants

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tworay.experiment.mixing import Mix
    from tworay.experiment.options import Common
    from tworay.running.control import Variant
    from tworay.running.scenarios import Scenario

KEYS = (
    *("name", "about", "scenario", "tcp", "seeds", "until_ci", "ci_metric", "max_seeds", "metrics"),
    *("keep", "facts", "resources", "entries", "judge", "set", "vary", "zip", "axis", "mix"),
)
# Tables of a run that a sweep can keep.
TABLES = ("flows", "ledger", "guesses", "series", "retransmissions", "alive", "pairs")
# Those that need the time series of a run.
SERIES = frozenset({"series", "alive"})
# Figures of the scenario's paths, beside the metrics of runs.
OF_PATHS = ("path_hops", "partitioned")
DEFAULT_SEEDS = 10
DEFAULT_MAX_SEEDS = 100
MAX_CELLS = 100_000
# Names of columns in the tables of runs, means and differences: an axis can't have them.
TAKEN = frozenset(
    [
        *(
            "cell",
            "world",
            "toml",
            "seed",
            "status",
            "message",
            "tworay",
            "cpu_seconds",
            "document",
            "path_hops",
            "shares",
            "tables",
        ),
        *(
            "partitioned",
            "mean",
            "low",
            "high",
            "std",
            "n",
            "values",
            "a",
            "b",
            "mean_a",
            "mean_b",
            "p",
            "p_holm",
        ),
        *("difference", "percent", "percent_low", "percent_high", "verdict"),
    ]
)
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
    document: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    where: str = ""

    @property
    def series(self) -> bool:
        """Whether runs record time series."""
        return self.whole or bool(SERIES & set(self.keep))

    @property
    def extras(self) -> dict[str, Any]:
        """Results wanted beyond a run's document; part of a run's identity."""
        return {
            "facts": self.facts,
            "keep": list(self.keep),
            "resources": self.resources,
            "entries": self.entries,
            "whole": self.whole,
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
        variant: Variant | None = tcp
        if tcp is not None and is_reference(tcp):
            variant = self._class(tcp, classes)
        overrides = [*self.set, *(f"{key}={value}" for key, value in chosen.items())]
        world = load(self._beside(scenario), tcp=variant, set=overrides or None)
        place = {axis.name: label for axis, (label, _) in zip(self.axes, combination, strict=True)}
        if mixture is None:
            cell, extras = Cell(number, place, world, ""), self.extras
        else:
            (mix,) = parse_mixes(mixture, lambda name: self._class(name, classes))
            mix.check(world)
            cell, extras = Cell(number, place, world, "", mix), self.extras | {"mix": mix.name}
        return replace(cell, key=digest(cell.files, extras))

    def _class(self, reference: str, classes: dict[str, type[CongestionControl]]) -> type[CongestionControl]:
        """Load a class of a file beside the experiment once, so that all cells run the same one."""
        file, _, name = reference.rpartition(":")
        if reference not in classes:
            classes[reference] = load_class(f"{self._beside(file)}:{name}")
        return classes[reference]

    def _beside(self, name: str) -> str:
        """Return the path of a file next to the experiment if it exists, else the name unchanged."""
        path = self.base / name
        return str(path) if path.is_file() else name

    def changed(self, options: Common) -> Plan:
        """Return the plan with what ``options`` say in place of what the experiment says."""
        changes: dict[str, Any] = {
            "tcp": None if options.tcp is None else [name_of(one) for one in parse_variants(options.tcp)],
            "mix": [options.mix] if isinstance(options.mix, str) else options.mix and list(options.mix),
            "until_ci": options.until_ci,
            "max_seeds": options.max_seeds,
            "judge": options.judge,
            "entries": options.entries,
            "resources": options.resources or None,
        }
        for key, pairs in (
            ("vary", parse_vary(options.vary)),
            ("set", [one.split("=", 1) for one in overrides(options.set)]),
        ):
            changes[key] = (self.document.get(key, {}) | dict(pairs)) if pairs else None
        changes = {key: value for key, value in changes.items() if value is not None}
        seeds = self.seeds if options.seeds is None else tuple(parse_seeds(options.seeds))
        changed = replace(self, seeds=seeds)
        if changes:
            document = self.document | {"seeds": list(seeds)} | changes
            changed = _plan(document, self.where, self.base, "", derived=False)
        check_precision(changed.until_ci, options.max_seeds, len(changed.seeds))
        return changed


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
            content = "".join(map(_settled, content.splitlines(keepends=True)))
        lines.append(json.dumps([name, content]))
    wanted = {key: value for key, value in extras.items() if value}
    lines.append(json.dumps([FORM, engine, wanted], sort_keys=True))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _settled(line: str) -> str:
    if re.match(r"(name|summary) = ", line):
        return ""
    match = re.fullmatch(r'file = "(.*)"\n?', line)
    if match and Path(match[1]).is_file():
        return f"file = {hashlib.sha256(Path(match[1]).read_bytes()).hexdigest()}\n"
    return line


def read(source: str | Path | Mapping[str, Any], *, derived: bool = False) -> Plan:
    """Read an experiment: a TOML file, or the same as a mapping.

    ``derived``: its metrics may also be quantities that are derived from the runs later.
    """
    if not isinstance(source, str | Path):
        return _plan(dict(source), "experiment", Path(), "", derived=derived)
    path = Path(source)
    try:
        content = path.read_text(encoding="utf-8")
        document = tomllib.loads(content)
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file; name an experiment (docs/guide/sweeps.md has examples)"
        ) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory; name an experiment file (.toml)") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    return _plan({"name": path.stem} | document, str(path), path.absolute().parent, content, derived=derived)


def _plan(document: dict[str, Any], where: str, base: Path, content: str, *, derived: bool) -> Plan:
    for key in document:
        if key not in KEYS:
            near = _native.nearest(key, list(KEYS))
            hint = f"did you mean {near}?" if near else f"allowed are {', '.join(KEYS)}"
            raise InputError(f"{where}: there is no key `{key}`; {hint}")
    for key in ("metrics", "keep"):
        found = document.get(key, ())
        if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
            raise InputError(f'{where}: {key} = {found!r}; write a list of names, such as ["goodput_bps"]')
    for key in ("axis", "vary", "set"):
        if not isinstance(document.get(key, {}), dict):
            raise InputError(f"{where}: {key} = {document[key]!r}; write a table, [{key}]")
    if not derived:
        _known(document.get("metrics"), "metrics", where)
    axes = _axes(document, where)
    seen: set[str] = set()
    for axis in axes:
        if axis.name in seen:
            raise InputError(f"{where}: two axes are called `{axis.name}`; give one of them another name")
        seen.add(axis.name)
        if axis.name in TAKEN or find(axis.name) is not None:
            what = "a column of the tables" if axis.name in TAKEN else "a metric"
            remedy = "write seeds = 10" if axis.name == "seed" else "give it another name with [axis.NAME]"
            raise InputError(f"{where}: an axis can't be called `{axis.name}`, which is {what}; {remedy}")
    try:
        seeds = parse_seeds(document.get("seeds", DEFAULT_SEEDS))
        until = document.get("until_ci")
        until_ci = None if until is None else parse_percent(str(until))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    max_seeds = document.get("max_seeds", DEFAULT_MAX_SEEDS)
    if until_ci is not None and (not isinstance(max_seeds, int) or max_seeds < len(seeds)):
        raise InputError(
            f"{where}: max_seeds = {max_seeds!r}; give a number, at least the {len(seeds)} seeds"
        )
    keep = tuple(document.get("keep", ()))
    for table in keep:
        if table not in TABLES:
            raise InputError(f"{where}: keep: there is no table `{table}`; there are {', '.join(TABLES)}")
    fixed = document.get("set", {})
    if not isinstance(fixed, dict):
        raise InputError(f'{where}: set = {fixed!r}; write a table, [set] and "duration" = "60s" below')
    return Plan(
        name=_name(document.get("name", "experiment"), where),
        axes=tuple(axes),
        seeds=tuple(seeds),
        set=tuple(f"{key}={text(value)}" for key, value in fixed.items()),
        until_ci=until_ci,
        ci_metric=_known([str(document.get("ci_metric", "goodput_bps"))], "ci_metric", where)[0],
        max_seeds=max_seeds,
        metrics=tuple(document.get("metrics", ("goodput_bps",))),
        keep=keep,
        facts=_facts(document.get("facts", False), where),
        resources=bool(document.get("resources", False)),
        entries=_entries(document.get("entries", ""), where),
        judge=_judge(document.get("judge"), where),
        about=str(document.get("about", "")),
        base=base,
        text=content or _as_toml(document),
        document=document,
        where=where,
    )


def _name(found: Any, where: str) -> str:
    """Check the name, after which the directory of the runs is called."""
    name = str(found)
    if not name.strip() or name.startswith(".") or not name.isprintable() or set(name) & set("/\\:"):
        raise InputError(
            f"{where}: name = {found!r}; results go to NAME.sweep, so write a name without slashes, such as "
            '"speed"; --out names another place'
        )
    return name


def _known(names: Any, key: str, where: str) -> list[str]:
    """Return full names of metrics; raises for unknown ones before anything runs."""
    try:
        return check(names, OF_PATHS)
    except InputError as error:
        raise InputError(f"{where}: {key}: {str(error).removeprefix('--metrics: ')}") from None


def _entries(found: Any, where: str) -> str:
    return check_entries(str(found), f"{where}: entries") if found else ""


def _judge(found: Any, where: str) -> Judge:
    try:
        return parse_judge(None if found is None else str(found))
    except InputError as error:
        raise InputError(f"{where}: {str(error).removeprefix('--')}") from None


def _facts(found: Any, where: str) -> bool | str:
    if found not in (True, False, "only"):
        raise InputError(f'{where}: facts = {found!r}; write true, or "only" to simulate nothing')
    return bool(found) if found != "only" else "only"


def _axes(document: dict[str, Any], where: str) -> list[Axis]:
    axes = []
    if SCENARIO in document:
        names = several(f"{where}: scenario", document[SCENARIO])
        axes.append(Axis(SCENARIO, tuple(_shown(n) for n in names), tuple(((SCENARIO, n),) for n in names)))
    for name, values in document.get("axis", {}).items():
        axes.append(labelled(where, name, values))
    groups = document.get("zip", [])
    if not isinstance(groups, list):
        raise InputError(f"{where}: a zip is written [[zip]], in two brackets")
    axes += [zipped(where, group, number) for number, group in enumerate(groups, 1)]
    axes += vary(where, document.get("vary", {}))
    if TCP in document or MIX in document:
        axes.append(_senders(document, where))
    if not axes:
        raise InputError(f'{where}: nothing to run; write for example scenario = "string-4"')
    return axes


def _senders(document: dict[str, Any], where: str) -> Axis:
    """Return the axis ``tcp``: variants, and mixtures, which bring their unmixed cases as in comparisons."""
    names = several(f"{where}: tcp", document[TCP]) if TCP in document else []
    variants = [str(one) for one in parse_variants(names)] if names else []
    given = document.get(MIX, [])
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise InputError(f'{where}: mix = {given!r}; write "vegas:0.5,newreno:0.5" or a list of such texts')
    try:
        # Classes are loaded with the cells, from beside the experiment.
        mixes = parse_mixes(given, lambda name: CongestionControl)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    for mix in mixes:
        variants += [name for name in mix.shares if name not in variants]
    values = [*((TCP, name) for name in variants), *((MIX, mix.name) for mix in mixes)]
    return Axis(TCP, tuple(label for _, label in values), tuple((value,) for value in values))


def _shown(name: str) -> str:
    return Path(name).stem if name.endswith(".toml") else name


def _as_toml(document: Mapping[str, Any]) -> str:
    """Write an experiment given as a mapping."""
    lines, tables = [], []
    for key, value in document.items():
        if key == "zip":
            tables += [
                ["[[zip]]", *(f"{json.dumps(k)} = {_value(v)}" for k, v in group.items())] for group in value
            ]
        elif key == "axis":
            for name, values in value.items():
                tables.append(
                    [
                        f"[axis.{json.dumps(name)}]",
                        *(f"{json.dumps(k)} = {_value(v)}" for k, v in values.items()),
                    ]
                )
        elif isinstance(value, dict):
            tables.append([f"[{key}]", *(f"{json.dumps(k)} = {_value(v)}" for k, v in value.items())])
        else:
            lines.append(f"{key} = {_value(value)}")
    return "\n".join(["\n".join(lines), *("\n".join(["", *table]) for table in tables)]) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
