"""Names of metrics as users write them: found by an unambiguous end, refused with the nearest one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tworay import _native
from tworay.errors import InputError
from tworay.metrics.declared import OF_ONE_FLOW
from tworay.metrics.of_runs import EXAMPLES, find, title, values, words
from tworay.naming import Nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tworay.metrics.judged import Flow

# A metric of one flow: `flow.2.stalls`.
FLOW = re.compile(r"(flow\.\d+\.).*")
# The same with ends in place of the number: `flow.barn:mill.stalls`.
OF_ENDS = re.compile(r"flow\.(?!\d+\.)(.+)\.(\w+)")
# The option that names several metrics; `--metric` names one.
SEVERAL = "--metrics"


def by_number(wanted: str | Iterable[str] | None, nodes: Nodes, flows: Iterable[Flow]) -> list[str] | None:
    """Return names of metrics with numbers of flows where a flow is named by its ends, or by one end.

    ``flows`` have ``id``, ``from`` and ``to``.

    Raises:
        InputError: there is no such flow, or several are.

    """
    if wanted is None:
        return None
    there, found = list(flows), []
    for name in _names(wanted):
        ends = OF_ENDS.fullmatch(name)
        try:
            found.append(f"flow.{nodes.flow_number(ends[1], there)}.{ends[2]}" if ends else name)
        except InputError as error:
            raise InputError(f"{SEVERAL}: {name}: {error}") from None
    return found


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


def of_run(document: dict[str, Any], wanted: str | Iterable[str] | None) -> list[str] | None:
    """Return the full names of metrics of a run's document; flows in them may be named by their ends."""
    return parse(by_number(wanted, Nodes.of(document), document["flows"]), values(document))


def check(wanted: str | Iterable[str] | None, more: Iterable[str] = ()) -> list[str]:
    """Return full names; reject what is neither a metric of runs nor in ``more``, before anything runs.

    Which members a family has, and which flows there are, only the runs can tell (``missing``).
    """
    found = []
    for name in _names(wanted):
        of_flow, known = FLOW.fullmatch(name), [*EXAMPLES, *more]
        if of_flow:
            known = [of_flow[1] + one for one in ("goodput_bps", *OF_ONE_FLOW[True], *OF_ONE_FLOW[False])]
        elif OF_ENDS.fullmatch(name):
            raise InputError(
                f"{SEVERAL}: {name}: here a flow is named by its number, such as flow.0.goodput_bps"
            )
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
    # As tables head it, with its unit or without.
    headed = [full for full in known if name in (title(full), words(full)[0])]
    if len(headed) == 1:
        return headed[0]
    without_unit = [full for full in known if full.rpartition("_")[0] == name]
    if len(without_unit) == 1:
        return without_unit[0]
    parts = {full: full.replace(".", "_").split("_") for full in known}
    near = [full for full in known if full.endswith((f".{name}", f"_{name}"))] or [
        full for full in known if name in parts[full] or full.startswith(f"{name}_")
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
