"""``make peers``: runs the simulators; writes docs/studies/validation.md and a page per chapter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from studies.peers import pages, tools
from studies.peers.against_ns3 import AgainstNs3
from studies.peers.against_ns3_moving import AgainstNs3Moving
from studies.peers.earlier import earlier
from studies.peers.jobs import Results
from studies.peers.kernel_tcp import KernelTcp
from studies.peers.moving import Moving
from studies.peers.olsr import OlsrStrings
from studies.peers.olsr_tables import OlsrTables
from studies.peers.plan import FULL
from studies.peers.processes import ProgramError
from studies.peers.progress import say
from studies.peers.rts import RtsStrategies
from studies.peers.senders import Senders
from studies.peers.strings import Strings
from studies.peers.suite import Suite
from studies.peers.windows import Windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.jobs import Job
    from studies.peers.plan import Plan
    from studies.peers.verdicts import Section


class Chapter(Protocol):
    """A chapter: the runs it needs, and its text."""

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""

    def section(self, results: Results) -> Section | None:
        """Return the chapter."""


def chapters(plan: Plan) -> dict[str, Chapter]:
    """Return the chapters by short name, in the order of the document."""
    return {
        "suite": Suite(plan),
        "windows": Windows(),
        "senders": Senders(plan),
        "kernel": KernelTcp(),
        "static": Strings(plan, "static"),
        "aodv": Strings(plan, "aodv"),
        "ns3": AgainstNs3(plan),
        "ns3-moving": AgainstNs3Moving(plan, "aodv"),
        "olsr": OlsrStrings(plan),
        "olsr-moving": AgainstNs3Moving(plan, "olsr"),
        "olsr-tables": OlsrTables(plan),
        "rts": RtsStrategies(plan),
        "moving": Moving(plan, "aodv"),
        "moving-dsr": Moving(plan, "dsr"),
    }


def validate(plan: Plan, *, threads: int, only: list[str]) -> bool:
    """Run the peers and tworay and write the pages; return whether every bound holds.

    ``only`` selects chapters. The pages of a subset of the runs are printed instead of written.
    """
    known = chapters(plan)
    unknown = [name for name in only if name not in known]
    if unknown:
        raise ProgramError(f"--only {unknown[0]}: there is no such chapter; allowed are {', '.join(known)}")
    if only != ["kernel"]:
        tools.install()
    wanted = {name: chapter for name, chapter in known.items() if not only or name in only}
    jobs = [job for chapter in wanted.values() for job in chapter.jobs()]
    programs = {job.command[0] for job in jobs}
    if str(tools.NS3_BINARY) in programs:
        tools.build_ns3_driver()
    if str(tools.NS3_WIRED_BINARY) in programs:
        tools.build_ns3_wired_driver()
    results = Results()
    results.do(jobs, threads=threads)
    say(f"{len(results)} runs, {results.taken_from_cache} of them from the cache")
    tried = {name: chapter.section(results) for name, chapter in wanted.items()}
    sections = {name: section for name, section in tried.items() if section is not None}
    again = earlier(results)
    if again is not None and not only:
        sections["peers"] = again
    if plan is FULL:
        pages.write(sections, order=[*known, "peers"])
    else:
        print("\n".join(section.markdown() for section in sections.values()))
    for section in sections.values():
        say(f"{section.title}: {section.verdict.replace('*', '')}")
    return all(check.ok for section in sections.values() for check in section.checks)
