"""Seeds whose runs are equal to those of an earlier seed: they say nothing new and are counted once.

In a network without randomness (wires without errors, handoffs and drawn start times) every seed gives the
same run. Counted as independent, equal runs would make any difference certain.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

Cell = TypeVar("Cell", bound="Hashable")

# Keys of a document in which equal runs differ.
APART = ("seed", "cpu_seconds")


def fingerprint(document: Mapping[str, Any]) -> str:
    """Return a digest of everything that a run resulted in."""
    kept = {key: value for key, value in document.items() if key not in APART}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:32]


def still(prints: Iterable[str]) -> bool:
    """Return whether these are the fingerprints of several runs that are all equal."""
    found = list(prints)
    return len(found) > 1 and len(set(found)) == 1


def repeated(runs: Mapping[int, Mapping[Cell, str]]) -> dict[int, int]:
    """Return for each seed that repeats an earlier one that seed.

    ``runs`` has the fingerprints of each seed's runs by cell. A seed is a repetition only if every run of it
    is equal to the earlier seed's: where one of several arms varies, all seeds count.
    """
    found: dict[int, int] = {}
    # Seeds that count, by each of their runs: a repetition shares each of its runs with the seed it repeats.
    counted: dict[tuple[Cell, str], list[int]] = {}
    for seed in sorted(runs):
        mine = runs[seed]
        near = counted.get(next(iter(mine.items())), []) if mine else []
        same = next((one for one in near if mine.items() <= runs[one].items()), None)
        if same is not None:
            found[seed] = same
        for run in mine.items() if same is None else ():
            counted.setdefault(run, []).append(seed)
    return found
