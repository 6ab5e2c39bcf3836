"""The pages that ``make peers`` writes: one a chapter, dated by itself, and the list of them."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay.peers import tools
from tworay.peers.places import NOTES, ROOT, VALIDATION, replace
from tworay.peers.progress import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tworay.peers.verdicts import Section

CHAPTERS = VALIDATION.with_suffix("")


@dataclass(frozen=True)
class Entry:
    """What the list says of a chapter, read from its page."""

    name: str
    title: str
    date: str
    bound: str
    verdict: str

    @property
    def row(self) -> str:
        """Its row in the list."""
        link = f"[{self.title}]({CHAPTERS.name}/{self.name}.md)"
        return f"| {link} | {self.bound} | {self.verdict} | {self.date} |"


def write(sections: Mapping[str, Section], order: Iterable[str]) -> None:
    """Write the pages of these chapters, and the list anew."""
    for name, section in sections.items():
        replace(ROOT / CHAPTERS / f"{name}.md", chapter(name, section))
    replace(ROOT / VALIDATION, index(order))
    say(f"wrote {VALIDATION} and {CHAPTERS}/{{{','.join(sections)}}}.md")


def chapter(name: str, section: Section) -> str:
    """Return a chapter's page."""
    missed = [check.what for check in section.checks if not check.ok]
    lines = [
        f"# {section.title}",
        "",
        f"Written by `make peers ONLY={name}`; don't edit it, it will be replaced. What is known about "
        f"remaining differences: [{NOTES.name}](../{NOTES.name}).",
        "",
        f"- Date: {datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}",
        f"- tworay {tools.tworay_version()}, commit {tools.commit()}, build {tools.tworay_build()}",
        f"- ns-2: Debian `ns2` {tools.ns2_version()}, `ns2-examples` {tools.debian_version('ns2-examples')}",
        f"- ns-3: Debian `libns3-dev` {tools.ns3_version()}",
        f"- Machine: {tools.machine()}",
        f"- Bound: {section.bound}",
        f"- Verdict: {section.verdict}",
        "",
    ]
    if missed:
        lines += ["Outside their bounds:", "", *(f"- {what}" for what in missed), ""]
    return "\n".join([*lines, section.body()]).rstrip() + "\n"


def read(page: Path) -> Entry:
    """Read the head of a chapter's page."""
    text = page.read_text(encoding="utf-8")
    found = dict(re.findall(r"^- (Date|Bound|Verdict): (.*)$", text, re.MULTILINE))
    title = text.partition("\n")[0].removeprefix("# ")
    return Entry(page.stem, title, found["Date"], found["Bound"], found["Verdict"])


def index(order: Iterable[str]) -> str:
    """Return the list of the chapters that there are."""
    pages = [ROOT / CHAPTERS / f"{name}.md" for name in order]
    entries = [read(page) for page in pages if page.is_file()]
    lines = [
        "# Validation against ns-2 and ns-3",
        "",
        "Does tworay give what other simulators give? Written by `make peers`; don't edit it, it will be "
        "replaced. Each chapter has a page with its numbers, and its own date: `make peers ONLY=NAME,NAME` "
        f"makes some of them anew. [Causes of what differs]({NOTES.name}).",
        "",
        "| chapter | bound | verdict | date |",
        "| :-- | :-- | :-- | :-- |",
        *(entry.row for entry in entries),
        "",
        "The commands on the pages are the first of each kind, typed at the root of a checkout; the others "
        "differ in the variant, the number of hops, the seed and the threshold as the tables say. The ns-3 "
        "drivers are built by",
        "",
        "```sh",
        " ".join(tools.ns3_build_command()),
        " ".join(tools.ns3_wired_build_command()),
        "```",
        "",
    ]
    return "\n".join(lines)
