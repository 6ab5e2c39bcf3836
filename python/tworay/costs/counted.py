"""Computing costs of the sender: instructions counted on this build, converted to joules.

``valgrind --tool=callgrind`` counts executed instructions exactly and in software: it needs no
performance counters (most virtual machines have none), is independent of the machine's load, and repeats
exactly. For each variant the native module runs the same lossy transfer; every call of the sender goes
through a function named after the operation that it performs, and callgrind reports the cost of each of
these functions.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tworay import _native
from tworay.errors import InputError, RunError
from tworay.running.workers import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# Parameters used in the measurement where they are required.
_GIVEN = {"cwl": "cwl(4)"}
_PREFIX, _SUFFIX, _SAMPLED = "tworay_cost_", "_end", "_sampled"
_FUNCTION = re.compile(rf"{_PREFIX}([a-z_]+?){_SUFFIX}")
_CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from tworay import _native
calls, operations, recovery = _native.live(sys.argv[2])
print(json.dumps({"calls": calls, "operations": operations, "recovery": recovery}))
"""


class Cost(NamedTuple):
    """Costs of a variant's operations, in instructions; 0 where one never ran."""

    variant: str
    recovery: str
    instructions: dict[str, float]
    explained: float
    """Share of all instructions of the life that operations × costs give."""


def measure(variants: Iterable[str] | None = None, *, jobs: int = 1) -> list[Cost]:
    """Count the instructions of the operations of all or of these variants; takes some seconds each."""
    if shutil.which("valgrind") is None:
        raise RunError(
            "counting instructions needs valgrind, which is not installed (Debian: apt-get install "
            "valgrind); "
            "`tworay costs --shipped` shows the table that ships"
        )
    names = _every_variant() if variants is None else list(variants)
    return in_order(_measure_one, names, jobs=jobs)


def _every_variant() -> list[str]:
    return [name for name, *_ in _native.variants()]


def _measure_one(name: str) -> Cost:
    with tempfile.TemporaryDirectory(prefix="tworay-costs-") as directory:
        out = Path(directory) / "callgrind.out"
        options = ["--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={out}"]
        child = [sys.executable, "-S", "-c", _CHILD, json.dumps(sys.path), _GIVEN.get(name, name)]
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        process = subprocess.run(
            ["valgrind", "--quiet", "--tool=callgrind", *options, *child],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        if process.returncode != 0 or not out.is_file():
            lines = process.stderr.strip().splitlines() or ["it said nothing"]
            if "ValueError" in lines[-1]:
                raise InputError(lines[-1].removeprefix("ValueError: "))
            raise RunError(f"valgrind could not count {name}: {lines[-1]}")
        said = json.loads(process.stdout)
        with out.open(encoding="utf-8", errors="replace") as lines_of_file:
            counted = dict(_inclusive(lines_of_file))
    if not counted:
        raise RunError("valgrind does not see the functions to count: the native module has no symbols")
    return _cost(name, said["recovery"], said["calls"], said["operations"], counted)


def _inclusive(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield name and inclusive instructions of the functions named after operations."""
    totals: dict[str, int] = {}
    callee, expected = "", False
    for line in lines:
        if line.startswith("cfn="):
            found = _FUNCTION.search(line)
            callee = found[1] if found else ""
        elif line.startswith("calls="):
            expected = True
        elif expected:
            expected = False
            if callee:
                totals[callee] = totals.get(callee, 0) + int(line.split()[-1])
    yield from totals.items()


def _cost(
    name: str,
    recovery: str,
    calls: Mapping[str, int],
    operations: Mapping[str, int],
    counted: Mapping[str, int],
) -> Cost:
    """Compute costs by operation from the costs of the named functions."""

    def mean(function: str) -> float | None:
        times = calls.get(f"{_PREFIX}{function}{_SUFFIX}", 0)
        return counted.get(function, 0) / times if times else None

    costs = dict.fromkeys(_native.operations(), 0.0)
    samples = []
    for ack in ("ack_slow_start", "ack_congestion_avoidance"):
        plain, sampled = mean(ack), mean(ack + _SAMPLED)
        if plain is not None and sampled is not None:
            samples.append((calls[f"{_PREFIX}{ack}{_SAMPLED}{_SUFFIX}"], max(0.0, sampled - plain)))
        # If all ACKs give samples, the cost of a sample is contained in that of the ACK.
        costs[ack] = plain if plain is not None else (sampled or 0.0)
    if samples:
        costs["rtt_sample"] = sum(n * cost for n, cost in samples) / sum(n for n, _ in samples)
    for operation in ("dup_ack", "recovery_ack", "timeout", "probe"):
        costs[operation] = mean(operation) or 0.0
    # A duplicate ACK that starts a fast retransmit counts as both.
    retransmit = mean("fast_retransmit")
    costs["fast_retransmit"] = max(0.0, retransmit - costs["dup_ack"]) if retransmit else 0.0
    total = sum(counted.values())
    explained = sum(operations[operation] * cost for operation, cost in costs.items()) / total
    return Cost(name, recovery, costs, explained)


def shipped() -> list[Cost]:
    """Return the shipped table, on which ``joules_computation`` is based."""
    rows = [
        line.split(",") for line in _native.cost_table().splitlines() if line and not line.startswith("#")
    ]
    names = rows[0][2:]
    return [Cost(row[0], row[1], dict(zip(names, map(float, row[2:]), strict=True)), 1.0) for row in rows[1:]]


def shipped_csv(variants: Iterable[str] | None = None) -> str:
    """Return the text of the shipped table with its provenance; only the lines of these variants."""
    wanted = None if variants is None else set(variants)
    kept, heading = [], False
    for line in _native.cost_table().splitlines():
        if not line.startswith("#") and heading and wanted is not None and line.split(",")[0] not in wanted:
            continue
        heading = heading or not line.startswith("#")
        kept.append(line)
    return "\n".join(kept) + "\n"


def as_csv(costs: Iterable[Cost]) -> str:
    """Return the table as CSV with its provenance, in the shipped format."""
    operations = _native.operations()
    lines = [
        "# Instructions by operation of the TCP sender, counted by callgrind on this code.",
        "# Made by: tworay costs --out FILE",
        f"# tworay {_native.VERSION}, {platform.machine()}, {_valgrind()}, {date.today().isoformat()}",
        "# Means over a life of 20 000 calls: a transfer with single and double losses, lost ACKs, outages.",
        "# recovery: the one with which the variant was measured; combinations are put together from these.",
        "# filter_update and classification are contained in the variant's own ACKs, samples and losses;",
        "# 0: the variant never does it, or it is contained in another.",
        "# Joules are these times the scenario's energy.instruction (1 nJ unless told).",
        ",".join(["variant", "recovery", *operations]),
    ]
    for cost in costs:
        cells = [f"{cost.instructions[operation]:.1f}" for operation in operations]
        lines.append(",".join([cost.variant, cost.recovery, *cells]))
    return "\n".join(lines) + "\n"


def _valgrind() -> str:
    process = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=False)
    return process.stdout.strip()


def document(costs: Iterable[Cost], joules: float) -> dict[str, object]:
    """Return the document of ``tworay costs --json``."""
    return {
        "tworay": _native.VERSION,
        "joules_per_instruction": joules,
        "variants": {
            cost.variant: {
                "recovery": cost.recovery,
                "instructions": cost.instructions,
                "joules": {name: count * joules for name, count in cost.instructions.items()},
                "explained": cost.explained,
            }
            for cost in costs
        },
    }
