"""Everything tworay raises, by what the user can do about it.

``ScenarioError`` and ``InputError`` mean that the input is wrong (exit code 2); ``RunError`` and
``OutputError`` that something went wrong on the way (exit code 1); ``Cancelled`` that a run was stopped.
"""

from tworay._native import Cancelled, RunError, ScenarioError, TworayError

__all__ = ["Cancelled", "InputError", "OutputError", "RunError", "ScenarioError", "TworayError"]


class InputError(TworayError):
    """An argument is wrong: a list of seeds, an output directory, a number of jobs."""


class OutputError(TworayError):
    """Results could not be written: disk full, no permission."""
