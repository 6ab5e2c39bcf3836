"""Runs the blocks of README and docs and compares the output that they show: `make docs-check`.

    .venv/bin/python docs/make/check_blocks.py [PAGE.md...] [--write]

A page's blocks run in order in one empty folder that holds the files of `docs/make/samples/PAGE` and of
`docs/examples`:

- A block without a language, or ```` ```sh ````: its lines run in bash. ```` ```python ````: runs in one
  namespace per page. One behind `<!-- file: NAME -->` is that file instead, from the beginning.
- ```` ```text ```` right behind one of these: its lines occur together in that block's output. A line `…`
  stands for any lines. `--write` replaces them with the whole output.
- `<!-- needs: root, virtual time, babeld -->` before a block: it runs where all of these are there (parts of
  `tworay doctor`, programs). `sudo` is dropped, since the checker is root then. A line with the comment
  "in another terminal" runs beside the others until the page's end; one with "until Ctrl-C" gets that soon.
- `<!-- not run: WHY -->` before a block leaves it out. Commands that install, build or need root are left out
  by their first word, and those with a word to replace (HOST, DIR). What is left out is counted.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shell_lines import Terminals, as_root, commands, is_elsewhere, lacking

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>file|needs|not run): (?P<about>[^\n]*?) -->\n+)?"
    r"```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
# The decisions and the studies speak of their own time; each study names the command that makes it again.
PARTS = ("guide", "reference", "explanation")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    line: int
    language: str
    text: str
    mark: str = ""
    about: str = ""
    """Content of the mark before it: a file's name, what the block needs, or why it isn't run."""
    start: int = 0
    """Where its text begins in the page."""


@dataclass
class Outcome:
    """The result of running a page."""

    ran: int = 0
    compared: int = 0
    reasons: list[str] = field(default_factory=list)
    """Why commands and blocks were left out, one each."""
    faults: list[str] | None = None

    @property
    def left_out(self) -> int:
        """The number of commands and marked blocks that were left out."""
        return len(self.reasons)

    def fault(self, page: Path, line: int, problem: str) -> None:
        """Record a fault of a page."""
        name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
        self.faults = [*(self.faults or []), f"{name}:{line}: {problem}"]


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    return [
        Block(
            line=text.count("\n", 0, match.start("text")) + 1,
            language=match["language"],
            text=match["text"],
            mark=match["mark"] or "",
            about=match["about"] or "",
            start=match.start("text"),
        )
        for match in BLOCK.finditer(text)
    ]


def differs(shown: str, printed: str) -> str:
    """Return the first shown line that isn't printed where it should be; empty if all are."""
    have = [line.rstrip() for line in printed.splitlines()]
    at = 0
    for chunk in re.split(r"^…\n", shown, flags=re.MULTILINE):
        want = [line.rstrip() for line in chunk.strip("\n").splitlines()]
        places = [i for i in range(at, len(have) - len(want) + 1) if have[i : i + len(want)] == want]
        if not want:
            continue
        if not places:
            return next((line for line in want if line not in have[at:]), want[0])
        at = places[0] + len(want)
    return ""


