"""Flows written ``FROM:TO:APP``, as `--flow` takes them, with usual settings for every application."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tworay import _native
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

USUAL: dict[str, dict[str, str]] = {
    "web": {
        "every": '"2s"',
        "request": '"300B"',
        "sizes": '{ kind = "pareto", least = "2kB", most = "1MB" }',
    },
    "request": {"think": '"500ms"'},
    "video": {"rate": '"200kbps"'},
    "replay": {},
}
"""Keys of the applications over TCP, as TOML. Those of `ftp`, `cbr` and `on-off` are the simulator's."""
# Given, they replace a usual key that means nothing beside them.
INSTEAD = {"think": "every"}
KEY = re.compile(r"[a-z_]+")
NUMBERS = ("port", "packets", "transfers")
FORM = "write --flow FROM:TO:APP, for example --flow 0:1:ftp or --flow 0:1:cbr:rate=64kbps"


class Numbered(str):
    """A flow between numbered nodes that was typed with their names; messages show it as typed."""

    __slots__ = ("typed",)
    typed: str

    def __new__(cls, text: str, typed: str) -> Numbered:
        """Return the flow ``text``, called ``typed`` in messages."""
        made = super().__new__(cls, text)
        made.typed = typed
        return made


@functools.cache
def apps() -> tuple[str, ...]:
    """Return every application that a scenario knows."""
    kinds = json.loads(_native.json_schema())["$defs"]["AppKind"]["oneOf"]
    return tuple(kind["const"] for kind in kinds)


def tables(flows: Iterable[str]) -> str:
    """Return the `[[flow]]` tables of flows between numbered nodes, such as ``0:1:web``.

    Raises:
        InputError, ScenarioError: a flow is not of this form, or its application is unknown.

    """
    return "".join(map(_table, flows))


def convert(movement: str, traffic: str | None, flows: Iterable[str], output: str | None) -> str:
    """Return the scenario of a movement file, with flows of every application.

    The simulator's converter writes `ftp`, `cbr` and `on-off`; others hold their places as `ftp`.
    """
    flows = list(flows)
    written = [_table(flow) for flow in flows]
    held = [_stand_in(flow) for flow in flows]
    text = _native.convert(movement, traffic, held, output)
    if held == flows:
        return text
    place = 0
    for stand_in, table in zip(held, written, strict=True):
        known = _native.flow_tables([stand_in])
        place = text.index(known, place)
        text = text[:place] + table + text[place + len(known) :]
        place += len(table)
    _native.Scenario.from_toml(text, "the converted scenario", str(Path(output or "").parent))
    return text


def _parts(flow: str) -> tuple[str, dict[str, str]] | None:
    """Return application and settings of a flow that the simulator doesn't read; `None` of others."""
    typed = flow.typed if isinstance(flow, Numbered) else flow
    parts = flow.split(":")
    if len(parts) < 3:
        return None
    app = parts[2]
    if app not in apps():
        near = _native.nearest(app, list(apps()))
        hint = f"did you mean {near}? " if near else ""
        raise InputError(
            f'--flow {typed}: unknown application "{app}"; {hint}allowed are {", ".join(apps())}'
        )
    settings = {}
    for part in parts[3:]:
        key, equals, value = part.partition("=")
        if not equals or not KEY.fullmatch(key) or not value:
            raise InputError(f'--flow {typed}: "{part}" is not a setting; {FORM}')
        settings[key] = value
    return (app, settings) if app in USUAL else None


def _stand_in(flow: str) -> str:
    found = _parts(flow)
    if found is None:
        return flow
    ends = flow.split(":")[:2]
    start = found[1].get("start")
    return ":".join([*ends, "ftp", *([] if start is None else [f"start={start}"])])


def _table(flow: str) -> str:
    found = _parts(flow)
    if found is None:
        return _native.flow_tables([flow])
    app, settings = found
    # The simulator checks the nodes.
    head = _native.flow_tables([_stand_in(flow)]).partition("app =")[0]
    gone = {INSTEAD[key] for key in settings if key in INSTEAD}
    keys = {key: value for key, value in USUAL[app].items() if key not in gone}
    keys |= {key: _toml(key, value) for key, value in ({"start": "1s"} | settings).items()}
    return f'{head}app = "{app}"\n' + "".join(f"{key} = {value}\n" for key, value in keys.items())


def _toml(key: str, value: str) -> str:
    if key in NUMBERS and value.isdigit():
        return value
    # A JSON string is a TOML string too.
    text = json.dumps(value, ensure_ascii=False)
    return f'{{ kind = "fixed", size = {text} }}' if key == "sizes" else text
