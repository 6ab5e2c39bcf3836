"""The settings that decide each experiment's verdicts, with the sentences of the source that state them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.papers.library import reading_name
from tworay.papers.markdown import prose, table

if TYPE_CHECKING:
    from tworay.papers.library import Trial
    from tworay.papers.reproducing import Reproduction

TOLD = (
    "The settings that the source states decide. What it leaves open, and what differs from it, is a "
    "reading: one setting is changed at a time, and the verdict beside it does not count. A "
    "reading that is marked as not run has no verdict."
)


def deciding(result: Reproduction) -> list[str]:
    """Return the section that names the reading that decides, by experiment; empty if none is named."""
    rows = [
        [
            trial.id,
            trial.decides,
            f"“{trial.stated}”" if trial.stated else "",
            _readings(result, trial),
        ]
        for trial in result.paper.trials.values()
        if trial.decides
    ]
    if not rows:
        return []
    head = ["experiment", "decides", "the source", "readings"]
    return ["## What decides", "", *prose(TOLD), *table(head, rows)]


def _readings(result: Reproduction, trial: Trial) -> str:
    """Return the readings of an experiment; where claims are judged on it, those without runs say so."""
    judged = [
        claim.id
        for claim in result.paper.claims
        if trial.id in claim.experiments and claim.id in result.judgements
    ]
    run = {name for claim in judged for name in result.others.get(claim, {})}

    def said(of: str, value: str) -> str:
        return value if not judged or reading_name(of, value) in run else f"{value} (not run)"

    return "; ".join(
        f"{of}: {', '.join(said(of, value) for value in values)}" for of, values in trial.open.items()
    )
