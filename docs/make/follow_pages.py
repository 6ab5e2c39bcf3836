"""Follows the pages that say how to add something: `make docs-follow`.

    .venv/bin/python docs/make/follow_pages.py [PAGE.md...]

The changes of all pages are made in a copy of the checkout below `target/follow`, which is built once, as
`make setup` would; then each page's commands run there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from page_changes import changes, typed

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/guide").glob("add-a-*.md"))
COPY = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "follow"


def copied() -> Path:
    """Return a fresh copy of the files of the checkout; what cargo has built there before is kept."""
    place = COPY / "tree"
    shutil.rmtree(place, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    (place / ".venv").symlink_to(ROOT / ".venv")
    return place


def run(command: str, place: Path) -> bool:
    """Run a command in the copy and show what it printed if it failed; return whether it did well."""
    began = time.monotonic()
    env = os.environ | {
        "CARGO_TARGET_DIR": str(COPY / "target"),
        "PYO3_PYTHON": str(ROOT / ".venv/bin/python"),
        "PYTHONPATH": str(place / "python"),
        "PATH": f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", command], cwd=place, env=env, capture_output=True, text=True, check=False
    )
    fate = "" if done.returncode == 0 else f" FAILED ({done.returncode})"
    print(f"  {command}: {time.monotonic() - began:.0f} s{fate}", flush=True)
    if fate:
        print((done.stdout + done.stderr)[-4000:], flush=True)
    return not fate


def main() -> None:
    """Make the changes, build, and run the commands."""
    options = argparse.ArgumentParser(description="follow the pages that say how to add something")
    options.add_argument("pages", nargs="*", type=Path, metavar="PAGE.md", help="default: docs/guide/add-a-*")
    pages = options.parse_args().pages or PAGES
    place = copied()
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    for page, text in texts.items():
        made = changes(text)
        for change in made:
            change.apply(place)
        print(f"{page.name}: {len(made)} changes", flush=True)
    print("the build:", flush=True)
    well = run("cargo build --release --locked --quiet -p tworay-py", place) and run(
        "cp $CARGO_TARGET_DIR/release/lib_native.so python/tworay/_native.abi3.so", place
    )
    for page, text in texts.items():
        print(f"{page.name}:", flush=True)
        for command in typed(text):
            well = well and run(command, place)
    sys.exit(not well)


if __name__ == "__main__":
    main()
