"""What the pages add-a-… tell their readers to change can be changed in the sources of today."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/make"))

from page_changes import MARK, Change, changes, typed  # noqa: E402

PAGES = sorted((ROOT / "docs/guide").glob("add-a-*.md"))


def test_every_change_finds_its_place(tmp_path: Path) -> None:
    for page in PAGES:
        for change in changes(page.read_text(encoding="utf-8")):
            file = tmp_path / change.file
            if change.place and not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / change.file, file)
            change.apply(tmp_path)
            assert change.text in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_changes_and_commands_that_use_them(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(changes(text)) >= 2
    assert any(command.startswith("tworay ") for command in typed(text))
    blocks = sum(line.strip() == "```rust" for line in text.splitlines())
    assert blocks == sum(match["kind"] == "put" and "```rust" in match[0] for match in MARK.finditer(text))


def test_marks_are_read_with_their_blocks() -> None:
    page = """Text.

<!-- put: a/b.rs behind fn main() { -->
```rust
    two();
```

   <!-- put: c.toml -->
   ```toml
   # In a list.
       deep = 1
   ```

<!-- change: d.rs: Old ==> Old | New -->
Text.

<!-- not run: needs the change that this page makes -->
```
tworay one
tworay two
```
"""
    assert changes(page) == [
        Change(3, "a/b.rs", "behind", "fn main() {", "    two();\n"),
        Change(8, "c.toml", "", "", "# In a list.\n    deep = 1\n"),
        Change(14, "d.rs", "instead of", "Old", "Old | New"),
    ]
    assert typed(page) == ["tworay one", "tworay two"]


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("<!-- put: a.rs behind x -->\n\nText.\n", "line 1: no block follows"),
        ("<!-- put: a.rs beside x -->\n```rust\ny\n```\n", "'beside x' is neither"),
        ("<!-- put: a.rs behind -->\n```rust\ny\n```\n", "'behind' is neither"),
        ("\n<!-- change: a.rs: old -->\n\n", "line 2: a change is written"),
    ],
)
def test_marks_that_are_none_are_named(page: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        changes(page)


def test_a_place_must_be_there_once(tmp_path: Path) -> None:
    (tmp_path / "a.rs").write_text("one\ntwo\ntwo\n")
    Change(1, "a.rs", "before", "one", "zero\n").apply(tmp_path)
    assert (tmp_path / "a.rs").read_text() == "zero\none\ntwo\ntwo\n"
    with pytest.raises(ValueError, match=r"'two' stands in 2 lines of a.rs"):
        Change(1, "a.rs", "behind", "two", "three\n").apply(tmp_path)
    with pytest.raises(ValueError, match=r"there is no b.rs"):
        Change(1, "b.rs", "behind", "two", "three\n").apply(tmp_path)
