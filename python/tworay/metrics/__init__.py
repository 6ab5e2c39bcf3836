"""Metrics of runs: their definitions, and their values in a run's document."""

from __future__ import annotations

from tworay.metrics.choosing import by_number, check, missing, of_run, parse
from tworay.metrics.declared import METRICS, Better, Metric, Of
from tworay.metrics.judged import TCP, Judge, follows_judge, judge_named, parse_ends, parse_judge
from tworay.metrics.of_runs import (
    EXAMPLES,
    OF_AIR,
    OF_BOTH_KINDS,
    OF_DATAGRAMS,
    OF_ENERGY,
    OF_RESOURCES,
    OF_SEVERAL_FLOWS,
    OF_TRANSFERS,
    OF_VIDEO,
    SHOWN,
    Values,
    add_counts,
    find,
    shown,
    title,
    values,
    words,
)

__all__ = [
    "EXAMPLES",
    "METRICS",
    "OF_AIR",
    "OF_BOTH_KINDS",
    "OF_DATAGRAMS",
    "OF_ENERGY",
    "OF_RESOURCES",
    "OF_SEVERAL_FLOWS",
    "OF_TRANSFERS",
    "OF_VIDEO",
    "SHOWN",
    "TCP",
    "Better",
    "Judge",
    "Metric",
    "Of",
    "Values",
    "add_counts",
    "by_number",
    "check",
    "find",
    "follows_judge",
    "judge_named",
    "missing",
    "of_run",
    "parse",
    "parse_ends",
    "parse_judge",
    "shown",
    "title",
    "values",
    "words",
]
