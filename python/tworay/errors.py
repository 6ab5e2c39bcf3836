"""All exceptions of tworay, by what the user can do about them.

``ScenarioError`` and ``InputError`` mean that the input is wrong (exit code 2), ``RunError`` and
``OutputError`` that something failed (exit code 1), ``Cancelled`` that a run was cancelled.
"""

from tworay._native import Cancelled, RunError, ScenarioError, TworayError

__all__ = ["Cancelled", "InputError", "OutputError", "RunError", "ScenarioError", "TworayError"]


class InputError(TworayError):
    """An argument is wrong: a list of seeds, an output directory, a number of jobs.

    Made with the options of commands (``--max-seeds``), which commands print (``with_options``). As text it
    names the arguments of functions instead (``max_seeds``).
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)

    def __str__(self) -> str:
        """Return the message for Python."""
        text = with_options(self)
        if "--" not in text:
            return text
        from tworay.arguments import in_python

        return in_python(text)


def with_options(error: BaseException) -> str:
    """Return the message of an error as commands print it, or as part of another message."""
    return str(error.args[0]) if isinstance(error, InputError) else str(error)


class OutputError(TworayError):
    """Results could not be written: disk full, no permission."""
