"""Counts the instructions of ten short runs with callgrind and compares them with the committed counts.

``make instructions`` prints the difference of each run; ``--write`` replaces the committed file.
``--check``, as in ``make test``, fails if a run takes over 2 % more instructions than committed.

Counted is the run alone, in the native module that users load: reading the scenario and starting Python are
left out. The counts of a module repeat: the environment is empty and addresses are not randomised. Only
printing CPU time takes a few instructions more or less, so counts are in thousands. Another compiler, C
library or valgrind gives other counts: compare two commits on one machine.
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
from pathlib import Path
from tempfile import TemporaryDirectory

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
# The function that does a run. It has a thread of its own in the module, and so its own heap.
COUNTED = "tworay_sim::run::run"
# Python and the module start once, which takes longer than a short run; a fork does each.
RUNS = """
import importlib.util, json, os, sys
built, cases, most = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
spec = importlib.util.spec_from_file_location("_native", built)
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
failed = running = 0
for case, words in cases.items():
    if running == most:
        failed, running = os.wait()[1] or failed, running - 1
    running += 1
    if os.fork() == 0:
        source, seed, *overrides = words.split()
        try:
            run = native.run(native.Scenario.load(source, overrides), int(seed))
            said = json.dumps([os.getpid(), case, json.loads(run.json())["events"]])
            os.write(1, said.encode() + b"\\n")
        except Exception as error:
            os.write(2, f"{case}: {error}\\n".encode())
            os._exit(1)
        os._exit(0)
for _ in range(running):
    failed = os.wait()[1] or failed
sys.exit(failed != 0)
"""


def said(*command: str) -> str:
    """Return the first line that a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def module() -> Path:
    """Return the native module; refuse one that is older than its sources."""
    sources = (file for file in ROOT.glob("crates/*/src/**/*.rs") if "tworay-kernel" not in file.parts)
    built = next((ROOT / "python/tworay").glob("_native*.so"), None)
    if built is None:
        raise SystemExit("there is no native module in python/tworay: make setup")
    newest = max(sources, key=lambda file: file.stat().st_mtime)
    if newest.stat().st_mtime > built.stat().st_mtime:
        shown = newest.relative_to(ROOT)
        raise SystemExit(f"{built.relative_to(ROOT)} is older than {shown}: make setup builds it anew")
    return built


def count(built: Path, cases: dict[str, str]) -> dict[str, tuple[int, int]]:
    """Return the thousands of instructions and the events of runs."""
    python = ROOT / ".venv/bin/python"
    fixed = ("setarch", platform.machine(), "-R", "env", "-i", shutil.which("valgrind") or "valgrind")
    with TemporaryDirectory() as place:
        options = (
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--collect-atstart=no",
            f"--toggle-collect={COUNTED}",
            f"--log-file={place}/%p",
        )
        child = (str(python if python.exists() else sys.executable), "-I", "-S", "-c", RUNS)
        given = (str(built), json.dumps(cases), str(os.cpu_count() or 1))
        done = subprocess.run((*fixed, *options, *child, *given), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr[-1000:])
        found = {}
        for line in done.stdout.splitlines():
            process, case, events = json.loads(line)
            log = Path(place, str(process)).read_text(encoding="utf-8")
            collected = re.search(r"Collected\s*: (\d+)", log)
            if not collected or not int(collected[1]):
                raise SystemExit(f"{case}: callgrind does not see {COUNTED} in {built}: {log[-1000:]}")
            found[case] = round(int(collected[1]) / 1000), events
    return {case: found[case] for case in cases}


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
    built, before = module(), committed()
    tools = (said(name, "--version") for name in ("rustc", "valgrind", "ldd"))
    made_by = ", ".join((platform.machine(), *tools))
    found = count(built, CASES)
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
            file.write("# Instructions of short runs in the native module, by callgrind: make instructions\n")
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
