"""``tworay explain``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tworay import stored
from tworay.cli.writing import print_json
from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

TIME = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(s|ms|)\s*")


def explain_run(
    directory: Path, *, flow: int | None, at: str | None, arm: str | None, seed: int | None, as_json: bool
) -> None:
    """Say what a sender saw and what happened, around a time or in its longest pauses."""
    found = stored.run_of(directory, arm, seed)
    explanation = found.explain(flow=flow, at=None if at is None else _seconds(at))
    if as_json:
        print_json(explanation.document)
    else:
        print(explanation)


def _seconds(spec: str) -> float:
    match = TIME.fullmatch(spec)
    if match is None:
        raise InputError(f"--at `{spec}` is no time of a run; write for example `20.5s` or `20500ms`")
    return float(match[1]) / (1000 if match[2] == "ms" else 1)
