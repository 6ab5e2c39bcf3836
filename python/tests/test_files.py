"""Files that are replaced in one step, and devices and pipes, which are written to."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest

from tworay.experiment.store import directory
from tworay.files import replacing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    with replacing(pipe) as hidden:
        hidden.write_bytes(b"letter")
    reader.join(5)
    assert read == [b"letter"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "mesh.csv", "--flow", "roof:mill:ftp", "-o", "pipe"),
        ("plot", "runs", "cwnd", "-o", "pipe"),
        (
            "compare",
            "string-2",
            "--tcp",
            "reno,vegas",
            "--set",
            "duration=3s",
            "--seeds",
            "2",
            "--csv",
            "pipe",
        ),
    ],
    ids=lambda words: words[0],
)
def test_no_command_replaces_a_device(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    """As root, a file in the place of /dev/null breaks every program of the machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "mesh.csv").write_text("from,to,loss\nroof,mill,10%\n")
    assert cli("run", "string-2", "--set", "duration=3s", "--out", "runs").code == 0
    # Opened for both, so that no command waits for a reader.
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        cli(*words)
        assert stat.S_ISFIFO(pipe.stat().st_mode)
    finally:
        os.close(end)


def test_a_directory_that_another_process_fills_now_is_not_foreign(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def none_yet(out: Path) -> None:
        """Look for a manifest just before the other process writes its files."""
        (out / "manifest.json").write_text("{}")
        (out / directory.EXPERIMENT).write_text("")

    monkeypatch.setattr(directory, "find_manifest", none_yet)
    directory.check_directory(tmp_path, "x")
