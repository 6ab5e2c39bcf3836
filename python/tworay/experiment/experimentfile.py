"""Experiment files: read, changed by options, and written."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay import _native
from tworay.errors import InputError, with_options
from tworay.experiment.arms import labels_of, parse_vary, with_routing
from tworay.experiment.axes import MIX, SCENARIO, TCP, Axis, labelled, several, text, vary, zipped
from tworay.experiment.mixing import parse_mixes
from tworay.experiment.plan import DEFAULT_MAX_SEEDS, Plan
from tworay.guide import more
from tworay.metrics import Judge, check, find, parse_ends
from tworay.running.control import CongestionControl, name_of
from tworay.running.entries import check_entries
from tworay.running.scenarios import overrides
from tworay.running.spec import check_precision, parse_arms, parse_percent, parse_seeds
from tworay.virtual.daemons import daemon_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tworay.experiment.options import Common
    from tworay.running.spec import Variants

KEYS = (
    *("name", "about", "scenario", "tcp", "seeds", "until_ci", "ci_metric", "max_seeds", "metrics"),
    *("keep", "facts", "resources", "entries", "judge", "set", "vary", "zip", "axis", "mix"),
)
# Tables of a run that a sweep can keep.
TABLES = (
    *("flows", "ledger", "guesses", "series", "retransmissions", "alive", "pairs"),
    *("segments", "routing", "moves", "relays"),
)
# Figures of the scenario's paths, beside the metrics of runs.
OF_PATHS = ("path_hops", "partitioned")
DEFAULT_SEEDS = 10
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
            f'{path}: there is no such file; an experiment has lines such as scenario = "string-4", '
            f'tcp = ["newreno", "vegas"] and seeds = 10 ({more("sweeps")})'
        ) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory; name an experiment file (.toml)") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    return _plan({"name": path.stem} | document, str(path), path.absolute().parent, content, derived=derived)


def changed(plan: Plan, options: Common) -> Plan:
    """Return the plan with what ``options`` say in place of what the experiment says."""
    changes: dict[str, Any] = {
        "tcp": None if options.tcp is None else _written(options.tcp),
        "mix": [options.mix] if isinstance(options.mix, str) else options.mix and list(options.mix),
        "until_ci": options.until_ci,
        "max_seeds": options.max_seeds,
        "judge": options.judge,
        "metrics": check(options.metrics, OF_PATHS) or None,
        "entries": options.entries,
        "resources": options.resources or None,
    }
    if words := labels_of(options.vary):
        (key, _), word = next(iter(words.items()))
        raise InputError(
            f"--vary {key}: `{word}`: labels of values are for compare; an experiment has them in a table "
            "[axis.NAME]"
        )
    for key, pairs in (
        ("vary", with_routing(parse_vary(options.vary), options.routing)),
        ("set", [one.split("=", 1) for one in overrides(options.set)]),
    ):
        changes[key] = (plan.document.get(key, {}) | dict(pairs)) if pairs else None
    changes = {key: value for key, value in changes.items() if value is not None}
    seeds = plan.seeds if options.seeds is None else tuple(parse_seeds(options.seeds))
    found = replace(plan, seeds=seeds)
    if changes:
        document = plan.document | {"seeds": list(seeds)} | changes
        found = _plan(document, plan.where, plan.base, "", derived=False)
    check_precision(found.until_ci, options.max_seeds, len(found.seeds))
    return found if options.routing is None else replace(found, air=True)


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
        # Columns of single flows are flow.N.goodput_bps; flow.N and flow.N.tcp are keys of scenarios.
        of_flow = axis.name.startswith("flow.") and not axis.name.endswith(".goodput_bps")
        if axis.name in TAKEN or (find(axis.name) is not None and not of_flow):
            what = "a column of the tables" if axis.name in TAKEN else "a metric"
            remedy = "write seeds = 10" if axis.name == "seed" else "give it another name with [axis.NAME]"
            raise InputError(f"{where}: an axis can't be called `{axis.name}`, which is {what}; {remedy}")
    try:
        seeds = parse_seeds(document.get("seeds", DEFAULT_SEEDS))
        until = document.get("until_ci")
        until_ci = None if until is None else parse_percent(str(until))
    except InputError as error:
        raise InputError(f"{where}: {with_options(error)}") from None
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
        air=_on_air(axes, document.get("metrics", ())),
    )


def _on_air(axes: list[Axis], metrics: Iterable[str]) -> bool:
    """Tell whether routing is measured on the air: for daemons, and if a metric of it is named."""
    routed = any(daemon_of(settings) for axis in axes for settings in axis.settings)
    return routed or any(name.startswith("air.") for name in metrics)


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
        raise InputError(
            f"{where}: {key}: {with_options(error).removeprefix('--').removeprefix('metrics: ')}"
        ) from None


def _entries(found: Any, where: str) -> str:
    return check_entries(str(found), f"{where}: entries") if found else ""


def _judge(found: Any, where: str) -> Judge:
    try:
        return parse_ends(None if found is None else str(found))
    except InputError as error:
        raise InputError(f"{where}: {with_options(error).removeprefix('--')}") from None


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
    variants = {name: name_of(one) for name, one in parse_arms(names).items()} if names else {}
    given = document.get(MIX, [])
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise InputError(f'{where}: mix = {given!r}; write "vegas:0.5,newreno:0.5" or a list of such texts')
    try:
        # Classes are loaded with the cells, from beside the experiment.
        labels = [name for name, one in variants.items() if name != one]
        mixes = parse_mixes(given, lambda name: CongestionControl, labels)
    except InputError as error:
        raise InputError(f"{where}: {with_options(error)}") from None
    for mix in mixes:
        variants |= {name: name for name in mix.shares if name not in variants.values()}
    values = [*((name, (TCP, one)) for name, one in variants.items())]
    values += [(mix.name, (MIX, mix.name)) for mix in mixes]
    return Axis(TCP, tuple(label for label, _ in values), tuple((value,) for _, value in values))


def _written(tcp: Variants) -> list[str]:
    """Write variants with their labels, as an experiment has them."""
    named = {name: name_of(variant) for name, variant in parse_arms(tcp).items()}
    return [one if name == one else f"{name}={one}" for name, one in named.items()]


def _shown(name: str) -> str:
    return Path(name).stem if name.endswith(".toml") else name


def _as_toml(document: Mapping[str, Any]) -> str:
    """Write an experiment given as a mapping."""
    lines, tables = [], []
    for key, value in document.items():
        if key == "zip":
            tables += [
                ["[[zip]]", *(f"{json.dumps(k)} = {toml_value(v)}" for k, v in group.items())]
                for group in value
            ]
        elif key == "axis":
            for name, values in value.items():
                tables.append(
                    [
                        f"[axis.{json.dumps(name)}]",
                        *(f"{json.dumps(k)} = {toml_value(v)}" for k, v in values.items()),
                    ]
                )
        elif isinstance(value, dict):
            tables.append([f"[{key}]", *(f"{json.dumps(k)} = {toml_value(v)}" for k, v in value.items())])
        else:
            lines.append(f"{key} = {toml_value(value)}")
    return "\n".join(["\n".join(lines), *("\n".join(["", *table]) for table in tables)]) + "\n"


def toml_value(value: Any) -> str:
    """Return a value of a mapping in TOML, in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
