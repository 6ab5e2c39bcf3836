"""The notebooks run and print what their pages show; the checker of all pages finds faults."""

from __future__ import annotations

import contextlib
import io
import json
import re
import runpy
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/make"))

import check_blocks  # noqa: E402
import gallery  # noqa: E402
import shell_lines  # noqa: E402

MAKE = runpy.run_path(str(ROOT / "docs/make/notebooks.py"))


def cells(page: str) -> list[dict[str, Any]]:
    text = (ROOT / f"docs/notebooks/{page}.ipynb").read_text(encoding="utf-8")
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


def test_the_notebooks_are_those_of_the_pages() -> None:
    stored = {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "docs/notebooks").iterdir()}
    assert stored == MAKE["written"](), "write them anew: .venv/bin/python docs/make/notebooks.py"


@pytest.mark.parametrize("page", MAKE["PAGES"])
def test_the_notebook_runs_and_prints_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cells are those of the page, so the page's blocks and their output are tested too."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    shown = 0
    for cell in cells(page):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("".join(cell["source"]), f"{page}.ipynb", "exec"), names)
        for output in cell["outputs"]:
            assert out.getvalue() == "".join(output["text"])
            shown += 1
    assert shown >= 3
    if page == "student":
        assert (tmp_path / "hops.svg").stat().st_size > 10_000


def test_the_exercises_for_students_ask_what_the_page_asks_and_hold_no_answer() -> None:
    text = (ROOT / "docs/notebooks/exercises.ipynb").read_text(encoding="utf-8")
    page = (ROOT / "docs/guide/teacher.md").read_text(encoding="utf-8")
    assert text.count("**Question.**") == page.count("**Question.**") == 6
    assert text.count("**Hint.**") == 6
    # Nor does it lead to the notebook that holds them.
    assert "nswer" not in text
    assert "teacher.ipynb" not in text
    assert not any(cell["outputs"] for cell in cells("exercises"))
    sources = [cell["source"] for cell in cells("exercises")]
    assert sources == [cell["source"] for cell in cells("teacher")]


def test_the_page_leads_to_both_notebooks() -> None:
    """The site is made of docs/, so a reader of it downloads them without a checkout."""
    page = (ROOT / "docs/guide/teacher.md").read_text(encoding="utf-8")
    assert {"../notebooks/teacher.ipynb", "../notebooks/exercises.ipynb"} <= set(
        re.findall(r"\]\(([^)]+)\)", page)
    )


PAGE = """# A page

```sh
printf 'one\\ntwo\\nthree\\n'
```

```text
two
three
```

<!-- file: a.txt -->
```csv
four
```

<!-- not run: no such program -->
```
nowhere
```

```
sudo reboot
cat a.txt  # the file above
```

```text
four
```

```python
print(1 + 1)
```

```text
2
```
"""


def checked(folder: Path, text: str) -> check_blocks.Outcome:
    page = folder / "page.md"
    page.write_text(text)
    return check_blocks.check(page)


def test_blocks_run_and_are_compared(tmp_path: Path) -> None:
    found = checked(tmp_path, PAGE)
    assert found.faults is None
    assert (found.ran, found.compared, found.left_out) == (3, 3, 2)


