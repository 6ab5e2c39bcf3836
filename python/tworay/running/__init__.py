"""Load scenarios, define variants in Python, do one run or many runs on all cores."""
