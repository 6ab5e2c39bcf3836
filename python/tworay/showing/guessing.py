"""Sentences about senders' guesses of the causes of losses, shared by pages and terminal."""

from __future__ import annotations

from typing import Any

from tworay.metrics.diagnosis import NONE, Counts, covers


def share_right(counts: Counts) -> str:
    """Return how many guesses were right, of all."""
    total = sum(sum(row.values()) for row in counts.values())
    right = sum(n for guess, row in counts.items() for cause, n in row.items() if covers(guess, cause))
    share = _percent(right / total if total else None)
    return f"{right:,} of {total:,} guess{'es' * (total != 1)} right ({share})"


def scored(counts: Counts, scores: dict[str, Any]) -> str:
    """Return what balanced accuracy averages, and what it leaves out: guesses with nothing lost."""
    parts = []
    recall = {cause: value for cause, value in scores["recall"].items() if value is not None}
    if recall:
        each = ", ".join(f"{cause} {_percent(value)}" for cause, value in recall.items())
        parts.append(
            f"Recall, the share of the guesses about losses by a cause that name it: {each}. "
            f"Balanced accuracy, the mean of {'these recalls' if len(recall) > 1 else 'this one recall'}: "
            f"{_percent(scores['balanced_accuracy'])}."
        )
    needless = sum(row.get(NONE, 0) for row in counts.values())
    if needless:
        were = "guess was" if needless == 1 else "guesses were"
        parts.append(
            f"{needless:,} {were} made when nothing was lost: wrong, but in no recall"
            + ("." if recall else ", so balanced accuracy is undefined.")
        )
    return " ".join(parts)


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.0f} %"
