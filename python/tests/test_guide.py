"""What an installed wheel says names no file that only a checkout has."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING

import tworay
from tworay import _native, guide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest
    from conftest import Result

    Cli = Callable[..., Result]

PACKAGE = Path(tworay.__file__).parent
# Pages that `tworay reproduce --pages` writes for docs/studies of a checkout, and its options.
OF_CHECKOUTS = {"papers/pages.py", "papers/testbed.py", "cli/reproduce.py"}


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a source file, docstrings included: `help()` shows them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_no_text_of_the_package_names_a_page_of_a_checkout() -> None:
    found = [
        f"{file.relative_to(PACKAGE)}:{line}: {text.strip()[:60]}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if str(file.relative_to(PACKAGE)) not in OF_CHECKOUTS
        for line, text in texts(file)
        if "docs/" in text and file.name != "guide.py"
    ]
    assert not found, "\n".join(found)


def test_nor_do_those_of_the_simulator() -> None:
    for words in (_native.metrics(), _native.causes(), _native.deaths(), _native.variants()):
        assert "docs/" not in json.dumps(words)
    assert "docs/" not in _native.json_schema()


def test_generated_scenarios_name_commands_that_there_are(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("from,to,loss\nroof,barn,0\nbarn,roof,0\n")
    (tmp_path / "fix.csv").write_text("id,time,x,y\nbarn,0,0,0\nroof,0,100,0\n")
    assert cli("new", "a.toml").code == 0
    for file in ("net.csv", "fix.csv"):
        assert cli("convert", file, "--flow", "roof:barn:ftp", "-o", f"{file}.toml").code == 0
    written = "".join((tmp_path / name).read_text() for name in ("a.toml", "net.csv.toml", "fix.csv.toml"))
    assert "docs/" not in written
    refused = cli("sweep", "none.toml")
    assert refused.code == 2
    for _, named in guide.TOPICS.values():
        if named.startswith("tworay "):
            assert cli(*named.split()[1:]).code == 0, named
    for topic in ("flows", "keys", "links", "radios"):
        assert guide.more(topic) in written, topic
    assert guide.more("sweeps") in refused.err


def test_the_site_is_named_once_it_has_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guide, "SITE", "https://example.org/tworay/")
    for topic, (page, _) in guide.TOPICS.items():
        assert guide.more(topic) == f"https://example.org/tworay/{page}.html"
        assert (PACKAGE.parents[1] / "docs" / f"{page}.md").is_file(), page
