"""Processes that run a function of a test: forks of one that has imported what they need.

Without that, each child imports a second long what it needs for moments.
"""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing import forkserver
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext


def context() -> ForkServerContext:
    """Return the context whose processes are such forks."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["preloaded"])
    # The process that forks does not get ``sys.path`` in every Python, and passes over what it does not find.
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    with mock.patch.dict(os.environ, PYTHONPATH=path):
        forkserver.ensure_running()
    return found
