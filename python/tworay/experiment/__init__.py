"""Experiments of many runs: plans of comparisons and sweeps, engines that do the runs, and their store."""
