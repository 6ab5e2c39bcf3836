"""Counts the instructions of ten short runs with callgrind and compares them with the committed counts.

``make instructions`` prints the difference of each run; ``--write`` replaces the committed file.
``--check``, as in ``make test``, fails if a run takes over 2 % more instructions than committed.

The counts of a binary repeat: the environment is empty and addresses are not randomised. Only printing CPU
time takes a few instructions more or less, so counts are in thousands. Another compiler, C library or
valgrind gives other counts: compare two commits on one machine.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
COUNTS = ROOT / "crates/tworay-sim/tests/golden/instructions.csv"
# The largest increase that passes, with the tools of the committed counts and with others.
MOST, MOST_ELSEWHERE = 0.02, 0.10
CASES = {
    "string-4": "string-4 1 duration=30s",
    "string-4, ns-2's dialect": "string-4 1 duration=30s dialect=ns2",
    "string-8": "string-8 1 duration=30s",
    "strip-50": "strip-50 1 duration=10s",
    "grid": "grid-5x5 1 duration=15s",
    "DSR": "strip-50 1 duration=10s routing.protocol=dsr",
    "OLSR": "strip-50 1 duration=25s routing.protocol=olsr",
    "wired": "dumbbell-10 1 duration=20s",
    "802.11n, eight roofs": "street-n 1 duration=8s",
    "802.11ac, string": "string-4 1 duration=4s radio.preset=ac80x2 topology.spacing=60m",
}


def said(*command: str) -> str:
    """Return the first line that a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def build() -> Path:
    """Build the program that does one run, and return its path.

    It is an example of the bindings: their crate has no dependencies of tests only, so it takes the libraries
    of the native module, which `make setup` has compiled. Cargo takes them as they are if the bindings are
    told of the same Python, by maturin's file.
    """
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    pythons = [str(file) for file in target.glob("maturin/pyo3-config-*.txt")]
    environment = os.environ | ({"PYO3_CONFIG_FILE": pythons[0]} if len(pythons) == 1 else {})
    subprocess.run(
        ("cargo", "build", "--release", "--locked", "--quiet", "-p", "tworay-py", "--example", "run"),
        cwd=ROOT,
        env=environment,
        check=True,
    )
    return target / "release/examples/run"


def count(program: Path, words: str) -> tuple[int, int]:
    """Return the thousands of instructions and the events of a run."""
    fixed = ("setarch", platform.machine(), "-R", "env", "-i", shutil.which("valgrind") or "valgrind")
    options = ("--tool=callgrind", "--callgrind-out-file=/dev/null")
    done = subprocess.run(
        (*fixed, *options, str(program), *words.split()), capture_output=True, text=True, check=False
    )
    found = re.search(r"Collected\s*: (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"{words}: {done.stderr[-1000:]}")
    return round(int(found[1]) / 1000), int(json.loads(done.stdout)["events"])


def committed() -> dict[str, tuple[int, int]]:
    """Return the committed counts."""
    if not COUNTS.is_file():
        return {}
    lines = [line for line in COUNTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {
        row["case"]: (int(row["thousand_instructions"]), int(row["events"])) for row in csv.DictReader(lines)
    }


def excess(
    found: dict[str, tuple[int, int]], before: dict[str, tuple[int, int]], most: float = MOST
) -> list[str]:
    """Return a line for each run that takes too many instructions, or that has no committed count."""
    lines = []
    for case, (instructions, _) in found.items():
        known = before.get(case, (0, 0))[0]
        if not known:
            lines.append(f"{case}: no committed count")
        elif instructions > known * (1 + most):
            change = 100 * (instructions / known - 1)
            lines.append(f"{case}: {change:+.2f} % instructions, of which {100 * most:.0f} % are allowed")
    return lines


def main() -> int:
    """Count, compare, and write if told so."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="replace the committed counts")
    options.add_argument("--check", action="store_true", help=f"fail above +{100 * MOST:.0f} %%")
    given = options.parse_args()
    for tool in ("valgrind", "setarch"):
        if shutil.which(tool) is None:
            text = f"not counted: {tool} is missing (Debian: apt-get install valgrind util-linux)"
            if given.check:
                print(text)
                return 0
            raise SystemExit(text)
    program, before = build(), committed()
    tools = (said(name, "--version") for name in ("rustc", "valgrind", "ldd"))
    made_by = ", ".join((platform.machine(), *tools))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(CASES, pool.map(lambda words: count(program, words), CASES.values()), strict=True))
    print(f"{'case':<26}{'1000 instructions':>19}{'events':>10}{'per event':>11}{'change':>10}")
    for case, (instructions, events) in found.items():
        known = before.get(case, (0, 0))[0]
        change = f"{100 * (instructions / known - 1):+.2f} %" if known else "new"
        print(f"{case:<26}{instructions:>19,}{events:>10,}{1000 * instructions / events:>11,.1f}{change:>10}")
    first = COUNTS.read_text(encoding="utf-8").splitlines()[1] if before else ""
    elsewhere = bool(before) and first != f"# {made_by}"
    if elsewhere:
        print(f"counted before by {first[2:]}, now by {made_by}: changes are not only those of the code")
    if given.write:
        with COUNTS.open("w", encoding="utf-8", newline="") as file:
            file.write("# Instructions of short runs of the release build, by callgrind: make instructions\n")
            file.write(f"# {made_by}\n")
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(("case", "run", "thousand_instructions", "events"))
            for case, (instructions, events) in found.items():
                rows.writerow((case, CASES[case], instructions, events))
    slower = excess(found, before, MOST_ELSEWHERE if elsewhere else MOST) if given.check else []
    if slower:
        remedy = (
            "Find the cause with callgrind, or commit new counts and why: studies/instructions.py --write"
        )
        print(*slower, remedy, sep="\n", file=sys.stderr)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