class Page:
    """A page whose blocks run in a folder."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.file, self.folder = file, folder
        self.text = file.read_text(encoding="utf-8")
        self.names: dict[str, Any] = {"__name__": "page"}
        self.terminals = Terminals(folder)
        self.outcome = Outcome()
        samples = DOCS / "make/samples" / file.stem
        if samples.is_dir():
            shutil.copytree(samples, folder, dirs_exist_ok=True)
        shutil.copytree(DOCS / "examples", folder / "docs/examples", dirs_exist_ok=True)

    def run(self, *, write: bool = False) -> Outcome:
        """Run every block; with `write` the shown output becomes what is printed now."""
        for block in blocks(self.text):
            if block.mark == "file":
                place = self.folder / block.about
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(block.text, encoding="utf-8")
        with contextlib.closing(self.terminals):
            new = self._run_all(write=write)
        if write and new != self.text:
            self.file.write_text(new, encoding="utf-8")
        return self.outcome

    def _run_all(self, *, write: bool) -> str:
        """Run the blocks in order and return the page with today's output, if that is to be written."""
        printed: str | None = None
        new = self.text
        moved = 0
        for block in blocks(self.text):
            if block.language == "text":
                if printed is not None:
                    self.outcome.compared += 1
                    if write:
                        start = block.start + moved
                        out = re.sub(r"[ \t]+$", "", printed, flags=re.MULTILINE).strip("\n") + "\n"
                        new = new[:start] + out + new[start + len(block.text) :]
                        moved += len(out) - len(block.text)
                    elif line := differs(block.text, printed):
                        self.outcome.fault(self.file, block.line, f"this isn't printed: {line}")
                printed = None
                continue
            printed = self._run(block)
        return new

    def _run(self, block: Block) -> str | None:
        """Run a block and return its output; `None` if it wasn't run."""
        if block.mark == "file":
            return None
        is_shell = block.language in ("", "sh")
        if not (is_shell or block.language == "python"):
            return None
        if block.mark == "not run":
            self.outcome.reasons.append(block.about)
            return None
        if block.mark == "needs" and (missing := lacking(block.about)):
            self.outcome.reasons.append(f"for want of {missing}")
            return None
        return self._shell(block) if is_shell else self._python(block)

    def _shell(self, block: Block) -> str | None:
        found = ""
        lines = commands(block.text)
        if block.mark == "needs":
            lines = [as_root(line) for line in lines]
        todo = [line for line in lines if not is_elsewhere(line)]
        self.outcome.reasons += ["by its first word or a word to replace"] * (len(lines) - len(todo))
        for line in todo:
            self.outcome.ran += 1
            printed, problem = self.terminals.run(line)
            found += printed
            if problem:
                self.outcome.fault(self.file, block.line, f"{line}: {problem}")
        return found if todo else None

    def _python(self, block: Block) -> str | None:
        self.outcome.ran += 1
        out = io.StringIO()
        try:
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(out):
                exec(compile(block.text, str(self.file), "exec"), self.names)
        except Exception:
            last = traceback.format_exc().strip().splitlines()[-1]
            self.outcome.fault(self.file, block.line, f"this Python fails: {last}")
            return None
        return out.getvalue()


def check(file: Path, *, write: bool = False) -> Outcome:
    """Run a page in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return Page(file, Path(folder)).run(write=write)


def pages() -> Iterator[Path]:
    """Yield README and the pages of the documentation that hold for today."""
    yield ROOT / "README.md"
    yield DOCS / "README.md"
    yield DOCS / "gallery.md"
    for part in PARTS:
        yield from sorted((DOCS / part).rglob("*.md"))


def main() -> None:
    """Check pages, all by default, and say what was found."""
    options = argparse.ArgumentParser(description="run the blocks of the documentation")
    options.add_argument("pages", nargs="*", type=Path, metavar="PAGE.md", help="default: README and docs")
    options.add_argument("--write", action="store_true", help="replace the shown output with today's")
    given = options.parse_args()
    os.environ["MPLBACKEND"] = "agg"
    failed = False
    reasons = collections.Counter[str]()
    for file in given.pages or [page for page in pages() if page.is_file()]:
        began = time.monotonic()
        found = check(file.resolve(), write=given.write)
        if found.ran or found.left_out:
            name = os.path.relpath(file, ROOT)
            print(
                f"{name}: {found.ran} run, {found.compared} outputs compared, {found.left_out} left out, "
                f"{time.monotonic() - began:.0f} s",
                flush=True,
            )
        for fault in found.faults or []:
            failed = True
            print(f"  {fault}", flush=True)
        reasons.update(found.reasons)
    for reason, count in reasons.most_common():
        print(f"{count:4} left out: {reason}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
