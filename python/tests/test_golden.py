"""The release build gives the bytes that the Rust tests hold the debug build to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tworay
from tworay import _native

GOLDEN = Path(__file__).parents[2] / "crates/tworay-sim/tests/golden/runs.txt"
NUMBER, *LINES = GOLDEN.read_text().splitlines()
RUNS = [line.split() for line in LINES]


def test_the_digests_are_of_this_number_of_results() -> None:
    assert f"results {_native.RESULTS}" == NUMBER


def fnv1a(data: bytes) -> int:
    """Return the 64-bit FNV-1a hash, as the Rust test computes it."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


@pytest.mark.parametrize(
    ("digest", "scenario", "seed", "overrides"),
    [(digest, scenario, seed, overrides) for digest, scenario, seed, *overrides in RUNS],
    ids=[" ".join(words[1:]) for words in RUNS],
)
def test_release_build_gives_the_golden_bytes(
    digest: str, scenario: str, seed: str, overrides: list[str]
) -> None:
    run = tworay.run(scenario, seed=int(seed), set=dict(o.split("=", 1) for o in overrides), series=False)
    document = re.sub(r'"cpu_seconds":[0-9.e+-]+', '"cpu_seconds":0.0', run.json, count=1)
    assert f"{fnv1a(document.encode()):016x}" == digest
