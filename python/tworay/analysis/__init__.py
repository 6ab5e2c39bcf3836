"""What is computed from finished runs: statistics, comparisons, contrasts, verdicts."""
