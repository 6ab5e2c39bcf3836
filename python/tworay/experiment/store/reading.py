"""Read result directories, to show them or to resume a comparison."""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay._native import RESULTS, VERSION, nearest
from tworay.errors import InputError, ScenarioError, TworayError
from tworay.experiment.arms import Arm
from tworay.experiment.comparison import Comparison
from tworay.experiment.store import earlier
from tworay.experiment.store.batches import DONE, row, stored_rows
from tworay.experiment.store.formats import FORMAT, settings_of_today
from tworay.experiment.store.manifest import read_manifest, strict_json
from tworay.experiment.store.records import COSTS, SCENARIO, check_document, read_scenario, read_warnings
from tworay.experiment.store.results import keep
from tworay.experiment.store.tables import lacking, tables_of_run
from tworay.running.entries import entered
from tworay.running.frames import Table
from tworay.running.scenarios import load_text
from tworay.running.spec import written
from tworay.running.switching import numbers
from tworay.virtual.daemons import simulated

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from tworay.experiment.store.batches import Place, Row
    from tworay.experiment.store.tables import Rows
    from tworay.running.control import Variant
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario

# Number of differences between two scenarios that a message lists.
SHOWN = 3
# The key of a scenario's capacity, bit/s, in documents that have nothing else.
CAPACITY = "throughput_max_bps"


def capacity_of(maximum: float) -> dict[str, Any]:
    """Return the document of a run that measures capacity."""
    return {"flows": [], CAPACITY: maximum}


def read_records(path: Path) -> tuple[dict[Place, dict[str, Any]], list[str]]:
    """Return the record of each finished run of a comparison by arm and seed, and what can't be read.

    A record has the run's document, without ``cpu_seconds``, the only value in which equal runs differ, or
    the capacity of a seed. Runs that can't be read count as missing.
    """
    if read_manifest(path)["format"] < FORMAT:
        found, problems = earlier.read_records(path)
        remedy = f"`tworay merge {path} --out DIR` takes over the others"
    else:
        rows, problems = stored_rows(path)
        found = {}
        for one in rows:
            try:
                if one["status"] == DONE:
                    found[one["world"], one["seed"]] = record_of(one)
            except ValueError as error:
                problems.append(f"{path}: {one['world']}, seed {one['seed']} can't be read ({error})")
        remedy = f"`tworay compare --resume {path}` does those runs again"
    return found, [f"{text}; {remedy}" for text in problems]


def record_of(one: Row) -> dict[str, Any]:
    """Return a stored run as a record; raise ``ValueError`` for what is none."""
    document = strict_json(one["document"])
    if isinstance(document, dict) and CAPACITY in document:
        if not isinstance(document[CAPACITY], int | float):
            raise ValueError(f"`{CAPACITY}` is {str(document[CAPACITY])[:40]}")
        return {"variant": one["world"], "seed": one["seed"], CAPACITY: document[CAPACITY]}
    shares = one["shares"]
    return {
        "variant": one["world"],
        "seed": one["seed"],
        "facts": None if shares is None else [one["path_hops"], one["partitioned"], shares],
        "document": check_document(document),
        "tables": None if one["tables"] is None else json.loads(one["tables"]),
    }


def row_of(record: Mapping[str, Any]) -> Row:
    """Return a record as a row for storing."""
    facts = record.get("facts") or (None, None)
    document = record.get("document") or capacity_of(record[CAPACITY])
    return row(record["variant"], record["seed"], document, facts=facts, tables=record.get("tables"))


