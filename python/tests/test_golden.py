"""The release build gives the results that the Rust tests hold the debug build to."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

import tworay
from tworay import _native

GOLDEN = Path(__file__).parents[2] / "crates/tworay-sim/tests/golden"
NUMBER, *LINES = (GOLDEN / "runs.txt").read_text().splitlines()
SCHEMA, *KEYS = (GOLDEN / "schema.txt").read_text().splitlines()
RUNS = [line.split(" ", 8) for line in LINES]
COVERED = [line.split()[1] for line in KEYS if line.startswith("* ")]
# The parts in the order of their digests, with the beginnings of the keys that belong to them.
PARTS = {
    "flows": ("sim_seconds", "flows", "metrics", "retransmissions", "paths"),
    "ledger": ("ledger", "diagnosis", "guesses"),
    "mac": ("mac",),
    "routing": ("routing",),
    "energy": ("energy",),
}


def test_the_files_are_of_these_numbers() -> None:
    assert (f"results {_native.RESULTS}", f"schema {_native.SCHEMA}") == (NUMBER, SCHEMA)


def fnv1a(data: bytes) -> int:
    """Return the 64-bit FNV-1a hash, as the Rust test computes it."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def canonical(value: Any) -> str:
    """Return a value as the Rust test writes it: of real numbers the bits, without zeros in maps."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"x{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, dict):
        inner = {key: canonical(value[key]) for key in sorted(value)}
        nothing = ("0", "x0000000000000000", "-", "{}")
        return "{" + ",".join(f"{key}:{text}" for key, text in inner.items() if text not in nothing) + "}"
    return str(value)


def text(run: tworay.Run, key: str) -> str:
    """Return the value of a covered key: a column ``table:column``, or a path in the document."""
    table, colon, column = key.partition(":")
    if colon:
        frame = run.tables.get(table)
        return "-" if frame is None or column not in frame else ",".join(map(canonical, frame[column]))
    rows, brackets, rest = key.partition("[].")
    nodes = run.summary[rows] if brackets else [run.summary]
    return ";".join(canonical(at(node, rest or key)) for node in nodes)


def at(node: Any, path: str) -> Any:
    for name in path.split("."):
        node = node.get(name) if isinstance(node, dict) else None
    return node


@pytest.mark.parametrize("words", RUNS, ids=[" ".join(words[6:]) for words in RUNS])
def test_release_build_gives_the_golden_results(words: list[str]) -> None:
    events, digests, (scenario, seed, *overrides) = int(words[0]), words[1:6], words[6:]
    source = GOLDEN / scenario if scenario.endswith(".toml") else scenario
    settings = dict(o.split("=", 1) for o in (overrides[0].split() if overrides else ()))
    run = tworay.run(source, seed=int(seed), set=settings, series=False)
    assert run.summary["events"] == events
    found = {}
    for part, beginnings in PARTS.items():
        keys = [key for key in COVERED if key.replace("[", ".").replace(":", ".").split(".")[0] in beginnings]
        lines = [f"{key}={text(run, key)}\n" for key in keys]
        found[part] = f"{fnv1a(''.join(lines).encode()):016x}"
    assert found == dict(zip(PARTS, digests, strict=True))
