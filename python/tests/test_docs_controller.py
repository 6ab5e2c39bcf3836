"""The transport developer's controller decides the same as a sketch in Python and as C for the kernel."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/make"))

import check_blocks  # noqa: E402

PAGE = ROOT / "docs/guide/transport-developer.md"
# The core as a function of numbers.
CALL = """
#include "core/gentle.h"
u32 gentle(u32 cwnd, u32 advertised, u32 keep)
{
	struct view v = { .cwnd = cwnd, .advertised = advertised };
	struct decision d = gentle_loss(&v, keep);

	return d.window.cwnd == d.window.ssthresh ? d.window.cwnd : 0;
}
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, int, int], int]:
    """The core, compiled as the tests of the other cores compile theirs: natively."""
    folder = tmp_path_factory.mktemp("core")
    (folder / "call.c").write_text(CALL)
    bpf = ROOT / "crates/tworay-kernel/bpf"
    places = [f"-I{place}" for place in (ROOT / "docs/examples/bpf", bpf, bpf / "core")]
    library = folder / "core.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-Wall", "-Werror", *places, "call.c", "-o", library],
        cwd=folder,
        check=True,
    )
    gentle = ctypes.CDLL(str(library)).gentle
    gentle.argtypes, gentle.restype = [ctypes.c_uint32] * 3, ctypes.c_uint32
    return gentle


def sketch() -> Any:
    (source,) = [block.text for block in check_blocks.blocks(PAGE.read_text()) if block.about == "gentle.py"]
    names: dict[str, Any] = {}
    exec(compile(source, "gentle.py", "exec"), names)
    return names["Gentle"]()


def test_a_loss_leaves_whole_segments_of_three_quarters(core: Callable[[int, int, int], int]) -> None:
    # cwnd, the peer's window, keep per mille, and what is left.
    for cwnd, advertised, keep, left in [
        (20, 64, 750, 15),
        (10, 64, 750, 7),
        (100, 20, 750, 15),
        (3, 64, 750, 2),
        (2, 64, 750, 2),
        (20, 64, 1000, 20),
        # No product overflows 32 bits.
        (4_000_000_000, 4_000_000_000, 750, 3_000_000_000),
    ]:
        assert core(cwnd, advertised, keep) == left


def test_the_core_decides_as_the_sketch(core: Callable[[int, int, int], int]) -> None:
    gentle = sketch()
    for cwnd in range(1, 200):
        for advertised in range(1, 200, 3):
            window = gentle.on_loss(SimpleNamespace(cwnd=float(cwnd), advertised=float(advertised)), None)
            assert window.cwnd == window.ssthresh
            assert core(cwnd, advertised, 750) == math.floor(window.cwnd)
