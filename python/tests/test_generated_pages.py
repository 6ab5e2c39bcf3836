"""Pages of the reference that scripts write: current, and complete."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import tworay
from tworay.cli.summaries import COMMANDS, GROUPS

ROOT = Path(__file__).parents[2]


def made(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / f"docs/make/{name}_page.py"))


@pytest.mark.parametrize("name", ["commands", "variants", "python", "radios", "mechanisms"])
def test_the_page_is_current(name: str) -> None:
    script = made(name)
    known = script["PAGE"].read_text(encoding="utf-8")
    assert known == script["page"](), f"write it anew: .venv/bin/python docs/make/{name}_page.py"


def test_every_command_is_there_with_every_option() -> None:
    script = made("commands")
    text = script["page"]()
    names = re.findall(r"^#+ `(tworay .*)`$", text, re.MULTILINE)
    assert {name.split()[1] for name in names} == {*COMMANDS, *GROUPS}
    assert {"tworay live run", "tworay kernel load", "tworay live kernel build"} <= set(names)
    # A row says what its option does.
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert [row for row in rows if not row[1].strip()] == []


@pytest.mark.parametrize(
    ("option", "command", "cells"),
    [
        ("--seed SEED", "run", "Random seed. The same seed gives the same result. | `1`"),
        ("--nodes N", "new", "Number of nodes, 2 to 1000."),
    ],
)
def test_options_have_meaning_and_default(option: str, command: str, cells: str) -> None:
    part = made("commands")["page"]().partition(f"## `tworay {command}`")[2].partition("\n## ")[0]
    (row,) = [line for line in part.splitlines() if line.startswith(f"| `{option}`")]
    assert cells in row


def test_every_public_name_has_types_and_a_docstring() -> None:
    script = made("python")
    text = script["page"]()
    for name in set(tworay.__all__) - {"__version__"}:
        part = text.partition(f"### `tworay.{name}`\n\n")[2].partition("\n### ")[0]
        prose = re.sub(r"```.*?```", "", part, flags=re.DOTALL)
        assert re.search(r"\w+ \w+ \w+", prose), name
    assert "out: str | PathLike[str] | None = None" in text


def test_every_variant_and_parameter_is_there() -> None:
    text = made("variants")["page"]()
    for variant in tworay.variants():
        assert f"| `{variant.name}` |" in text
        part = text.partition(f"### `{variant.name}`\n")[2].partition("\n### ")[0]
        assert [one.name for one in variant.parameters] == re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)
