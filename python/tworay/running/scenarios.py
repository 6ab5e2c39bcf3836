"""Scenarios, variants, and the schema of the scenario file."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import sys
import tomllib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from tworay import _native, times
from tworay._native import Scenario
from tworay.errors import InputError, ScenarioError
from tworay.running import control, presets, sources
from tworay.running.switching import has_switches, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tworay.running.control import Variant

__all__ = [
    "Scenario",
    "ScenarioInfo",
    "VariantInfo",
    "convert",
    "load",
    "moves",
    "scenario_text",
    "scenarios",
    "schema",
    "variants",
]

Path: TypeAlias = "str | os.PathLike[str]"
Source: TypeAlias = "str | os.PathLike[str] | Scenario"


FORM = 1
"""Number of the scenario file's form. Raised when a key goes or changes its meaning; an added key keeps it.

A key that goes is refused with what replaces it."""


class ScenarioInfo(NamedTuple):
    """A built-in scenario, or a family of them such as ``string-N``; ``example`` is one that can be run."""

    name: str
    summary: str
    example: str


class ParameterInfo(NamedTuple):
    """A parameter of a variant, written in brackets: ``sca(10)``. Without default it is required.

    A choice between words, written ``welcome(bwe=tustin)``, lists them in ``choices``; its default is
    the index of one of them.
    """

    name: str
    default: float | None
    minimum: float
    maximum: float
    about: str
    choices: list[str]


class RuleInfo(NamedTuple):
    """The action of a variant at an event, and the section, equation or file of its source."""

    event: str
    action: str
    source: str


class VariantInfo(NamedTuple):
    """A TCP variant: name, one-line summary, source, parameters and rules.

    ``recoveries`` are those that it can be joined with, the one first that it has when none is named; they
    handle the events without a rule. It is empty for a recovery.
    """

    name: str
    summary: str
    source: str
    parameters: list[ParameterInfo]
    rules: list[RuleInfo]
    recoveries: list[str]


def load(
    source: Source,
    *,
    tcp: Variant | None = None,
    set: Mapping[str, object] | Iterable[str] | str | None = None,
    costs: Path | None = None,
) -> Scenario:
    """Load a built-in scenario by name, or a scenario file by path.

    ``set`` overrides settings, as a mapping ``{"mac.rts_threshold": "3000B"}`` or as ``key=value``
    strings; ``tcp`` gives every TCP flow that variant: a name, a subclass of ``CongestionControl``, or
    ``"mine.py:Mine"``. ``costs`` names a table of computing costs (relative to the working directory) to
    use instead of the scenario's. Of a ``Scenario`` only ``tcp`` can still be changed. ``"-"`` reads TOML
    from standard input.

    Raises ``ScenarioError`` with the place and the remedy if the scenario is wrong.
    """
    if isinstance(source, Scenario):
        if set or costs is not None:
            name = "set" if set else "costs"
            raise ScenarioError(f"`{name}` needs a scenario's name or path; this one is already loaded")
        scenario = source
    else:
        scenario = _read(os.fspath(source), overrides(set) + _costs(costs), classes=tcp is None)
    return scenario if tcp is None else with_variant(scenario, tcp)


def load_for_stations(source: str, settings: list[str] | None) -> Scenario:
    """Load a scenario for a live network, whose stations bring their own traffic: it may have no flow."""
    return _read(source, overrides(settings), classes=True, flowless=True)


def load_text(text: str, path: pathlib.Path, settings: Mapping[str, object]) -> Scenario:
    """Load a scenario from its text; files that it names are relative to ``path``."""
    return _read(str(path), overrides(settings), classes=True, text=text)


def _read(
    source: str, settings: list[str], *, classes: bool, text: str | None = None, flowless: bool = False
) -> Scenario:
    """Read a scenario; with ``classes`` also load the Python variants that it names.

    ``flowless``: it may have no flow.
    """
    try:
        source.encode()
    except UnicodeEncodeError:
        raise ScenarioError(f"{source!a}: the name is not UTF-8 text; rename the file") from None
    path = pathlib.Path(source)
    given = text
    if text is None:
        text = _stdin() if source == "-" else _text(path)
    if text and has_switches(settings):
        text, settings = without(text, settings, source, flowless=flowless)
        given = text
    settings = presets.named(text, path.parent, settings)
    own = sources.named(text, path.parent, settings)
    settings = settings + own.settings if own else settings
    if source == "-":
        scenario = Scenario.from_toml(text, "<stdin>", "", settings, flowless)
    elif given is not None:
        scenario = Scenario.from_toml(given, source, str(path.parent), settings, flowless)
    else:
        scenario = Scenario.load(source, settings, flowless)
    return own.apply(scenario) if own and classes else scenario


def _text(path: pathlib.Path) -> str:
    """Return the text of a scenario, to search it for classes; errors are reported elsewhere."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else _native.builtin_text(str(path)) or ""
    except (OSError, UnicodeDecodeError):
        return ""


