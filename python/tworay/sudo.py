"""The command line as another user: sudo has a path of its own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

# Where sudo of Debian, Ubuntu and Fedora looks for programs (`secure_path`).
SECURE = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/snap/bin")


def with_sudo(*words: str) -> str:
    """Return the command ``sudo tworay WORDS ...`` so that sudo finds this installation's program."""
    program = Path(shutil.which(sys.argv[0]) or sys.argv[0])
    # A program in a virtual environment or in ~/.local/bin is not where sudo looks.
    name = "tworay" if program.name != "tworay" or str(program.parent) in SECURE else str(program.absolute())
    if program.name != "tworay":
        name = f"{sys.executable} -m tworay"
    return " ".join(["sudo", name, *words, "..."])
