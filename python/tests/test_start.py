"""The start: modules that are imported, and words that are converted without Pydantic."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from conftest import QUICK
from program import program

from tworay.cli.summaries import COMMANDS, GROUPS
from tworay.cli.values import with_quick_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay.cli.values import Values

# Modules of Typer and of the standard library that it needs; Python's versions differ by a few.
OF_TYPER = 150
REPORT = "import sys; print('\\n' + '\\n'.join(sys.modules), file=sys.stderr)"
CALL = """
import sys
sys.argv[0] = "tworay"
from tworay.cli.main import main
try:
    main()
except SystemExit:
    pass
"""


def imported(code: str, *words: str) -> set[str]:
    """Return the modules that a program imports beyond those of an empty one."""

    def modules(text: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", text + "\n" + REPORT, *words], capture_output=True, text=True, check=True
        )
        return set(done.stderr.split())

    return modules(code) - modules("")


def foreign(found: set[str]) -> set[str]:
    """Return the packages that are neither Python's nor ours."""
    return {name.partition(".")[0] for name in found} - sys.stdlib_module_names - {"tworay"}


def ours(found: set[str]) -> set[str]:
    return {name for name in found if name.startswith("tworay.cli.")}


def test_the_package_imports_nothing_but_itself() -> None:
    assert imported("import tworay") == {"tworay", "__future__"}


def test_help_imports_no_command_and_no_package_but_typer() -> None:
    found = imported(CALL, "--help")
    assert foreign(found) == {"typer", "annotated_doc", "shellingham"}
    basic = ("app", "commands", "main", "optional_files", "streams", "summaries", "values")
    assert ours(found) == {f"tworay.cli.{name}" for name in basic}
    assert len(found) <= OF_TYPER


def test_a_run_imports_no_package_but_typer() -> None:
    found = imported(CALL, "run", "string-2", *QUICK)
    assert foreign(found) == {"typer", "annotated_doc", "shellingham"}
    # What `--help` imports, and 40 modules for the run.
    assert len(found) <= OF_TYPER + 40


def test_help_lists_every_command_with_the_first_sentence_of_its_own_help() -> None:
    declared = {name: one.get_short_help_str(500) for name, one in commands()}
    assert declared == COMMANDS | GROUPS


def commands() -> Iterator[tuple[str, Any]]:
    yield from program().commands.items()


def parameters() -> Iterator[tuple[str, Any]]:
    """Yield every option and argument of every command."""
    for name, command in commands():
        for one in [command, *getattr(command, "commands", {}).values()]:
            for param in one.params:
                yield f"{name} {param.name}", with_quick_values(param)


WORDS = ("3", "-7", "+2", "0.5", "1e3", " 4", "", "0x10", "1_0", "٣", "nan", "a b", "9" * 30, "65536", "-")


@pytest.mark.parametrize("word", WORDS)
def test_words_become_the_values_that_typer_makes_of_them(word: str) -> None:
    def result(converter: Any, param: Any) -> Any:
        value = [word, word] if param.multiple or param.nargs == -1 else word
        try:
            return json.dumps(converter.coerce(value, param=param, ctx=None), default=repr)
        except Exception as error:
            return str(error)

    quick = 0
    for name, param in parameters():
        ours: Values = param.get_runtime_param()
        typers = type(param).get_runtime_param(param)
        assert type(ours) is not type(typers)
        assert result(ours, param) == result(typers, param), name
        quick += 1
    assert quick > 100


def test_options_that_are_not_given_have_no_value() -> None:
    (param,) = (one for name, one in parameters() if name == "run costs")
    assert param.get_runtime_param().coerce("no such file", param=param, ctx=None).name == "no such file"
    assert param.get_runtime_param().coerce(None, param=param, ctx=None) is None


def test_garbage_is_collected_while_a_command_runs() -> None:
    seen = (
        "import gc, sys; from tworay.cli.app import app, Command\n"
        "@app.command()\ndef run(): print(gc.isenabled())\n"
        "import tworay.cli.commands as c; c._loaded.add('run')\n"
        "sys.argv = ['tworay', 'run']; from tworay.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
