"""The documents lead somewhere: links, files and functions that they name exist, and no page is forgotten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:crates|python|docs|scripts|studies|viewer)/[\w./-]*[\w/])`")
FUNCTION = re.compile(r"`(\w+)\(\)`")


def links(page: Path) -> list[str]:
    """Return the files that a page links to, without fragments and addresses."""
    found = [target.partition("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8"))]
    return [target for target in found if target and not re.match(r"[a-z]+:", target)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    broken = [target for target in links(page) if not (page.parent / target).exists()]
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    if page.name == "CHANGELOG.md" or "studies" in page.parts:
        return  # these speak of the past
    missing = [path for path in PATH.findall(page.read_text(encoding="utf-8")) if not (ROOT / path).exists()]
    assert not missing


def test_the_life_of_a_segment_names_functions_that_exist() -> None:
    """A function belongs to the Rust file named last before it."""
    text = (ROOT / "docs/explanation/life-of-a-segment.md").read_text(encoding="utf-8")
    source, checked = "", 0
    for match in re.finditer(rf"{PATH.pattern}|{FUNCTION.pattern}", text):
        if match[1]:
            source = match[1]
        else:
            code = (ROOT / source).read_text(encoding="utf-8")
            assert re.search(rf"\bfn {match[2]}\b", code), f"{source} has no function {match[2]}"
            checked += 1
    assert checked > 10


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs/README.md"
    reached, queue = {index}, [index]
    while queue:
        page = queue.pop()
        for target in links(page):
            file = (page.parent / target).resolve()
            if file.suffix == ".md" and file.is_file() and file not in reached:
                reached.add(file)
                queue.append(file)
    pages = {page.resolve() for page in (ROOT / "docs").rglob("*.md") if not page.stem.endswith("-notes")}
    assert not {str(page.relative_to(ROOT)) for page in pages - reached}
