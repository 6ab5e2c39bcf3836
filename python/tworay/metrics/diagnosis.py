"""Quality of senders' diagnoses of losses.

A confusion matrix counts pairs of guess and true cause. Guesses and causes have different names, so a
guess is correct if it *covers* the cause: an 802.11 sender that guesses ``channel`` means any wireless
loss. With the cause ``none`` (nothing was lost) every guess is wrong. Without a route the sender has no path,
whatever broke it: ``link-failure`` covers ``no-route``.

Counts are those at the time of the guess (``diagnosis``), not by outcome (``diagnosis_by_outcome``).

Precision of a guess: the fraction of correct ones. Recall of a cause: the fraction of its losses with a
covering guess. Balanced accuracy: the mean recall over the causes that occurred, except ``none``, which
no sender can guess.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Counts: TypeAlias = "dict[str, dict[str, int]]"

NONE = "none"
COVERS: dict[str, frozenset[str]] = {
    "congestion": frozenset({"congestion"}),
    "channel": frozenset({"channel", "contention", "rate"}),
    "link-failure": frozenset({"link-failure", "node-down", "no-route"}),
    "transient": frozenset({"channel", "contention", "rate", "link-failure", "node-down", "no-route"}),
}


def covers(guess: str, cause: str) -> bool:
    """Return whether ``guess`` is correct for a loss by ``cause``; other guesses cover the cause named."""
    return cause in COVERS.get(guess, frozenset({guess}))


def scores(counts: Counts) -> dict[str, Any]:
    """Return precision by guess, recall by cause, balanced accuracy; ``None`` where undefined."""
    causes = dict.fromkeys(cause for row in counts.values() for cause in row)
    precision = {
        guess: _share(sum(n for cause, n in row.items() if covers(guess, cause)), sum(row.values()))
        for guess, row in counts.items()
    }
    recall = {
        cause: _share(
            sum(row.get(cause, 0) for guess, row in counts.items() if covers(guess, cause)),
            sum(row.get(cause, 0) for row in counts.values()),
        )
        for cause in causes
        if cause != NONE
    }
    present = [value for value in recall.values() if value is not None]
    total = sum(sum(row.values()) for row in counts.values())
    return {
        "guesses": total,
        "precision": precision,
        "recall": recall,
        "balanced_accuracy": sum(present) / len(present) if present else None,
        "needless": _share(sum(row.get(NONE, 0) for row in counts.values()), total),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