@pytest.mark.parametrize(
    ("good", "bad", "fault"),
    [
        ("two\nthree\n```", "three\ntwo\n```", ":8: this isn't printed: three"),
        ("\n2\n", "\n3\n", "this isn't printed: 3"),
        ("print(1 + 1)", "print(1 / 0)", "this Python fails: ZeroDivisionError: division by zero"),
        ("cat a.txt", "cat b.txt", "cat b.txt  # the file above: ends with 1"),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, good: str, bad: str, fault: str) -> None:
    assert good in PAGE
    found = checked(tmp_path, PAGE.replace(good, bad, 1))
    assert found.faults is not None
    assert fault in found.faults[0]


def test_three_dots_stand_for_lines() -> None:
    assert check_blocks.differs("a\n…\nd\n", "a\nb\nc\nd\n") == ""
    assert check_blocks.differs("d\n…\na\n", "a\nb\nc\nd\n") == "a"
    assert check_blocks.differs("a\nc\n", "a\nb\nc\n") == "a"


def test_write_replaces_what_is_shown(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace("two\nthree\n```", "old\n```").replace("\n2\n", "\nold\n"))
    check_blocks.check(page, write=True)
    assert page.read_text() == PAGE.replace("two\nthree\n```", "one\ntwo\nthree\n```")


def test_the_gallery_is_made_of_its_list() -> None:
    assert (ROOT / "docs/gallery.md").read_text(encoding="utf-8") == gallery.page(), (
        "write it anew: make gallery"
    )
    drawn = {file.stem for file in (ROOT / "docs/images/gallery").iterdir()}
    assert drawn == {picture.name for picture in gallery.pictures()}


def test_a_picture_of_the_gallery_is_what_its_command_draws() -> None:
    (picture,) = [one for one in gallery.pictures() if one.name == "window"]
    assert (ROOT / "docs/images/gallery/window.svg").read_text(encoding="utf-8") == picture.drawn()


@pytest.mark.parametrize(
    "command",
    ["sudo reboot", "A=1 make test", "tworay view .", "tworay show DIR --pairs", "tworay live watch --open"],
)
def test_commands_that_change_the_machine_or_wait_are_left_out(command: str) -> None:
    assert shell_lines.is_elsewhere(command)
    assert not shell_lines.is_elsewhere("tworay kernel list  # as sudo tworay kernel load does")


def marked(needs: str, text: str) -> str:
    return f"<!-- needs: {needs} -->\n```\n{text}```\n"


def test_a_block_runs_where_all_that_it_needs_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {"virtual time": True, "energy counter": False}
    monkeypatch.setattr(shell_lines, "_works", lambda: parts)
    monkeypatch.setattr(shell_lines.os, "geteuid", lambda: 0)
    page = marked("root, virtual time, bash", "sudo echo a | sudo cat > b.txt\ncat b.txt\n")
    found = checked(tmp_path, page + "```text\na\n```\n" + marked("energy counter, bash, nowhere", "false\n"))
    assert found.faults is None
    assert (found.ran, found.compared) == (2, 1)
    assert found.reasons == ["for want of energy counter, nowhere"]
    monkeypatch.setattr(shell_lines.os, "geteuid", lambda: 1000)
    assert checked(tmp_path, page).reasons == ["for want of root"]


def test_a_need_that_is_misspelt_leaves_no_block_out(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no part virtal time"):
        checked(tmp_path, marked("virtal time", "true\n"))


def test_the_pages_need_what_is_known() -> None:
    for page in check_blocks.pages():
        for block in check_blocks.blocks(page.read_text(encoding="utf-8")):
            if block.mark == "needs":
                shell_lines.lacking(block.about)


def test_what_runs_beside_the_others_ends_with_the_page(tmp_path: Path) -> None:
    page = marked(
        "bash",
        "mkfifo a; echo served > a; exec sleep 1000  # in another terminal: a server\n"
        "cat a\n"
        "echo $$ > pid; trap 'echo told; exit 130' INT; while :; do sleep 0.1; done  # until Ctrl-C\n"
        "exit 3  # in another terminal: one that fails at once\n",
    )
    began = time.monotonic()
    found = checked(tmp_path, page + "```text\nserved\ntold\n```\n")
    assert time.monotonic() - began < 60
    assert found.faults is not None
    assert [fault.rpartition(": ")[2] for fault in found.faults] == ["no output"]
    assert "ends with 3" in found.faults[0]
    assert found.ran == 4


def test_a_server_and_its_children_are_gone_afterwards(tmp_path: Path) -> None:
    terminals = shell_lines.Terminals(tmp_path)
    assert terminals.run("sleep 1000 & echo $! > pid; wait  # in another terminal") == ("", "")
    pid = int((tmp_path / "pid").read_text())
    assert Path(f"/proc/{pid}").exists()
    terminals.close()
    # SIGKILL acts when the process is scheduled next; an orphan that nobody has waited for is a zombie.
    end = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_alive(pid)


def is_alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
