"""Completion in shells: commands, scenarios, variants."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from conftest import command

if TYPE_CHECKING:
    from pathlib import Path


def offered(words: str, folder: Path) -> list[str]:
    """Return what bash is offered for the last word of a command line."""
    variables = {
        "_TWORAY_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    # The name of the program decides the variable's.
    program = "import sys; sys.argv[0] = 'tworay'; from tworay.cli.main import main; main()"
    done = subprocess.run(
        [command()[0], "-c", program],
        env=os.environ | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tworay re", ["report", "reproduce"]),
        ("tworay live kernel bu", ["build"]),
        ("tworay run --se", ["--seed", "--set"]),
        ("tworay compare string-4 --tcp reno,vegas-", ["reno,vegas-growth"]),
        ("tworay run --tcp tcp-d", ["tcp-door"]),
    ],
)
def test_commands_options_and_variants_are_offered(words: str, expected: list[str], tmp_path: Path) -> None:
    assert offered(words, tmp_path) == expected


def test_scenarios_are_built_in_ones_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "strange.toml").touch()
    (tmp_path / "street").mkdir()
    (tmp_path / "string.csv").touch()
    found = offered("tworay run str", tmp_path)
    assert {"strange.toml", "street/", "string-4", "strip-50"} <= set(found)
    assert "string.csv" not in found
    assert offered("tworay run nothing-begins-so", tmp_path) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell: str) -> None:
    done = subprocess.run([*command("--show-completion", shell)], capture_output=True, text=True, check=True)
    assert "complete" in done.stdout.lower()
