"""The forms of result directories, and scenarios kept by an earlier one in the keys of today.

1: too little to show or resume it. 2: ``runs.jsonl`` with one line per run; scenarios say ``compat``,
``preset`` and ``link``. 3: they say ``dialect`` and ``wire``, and the manifest has ``results``, the number of
the simulator's results. 4: comparisons store runs as sweeps do, in ``journal`` and ``parts``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 4
# The oldest that can be read.
OLDEST = 2
# The first whose scenarios have the keys of today.
OF_TODAY = 3

_PROTOCOLS = ("routing.aodv", "routing.dsr", "routing.olsr")
_STANDARD = ("none", "rfc3561", "rfc4728", "rfc3626")


def scenario_of_today(text: str, form: int) -> str:
    """Return a scenario kept in a directory of this format in the keys of today."""
    if form >= OF_TODAY:
        return text
    lines = []
    table = ""
    for line in text.splitlines(keepends=True):
        header = re.match(r"(\[+)(link(?:_kind)?)?([^\]]*)\]", line)
        if header:
            table = f"{header[2] or ''}{header[3]}"
            if header[2] and header[3][:1] in ("", "."):
                line = line.replace(header[2], header[2].replace("link", "wire"), 1)
        elif match := re.match(r'(\w+) = "(.*)"', line):
            key = f"{table}.{match[1]}" if table else match[1]
            name, value = _setting_of_today(key, match[2])
            line = f'{name.rpartition(".")[2]} = "{value}"\n'
        lines.append(line)
    return "".join(lines)


def settings_of_today(settings: Mapping[str, Any], form: int) -> dict[str, Any]:
    """Return an arm's settings kept in a directory of this format in the keys of today."""
    if form >= OF_TODAY:
        return dict(settings)
    return dict(_setting_of_today(key, value) for key, value in settings.items())


def _setting_of_today(key: str, value: Any) -> tuple[str, Any]:
    table, _, last = key.rpartition(".")
    if key == "compat" or (table in _PROTOCOLS and last == "preset"):
        return f"{table}.dialect".lstrip("."), "standard" if value in _STANDARD else value
    return re.sub(r"^link(_kind)?\.", r"wire\1.", key), value
