"""Spans of time in sentences."""

from __future__ import annotations


def in_words(seconds: float) -> str:
    """Return a span of time in s, or in whole ms below one second."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
