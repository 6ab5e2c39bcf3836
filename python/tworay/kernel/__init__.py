"""Variants as congestion controllers of this machine's kernel: load, unload, list.

A separate program in this package does the work, ``tworay-kernel`` (crate ``tworay-kernel``): only this
program needs privileges and libelf.
"""

from __future__ import annotations

import json
import math
import select
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay.errors import InputError, RunError
from tworay.sudo import with_sudo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LOADER = Path(__file__).with_name("tworay-kernel")
"""The program that talks to the kernel."""
PROTOCOL = 1
"""Number of the form of the loader's arguments and answers, as in crates/tworay-kernel/src/main.rs."""
ANSWERS_WITHIN = 30.0
"""Time for the loader to answer, or to begin what goes on, seconds; it takes milliseconds."""
_WRONG_INPUT = 2
_OTHER_PROTOCOL = 3
_OTHER_VERSION = 4


class Unusable(RunError):
    """The loader, or a loaded controller, is of another version of tworay, or the loader does not answer."""


class Controller(NamedTuple):
    """A congestion controller that can be loaded."""

    name: str
    """Its name in the kernel: ``tworay_westwood``."""
    variant: str
    """The simulated variant that it is."""
    summary: str
    state: str
    """absent, loaded, leaving (connections still use it), foreign (not loaded by tworay) or unknown."""
    parameters: list[dict[str, Any]]
    values: dict[str, int]
    """The parameters' values where it is loaded."""


def controllers() -> tuple[list[Controller], str | None]:
    """Return every controller, and the reason if this kernel or user cannot load them."""
    found = ask("list")
    fields = Controller._fields
    return [Controller(*(one[field] for field in fields)) for one in found["controllers"]], found["refusal"]


def load(name: str, settings: list[str] | None = None) -> dict[str, Any]:
    """Load a controller; ``settings`` are ``KEY=VALUE``. If it is loaded already, only set its parameters."""
    return ask("load", name, *(settings or []))


def unload(name: str) -> dict[str, Any]:
    """Unload a controller that was loaded by tworay."""
    return ask("unload", name)


class Following:
    """Diagnoses of all loaded controllers, or of one, as they happen; iterate over it.

    Begins with what happens after it was made, so nothing of an earlier run is shown. Controllers loaded
    later are not included. Any number of programs can follow at the same time. If more happened at once than
    a controller keeps, an entry has ``missing``, their number, instead of a diagnosis.

    Raises:
        InputError: no controller, or not this one, is loaded.
        Unusable: the loader, or a loaded controller, is of another version.
        RunError: this kernel or user cannot load controllers.

    """

    def __init__(self, seconds: float | None = None, name: str | None = None) -> None:
        words = ["events", "-" if seconds is None else str(seconds), *([] if name is None else [name])]
        self._process = _start(words)
        self._closed = False
        _await(self._process, "following")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield diagnoses, with the time of day (``unix_ns``), until the time has passed or it is closed."""
        process = self._process
        assert process.stdout is not None
        assert process.stderr is not None
        with process:
            try:
                for line in process.stdout:
                    event = json.loads(line)
                    if "monotonic_ns" in event:
                        event["unix_ns"] = event["monotonic_ns"] + time.time_ns() - time.monotonic_ns()
                    yield event
            except BaseException:
                # The caller has stopped iterating, or was interrupted.
                process.terminate()
                raise
            said = process.stderr.read().strip()
            if process.wait() != 0 and not self._closed:
                raise _refusal(process.returncode, said)

    def close(self) -> None:
        """End it; another thread that iterates comes to its end."""
        self._closed = True
        self._process.terminate()


def events(seconds: float | None = None, name: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield diagnoses as they happen, for a time or until closed; see ``Following``."""
    yield from Following(seconds, name)


class Measuring:
    """Measures from ``with Measuring(...) as m`` to its end; then ``m.result`` has the document.

    ``port`` restricts it to connections with this port at either end. ``callbacks`` measures the
    controllers' callbacks instead of whole ACKs and timeouts; not both at once, because counting takes
    time.
    """

    def __init__(self, *, port: int = 0, callbacks: bool = False) -> None:
        self.result: dict[str, Any] = {}
        words = ["stats", "-"] if callbacks else ["stats", "-", str(port)]
        self._process = _start(words, stdin=subprocess.PIPE)

    def __enter__(self) -> Measuring:
        """Wait until the measurement has started."""
        _await(self._process, "measuring")
        return self

    def __exit__(self, *_: object) -> None:
        """End the measurement and read its results."""
        out, said = self._process.communicate()
        if self._process.returncode != 0:
            raise _refusal(self._process.returncode, said.strip())
        self.result = json.loads(out)


def half_width(cost: Mapping[str, Any]) -> float:
    """Return half the 95 % interval of a measured cost's mean, nanoseconds."""
    from tworay.analysis.stats import t_quantile

    freedom = cost["count"] - 1
    return t_quantile(0.975, freedom) * cost["std_ns"] / math.sqrt(freedom) if freedom > 0 else math.inf


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
    try:
        process = subprocess.run(
            _called(words), capture_output=True, text=True, check=False, timeout=ANSWERS_WITHIN
        )
    except subprocess.TimeoutExpired:
        raise _unanswered() from None
    if process.returncode != 0:
        raise _refusal(process.returncode, process.stderr.strip())
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


def _called(words: Sequence[str]) -> list[str]:
    # A loader from before the handshake takes the option for a command, and refuses it.
    return [str(loader()), "--protocol", str(PROTOCOL), *words]


def _start(words: Sequence[str], stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """Start the loader in a session of its own: Ctrl-C must not end it before it has reported."""
    return subprocess.Popen(
        _called(words),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _await(process: subprocess.Popen[str], word: str) -> None:
    """Wait until the loader says that it has begun; raise if it refuses, or says nothing in time."""
    assert process.stderr is not None
    if not select.select([process.stderr], [], [], ANSWERS_WITHIN)[0]:
        process.kill()
        process.communicate()
        raise _unanswered()
    line = process.stderr.readline().strip()
    if line != word:
        rest = process.communicate()[1]
        raise _refusal(process.returncode, (line + "\n" + rest).strip())


def _unanswered() -> Unusable:
    return Unusable(
        f"the loader {LOADER} did not answer within {ANSWERS_WITHIN:g} s; build it again with `make kernel`"
    )


def _refusal(code: int, said: str) -> InputError | RunError:
    if code == _OTHER_PROTOCOL or said.startswith("usage: tworay-kernel"):
        return Unusable(
            f"the loader {LOADER} is of another version than this package: build it again with `make kernel`"
        )
    text = said or f"the loader ended with {code}"
    if "run it with sudo" in text:
        text = f"{text}: {with_sudo('kernel')}"
    if code == _OTHER_VERSION:
        return Unusable(text)
    return InputError(text) if code == _WRONG_INPUT else RunError(text)
