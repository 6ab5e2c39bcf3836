"""Changes constants of the simulator, one at a time, and checks that the golden test notices each.

Works on a copy of the sources in ``target/changed-constants``. A change that no golden run notices, or that
can no longer be made because the code has moved, is an error. ``--write`` puts the result into
docs/explanation/how-it-is-checked.md.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/how-it-is-checked.md"
RUNS = ROOT / "crates/tworay-sim/tests/golden/runs.txt"
WORK = ROOT / "target/changed-constants"
TEST = "runs_give_what_they_always_gave"
CARGO = ("cargo", "test", "--locked", "--quiet", "-p", "tworay-sim", "--test", "all", "golden::")


@dataclass(frozen=True)
class Change:
    """One edit: ``before`` occurs exactly once in ``file``."""

    about: str
    file: str
    before: str
    after: str


CHANGES = (
    Change(
        "OLSR's HELLO interval, 2 s → 3 s",
        "crates/tworay-routing/src/olsr/config.rs",
        "hello_interval: SimDuration::from_secs(2),",
        "hello_interval: SimDuration::from_secs(3),",
    ),
    Change(
        "CUBIC's beta, 0.7 → 0.5",
        "crates/tworay-tcp/src/control/cubic.rs",
        "beta: f64 = 0.7,",
        "beta: f64 = 0.5,",
    ),
    Change(
        "EIFS, without its DIFS",
        "crates/tworay-mac/src/timing.rs",
        "eifs: config.sifs + at(DSSS_RATES[0], ACK_BYTES) + difs,",
        "eifs: config.sifs + at(DSSS_RATES[0], ACK_BYTES),",
    ),
    Change(
        "retry limit of RTS and other short frames, 7 → 6",
        "crates/tworay-mac/src/config.rs",
        "short_retry_limit: 7,",
        "short_retry_limit: 6,",
    ),
    Change(
        "DSR's cache of overheard paths as in ns-2, 64 → 34",
        "crates/tworay-routing/src/dsr/config.rs",
        "secondary_paths: 64,",
        "secondary_paths: 34,",
    ),
    Change(
        "WaveLAN's idle power, 843.72 mW → 840 mW",
        "crates/tworay-radio/src/energy.rs",
        "0.843_72",
        "0.840_00",
    ),
    Change(
        "RED's weight, 0.002 → 0.003",
        "crates/tworay-scenario/src/wire/red.rs",
        "weight: 0.002,",
        "weight: 0.003,",
    ),
    Change(
        "Vegas' alpha, 1 → 2",
        "crates/tworay-tcp/src/recovery/vegas_repair/decision.rs",
        "alpha: f64 = 1.0,",
        "alpha: f64 = 2.0,",
    ),
    Change(
        "interval of repeated ARP requests, 100 ms → 200 ms",
        "crates/tworay-mac/src/config.rs",
        "arp_retry: SimDuration::from_millis(100),",
        "arp_retry: SimDuration::from_millis(200),",
    ),
    Change(
        "largest gain of fading, 10 → 6",
        "crates/tworay-radio/src/fading.rs",
        "const MOST_FADING: f64 = 10.0;",
        "const MOST_FADING: f64 = 6.0;",
    ),
)


def golden(where: Path) -> tuple[int, str]:
    """Run the golden test of a copy; return its exit code and output."""
    environment = {name: value for name, value in os.environ.items() if name != "TWORAY_BLESS"}
    environment |= {"CARGO_TARGET_DIR": str(WORK / "build"), "RUST_BACKTRACE": "0"}
    done = subprocess.run(
        [*CARGO, TEST], cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def moved(output: str) -> list[str]:
    """Return the golden runs that a failed test names."""
    titles = [line.split(" ", 6)[6] for line in RUNS.read_text(encoding="utf-8").splitlines()[1:]]
    named = set(output.splitlines()) | {line.partition(": ")[0] for line in output.splitlines()}
    return [title for title in titles if title in named]


def attempt(change: Change, where: Path) -> list[str]:
    """Make a change, run the test, take the change back; return the runs that noticed."""
    file = where / change.file
    text = file.read_text(encoding="utf-8")
    if text.count(change.before) != 1:
        found = text.count(change.before)
        raise SystemExit(f"{change.file}: `{change.before}` occurs {found} times, expected once")
    try:
        file.write_text(text.replace(change.before, change.after), encoding="utf-8")
        code, output = golden(where)
    finally:
        file.write_text(text, encoding="utf-8")
    if code != 0 and f"{TEST} ... FAILED" not in output and f"    {TEST}" not in output:
        raise SystemExit(f"{change.about}: it did not build\n{output[-3000:]}")
    return moved(output) if code else []


def table(found: list[tuple[Change, list[str]]]) -> str:
    """Return the table of the page."""
    total = len(RUNS.read_text(encoding="utf-8").splitlines()) - 1
    lines = [
        f"On {datetime.datetime.now(datetime.UTC).date()}, of {total} golden runs:",
        "",
        "| changed on purpose | runs that differ | one of them |",
        "|---|---|---|",
    ]
    lines += [f"| {change.about} | {len(runs)} | `{runs[0]}` |" for change, runs in found]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Try all changes, or those whose description contains ONLY."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="changes whose description contains this")
    options.add_argument("--write", action="store_true", help="write the table into the page")
    given = options.parse_args()
    copy = WORK / "source"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "crates", copy / "crates", ignore=shutil.ignore_patterns("target"))
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml"):
        shutil.copy2(ROOT / name, copy / name)
    for change in CHANGES:
        # Cargo must not reuse what the last session built while this file was changed.
        (copy / change.file).touch()
    code, output = golden(copy)
    if code:
        raise SystemExit(f"the golden test fails without any change\n{output[-3000:]}")
    found = []
    for change in CHANGES:
        if given.only not in change.about:
            continue
        runs = attempt(change, copy)
        found.append((change, runs))
        print(f"{change.about}: {TEST}, {len(runs)} runs differ" if runs else f"{change.about}: NOT NOTICED")
        for title in runs[:3]:
            print(f"    {title}")
        sys.stdout.flush()
    missed = [change.about for change, runs in found if not runs]
    if given.write and not missed and not given.only:
        text = PAGE.read_text(encoding="utf-8")
        new = re.sub(
            r"(<!-- changed constants -->\n).*?(<!-- end -->\n)",
            lambda marks: marks[1] + table(found) + marks[2],
            text,
            flags=re.DOTALL,
        )
        PAGE.write_text(new, encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
