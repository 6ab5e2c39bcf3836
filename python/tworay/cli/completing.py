"""Words that the shell offers: scenarios and variants."""

from __future__ import annotations


def scenarios(incomplete: str) -> list[str]:
    """Return built-in scenarios, folders and scenario files."""
    from glob import escape, glob

    from tworay.running.scenarios import scenarios as builtin

    # A family such as string-N is offered by its example.
    names = [entry.example for entry in builtin()]
    # `Path.glob` would drop a leading ./ of what is typed.
    found = [sorted(glob(f"{escape(incomplete)}{ending}")) for ending in ("*.toml", "*/")]  # noqa: PTH207
    return [*_beginning(names, incomplete), *found[0], *found[1]]


def variants(incomplete: str) -> list[str]:
    """Return variants for the last word of a list such as ``reno,ve``."""
    from tworay.running.scenarios import variants as known

    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in _beginning([entry.name for entry in known()], last)]


def _beginning(words: list[str], start: str) -> list[str]:
    return [word for word in words if word.startswith(start)]