@dataclass(frozen=True)
class Stored:
    """A stored comparison, complete or interrupted."""

    path: Path
    manifest: dict[str, Any]
    records: dict[tuple[str, int], dict[str, Any]]
    problems: list[str]
    """Parts that can't be read; the runs in them count as missing."""

    @property
    def arms(self) -> list[Arm]:
        """The arms, without their scenarios."""
        return [Arm.stored(name, about) for name, about in self.manifest["arms"].items()]

    @property
    def tables(self) -> dict[Place, Rows | None]:
        """The number of rows that each run has in each table, if that is known."""
        return {key: one["tables"] for key, one in self.records.items() if "document" in one}

    def comparison(self) -> Comparison:
        """Return all finished runs."""
        result = Comparison(
            self.manifest["scenario"],
            list(self.manifest["arms"]),
            self.arms,
            self.manifest.get("judge"),
            self.manifest.get("metrics") or (),
            self._world,
        )
        for key in sorted(self.records):
            take(result, self.records[key], self.manifest.get("maxima", {}))
        result.warnings = [*read_warnings(self.path), *self.problems]
        result.directory = self.path
        return result

    def _world(self, arm: Arm) -> Scenario | None:
        """Return an arm's scenario; ``None`` if this version can't read it any more."""
        try:
            return _world(self.path, self.manifest, arm.name)[0]
        except (TworayError, OSError):
            return None

    def forget_without_tables(self) -> None:
        """Leave out runs whose tables are gone or damaged, and say so: their runs are done again."""
        gone = lacking(self.path, {key: rows for key, rows in self.tables.items() if rows is not None})
        for file, keys in gone.items():
            named = ", ".join(f"{arm} seed {seed}" for arm, seed in keys[:SHOWN])
            more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
            self.problems.append(f"{file} has no rows of {named}{more}; done again")
        for key in {key for keys in gone.values() for key in keys}:
            del self.records[key]

    def refuse_other_engine(self) -> None:
        """Raise ``InputError`` if the runs are of a version whose results may differ."""
        where = f"--resume {self.path}"
        if self.manifest["tworay"] != VERSION:
            raise InputError(
                f"{where}: its runs are of tworay {self.manifest['tworay']}, this is {VERSION}; results of "
                "two versions can't be mixed; start a new comparison with --out"
            )
        if self.manifest.get("results") != RESULTS:
            raise InputError(
                f"{where}: its runs are from before the simulator's results changed last, and would not mix "
                f"with new ones: compare anew with --out; `tworay show {self.path}` still shows it"
            )
        if self.manifest["format"] < FORMAT:
            raise InputError(
                f"{where}: it has an earlier form of storage; `tworay merge {self.path} --out DIR` converts "
                "it, then resume DIR"
            )

    def refuse_other(self, base: Scenario) -> None:
        """Refuse to go on with another scenario, and say what differs."""
        where = f"--resume {self.path}"
        files = keep(base)
        kept, costs = files[SCENARIO], files.get(COSTS)
        text = read_scenario(self.path)
        if kept != text:
            found = list(_differences(tomllib.loads(text), tomllib.loads(kept)))
            shown = "; ".join(found[:SHOWN]) + ("; …" if len(found) > SHOWN else "")
            raise InputError(f"{where}: it was made with another scenario: {shown or 'its text differs'}")
        table = self.path / COSTS
        if costs != (table.read_text(encoding="utf-8") if table.is_file() else None):
            raise InputError(
                f"{where}: it was made with another table of computing costs; use --costs {table}"
            )

    def refuse_other_sources(self, sources: Mapping[str, str | None]) -> None:
        """Raise ``InputError`` if the source of a Python variant has changed."""
        known = self.manifest.get("sources", {})
        for name, digest in sources.items():
            if name in known and None not in (digest, known[name]) and digest != known[name]:
                raise InputError(
                    f"--resume {self.path}: the source of {name} has changed; "
                    "start a new comparison with --out"
                )


def take(result: Comparison, record: dict[str, Any], maxima: Mapping[str, str]) -> None:
    """Add a finished run, or the capacity of a scenario, to a comparison."""
    seed = record["seed"]
    if "document" not in record:
        result.add_maximum(seed, record[CAPACITY], maxima[record["variant"]])
        return
    if record["variant"] in result.variants:
        result.add(record["variant"], seed, record["document"])
        if record["facts"] is not None:
            hops, parted, _ = record["facts"]
            result.add_facts(seed, (hops, parted), result.arms[record["variant"]].place)


def read(path: str | os.PathLike[str]) -> Stored:
    """Read the directory of a comparison."""
    place = Path(path)
    manifest = read_manifest(place)
    if manifest["command"] != "compare":
        raise InputError(f"{place} holds results of `tworay {manifest['command']}`, not of a comparison")
    return Stored(place, manifest, *read_records(place))


def results(path: str | os.PathLike[str]) -> Run | Comparison:
    """Read a directory of ``run`` or ``compare``; of an interrupted comparison the finished runs."""
    place = Path(path)
    if read_manifest(place)["command"] == "run":
        from tworay.running.run import Run

        return Run.read(place)
    return read(place).comparison()


def _world(place: Path, manifest: Mapping[str, Any], arm: str) -> tuple[Scenario, dict[str, str]]:
    """Return the scenario of an arm, and what it sets."""
    settings = settings_of_today(manifest["arms"][arm]["set"], manifest["format"])
    # A daemon that routes is no setting of the scenario.
    settings = dict(simulated(settings.items()))
    return load_text(read_scenario(place), place / SCENARIO, settings), settings


