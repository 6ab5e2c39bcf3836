"""The helper that runs the tests' commands in forks."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from forking import Forks

if TYPE_CHECKING:
    from pathlib import Path


class Late(Forks):
    """A reader that looks for answers when the command has long ended, as on a busy machine."""

    def _answer(self, seconds: float | None) -> int:
        time.sleep(1.0)
        return super()._answer(seconds)


def test_both_answers_are_read_when_they_came_at_once(tmp_path: Path) -> None:
    forks = Late()
    try:
        for _ in range(2):
            shown = forks.run(["--version"], tmp_path, os.environ, seconds=5)
            assert (shown.returncode, shown.stderr) == (0, "")
            assert shown.stdout.startswith("tworay ")
    finally:
        forks.end()
