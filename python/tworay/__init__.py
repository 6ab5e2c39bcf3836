"""TCP for networks that move: simulate it, see why every packet was lost.

>>> import tworay
>>> result = tworay.run("string-4", tcp="newreno", seed=3)
>>> result.goodput_bps, result.ledger          # a number, a polars DataFrame
>>> table = tworay.compare("string-4", tcp=["reno", "newreno"], seeds=10).table

The command line (``tworay --help``) is a thin layer over these functions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tworay.comparing import compare
    from tworay.comparison import Comparison
    from tworay.control import (
        AckEvent,
        CongestionControl,
        LossEvent,
        Reaction,
        RtoEvent,
        RttEvent,
        SenderState,
        Window,
    )
    from tworay.errors import Cancelled, InputError, OutputError, RunError, ScenarioError, TworayError
    from tworay.lab.api import Experiment, Results
    from tworay.plotting import plot
    from tworay.running import Run, run
    from tworay.scenarios import Scenario, convert, load, moves, scenario_text, scenarios, schema, variants
    from tworay.stored import results
    from tworay.traces import Trace, read_trace

    __version__: str

__all__ = [
    "AckEvent",
    "Cancelled",
    "Comparison",
    "CongestionControl",
    "Experiment",
    "InputError",
    "LossEvent",
    "OutputError",
    "Reaction",
    "Results",
    "RtoEvent",
    "RttEvent",
    "Run",
    "RunError",
    "Scenario",
    "ScenarioError",
    "SenderState",
    "Trace",
    "TworayError",
    "Window",
    "__version__",
    "compare",
    "convert",
    "load",
    "moves",
    "plot",
    "read_trace",
    "results",
    "run",
    "scenario_text",
    "scenarios",
    "schema",
    "variants",
]

# Imported when first used: `tworay --help` needs neither scipy nor polars.
_HOME = {
    "tworay.comparing": ("compare",),
    "tworay.comparison": ("Comparison",),
    "tworay.control": (
        "AckEvent",
        "CongestionControl",
        "LossEvent",
        "Reaction",
        "RtoEvent",
        "RttEvent",
        "SenderState",
        "Window",
    ),
    "tworay.errors": ("Cancelled", "InputError", "OutputError", "RunError", "ScenarioError", "TworayError"),
    "tworay.lab.api": ("Experiment", "Results"),
    "tworay.stored": ("results",),
    "tworay.plotting": ("plot",),
    "tworay.running": ("Run", "run"),
    "tworay.scenarios": (
        "Scenario",
        "convert",
        "load",
        "moves",
        "scenario_text",
        "scenarios",
        "schema",
        "variants",
    ),
    "tworay.traces": ("Trace", "read_trace"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("tworay._native").VERSION
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'tworay' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
