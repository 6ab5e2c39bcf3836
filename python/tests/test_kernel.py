"""The controllers in this machine's kernel: loaded, used over a string of two hops, unloaded."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from kernel_string import String, alone, string, transfer

from tworay import kernel
from tworay.errors import InputError, RunError

USABLE = os.geteuid() == 0 and Path("/sys/kernel/btf/vmlinux").exists()
NAMES = [one.name for one in kernel.controllers()[0]]
SIZE = 500_000
NOBODY = 65534


def states() -> dict[str, str]:
    return {one.name: one.state for one in kernel.controllers()[0]}


@pytest.fixture(scope="module")
def ends():
    if not USABLE:
        yield None
        return
    with alone(), string() as made:
        yield made


@pytest.mark.parametrize("name", NAMES)
def test_a_controller_carries_half_a_megabyte_and_leaves_nothing_behind(name: str, ends: String | None):
    if ends is None:
        with pytest.raises(RunError, match=r"as root|BTF"):
            kernel.load(name)
        return
    assert kernel.load(name)["fresh"]
    try:
        assert states()[name] == "loaded"
        assert not kernel.load(name)["fresh"]
        # Whoever has no rights may choose it too.
        assert transfer(ends, SIZE, name, user=NOBODY) == name
    finally:
        assert kernel.unload(name)["gone"]
    assert states()[name] == "absent"
    left = kernel.ask("leftovers")
    assert left == {"programs": [], "maps": []}


def test_what_is_not_loaded_is_not_unloaded():
    with pytest.raises(InputError, match="there is no kernel controller cubic; there are welcome, westwood"):
        kernel.unload("cubic")
    if USABLE:
        with pytest.raises(InputError, match="tworay_westwood is not loaded"):
            kernel.unload("westwood")


def test_without_rights_one_sentence_says_what_to_do():
    words = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    process = subprocess.run(
        [*words, kernel.LOADER, "load", "westwood"], capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert process.stderr.count("\n") == 1
    assert "as root" in process.stderr or "BTF" in process.stderr
