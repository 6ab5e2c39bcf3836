"""Set the version of a release: ``python -m studies.packaging.release 0.2.0``, part of ``make release``.

The version stands in ``Cargo.toml``; the package, ``tworay --version``, results and wheels take it from
there. ``Cargo.lock`` and ``CITATION.cff`` repeat it for their readers, so this program changes them, and it
gives the changelog's section *Unreleased* the version and the date.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from studies.packaging.wheel import ROOT

if TYPE_CHECKING:
    from pathlib import Path

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
UNRELEASED = "## [Unreleased]\n"
# Of the time before the first release.
PREFACE = "No version has been released yet. "


class Refusal(Exception):
    """The release can't be made; the text says what to do."""


def main() -> None:
    """Change the files of this checkout."""
    if len(sys.argv) != 2:
        sys.exit("usage: make release VERSION=0.2.0")
    status = subprocess.run(
        ["git", "-C", str(ROOT), "status", "--porcelain"], capture_output=True, text=True, check=True
    ).stdout
    if status:
        sys.exit(f"commit or remove these changes first, so that a release is what is in git:\n{status}")
    try:
        release(ROOT, sys.argv[1], datetime.datetime.now(tz=datetime.UTC).date())
    except Refusal as refusal:
        sys.exit(str(refusal))


def current(root: Path) -> str:
    """Return the version in ``Cargo.toml``."""
    found = re.search(
        r'^\[workspace\.package\]\nversion = "([^"]+)"$', _text(root, "Cargo.toml"), re.MULTILINE
    )
    if found is None:
        raise Refusal('Cargo.toml has no line version = "..." below [workspace.package]')
    return found[1]


def release(root: Path, version: str, date: datetime.date) -> None:
    """Set the version in the files below ``root``.

    Raises:
        Refusal: the version is malformed or not newer, or the changelog has nothing to release.

    """
    old = current(root)
    # The first release has the version that the sources began with.
    first = f"## [{old}]" not in _text(root, "CHANGELOG.md")
    if not VERSION.fullmatch(version):
        raise Refusal(f"VERSION={version}: write three numbers, such as 0.2.0")
    if _numbers(version) < _numbers(old) or (version == old and not first):
        raise Refusal(f"VERSION={version} is not newer than {old}")
    texts = {
        "Cargo.toml": _text(root, "Cargo.toml").replace(
            f'[workspace.package]\nversion = "{old}"', f'[workspace.package]\nversion = "{version}"'
        ),
        "Cargo.lock": re.sub(
            rf'(name = "tworay-\w+"\nversion = )"{re.escape(old)}"',
            rf'\1"{version}"',
            _text(root, "Cargo.lock"),
        ),
        "CITATION.cff": _cited(_text(root, "CITATION.cff"), version, date),
        "CHANGELOG.md": _changelog(_text(root, "CHANGELOG.md"), version, date),
    }
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")


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