def run_of(path: str | os.PathLike[str], arm: str | None = None, seed: int | None = None) -> Run:
    """Read one run: of a run's directory, or the run of ``arm`` and ``seed`` of a comparison's."""
    from tworay.running.run import Run

    place = Path(path)
    if read_manifest(place)["command"] == "run":
        if (arm, seed) != (None, None):
            raise InputError(f"{place} holds a single run; leave out --arm and --seed")
        return Run.read(place)
    records, _ = read_records(place)
    runs = [key for key, record in sorted(records.items()) if "document" in record]
    arm = _full_name(place, arm, {name for name, _ in runs})
    chosen = [key for key in runs if (arm is None or key[0] == arm) and (seed is None or key[1] == seed)]
    if len(chosen) != 1:
        names = list(dict.fromkeys(name for name, _ in runs))
        arms = ", ".join(names)
        if arm is not None and arm not in names:
            near = nearest(arm, names)
            hint = f"did you mean {near}? " if near else ""
            raise InputError(f"--arm {arm}: {place} has no such arm; {hint}there are {arms}")
        done = sorted({number for name, number in runs if arm in (None, name)})
        if seed is not None and seed not in done:
            of = "" if arm is None else f" of {arm}"
            raise InputError(f"--seed {seed}: {place} has no such run{of}; its seeds are {written(done)}")
        seeds = ", ".join(str(number) for number in sorted({number for _, number in runs}))
        raise InputError(
            f"{place} holds a comparison: name one of its runs with --arm ({arms}) and --seed ({seeds})"
        )
    result = Run.__new__(Run)
    frames = {name: Table(frame) for name, frame in tables_of_run(place, *chosen[0]).items()}
    state = {"text": None, "frames": frames, "summary": records[chosen[0]]["document"]}
    manifest = read_manifest(place)
    try:
        world, settings = _world(place, manifest, chosen[0][0])
    except ScenarioError:
        # A file that it names has gone. Earlier versions named it relative to where the scenario was.
        state["kept"] = None
    else:
        fixed = manifest.get("set") or []
        left = numbers([*fixed, *(f"{key}={value}" for key, value in settings.items())], world.flows)
        state["kept"] = keep(entered(world, chosen[0][1], manifest.get("entries"), left))
    result.__setstate__(state)
    return result


def _full_name(place: Path, arm: str | None, names: set[str]) -> str | None:
    """Return the name of the arm that tables of a comparison print in short: ``reno on``."""
    if arm is None or arm in names:
        return arm
    from tworay.showing.armaxis import short_names

    found = results(place)
    short = short_names(found.choices)[1] if isinstance(found, Comparison) else {}
    return next((name for name, printed in short.items() if printed == arm), arm)


def source_digests(variants: Mapping[str, Variant]) -> dict[str, str | None]:
    """Return a digest of the source of each Python variant, by name."""
    return {name: _digest(chosen) for name, chosen in variants.items() if isinstance(chosen, type)}


def _digest(chosen: type) -> str | None:
    """Return a digest of the file that defines a class, and of those beside it that it uses."""
    module = inspect.getmodule(chosen)
    sources = [chosen] if module is None else [module, *_taken_from(module, {module.__name__})]
    try:
        text = "".join(inspect.getsource(of) for of in sources)
    except (OSError, TypeError):
        # Defined in a notebook or a shell.
        return None
    return hashlib.sha256(text.encode()).hexdigest()


def _folder(module: ModuleType | None) -> Path | None:
    """Return the directory of a module's file; ``None`` if it has none, as in a notebook."""
    file = getattr(module, "__file__", None)
    return Path(file).parent if file else None


def _taken_from(module: ModuleType, known: set[str]) -> list[ModuleType]:
    """Return the modules in a module's directory that it uses, and those that these use.

    Their names are added to ``known``.
    """
    folder = _folder(module)
    used = {
        of.__name__ if inspect.ismodule(of) else getattr(of, "__module__", None)
        for of in vars(module).values()
    }
    found: list[ModuleType] = []
    for name in sorted(one for one in used if isinstance(one, str) and folder is not None):
        other = sys.modules.get(name)
        if other is not None and name not in known and _folder(other) == folder:
            known.add(name)
            found += [other, *_taken_from(other, known)]
    return found


def _differences(there: Any, here: Any, key: str = "") -> Iterator[str]:
    """Return the differences between two scenarios, key by key."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in dict.fromkeys([*there, *here]):
            yield from _differences(there.get(name), here.get(name), f"{key}.{name}" if key else name)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for index, (old, new) in enumerate(zip(there, here, strict=True)):
            yield from _differences(old, new, f"{key}.{index}")
    elif there != here:
        yield f"{key} is {_short(there)} there and {_short(here)} here"


def _short(value: object) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 40 else text[:37] + "..."
