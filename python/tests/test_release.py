"""One version, and what a release changes."""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import command

import tworay
from studies.packaging.release import FILES, Refusal, current, is_set, release

ROOT = Path(__file__).parents[2]
DAY = datetime.date(2027, 1, 2)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_everything_derives_from_one_version() -> None:
    version = current(ROOT)
    assert tworay.__version__ == version
    assert re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE) == [version]
    for manifest in (ROOT / "crates").glob("*/Cargo.toml"):
        assert tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]["version"] == {
            "workspace": True
        }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"]
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    assert {one["version"] for one in locked if one["name"].startswith("tworay-")} == {version}


def test_a_release_sets_version_and_date_everywhere(copy: Path) -> None:
    release(copy, "3.2.1", DAY)
    assert current(copy) == "3.2.1"
    locked = tomllib.loads((copy / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    ours = {one["name"]: one["version"] for one in locked if one["name"].startswith("tworay-")}
    assert len(ours) == len(list((ROOT / "crates").iterdir()))
    assert set(ours.values()) == {"3.2.1"}
    cited = (copy / "CITATION.cff").read_text(encoding="utf-8")
    assert "\nversion: 3.2.1\ndate-released: 2027-01-02\n" in cited
    changes = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]\n\n## [3.2.1] - 2027-01-02\n" in changes
    assert "No version has been released yet" not in changes
    # Only the named lines changed: other packages keep theirs.
    old = (ROOT / "Cargo.lock").read_text(encoding="utf-8").splitlines()
    new = (copy / "Cargo.lock").read_text(encoding="utf-8").splitlines()
    assert sum(a != b for a, b in zip(old, new, strict=True)) == len(ours)


def test_the_next_release_replaces_the_date(copy: Path) -> None:
    release(copy, "3.2.1", DAY)
    changes = copy / "CHANGELOG.md"
    changes.write_text(
        changes.read_text(encoding="utf-8").replace("## [Unreleased]\n", "## [Unreleased]\n\n- more\n", 1),
        encoding="utf-8",
    )
    release(copy, "3.2.2", DAY + datetime.timedelta(days=1))
    assert (copy / "CITATION.cff").read_text(encoding="utf-8").count("date-released: 2027-01-03") == 1
    assert (copy / "CITATION.cff").read_text(encoding="utf-8").count("date-released") == 1
    assert "\n\n- more\n\n## [3.2.1]" in changes.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("version", "said"), [("3.2", "three numbers"), ("v3.2.2", "three numbers"), ("3.2.1", "not newer")]
)
def test_a_malformed_or_older_version_is_refused_and_nothing_written(
    copy: Path, version: str, said: str
) -> None:
    release(copy, "3.2.1", DAY)
    before = {name: (copy / name).read_text(encoding="utf-8") for name in FILES}
    with pytest.raises(Refusal, match=said):
        release(copy, version, DAY)
    with pytest.raises(Refusal, match="nothing below"):
        release(copy, "3.2.2", DAY)
    assert before == {name: (copy / name).read_text(encoding="utf-8") for name in FILES}


def test_a_release_whose_checks_failed_goes_on(copy: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(copy), *identity, *words], check=True)
    assert not is_set(copy, "3.2.1")
    release(copy, "3.2.1", DAY)
    assert is_set(copy, "3.2.1")
    # Another version was begun, or something else has changed: neither is what is in git.
    with pytest.raises(Refusal, match=r"git checkout Cargo\.toml Cargo\.lock"):
        is_set(copy, "3.2.2")
    with (copy / "CHANGELOG.md").open("a", encoding="utf-8") as file:
        file.write("more\n")
    with pytest.raises(Refusal, match="commit or remove these changes"):
        is_set(copy, "3.2.1")
    subprocess.run(["git", "-C", str(copy), "checkout", "-q", *FILES], check=True)
    (copy / "new.py").write_text("")
    with pytest.raises(Refusal, match=r"\?\? new\.py"):
        is_set(copy, "3.2.1")


def test_the_module_is_the_command() -> None:
    done = subprocess.run(command("--version"), capture_output=True, text=True, check=True)
    assert done.stdout == f"tworay {current(ROOT)}\n"
    wrong = subprocess.run(command("runn"), capture_output=True, text=True, check=False)
    assert (wrong.returncode, "Did you mean 'run'?" in wrong.stderr) == (2, True)
