"""The helper that runs the tests' commands in forks."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from forking import Forks


def test_both_answers_are_read_when_they_came_at_once(
    tmp_path: Path, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader looks for answers when the command has long ended, as on a busy machine."""
    answer = forks._answer

    def late(seconds: float | None) -> int:
        time.sleep(1.0)
        return answer(seconds)

    monkeypatch.setattr(forks, "_answer", late)
    for _ in range(2):
        shown = forks.run(["--version"], tmp_path, os.environ, seconds=5)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert shown.stdout.startswith("tworay ")
