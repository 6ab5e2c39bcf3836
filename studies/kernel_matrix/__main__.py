"""Boots kernels of the distribution in an emulator and tries every controller there: make kernel-matrix.

Debian's 6.1 and a newer kernel, from their packages, which are downloaded and not installed. Needs no root.
Writes docs/studies/kernel-matrix.md. Exit code 1 if something does not work.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tworay
from studies.kernel_matrix import initramfs, packages
from studies.kernel_matrix.machine import boot, command
from studies.kernel_matrix.page import page
from tworay import kernel
from tworay.papers.markdown import write

PAGE = packages.ROOT / "docs/studies/kernel-matrix.md"
SEGMENTS = 3000
# Time that `tworay kernel stats` measures, seconds of the machine.
MEASURED = 20


def tell(line: str) -> None:
    """Show the steps."""
    if line.startswith("@begin "):
        print(f"  {line[7:]}", file=sys.stderr, flush=True)


def main() -> int:
    """Boot, judge, write."""
    parser = argparse.ArgumentParser(prog="make kernel-matrix", description=__doc__)
    parser.add_argument("--kernels", default=",".join(packages.KERNELS), help="packages, separated by commas")
    parser.add_argument("--only", help="these controllers, separated by commas; prints the page only")
    parser.add_argument("--limit", type=float, default=900.0, help="most seconds for one machine")
    parser.add_argument("--console", type=Path, help="keep the machines' consoles in this directory")
    asked = parser.parse_args()
    packages.require()
    names = [one.name.removeprefix("tworay_") for one in kernel.controllers()[0]]
    if asked.only:
        names = asked.only.split(",")
    settings = {"CONTROLLERS": " ".join(names), "SEGMENTS": str(SEGMENTS), "MEASURED": str(MEASURED)}
    runs = []
    for package in asked.kernels.split(","):
        image = packages.image(package)
        print(f"{image.package} {image.version}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as place:
            made = Path(place) / "initramfs"
            made.write_bytes(initramfs.archive(initramfs.files(image, settings)))
            booted = boot(command(image.program, made), asked.limit, tell)
        if asked.console is not None:
            asked.console.mkdir(parents=True, exist_ok=True)
            text = "\n".join(booted.console) + "\n"
            (asked.console / f"{image.package}.txt").write_text(text, encoding="utf-8")
        runs.append((image, booted))
    emulator = subprocess.run(
        [packages.EMULATOR, "--version"], capture_output=True, text=True, check=True
    ).stdout
    about = (
        f"Made by `make kernel-matrix` on {datetime.datetime.now(datetime.UTC).date()} with tworay "
        f"{tworay.__version__} and {emulator.splitlines()[0]}, {os.cpu_count()} cores."
    )
    lines, wrong = page(runs, names, about)
    if asked.only:
        print("\n".join(lines))
    else:
        write(PAGE, lines)
        print(f"{PAGE.relative_to(packages.ROOT)} is written", file=sys.stderr)
    print("everything works" if not wrong else f"{wrong} do not work", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
