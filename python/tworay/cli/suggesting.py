"""Messages for a first word that is no command."""

from __future__ import annotations

from pathlib import Path


def of_scenario(word: str) -> str | None:
    """Return the message for a word that is a scenario; None if it is none."""
    from tworay._native import builtin_text

    if builtin_text(word) is None and not (word.endswith(".toml") and Path(word).is_file()):
        return None
    return f"{word} is a scenario, not a command. Did you mean `tworay run {word}`?"
