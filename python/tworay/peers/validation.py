"""``make peers``: run everything and write docs/studies/validation.md."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Protocol

from tworay.peers import tools
from tworay.peers.against_ns3 import AgainstNs3
from tworay.peers.against_ns3_moving import AgainstNs3Moving
from tworay.peers.earlier import earlier
from tworay.peers.jobs import Results
from tworay.peers.moving import Moving
from tworay.peers.olsr import OlsrStrings
from tworay.peers.places import NOTES, ROOT, VALIDATION, replace
from tworay.peers.plan import FULL
from tworay.peers.progress import say
from tworay.peers.rts import RtsStrategies
from tworay.peers.strings import Strings
from tworay.peers.suite import Suite
from tworay.peers.windows import Windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay.peers.jobs import Job
    from tworay.peers.plan import Plan
    from tworay.peers.verdicts import Section


class Chapter(Protocol):
    """Knows what must be run and what to write about it."""

    def jobs(self) -> Iterator[Job]:
        """Yield everything that has to be run."""

    def section(self, results: Results) -> Section:
        """Write about it."""


def chapters(plan: Plan) -> dict[str, Chapter]:
    """Return the chapters in the document's order, by short name."""
    return {
        "suite": Suite(plan),
        "windows": Windows(),
        "static": Strings(plan, "static"),
        "aodv": Strings(plan, "aodv"),
        "ns3": AgainstNs3(plan),
        "ns3-moving": AgainstNs3Moving(plan, "aodv"),
        "olsr": OlsrStrings(plan),
        "olsr-moving": AgainstNs3Moving(plan, "olsr"),
        "rts": RtsStrategies(plan),
        "moving": Moving(plan, "aodv"),
        "moving-dsr": Moving(plan, "dsr"),
    }


def validate(plan: Plan, *, threads: int, only: list[str]) -> bool:
    """Run the peers and tworay and write the document; return whether every bound holds.

    With ``only``, just these chapters are run; their text is printed, not written. So is a subset's.
    """
    tools.install()
    tools.build_ns3_driver()
    wanted = {name: chapter for name, chapter in chapters(plan).items() if not only or name in only}
    results = Results()
    results.do((job for chapter in wanted.values() for job in chapter.jobs()), threads=threads)
    say(f"{len(results)} runs, {results.taken_from_cache} of them done before")
    sections = [chapter.section(results) for chapter in wanted.values()]
    again = earlier(results)
    if again is not None:
        sections.append(again)
    if only or plan is not FULL:
        print("\n".join(section.markdown() for section in sections))
    else:
        replace(ROOT / VALIDATION, document(sections, results))
        say(f"wrote {VALIDATION}")
    for section in sections:
        say(f"{section.title}: {section.verdict.replace('*', '')}")
    return all(check.ok for section in sections for check in section.checks)


def document(sections: list[Section], results: Results) -> str:
    """Put the document together."""
    lines = [
        "# Validation against ns-2 and ns-3",
        "",
        "Written by `make peers`; don't edit it, it will be "
        f"replaced. What is known about remaining differences stands in [{NOTES.name}]({NOTES.name}), "
        "which is "
        "included at the end.",
        "",
        f"- Date: {datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}",
        f"- tworay {tools.tworay_version()}, commit {tools.commit()}, build {tools.tworay_build()}",
        f"- ns-2: Debian `ns2` {tools.ns2_version()}, `ns2-examples` {tools.debian_version('ns2-examples')}",
        f"- ns-3: Debian `libns3-dev` {tools.ns3_version()}",
        f"- Runs: {len(results)}",
        f"- Machine: {tools.machine()}",
        "",
        "| chapter | bound | verdict |",
        "| :-- | :-- | :-- |",
        *(f"| {section.title} | {section.bound} | {section.verdict} |" for section in sections),
        "",
        "The commands shown are the first of each kind, typed at the root of a checkout; the others "
        "differ in the "
        "variant, the number of hops, the seed and the threshold as the tables say. The ns-3 driver "
        "is built by",
        "",
        "```sh",
        " ".join(tools.ns3_build_command()),
        "```",
        "",
    ]
    missed = [check.what for section in sections for check in section.checks if not check.ok]
    if missed:
        lines += ["Outside their bounds:", "", *(f"- {what}" for what in missed), ""]
    lines += [section.markdown() for section in sections]
    notes = ROOT / NOTES
    if notes.is_file():
        # Its own title becomes a chapter's here.
        lines += [f"#{notes.read_text(encoding='utf-8').strip()}", ""]
    return "\n".join(lines)
