"""Names of several runs on one axis, and the flow of a run that is shown first."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.errors import OutputError
from tworay.experiment.store.records import SCENARIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tworay.running.run import Run

# Runs that differ in more settings are not named by them.
DIFFERING = 2


def names_of(runs: Sequence[Run], sources: Sequence[object] = ()) -> list[str]:
    """Return a name for each of several runs: what all of them differ in, or its place in the list.

    That is the scenario, the seed, the directory among ``sources``, or settings of the scenario.
    """
    stored = [Path(one) for one in sources if isinstance(one, str | os.PathLike)]
    places = [one.resolve().name for one in stored] if len(stored) == len(runs) else []
    full = [str(one) for one in stored] if places else []
    candidates = (
        [run.scenario for run in runs],
        [f"seed {run.seed}" for run in runs],
        places,
        full,
        differing(runs),
    )
    for names in candidates:
        if names and len(set(names)) == len(names):
            return names
    return [f"run {place}" for place in range(1, len(runs) + 1)]


def differing(runs: Sequence[Run]) -> list[str]:
    """Return the settings in which runs differ, such as ``tcp.window=8``; empty if many or unknown."""
    try:
        texts = [tomllib.loads(run.to_keep()[SCENARIO]) for run in runs]
    except (OutputError, KeyError):
        return []
    flat = [dict(_leaves(text)) for text in texts]
    keys = sorted({key for one in flat for key in one} - {"name", "summary"})
    apart = [key for key in keys if len({repr(one.get(key)) for one in flat}) > 1]
    if not 0 < len(apart) <= DIFFERING:
        return []
    return [" ".join(f"{key}={one[key]}" if key in one else f"no {key}" for key in apart) for one in flat]


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Return the values of a scenario with their keys as in --set."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        parts = {str(place): one for place, one in enumerate(value)}.items()
    else:
        yield path.removeprefix("."), value
        return
    for key, one in parts:
        yield from _leaves(one, f"{path}.{key}")


def opened(run: Run) -> int:
    """Return the flow that the page opens on.

    The first TCP flow, so that pages of one scenario show the same one; of a live run, whose connections come
    as its programs make them, the one that delivered most.
    """
    flows = run.summary["flows"]
    chosen = [flow for flow in flows if flow["tcp"] is not None] or flows
    if "live" in run.summary:
        chosen = sorted(chosen, key=lambda flow: -flow["goodput_bps"])
    return int(chosen[0]["id"]) if chosen else 0
