"""The order of crates and package: layers, no import circles, one file per command, the public names."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from dataclasses import fields
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import tworay
from tworay.cli.commands import COMMANDS
from tworay.cli.options import OF_CLUSTER, SHARED
from tworay.cli.whole import app
from tworay.experiment.options import Common, Options, SweepOptions

PACKAGE = Path(tworay.__file__).parent
ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def modules() -> dict[str, Path]:
    """Return the package's modules by name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(("tworay", *path.relative_to(PACKAGE).with_suffix("").parts))
        found[name.removesuffix(".__init__")] = path
    return found


def imports(tree: ast.AST, known: set[str]) -> set[str]:
    """Return the package's modules that a module imports, also within functions; not those of annotations."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found |= {inner if inner in known else node.module} & known
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & known
        found |= imports(node, known)
    # The face of the package imports its names when they are first used.
    return found - {"tworay"}


def test_no_module_imports_itself_by_way_of_others() -> None:
    paths = modules()
    graph = {
        name: imports(ast.parse(path.read_text(encoding="utf-8")), set(paths)) - {name}
        for name, path in paths.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import circle: {' imports '.join(reversed(error.args[1]))}")


def test_every_command_has_a_file_of_its_name() -> None:
    for name in COMMANDS:
        module = importlib.import_module(f"tworay.cli.{name}")
        declared = {
            command.name or command.callback.__name__
            for command in app.registered_commands
            if command.callback is not None and command.callback.__module__ == module.__name__
        }
        assert declared == {name}


def test_public_names_are_where_they_are_said_to_be() -> None:
    for name in tworay.__all__:
        assert getattr(tworay, name) is not None


def test_options_of_a_comparison_are_those_of_its_function() -> None:
    with pytest.raises(TypeError, match="seedz"):
        tworay.compare("string-2", tcp="reno", seedz=3)  # type: ignore[call-arg]
    assert "until_ci" in str(inspect.signature(tworay.compare))


def test_commands_and_functions_have_the_same_options() -> None:
    """Options of sweeps and comparisons are declared once for Python and once for the command line."""
    known = {one.name for one in fields(Common)}
    of_commands = set(SHARED) - {"dry_run", "slurm", *OF_CLUSTER}
    # A cluster's options make an engine, and a command shows the progress itself.
    assert known - {"engine", "watch"} == of_commands
    for command, name, own in (("compare", "compare", Options), ("sweep", "run", SweepOptions)):
        (found,) = [one for one in app.registered_commands if one.callback.__name__ == command]  # type: ignore[union-attr]
        offered = set(inspect.signature(found.callback).parameters)  # type: ignore[arg-type]
        assert {one.name for one in fields(own)} - {"engine", "watch"} <= offered
        function = getattr(tworay if name == "compare" else tworay.Experiment, name)
        assert {one.name for one in fields(own)} <= set(inspect.signature(function).parameters)


def test_crates_depend_on_lower_layers_only() -> None:
    rows = re.findall(r"^\| (\d) \| (.*)$", CONTRIBUTING, re.MULTILINE)
    layers = {name: int(layer) for layer, row in rows for name in re.findall(r"`crates/([\w-]+)`", row)}
    manifests = {file.parent.name: file for file in (ROOT / "crates").glob("*/Cargo.toml")}
    assert set(layers) == set(manifests)
    for name, file in manifests.items():
        own = tomllib.loads(file.read_text(encoding="utf-8")).get("dependencies", {})
        upwards = [other for other in own if other in layers and layers[other] >= layers[name]]
        assert not upwards, f"{name} depends on {upwards}"


def test_every_package_is_described() -> None:
    packages = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    described = re.findall(r"^\| (`\w+/`.*?) \|", CONTRIBUTING, re.MULTILINE)
    assert packages == {name for row in described for name in re.findall(r"`(\w+)/`", row)}


def test_comments_have_no_examples_that_would_not_run() -> None:
    """`make test` leaves out the examples of doc comments: code is in tests, and other blocks are ```text."""
    blocks = [
        f"{file.relative_to(ROOT)}: {opening}"
        for file in (ROOT / "crates").rglob("*.rs")
        for opening in re.findall(r"(?m)^\s*//[/!] *```(.*)$", file.read_text(encoding="utf-8"))[::2]
    ]
    assert len(blocks) > 10
    assert [block for block in blocks if not block.endswith(": text")] == []


def test_doc_comments_begin_with_what_they_describe() -> None:
    """A doc comment names the thing or states a fact: "Losses with…", "True if…", not "What…", "Whether…"."""
    question = r"(?:What|Whether|How)\b"
    # Only the first line of a comment: within it such a word may come first by chance.
    of_rust = re.compile(rf"(?m)(?:\A|^(?![ \t]*//[/!]).*\n)[ \t]*(//[/!] {question}.*)$")
    of_python = re.compile(rf'(?m)^[ \t]*("""{question}.*)$')
    sources = [
        *((file, of_rust) for file in (ROOT / "crates").glob("*/src/**/*.rs")),
        *((file, of_python) for file in PACKAGE.rglob("*.py")),
    ]
    assert len({pattern for _, pattern in sources}) == 2
    found = [
        f"{file.name}: {comment}"
        for file, pattern in sources
        for comment in pattern.findall(file.read_text(encoding="utf-8"))
    ]
    assert found == []
