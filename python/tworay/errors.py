"""All exceptions of tworay, by what the user can do about them.

``ScenarioError`` and ``InputError`` mean that the input is wrong (exit code 2), ``RunError`` and
``OutputError`` that something failed (exit code 1), ``Cancelled`` that a run was cancelled.
"""

from tworay._native import Cancelled, RunError, ScenarioError, TworayError

# True while a command runs.
at_shell = False

__all__ = ["Cancelled", "InputError", "OutputError", "RunError", "ScenarioError", "TworayError"]


class InputError(TworayError):
    """An argument is wrong: a list of seeds, an output directory, a number of jobs.

    Messages name options of commands. Called from Python, they name the arguments of functions instead.
    """

    def __init__(self, text: str = "") -> None:
        if not at_shell and "--" in text:
            from tworay.arguments import in_python

            text = in_python(text)
        super().__init__(text)


class OutputError(TworayError):
    """Results could not be written: disk full, no permission."""
