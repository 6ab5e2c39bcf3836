"""Imports what the forks of a process need, which do runs; ``children`` has it imported there."""

import pytest
from forking import prepare

__all__ = ["pytest"]

prepare(["analysis", "experiment", "metrics", "running"])
