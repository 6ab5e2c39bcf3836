"""Comparisons: arms, plan of runs, paired statistics, verdict."""
