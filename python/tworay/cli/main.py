"""Entry point: arguments, signals, exit codes."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn


def main() -> None:
    """Run the command line. The exit code tells the kind of error; stderr says what to do."""
    # Imports make many objects and no garbage: looking for it takes a tenth of the start. ``Command.invoke``
    # enables the collector.
    gc.disable()
    from tworay.cli import streams
    from tworay.cli.app import FAILED, WRONG_INPUT, app
    from tworay.cli.commands import load
    from tworay.cli.optional_files import filled_in
    from tworay.errors import InputError, ScenarioError, TworayError

    streams.prepare()
    # SIGTERM and a closed terminal end the program as cleanly as Ctrl-C; `nohup` still keeps it running.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        try:
            streams.refuse_bytes(sys.argv[1:])
            load(sys.argv[1:], app)
            app(filled_in(sys.argv[1:], app))
        except SystemExit:
            sys.stdout.flush()
            raise
    except (InputError, ScenarioError) as error:
        _complain(error, WRONG_INPUT)
    except (TworayError, OSError) as error:
        _complain(error, FAILED)
    except SystemExit as leaving:
        _leave(leaving, FAILED)


def _leave(leaving: SystemExit, failed: int) -> NoReturn:
    """Exit; at once if a variant's callback never returned, because Python would wait for its thread."""
    native = sys.modules.get("tworay._native")
    if native is not None and native.has_stuck_runs():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(leaving.code if isinstance(leaving.code, int) else failed)
    raise leaving


def _complain(error: Exception, code: int) -> None:
    from tworay.errors import with_options

    print(f"tworay: {with_options(error)}", file=sys.stderr)
    sys.exit(code)
