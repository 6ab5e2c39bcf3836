"""The variants as congestion controllers of this machine's kernel: load, unload, list.

The work is done by a program of its own, ``tworay-kernel`` (crate ``tworay-kernel``), which lies in this
package: only it needs rights, and only it needs libelf.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from tworay.errors import InputError, RunError

LOADER = Path(__file__).with_name("tworay-kernel")
"""The program that talks to the kernel."""
_WRONG_INPUT = 2


class Controller(NamedTuple):
    """A congestion controller that can be loaded."""

    name: str
    """What the kernel calls it: ``tworay_westwood``."""
    variant: str
    """The simulated variant that it is."""
    summary: str
    state: str
    """absent, loaded, leaving (connections still use it), foreign (not loaded by tworay) or unknown."""
    parameters: list[dict[str, Any]]
    values: dict[str, int]
    """The parameters' values where it is loaded."""


def controllers() -> tuple[list[Controller], str | None]:
    """Return every controller, and why this kernel or user can't load them, if so."""
    found = ask("list")
    fields = Controller._fields
    return [Controller(*(one[field] for field in fields)) for one in found["controllers"]], found["refusal"]


def load(name: str, settings: list[str] | None = None) -> dict[str, Any]:
    """Load a controller; ``settings`` are ``KEY=VALUE``. One that is loaded only gets the settings."""
    return ask("load", name, *(settings or []))


def unload(name: str) -> dict[str, Any]:
    """Unload a controller that tworay has loaded."""
    return ask("unload", name)


def loader() -> Path:
    """Return the loader; raise if this installation was built without it."""
    if not LOADER.is_file():
        raise RunError(
            "this installation has no kernel controllers: clang or libelf were missing when it was built; "
            "`make kernel` installs them and builds the rest"
        )
    return LOADER


def ask(*words: str) -> dict[str, Any]:
    """Run the loader and return its answer."""
    process = subprocess.run([loader(), *words], capture_output=True, text=True, check=False)
    if process.returncode != 0:
        said = process.stderr.strip() or f"the loader ended with {process.returncode}"
        raise (InputError if process.returncode == _WRONG_INPUT else RunError)(said)
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer
