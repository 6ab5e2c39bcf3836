"""A shell that says at each line where it is."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

# Read after the user's own file, which sets a prompt of its own.
BASH = """
[ -f /etc/bash.bashrc ] && . /etc/bash.bashrc
[ -f ~/.bashrc ] && . ~/.bashrc
PS1={prompt}
"""


def shell(prompt: str) -> list[str]:
    """Return the command that starts the user's shell with a prompt, which the environment has, too."""
    program = os.environ.get("SHELL", "/bin/sh")
    os.environ["PS1"] = prompt
    if Path(program).name != "bash":
        return [program]
    # In memory: a file would be left behind.
    start = os.memfd_create("tworay-prompt", 0)
    os.write(start, BASH.format(prompt=shlex.quote(prompt)).encode())
    return [program, "--rcfile", f"/proc/self/fd/{start}"]
