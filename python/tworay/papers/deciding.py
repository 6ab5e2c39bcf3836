"""The settings that decide each experiment's verdicts, with the sentences of the source that state them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.papers.markdown import prose, table

if TYPE_CHECKING:
    from tworay.papers.library import Paper

TOLD = (
    "The settings that the source states decide. What it leaves open, and what differs from it, is a "
    "reading: one setting is changed at a time, and the verdict beside it does not count."
)


def deciding(paper: Paper) -> list[str]:
    """Return the section that names the reading that decides, by experiment; empty if none is named."""
    rows = [
        [
            trial.id,
            trial.decides,
            f"“{trial.stated}”" if trial.stated else "",
            "; ".join(f"{of}: {', '.join(values)}" for of, values in trial.open.items()),
        ]
        for trial in paper.trials.values()
        if trial.decides
    ]
    if not rows:
        return []
    head = ["experiment", "decides", "the source", "readings"]
    return ["## What decides", "", *prose(TOLD), *table(head, rows)]
