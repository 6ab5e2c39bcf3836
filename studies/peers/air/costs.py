"""Chapter: CPU time of the same work."""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studies.peers import processes, tools
from studies.peers.air.worlds import World, goodput
from studies.peers.jobs import Job, read_json
from studies.peers.progress import say
from studies.peers.verdicts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.peers.jobs import Results
    from studies.peers.plan import Plan

MANY, AGGREGATING = 100.0, 30.0


@dataclass
class Spent:
    """The runs of one simulator."""

    cpu: list[float] = field(default_factory=list)
    megabits: list[float] = field(default_factory=list)

    def run(self, command: Sequence[str]) -> None:
        """Run a command alone, and note its CPU time and goodput."""
        with tempfile.NamedTemporaryFile("r", prefix="tworay-peers-") as report:
            result = read_json(processes.run([str(tools.MEASURE), report.name, *command]), command)
            self.cpu.append(float(report.read().split()[0]))
        self.megabits.append(goodput(result))


class Costs:
    """ns-3 and the bare runner alternately, one process at a time."""

    def __init__(self, plan: Plan) -> None:
        self._quick = plan.name == "quick"
        self._repeats = plan.air_seeds
        seconds = 6 if self._quick else 31
        string = World("n", 3, rts=0, spacing=30, app="tcp", seconds=seconds)
        self._cases = {
            "string of 4 hops, TCP, RTS": (World(**(string.__dict__ | {"hops": 4})), MANY),
            "string of 8 hops, TCP, RTS": (World(**(string.__dict__ | {"hops": 8})), MANY),
            "20 stations, single frames": (World("n", 7, aggregate=0, stations=20, seconds=4), MANY),
            "20 stations, aggregates": (World("n", 7, stations=20, seconds=4), MANY),
            "one aggregating hop, MCS 7": (World("n", 7, rate=100, seconds=seconds), AGGREGATING),
            "one aggregating hop, 80 MHz, 2 streams": (
                World("ac", 9, 80, 2, aggregate=1048575, rate=700, spacing=3, seconds=6),
                AGGREGATING,
            ),
        }
        if self._quick:
            some = ("string of 4 hops, TCP, RTS", "one aggregating hop, MCS 7")
            self._cases = {name: self._cases[name] for name in some}

    def jobs(self) -> Iterator[Job]:
        """Yield no runs: CPU time is measured one process at a time, when the others are done."""
        return iter(())

    def section(self, results: Results) -> Section:
        """Measure, and return the chapter."""
        del results
        tools.build_measure()
        tools.build_own_binary()
        section = Section(
            "CPU time beside ns-3 (802.11n/ac)",
            "at least 100 times less on strings and with 20 stations, 30 times on one aggregating hop",
            simulators=("ns-3",),
        )
        section.text(
            f"User and system time of the whole process, medians over {self._repeats} seeds, run "
            "alternately. tworay is the bare runner, ns-3 Debian's build (logging compiled in). Both get "
            "the same datagrams or transfers; the ratio per megabit divides by what each carried. A line "
            "in which one carries more than twice as much as the other is not judged.",
        )
        rows, commands = [], []
        for name, (world, least) in self._cases.items():
            say(f"measuring: {name}")
            ours, theirs = Spent(), Spent()
            for seed in range(1, self._repeats + 1):
                own = [str(tools.OWN_BINARY), str(world.write()), str(seed)]
                ours.run(own)
                theirs.run(world.theirs(seed).command)
                ours.run(own)
            commands += [" ".join(own), world.theirs(1).line]
            rows.append(_row(section, name, ours, theirs, least))
        section.commands(*commands)
        header = [
            "work",
            "ns-3, s",
            "tworay, s",
            "ratio",
            "required",
            "",
            "ratio per megabit",
            "ns-3, Mb/s",
            "tworay, Mb/s",
        ]
        section.table(header, rows)
        return section


def _row(section: Section, name: str, ours: Spent, theirs: Spent, least: float) -> list[str]:
    mine, other = statistics.median(ours.cpu), statistics.median(theirs.cpu)
    rates = [statistics.median(theirs.megabits), statistics.median(ours.megabits)]
    ratio = other / max(mine, 1e-4)
    alike = max(rates) <= 2 * min(rates)
    verdict = section.judge(name, {"CPU": ratio >= least}) if alike else "not the same work"
    each = f"{ratio * rates[1] / rates[0]:.0f}" if rates[0] else "–"
    row = [name, f"{other:.2f}", f"{mine:.3f}", f"{ratio:.0f}", f"{least:.0f}", verdict, each]
    return [*row, *(f"{rate:.2f}" for rate in rates)]
