"""The check of instruction counts in `make test`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from studies import instructions
from studies.instructions import excess

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = {"string-4": (100_000, 5), "grid": (50_000, 7)}


def test_two_per_cent_more_pass_and_three_do_not() -> None:
    assert excess({"string-4": (102_000, 5), "grid": (40_000, 7)}, BEFORE) == []
    assert excess({"string-4": (103_000, 5)}, BEFORE) == [
        "string-4: +3.00 % instructions, of which 2 % are allowed"
    ]


def test_a_run_without_a_committed_count_does_not_pass() -> None:
    assert excess({"string-8": (1, 1)}, BEFORE) == ["string-8: no committed count"]


def test_a_module_that_is_older_than_its_sources_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructions, "ROOT", tmp_path)
    source, built = tmp_path / "crates/tworay-tcp/src/lib.rs", tmp_path / "python/tworay/_native.abi3.so"
    for seconds, file in enumerate((source, built)):
        file.parent.mkdir(parents=True)
        file.touch()
        os.utime(file, (seconds, seconds))
    assert instructions.module() == built
    # The loader of kernel controllers has sources of its own, and the module none of them.
    (tmp_path / "crates/tworay-kernel/src").mkdir(parents=True)
    (tmp_path / "crates/tworay-kernel/src/main.rs").touch()
    assert instructions.module() == built
    os.utime(source, (2, 2))
    with pytest.raises(SystemExit, match=r"older than crates/tworay-tcp/src/lib\.rs: make setup"):
        instructions.module()
    built.unlink()
    with pytest.raises(SystemExit, match="no native module in python/tworay: make setup"):
        instructions.module()
