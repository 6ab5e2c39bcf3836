"""`make test` compiles the Rust tests once: what the first call has built, the second one takes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lints_apart(place: Path) -> bool:
    """Return true if clippy has a build of its own, as make would run it there."""
    for name in (
        "Makefile",
        "requirements.txt",
        "requirements-dev.txt",
        "Cargo.toml",
        "Cargo.lock",
        "pyproject.toml",
    ):
        shutil.copy(ROOT / name, place)
    for folder in ("scripts", "crates"):
        (place / folder).mkdir(exist_ok=True)
    shutil.copy(ROOT / "scripts/setup.sh", place / "scripts")
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    made = subprocess.run(["make", "-n", "rust-lint"], cwd=place, env=own, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return "cargo clippy" in made.stdout


@pytest.mark.skipif(shutil.which("clippy-driver") is None, reason="clippy is not installed")
def test_a_build_without_incremental_files_lints_while_it_compiles(tmp_path: Path) -> None:
    """Cargo makes the directory of incremental files in any case; a build that keeps none leaves it empty."""
    assert not lints_apart(tmp_path)
    incremental = tmp_path / "target/debug/incremental"
    incremental.mkdir(parents=True)
    assert not lints_apart(tmp_path)
    (incremental / "tworay_sim-1").mkdir()
    assert lints_apart(tmp_path)
