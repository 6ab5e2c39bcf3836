"""Names of metrics as users write them: found by an unambiguous end, refused with the nearest one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tworay import _native
from tworay.errors import InputError
from tworay.metrics.declared import OF_ONE_FLOW
from tworay.metrics.of_runs import EXAMPLES, find

if TYPE_CHECKING:
    from collections.abc import Iterable

# A metric of one flow: `flow.2.stalls`.
FLOW = re.compile(r"(flow\.\d+\.).*")
# The option that names several metrics; `--metric` names one.
SEVERAL = "--metrics"


def parse(
    wanted: str | Iterable[str] | None, known: Iterable[str], option: str = SEVERAL
) -> list[str] | None:
    """Parse ``"goodput_bps,mean_delay_seconds"`` or a list into names; reject unknown ones.

    Unambiguous endings are accepted: ``jain_fairness``, ``delay`` for ``mean_delay_seconds``.
    """
    if wanted is None:
        return None
    known = list(dict.fromkeys(known))
    return list(dict.fromkeys(_choose(name, known, option) for name in _names(wanted)))


def check(wanted: str | Iterable[str] | None, more: Iterable[str] = ()) -> list[str]:
    """Return full names; reject what is neither a metric of runs nor in ``more``, before anything runs.

    Which members a family has, and which flows there are, only the runs can tell (``missing``).
    """
    found = []
    for name in _names(wanted):
        of_flow, known = FLOW.fullmatch(name), [*EXAMPLES, *more]
        if of_flow:
            known = [of_flow[1] + one for one in ("goodput_bps", *OF_ONE_FLOW[True], *OF_ONE_FLOW[False])]
        elif (family := find(name)) is not None and family.name.endswith(".*"):
            known.append(name)
        found.append(_choose(name, known, SEVERAL))
    return list(dict.fromkeys(found))


def missing(wanted: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return a sentence about each metric that no run has, with the nearest one that they have."""
    known = list(known)
    found = []
    for name in wanted:
        if name not in known:
            near = _native.nearest(name, known)
            hint = f"did you mean {near}?" if near else "`tworay metrics` says what there is"
            found.append(f"no run has {name}; {hint}")
    return found


def _names(wanted: str | Iterable[str] | None) -> list[str]:
    return [name.strip() for name in (wanted.split(",") if isinstance(wanted, str) else wanted or ())]


def _choose(name: str, known: list[str], option: str) -> str:
    if name in known:
        return name
    without_unit = [full for full in known if full.rpartition("_")[0] == name]
    if len(without_unit) == 1:
        return without_unit[0]
    words = {full: full.replace(".", "_").split("_") for full in known}
    near = [full for full in known if full.endswith((f".{name}", f"_{name}"))] or [
        full for full in known if name in words[full] or full.startswith(f"{name}_")
    ]
    if len(near) == 1:
        return near[0]
    # Who mistypes a word seldom types the unit after it.
    short = {full.rpartition(".")[2].rpartition("_")[0]: full for full in reversed(known)}
    short.pop("", None)
    typed = _native.nearest(name, list(short))
    nearest = _native.nearest(name, known) or (short[typed] if typed else _abbreviated(name, short))
    close = near[:5] or ([nearest] if nearest else [])
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    raise InputError(f"{option}: there is no metric `{name}`; {hint}`tworay metrics` lists them")


def _abbreviated(name: str, short: dict[str, str]) -> str | None:
    """Return the metric with the shortest name that begins as this one and has its letters in order."""
    for full in sorted(short, key=len):
        letters = iter(full)
        if name and full.startswith(name[0]) and all(letter in letters for letter in name):
            return short[full]
    return None
