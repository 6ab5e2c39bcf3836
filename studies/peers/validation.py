"""``make peers``: runs the simulators; writes docs/studies/validation.md and a page per chapter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from studies.peers import pages, tools
from studies.peers.against_ns3 import AgainstNs3
from studies.peers.against_ns3_moving import AgainstNs3Moving
from studies.peers.air.chains import Chains
from studies.peers.air.costs import Costs
from studies.peers.air.distances import Distances
from studies.peers.air.durations import Durations
from studies.peers.air.hops import Hops
from studies.peers.air.queues import Queues
from studies.peers.air.stations import Stations
from studies.peers.air.theirs import Here, Stored
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
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from studies.peers.air.theirs import Theirs
    from studies.peers.jobs import Job
    from studies.peers.plan import Plan
    from studies.peers.verdicts import Section


class Chapter(Protocol):
    """A chapter: the runs it needs, and its text."""

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""

    def section(self, results: Results) -> Section | None:
        """Return the chapter."""


AIR = "air"
"""Selects the chapters of today's radios, whose names begin so."""


def chapters(plan: Plan, theirs: Theirs) -> dict[str, Chapter]:
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
        "air-durations": Durations(theirs),
        "air-hops": Hops(plan, theirs),
        "air-stations": Stations(plan, theirs),
        "air-strings": Chains(plan, theirs),
        "air-distances": Distances(plan, theirs),
        "air-queues": Queues(plan, theirs),
        "air-costs": Costs(plan),
    }


def chosen(known: Iterable[str], only: list[str]) -> list[str]:
    """Return the chapters that ``only`` selects, in the order of the document: all if it is empty.

    Raises:
        ProgramError: a chapter that isn't there.

    """
    known = list(known)
    unknown = [name for name in only if name not in known and name != AIR]
    if unknown:
        allowed = ", ".join([*known, AIR])
        raise ProgramError(f"--only {unknown[0]}: there is no such chapter; allowed are {allowed}")
    return [
        name for name in known if not only or name in only or (AIR in only and name.startswith(f"{AIR}-"))
    ]


def validate(plan: Plan, *, threads: int, only: list[str], reference: Path | None = None) -> bool:
    """Run the peers and tworay and write the pages; return whether every bound holds.

    ``only`` selects chapters. The pages of a subset of the runs are printed instead of written. Chapters of
    today's radios take ns-3's figures from the tables in ``reference``, if given.
    """
    known = chapters(plan, Stored(reference) if reference else Here())
    names = chosen(known, only)
    _install(names, reference)
    wanted = {name: known[name] for name in names}
    jobs = [job for chapter in wanted.values() for job in chapter.jobs()]
    _build({job.command[0] for job in jobs}, names)
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


def _install(names: list[str], reference: Path | None) -> None:
    """Install what the chapters need."""
    others = [name for name in names if name != "kernel"]
    if not others or (reference and all(name.startswith(AIR) and name != "air-costs" for name in others)):
        return
    tools.install(tools.NS3_PACKAGES if all(name.startswith(AIR) for name in others) else tools.PACKAGES)


def _build(programs: set[str], names: list[str]) -> None:
    """Compile the drivers that are to run."""
    if str(tools.NS3_BINARY) in programs:
        tools.build_ns3_driver()
    if str(tools.NS3_WIRED_BINARY) in programs:
        tools.build_ns3_wired_driver()
    if str(tools.NS3_AIR_BINARY) in programs or "air-costs" in names:
        tools.build_ns3_air_driver()
    if str(tools.DURATIONS_BINARY) in programs:
        tools.build_durations()