@functools.cache
def _stdin() -> str:
    """Return the text of standard input, cached, so that all arms of a comparison read the same."""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise ScenarioError(f"<stdin>: {error}; a scenario is a TOML text in UTF-8") from error


def warmup_in(text: str) -> float:
    """Return the warm-up of a scenario that was written by the simulator, s."""
    return times.seconds(tomllib.loads(text)["warmup"]) or 0.0


def with_variant(scenario: Scenario, tcp: Variant, *, name: str | None = None) -> Scenario:
    """Return the scenario with ``tcp`` in every TCP flow; ``name`` is the class's name in results."""
    if isinstance(tcp, str):
        control.refuse_file(tcp)
        if control.is_kernel(tcp):
            raise InputError(
                f"--tcp {tcp}: kernels are arms of `tworay compare` and `sweep`; one run is `tworay live run "
                f"--virtual --congestion {control.controller_in(tcp)}`"
            )
        if presets.is_preset(tcp):
            return scenario.with_variant(presets.read_preset(tcp))
        if not control.is_reference(tcp):
            return scenario.with_variant(tcp)
        chosen = control.load_class(tcp)
    else:
        control.check_class(tcp, "tcp")
        chosen = tcp
    return scenario.with_custom_variant(name or control.name_of(tcp), chosen.recovery, chosen)


def overrides(values: Mapping[str, object] | Iterable[str] | str | None) -> list[str]:
    """Turn settings into ``key=value`` texts."""
    if values is None:
        return []
    if isinstance(values, str):
        return [values]
    if hasattr(values, "items"):
        return [f"{key}={_toml(value)}" for key, value in values.items()]
    return list(values)


def _costs(table: Path | None) -> list[str]:
    """Return the settings that select a table of costs, without the digest of the previous one."""
    if table is None:
        return []
    # A JSON string is a TOML string too.
    name = json.dumps(str(pathlib.Path(table).absolute()), ensure_ascii=False)
    return [f"energy.costs={name}", 'energy.costs_sha256=""']


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def scenarios() -> list[ScenarioInfo]:
    """List the built-in scenarios."""
    return [ScenarioInfo(*entry) for entry in _native.builtin_scenarios()]


def variants() -> list[VariantInfo]:
    """List the TCP variants."""
    return [
        VariantInfo(
            name,
            summary,
            source,
            [ParameterInfo(*parameter) for parameter in parameters],
            [RuleInfo(*rule) for rule in rules],
            recoveries,
        )
        for name, summary, source, parameters, rules, recoveries in _native.variants()
    ]


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the scenario file; its ``$id`` has the number of the form (``FORM``)."""
    document: dict[str, Any] = json.loads(_native.json_schema())
    return {"$id": f"urn:tworay:scenario:{FORM}"} | document


def convert(
    movement: Path,
    *,
    flows: Iterable[str] = (),
    traffic: Path | None = None,
    output: Path | None = None,
) -> str:
    """Turn a movement file (ns-2's or BonnMotion's, also gzip) into the TOML text of a scenario.

    Each flow is written ``from:to:application``, for example ``0:1:ftp`` or ``0:1:web:every=1s``, with any
    application of a scenario; ``traffic`` is an ns-2 traffic file. ``output`` is where the caller will write
    the text: the path of the movement file becomes relative to it.
    """
    from tworay.running import flows as of

    return of.convert(os.fspath(movement), _path(traffic), flows, _path(output))


def moves(source: Source, *, seed: int = 1, form: Literal["ns2", "netanim"] = "ns2") -> str:
    """Return the movements of a scenario's nodes, or of a movement file, in another format.

    ``form`` is ``"ns2"`` for a movement file of ns-2 (``setdest``) or ``"netanim"`` for the XML of ns-3's
    NetAnim. A path that does not end in ``.toml`` is a movement file: ns-2's, or BonnMotion's.
    """
    if not isinstance(source, Scenario):
        name = os.fspath(source)
        if not name.endswith(".toml") and pathlib.Path(name).is_file():
            return _native.moves_of_file(name, form)
    return _native.moves(load(source), seed, form)


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def scenario_text(name: str) -> str:
    """Return the TOML text of a built-in scenario, to copy and change."""
    text = _native.builtin_text(name)
    if text is None:
        # Families such as string-N are found by an example: string-4.
        known = [name for entry in scenarios() for name in (entry.name, entry.example)]
        near = _native.nearest(name, known)
        hint = f"did you mean {near}? " if near else ""
        raise ScenarioError(f"`{name}` is not a built-in scenario; {hint}`tworay scenarios` lists them")
    return text
