"""Changes the simulator's code at random, one place at a time, and checks that tests notice each.

A mutant (DeMillo, Lipton and Sayward 1978) is the code with one operator, constant or condition replaced. A
seed draws a sample, equally many in each crate. Each mutant is tried against the tests of its own crate; with
``--golden``, one that survives them also against the golden runs, as `make test` would. A test run that takes
too long counts as caught, for `make test` would not end either.

Works on a copy of the sources in ``target/mutants`` and changes nothing else. ``--list`` only prints the
sample.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "target/mutants"
CRATES = ("mac", "tcp", "routing", "radio", "sim")
GOLDEN = ("cargo", "test", "--locked", "--quiet", "-p", "tworay-sim", "--test", "all", "golden::")

# What is looked for, and what takes its place. rustfmt puts blanks around operators, and none in generics.
OPERATORS = {
    " < ": " <= ",
    " <= ": " < ",
    " > ": " >= ",
    " >= ": " > ",
    " == ": " != ",
    " != ": " == ",
    " && ": " || ",
    " || ": " && ",
    " + ": " - ",
    " - ": " + ",
    " * ": " / ",
    " += ": " -= ",
    " -= ": " += ",
    ".min(": ".max(",
    ".max(": ".min(",
}
WORDS = {"true": "false", "false": "true"}
NUMBER = re.compile(r"(?<![\w.'])(\d[\d_]*)(\.\d[\d_]*)?(?=[^\w.'xob]|\.\.|_?[uif]\d)")
# Lines whose mutants are no behaviour: what a name, a type or a message is.
SKIPPED = re.compile(
    r"^\s*(//|#!?\[|use |pub use |mod |pub mod |impl\b|where\b|type |pub type |debug_assert|assert)"
)
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """One place in one file, and what stands there instead."""

    crate: str
    file: str
    line: int
    column: int
    before: str
    after: str

    def __str__(self) -> str:
        """Name the place and the change."""
        return f"{self.file}:{self.line}: `{self.before.strip()}` → `{self.after.strip()}`"


def code_of(line: str) -> str:
    """Return a line with blanks in place of its texts and comments."""
    blank = re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text[0]), line)
    return re.sub(r"//.*", lambda text: " " * len(text[0]), blank)


def mutants_of(crate: str, path: Path) -> list[Mutant]:
    """Return every mutant of a file."""
    text = TEST_MODULE.sub("", path.read_text(encoding="utf-8"))
    name = str(path.relative_to(ROOT))
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if SKIPPED.match(line) or "static_assert" in line:
            continue
        code = code_of(line)
        for before, after in OPERATORS.items():
            # A bound of a generic type (`T: A + B`) is no sum.
            if before == " + " and re.search(r"\b(impl|dyn|Fn\w*|where)\b|: [A-Z]\w* \+ ", code):
                continue
            found += [
                Mutant(crate, name, number, one.start(), before, after)
                for one in re.finditer(re.escape(before), code)
            ]
        for before, after in WORDS.items():
            found += [
                Mutant(crate, name, number, one.start(), before, after)
                for one in re.finditer(rf"\b{before}\b", code)
            ]
        for one in NUMBER.finditer(code):
            found.append(Mutant(crate, name, number, one.start(), one[0], other(one)))
    return found


def other(number: re.Match[str]) -> str:
    """Return another number of the same kind: one more, or half as much again."""
    whole = number[1].replace("_", "")
    if number[2] is None:
        return str(int(whole) + 1)
    return repr(float(whole + number[2].replace("_", "")) * 1.5 or 0.5)


def sources(crate: str) -> list[Path]:
    """Return the source files of a crate, without its tests."""
    files = sorted((ROOT / f"crates/tworay-{crate}/src").rglob("*.rs"))
    return [one for one in files if one.name != "tests.rs" and "tests" not in one.parts[:-1]]


def sample(seed: int, crates: tuple[str, ...]) -> dict[str, list[Mutant]]:
    """Return the mutants of each crate in the order in which the seed draws them."""
    drawn = {}
    for crate in crates:
        found = [one for path in sources(crate) for one in mutants_of(crate, path)]
        random.Random(f"{seed} {crate}").shuffle(found)
        drawn[crate] = found
    return drawn


def own_tests(crate: str) -> tuple[str, ...]:
    """Return the command that runs the tests of a crate."""
    return ("cargo", "test", "--locked", "--quiet", "-p", f"tworay-{crate}")


def run(command: tuple[str, ...], seconds: float) -> tuple[str, str]:
    """Run a command in the copy; return passed, failed, slow or unbuilt, and the end of its output."""
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(WORK / "build"),
        "RUST_BACKTRACE": "0",
        "PROPTEST_RNG_SEED": "3561",
        "CARGO_INCREMENTAL": "1",
    }
    # Building takes no part of the time limit.
    built = subprocess.run(
        [*command, "--no-run"],
        cwd=WORK / "source",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        return "unbuilt", built.stderr[-2000:]
    process = subprocess.Popen(
        command,
        cwd=WORK / "source",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "slow", ""
    return ("failed" if process.returncode else "passed"), output[-4000:]


def attempt(mutant: Mutant, seconds: float, *, golden: bool) -> str:
    """Make a mutant, run tests, take it back; return what became of it."""
    file = WORK / "source" / mutant.file
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    line = lines[mutant.line - 1]
    end = mutant.column + len(mutant.before)
    assert line[mutant.column : end] == mutant.before, f"{mutant}: the file has changed"
    lines[mutant.line - 1] = line[: mutant.column] + mutant.after + line[end:]
    try:
        file.write_text("".join(lines), encoding="utf-8")
        found, output = run(own_tests(mutant.crate), seconds)
        if found == "passed" and golden:
            found, output = run(GOLDEN, seconds)
            return {"failed": "caught by golden runs", "slow": "caught by golden runs (slow)"}.get(
                found, "SURVIVED"
            )
    finally:
        file.write_text(text, encoding="utf-8")
    test = re.search(r"^(?:---- )?(\S+)(?: stdout ----|: test failed)", output, re.MULTILINE)
    return {
        "failed": f"caught ({test[1] if test else 'test'})",
        "slow": "caught (slow)",
        "unbuilt": "unbuilt",
        "passed": "SURVIVED",
    }[found]


def copy_sources() -> None:
    """Copy the sources; what has not changed keeps its time, so that it is not built again."""
    for name in ("crates", "docs/examples", "docs/guide", "Cargo.toml", "Cargo.lock", "clippy.toml"):
        path, target = ROOT / name, WORK / "source" / name
        if path.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(path, target, ignore=shutil.ignore_patterns("target"))
        else:
            shutil.copy2(path, target)


def main() -> int:
    """Try a sample of mutants."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1, help="of the sample")
    options.add_argument("--each", type=int, default=8, help="mutants of each crate that build")
    options.add_argument("--crates", default=",".join(CRATES), help="some of " + ", ".join(CRATES))
    options.add_argument("--seconds", type=float, default=300.0, help="time limit of a test run")
    options.add_argument("--golden", action="store_true", help="try survivors against the golden runs, too")
    options.add_argument("--list", action="store_true", help="print the first mutants of the sample only")
    given = options.parse_args()
    crates = tuple(given.crates.split(","))
    drawn = sample(given.seed, crates)
    if given.list:
        for crate in crates:
            print(f"{crate}: {len(drawn[crate])} mutants")
            print("\n".join(f"    {one}" for one in drawn[crate][: given.each]))
        return 0
    copy_sources()
    for crate in crates:
        found, output = run(own_tests(crate), given.seconds)
        if found != "passed":
            raise SystemExit(f"the tests of tworay-{crate} are {found} without any change\n{output}")
    caught, survivors = 0, []
    for turn in range(max(map(len, drawn.values()))):
        if turn >= given.each:
            break
        for crate in crates:
            while drawn[crate]:
                mutant = drawn[crate].pop(0)
                began = time.monotonic()
                became = attempt(mutant, given.seconds, golden=given.golden)
                print(f"{became}: {mutant} ({time.monotonic() - began:.0f} s)")
                sys.stdout.flush()
                if became != "unbuilt":
                    caught += became.startswith("caught")
                    survivors += [mutant] if became == "SURVIVED" else []
                    break
    print(f"{caught} of {caught + len(survivors)} caught; survivors:")
    print("\n".join(f"    {one}" for one in survivors))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
