"""Comparisons: what is compared, the plan of runs, paired statistics and the verdict."""
