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


def drained(pipe: Path) -> tuple[list[bytes], threading.Thread]:
    """Make a pipe with a reader; the list has what it read, once the thread has ended."""
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    return read, reader


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    read, reader = drained(pipe)
    with replacing(pipe) as place:
        place.write_bytes(b"letter")
    reader.join(5)
    assert read == [b"letter"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "mesh.csv", "--flow", "roof:mill:ftp", "-o", "pipe.toml"),
        ("plot", "runs", "cwnd", "-o", "pipe.svg"),
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
            "pipe.csv",
        ),
    ],
    ids=lambda words: words[0],
)
def test_no_command_replaces_a_device(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    """As root, a file in the place of /dev/null breaks every program of the machine."""
    pipe = tmp_path / words[-1]
    read, reader = drained(pipe)
    (tmp_path / "mesh.csv").write_text("from,to,loss\nroof,mill,10%\n")
    assert cli("run", "string-2", "--set", "duration=3s", "--out", "runs").code == 0
    assert cli(*words).code == 0
    reader.join(5)
    assert len(read) == 1
    assert len(read[0]) > 100
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_directory_that_another_process_fills_now_is_not_foreign(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def none_yet(out: Path) -> None:
        """Look for a manifest just before the other process writes its files."""
        (out / "manifest.json").write_text("{}")
        (out / directory.EXPERIMENT).write_text("")

    monkeypatch.setattr(directory, "find_manifest", none_yet)
    directory.check_directory(tmp_path, "x")
