"""The papers' tables of settings: each parameter, its value there, and the key and value that it has here."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tworay._native import Scenario
from tworay.papers.library import HERE
from tworay.running.scenarios import schema

if TYPE_CHECKING:
    from tworay.papers.library import Figure, Paper

HEAD = ("parameter", "the paper's", "here", "key", "")


@dataclass(frozen=True)
class Parameter:
    """A line of a table of settings."""

    name: str
    paper: str
    """The value as printed."""
    key: str
    """The key of the scenario; empty if there is none."""
    here: str
    """The key's value in that scenario; empty without a key."""
    remark: str = ""
    """Why the value differs, or what stands for the missing key."""

    @property
    def row(self) -> list[str]:
        """The cells under ``HEAD``."""
        return [self.name, self.paper, self.here, self.key, self.remark]


def of(paper: Paper, figure: Figure) -> tuple[Parameter, ...]:
    """Return the parameters of a table of settings; empty for figures, and for tables that no file lists.

    Raises:
        ValueError: a key does not exist, or a parameter has neither key nor remark.

    """
    table = tables(paper.key).get(figure.id)
    if table is None:
        return ()
    trial = paper.trials[table["experiment"]].document if "experiment" in table else {}
    changes = [f"{key}={_text(value)}" for key, value in trial.get("set", {}).items()]
    settings = tomllib.loads(Scenario.load(table["scenario"], [*changes, *table.get("set", [])]).to_toml())
    declared = schema()
    found = []
    for name, value, key, *remark in table["rows"]:
        if not key and not remark:
            raise ValueError(f"{figure.id}, {name}: a key is needed, or a remark")
        here = _text(_value(settings, key, declared)) if key else ""
        found.append(Parameter(name, value, key, here, *remark))
    return tuple(found)


@cache
def tables(paper: str) -> dict[str, Any]:
    """Return what the file of a paper lists, by the id of the table."""
    file = HERE / paper / "parameters.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _value(settings: dict[str, Any], key: str, declared: dict[str, Any]) -> Any:
    """Return the value of a key; what a file does not write out of a routing protocol follows its dialect."""
    *path, last = key.split(".")
    table = settings
    for step in path:
        table = table.get(step, {})
    if last in table:
        return table[last]
    defined = declared["$defs"]
    for step in key.split("."):
        declared = _resolved(declared, defined).get("properties", {}).get(step, {})
    if "default" not in declared:
        raise ValueError(f"{key}: there is no such key with a default")
    return declared.get("x-dialects", {}).get(table.get("dialect"), declared["default"])


def _resolved(declared: dict[str, Any], defined: dict[str, Any]) -> dict[str, Any]:
    """Follow references to the definition of a table, also of one that may be absent."""
    for one in (declared, *declared.get("anyOf", []), *declared.get("allOf", [])):
        if "$ref" in one:
            return _resolved(defined[one["$ref"].rsplit("/", 1)[1]], defined)
    return declared


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
