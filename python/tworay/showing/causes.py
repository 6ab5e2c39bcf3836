"""Why segments are lost and how they end, in words: declared in the simulator (``crates/tworay-base``)."""

from __future__ import annotations

from tworay import _native

WORDS = {name: words for name, words, _ in _native.causes()}
ROOTS = {name: f"{name}: {words}" for name, words in WORDS.items()}
ENDS = {name: words for name, words, _ in _native.deaths()}


def tables() -> dict[str, str]:
    """Return the tables of causes and ends of the page of metrics, by their marks."""
    heads = {"died": "what happened to the last copy", "cause": "why the segment was lost"}
    rows = {"died": _native.deaths(), "cause": _native.causes()}
    return {
        mark: f"| `{mark}` | {head} |\n|---|---|\n"
        + "".join(f"| `{name}` | {definition} |\n" for name, _, definition in rows[mark])
        for mark, head in heads.items()
    }
