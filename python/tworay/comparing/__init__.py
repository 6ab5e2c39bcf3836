"""Comparisons: their arms, the plan of runs, paired statistics and the verdict."""
