"""Flows that a setting switches off: ``flow.1=off``.

The simulator gets the scenario without these flows, and results keep the numbers of the others: ``flow.2`` is
the same flow in an arm where ``flow.1`` is on and in one where it is off.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from tworay._native import Scenario
    from tworay.running.run import Run

WORDS = {"on": True, "true": True, "off": False, "false": False}
SWITCH = re.compile(r"\s*flow\.(\d{1,9})\s*")
# A flow by its ends, or by one of them, which has no key behind it.
NAMED = re.compile(r"\s*flow\.([^.=\s]*[^.=\s\d][^.=\s]*)\s*=\s*(on|off)\s*")
KEY = re.compile(r"\s*flow\.(\d{1,9})\.")
FLOW = re.compile(r"\s*\[\[\s*flow\s*\]\]")
TABLE = re.compile(r"\s*\[")
# A flow in a warning of the simulator.
WARNED = re.compile(r"^flow (\d+) ")


def switched_off(settings: Iterable[str]) -> list[int]:
    """Return the flows that settings switch off, in their order; the last one about a flow counts."""
    states: dict[int, bool] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        match = SWITCH.fullmatch(key)
        if match is None or not equals:
            continue
        word = value.strip().strip("\"'").lower()
        if word not in WORDS:
            raise InputError(
                f"{setting}: write on or off, such as --vary flow.{match[1]}=on,off; a key of the flow "
                f"is written flow.{match[1]}.start=5s"
            )
        states[int(match[1])] = WORDS[word]
    return sorted(number for number, on in states.items() if not on)


def has_switches(settings: Iterable[str]) -> bool:
    """Return whether settings switch flows, on or off.

    Raises:
        InputError: a setting names a flow that it switches by its ends.

    """
    for setting in settings:
        if (named := NAMED.fullmatch(setting)) is not None:
            raise InputError(
                f"{setting.strip()}: a flow is switched by its number, such as flow.0={named[2]}; the "
                "table of `tworay run` numbers the flows"
            )
    return any(SWITCH.fullmatch(setting.partition("=")[0]) for setting in settings)


def without(
    text: str, settings: Sequence[str], source: str, *, flowless: bool = False
) -> tuple[str, list[str]]:
    """Return a scenario's text without the flows that are switched off, and the settings for what is left.

    Lines of these flows are empty, so that errors name the right line. ``flowless``: all may be off.
    """
    off = switched_off(settings)
    _check(text, settings, source, flowless=flowless)
    lines: list[str] = []
    number, inside = -1, False
    for line in text.splitlines(keepends=True):
        if FLOW.match(line):
            number, inside = number + 1, True
        elif TABLE.match(line):
            inside = False
        lines.append("\n" if inside and number in off else line)
    return "".join(lines), [found for one in settings if (found := _of_rest(one, off)) is not None]


def _check(text: str, settings: Sequence[str], source: str, *, flowless: bool) -> None:
    """Reject switches of flows that the scenario doesn't have, or that can't be found in its text."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # The scenario's reader says what is wrong.
    flows = document.get("flow", [])
    total = len(flows) if isinstance(flows, list) else 0
    for setting in settings:
        match = SWITCH.fullmatch(setting.partition("=")[0])
        if match and int(match[1]) >= total:
            last = f"flow.0 to flow.{total - 1}" if total > 1 else "flow.0 only" if total else "no flows"
            raise InputError(f"{setting}: there is no flow.{match[1]}; the scenario has {last}")
    off = switched_off(settings)
    if not off:
        return
    if sum(bool(FLOW.match(line)) for line in text.splitlines()) != total:
        raise InputError(f"{source}: flows can be switched off if each is a table of its own; write [[flow]]")
    events = document.get("event", [])
    if any(isinstance(one, dict) and "flow" in one for one in events if isinstance(events, list)):
        raise InputError(
            f"{source}: its events name flows by their numbers, so none can be switched off; "
            "set flow.N.start and flow.N.stop instead"
        )
    if len(off) == total and not flowless:
        those = "the only flow" if total == 1 else "all flows"
        listed = ", ".join(f"flow.{number}=off" for number in off)
        raise InputError(f"{listed}: {those} would be off, and nothing be sent; leave one on")


def _of_rest(setting: str, off: list[int]) -> str | None:
    """Return a setting in the numbers of the flows that are left; ``None`` if it is about none of them."""
    key = setting.partition("=")[0]
    if SWITCH.fullmatch(key):
        return None
    match = KEY.match(key)
    if match is None:
        return setting
    number = int(match[1])
    if number in off:
        return None
    place = number - sum(one < number for one in off)
    return f"flow.{place}.{setting[match.end() :]}"


def numbers(settings: Iterable[str], flows: int) -> tuple[int, ...] | None:
    """Return the scenario's own numbers of the ``flows`` that are left; ``None`` if they are 0, 1, 2 …."""
    off = switched_off(settings)
    found = tuple(number for number in range(flows + len(off)) if number not in off)
    return None if found == tuple(range(flows)) else found


def flows_of(world: Scenario, numbers: Sequence[int] | None) -> list[dict[str, Any]]:
    """Return the flows of a scenario as its file has them, with their ``id``; ``numbers`` as of `numbers`."""
    import tomllib

    found = tomllib.loads(world.to_toml()).get("flow", [])
    return [flow | {"id": own} for own, flow in zip(numbers or range(len(found)), found, strict=True)]


def renumbered(run: Run, flows: tuple[int, ...] | None) -> Run:
    """Return a run whose documents and tables have these numbers of flows."""
    if flows is None:
        return run
    state = run.__getstate__()
    summary = dict(state["summary"])
    summary["flows"] = [one | {"id": flows[one["id"]]} for one in summary["flows"]]
    summary["warnings"] = [_warning(one, flows) for one in summary.get("warnings", [])]
    frames = {name: _table(table, flows) for name, table in state["frames"].items()}
    result = run.__class__.__new__(run.__class__)
    result.__setstate__(state | {"text": None, "summary": summary, "frames": frames})
    return result


def warnings_of(texts: Iterable[str], flows: tuple[int, ...] | None) -> list[str]:
    """Return warnings about flows with these numbers."""
    return [str(_warning(text, flows)) if flows else text for text in texts]


def _warning(one: Any, flows: tuple[int, ...]) -> Any:
    """Return a warning of a document, a text or a table with one, about the flow of that number."""
    if isinstance(one, str):
        return WARNED.sub(lambda match: f"flow {flows[int(match[1])]} ", one)
    if isinstance(one, dict):
        return one | {"text": _warning(one["text"], flows)}
    return one


def _table(table: pl.DataFrame, flows: tuple[int, ...]) -> pl.DataFrame:
    if "flow" not in table.columns or not table.schema["flow"].is_integer():
        return table
    import polars as pl

    known = dict(enumerate(flows))
    return table.with_columns(pl.col("flow").replace(known))
