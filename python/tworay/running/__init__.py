"""Runs: scenarios loaded, variants written in Python, one run, many runs on all cores."""
