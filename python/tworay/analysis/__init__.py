"""Computed from finished runs: statistics, comparisons, contrasts, verdicts."""
