"""Runs ``tworay`` in forks of a process that has imported it: every command has a process, none a start.

The start is most of what a short command costs, and the tests call hundreds. Tests of the start itself and of
signals start a new interpreter (``conftest.command``).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What many commands import. Commands themselves are imported when called, as in a new process.
NEEDED = (
    "importlib.resources.readers",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "polars._utils.parquet",
    "rich.console",
    "scipy.special",
    "tworay.cli.app",
    "tworay.cli.commands",
    "tworay.cli.completing",
    "tworay.cli.exports",
    "tworay.cli.main",
    "tworay.cli.notes",
    "tworay.cli.optional_files",
    "tworay.cli.options",
    "tworay.cli.output",
)
# Of these packages every module: importing those that a command takes is a third of its CPU time.
PACKAGES = (
    "analysis",
    "experiment",
    "imports",
    "live",
    "metrics",
    "papers",
    "report",
    "running",
    "showing",
    "virtual",
)


class Forks:
    """The process that forks. It imports what commands need, and runs nothing itself."""

    def __init__(self) -> None:
        # A library that has started threads can't be forked.
        alone = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": str(os.cpu_count() or 1)}
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=os.environ | alone,
        )

    def run(
        self,
        arguments: Sequence[str],
        place: Path,
        environment: Mapping[str, str],
        seconds: float,
        largest_file: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run ``tworay ARGUMENTS`` in ``place``; raise ``TimeoutExpired`` after ``seconds``.

        Files can't grow beyond ``largest_file``, bytes: writing fails as on a full disk.
        """
        with TemporaryDirectory() as own:
            out, err = Path(own) / "out", Path(own) / "err"
            asked = {
                "arguments": list(arguments),
                "place": str(place),
                "environment": dict(environment),
                "largest_file": largest_file,
                "out": str(out),
                "err": str(err),
            }
            stdin = self._process.stdin
            assert stdin is not None
            stdin.write(json.dumps(asked).encode() + b"\n")
            pid = self._answer(None)
            try:
                code = self._answer(seconds)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._answer(None)
                raise subprocess.TimeoutExpired(["tworay", *arguments], seconds) from None
            return subprocess.CompletedProcess(["tworay", *arguments], code, out.read_text(), err.read_text())

    def _answer(self, seconds: float | None) -> int:
        # Without a buffer: one that had read two answers at once would leave ``select`` nothing to wait for.
        stdout = self._process.stdout
        assert stdout is not None
        if not select.select([stdout], [], [], seconds)[0]:
            raise TimeoutError
        return int(stdout.readline())

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


def prepare(packages: Sequence[str], needed: Sequence[str] = ()) -> None:
    """Import what forks of this process need."""
    for name in needed:
        importlib.import_module(name)
    for package in packages:
        found = importlib.import_module(f"tworay.{package}")
        for module in pkgutil.walk_packages(found.__path__, f"tworay.{package}."):
            importlib.import_module(module.name)
    gc.freeze()


def main() -> None:
    """Read what to run, a line of JSON each; write the process's number, and its exit code at its end."""
    # The data of all papers, which each `tworay reproduce` would read.
    importlib.import_module("tworay.papers.library").papers()
    prepare(PACKAGES, NEEDED)
    while line := sys.stdin.buffer.raw.readline():  # type: ignore[attr-defined]
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(asked)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(asked: dict[str, Any]) -> NoReturn:
    """Go on as the command."""
    for number, (file, flags) in enumerate(
        [
            (os.devnull, os.O_RDONLY),
            (asked["out"], os.O_WRONLY | os.O_CREAT),
            (asked["err"], os.O_WRONLY | os.O_CREAT),
        ]
    ):
        handle = os.open(file, flags)
        os.dup2(handle, number)
        os.close(handle)
    os.chdir(asked["place"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    if (largest := asked["largest_file"]) is not None:
        # Python would leave compiled modules cut at the limit, which each later command fails to import.
        sys.dont_write_bytecode = True
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    sys.argv = ["tworay", *asked["arguments"]]
    from typer.exceptions import Abort

    from tworay.cli.main import main as command

    code: Any = 0
    try:
        command()
    except SystemExit as leaving:
        code = leaving.code
        # Typer says no more than "Aborted!" of a missing answer and of Ctrl-C: nothing here sends either.
        if isinstance(aborted := leaving.__context__, Abort):
            traceback.print_exception(aborted)
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    # Taking the interpreter apart would copy most of the memory that it shares with its parent.
    os._exit(int(code is not None) if isinstance(code, str | None) else code)


if __name__ == "__main__":
    main()
