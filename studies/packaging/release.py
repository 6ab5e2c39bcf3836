"""Set the version of a release: ``python -m studies.packaging.release 0.2.0``, part of ``make release``.

The version stands in ``Cargo.toml``; the package, ``tworay --version``, results and wheels take it from
there. ``Cargo.lock`` and ``CITATION.cff`` repeat it for their readers, so this program changes them, and it
gives the changelog's section *Unreleased* the version and the date. A release whose checks have failed is
made again by the same command: files that have the version already are left as they are.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from studies.packaging.wheel import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
UNRELEASED = "## [Unreleased]\n"
FILES = ("Cargo.toml", "Cargo.lock", "CITATION.cff", "CHANGELOG.md")
# Of the time before the first release.
PREFACE = "No version has been released yet. "


class Refusal(Exception):
    """The release can't be made; the text says what to do."""


def main() -> None:
    """Change the files of this checkout."""
    if len(sys.argv) != 2:
        sys.exit("usage: make release VERSION=0.2.0")
    version = sys.argv[1]
    try:
        if is_set(ROOT, version):
            print(f"the files have version {version} already; going on with the checks")
        else:
            release(ROOT, version, datetime.datetime.now(tz=datetime.UTC).date())
    except Refusal as refusal:
        sys.exit(str(refusal))


def is_set(root: Path, version: str) -> bool:
    """Return whether this checkout differs from its commit by this release's version alone.

    Raises:
        Refusal: it has other changes.

    """
    changed = _git(root, "status", "--porcelain")
    if not changed:
        return False
    committed = {name: _git(root, "show", f"HEAD:{name}") for name in FILES}
    dated = re.search(r"^date-released: (.*)$", _text(root, "CITATION.cff"), re.MULTILINE)
    try:
        date = datetime.date.fromisoformat(dated[1] if dated else "")
        wanted = texts(committed.__getitem__, version, date)
    except (ValueError, Refusal):
        wanted = {}
    others = {line[3:] for line in changed.splitlines()} - set(FILES)
    if others or wanted != {name: _text(root, name) for name in FILES}:
        raise Refusal(
            f"commit or remove these changes first, so that a release is what is in git:\n{changed}"
            "If a release was begun with another version, `git checkout "
            f"{' '.join(FILES)}` takes it back."
        )
    return True


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout


def current(root: Path) -> str:
    """Return the version in ``Cargo.toml``."""
    return _version(_text(root, "Cargo.toml"))


def _version(manifest: str) -> str:
    found = re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"$', manifest, re.MULTILINE)
    if found is None:
        raise Refusal('Cargo.toml has no line version = "..." below [workspace.package]')
    return found[1]


def release(root: Path, version: str, date: datetime.date) -> None:
    """Set the version in the files below ``root``.

    Raises:
        Refusal: the version is malformed or not newer, or the changelog has nothing to release.

    """
    for name, text in texts(lambda name: _text(root, name), version, date).items():
        (root / name).write_text(text, encoding="utf-8")


def texts(read: Callable[[str], str], version: str, date: datetime.date) -> dict[str, str]:
    """Return the files with the version set; ``read`` returns a file's text before.

    Raises:
        Refusal: as ``release``.

    """
    old = _version(read("Cargo.toml"))
    # The first release has the version that the sources began with.
    first = f"## [{old}]" not in read("CHANGELOG.md")
    if not VERSION.fullmatch(version):
        raise Refusal(f"VERSION={version}: write three numbers, such as 0.2.0")
    if _numbers(version) < _numbers(old) or (version == old and not first):
        raise Refusal(f"VERSION={version} is not newer than {old}")
    return {
        "Cargo.toml": read("Cargo.toml").replace(
            f'[workspace.package]\nversion = "{old}"', f'[workspace.package]\nversion = "{version}"'
        ),
        "Cargo.lock": re.sub(
            rf'(name = "tworay-\w+"\nversion = )"{re.escape(old)}"', rf'\1"{version}"', read("Cargo.lock")
        ),
        "CITATION.cff": _cited(read("CITATION.cff"), version, date),
        "CHANGELOG.md": _changelog(read("CHANGELOG.md"), version, date),
    }


def _text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _cited(text: str, version: str, date: datetime.date) -> str:
    without = re.sub(r"^date-released: .*\n", "", text, flags=re.MULTILINE)
    return re.sub(
        r"^version: .*$",
        f"version: {version}\ndate-released: {date.isoformat()}",
        without,
        flags=re.MULTILINE,
    )


def _changelog(text: str, version: str, date: datetime.date) -> str:
    before, heading, rest = text.partition(UNRELEASED)
    section = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    if not heading or not section.strip():
        raise Refusal(f"CHANGELOG.md has nothing below {UNRELEASED.strip()}")
    return f"{before}{UNRELEASED}\n## [{version}] - {date.isoformat()}\n{rest.replace(PREFACE, '', 1)}"


if __name__ == "__main__":
    main()
