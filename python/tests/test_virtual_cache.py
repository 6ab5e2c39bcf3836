"""The scratch directories of machines: made, locked, swept away when their process is gone."""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING

from tworay.virtual import cache

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_directory_swept_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process starts just then, and takes the directory for one that was left."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    flock, waiting = fcntl.flock, [True]

    def interrupted(file: int, how: int) -> None:
        if how == fcntl.LOCK_EX and waiting:
            waiting.clear()
            cache._sweep(cache.home() / "virtual")
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", interrupted)
    with cache.scratch() as mine:
        assert not waiting
        assert list((cache.home() / "virtual").iterdir()) == [mine]
        (mine / "scenario.toml").write_text("", encoding="utf-8")
        with cache.scratch() as other:
            assert (mine / "scenario.toml").is_file()
            assert other != mine
    assert not list((cache.home() / "virtual").iterdir())
