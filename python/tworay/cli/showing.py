"""``tworay show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tworay
from tworay.cli.comparing import print_comparison
from tworay.cli.writing import note, print_json
from tworay.records import RUNS, read_manifest

if TYPE_CHECKING:
    from pathlib import Path


def show_results(directory: Path, *, as_json: bool) -> None:
    """Print a stored run or comparison again."""
    found = tworay.results(directory)
    if isinstance(found, tworay.Run):
        if as_json:
            print_json(found.summary)
        else:
            from tworay.rendering import run_report, show

            show(run_report(found.summary))
        return
    print_comparison(found, as_json)
    wanted = len(read_manifest(directory)["seeds"]) * len(found.variants)
    if (directory / RUNS).is_dir() or len(found) < wanted:
        note(
            f"tworay: {len(found)} of at least {wanted} runs are finished; go on with "
            f"`tworay compare --resume {directory}`"
        )
