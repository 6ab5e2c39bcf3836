"""Waiting for what other processes do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Return whether a condition is met within this time."""
    until = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < until:
        time.sleep(0.1)
    return met
