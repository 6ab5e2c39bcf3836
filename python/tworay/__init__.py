"""TCP for networks that move: simulate it, see why every packet was lost.

>>> import tworay
>>> result = tworay.run("string-4", tcp="newreno", seed=3)
>>> result.goodput_bps, result.ledger          # a number, a polars DataFrame
>>> table = tworay.compare("string-4", tcp=["reno", "newreno"], seeds=10).table

The command line (``tworay --help``) is a thin layer over these functions.
"""

from __future__ import annotations

# As `typing.TYPE_CHECKING`, without importing `typing`.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tworay.env import Env
    from tworay.errors import Cancelled, InputError, OutputError, RunError, ScenarioError, TworayError
    from tworay.experiment.api import Experiment, Results
    from tworay.experiment.comparing import compare
    from tworay.experiment.comparison import Comparison
    from tworay.experiment.store.reading import results
    from tworay.imports.traces import Trace, read_trace
    from tworay.report.writing import write_report
    from tworay.running.control import (
        AckEvent,
        CongestionControl,
        LossEvent,
        LossPredictor,
        RateSample,
        Reaction,
        RtoEvent,
        RttEvent,
        SenderState,
        Window,
    )
    from tworay.running.run import Run, run
    from tworay.running.scenarios import (
        Scenario,
        convert,
        load,
        moves,
        scenario_text,
        scenarios,
        schema,
        variants,
    )
    from tworay.showing.plotting import plot

    __version__: str

__all__ = [
    "AckEvent",
    "Cancelled",
    "Comparison",
    "CongestionControl",
    "Env",
    "Experiment",
    "InputError",
    "LossEvent",
    "LossPredictor",
    "OutputError",
    "RateSample",
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
    "write_report",
]

# Imported when first used: `tworay --help` needs neither scipy nor polars.
_HOME = {
    "tworay.experiment.comparing": ("compare",),
    "tworay.experiment.comparison": ("Comparison",),
    "tworay.running.control": (
        "AckEvent",
        "CongestionControl",
        "LossEvent",
        "LossPredictor",
        "RateSample",
        "Reaction",
        "RtoEvent",
        "RttEvent",
        "SenderState",
        "Window",
    ),
    "tworay.env": ("Env",),
    "tworay.errors": ("Cancelled", "InputError", "OutputError", "RunError", "ScenarioError", "TworayError"),
    "tworay.experiment.api": ("Experiment", "Results"),
    "tworay.report.writing": ("write_report",),
    "tworay.experiment.store.reading": ("results",),
    "tworay.showing.plotting": ("plot",),
    "tworay.running.run": ("Run", "run"),
    "tworay.running.scenarios": (
        "Scenario",
        "convert",
        "load",
        "moves",
        "scenario_text",
        "scenarios",
        "schema",
        "variants",
    ),
    "tworay.imports.traces": ("Trace", "read_trace"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> object:
    if name != "__version__" and name not in _MODULE_OF:
        raise AttributeError(f"module 'tworay' has no attribute {name!r}")
    import importlib

    if name == "__version__":
        return importlib.import_module("tworay._native").VERSION
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
