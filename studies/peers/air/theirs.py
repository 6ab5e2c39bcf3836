"""Where ns-3's figures come from: its runs here, or tables of earlier ones."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studies.peers.air.worlds import NO_RTS, World, goodput
from studies.peers.processes import ProgramError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studies.peers.jobs import Job, Results

RUNS, DURATIONS = "ns3_air.csv", "ns3_air_durations.csv"


class Here:
    """ns-3's runs on this machine."""

    note = ""

    def jobs(self, world: World, seeds: Sequence[int], **extra: str | float) -> list[Job]:
        """Return the runs."""
        return [world.theirs(seed, **extra) for seed in seeds]

    def goodputs(
        self, results: Results, world: World, seeds: Sequence[int], **extra: str | float
    ) -> list[float]:
        """Return the goodput of each run, Mb/s."""
        return [goodput(results[job]) for job in self.jobs(world, seeds, **extra)]

    def durations(self) -> list[list[str]] | None:
        """Return no stored durations: the driver prints them."""
        return None


@dataclass
class Stored:
    """Tables of ns-3's runs elsewhere: ``ns3_air.csv`` and ``ns3_air_durations.csv``."""

    directory: Path
    _rows: dict[World, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the table of runs."""
        path = self.directory / RUNS
        if not path.is_file():
            raise ProgramError(f"--reference {self.directory}: it has no {RUNS}")
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                # A station whose address nobody knew had nothing: that run has fewer speakers.
                if "0.000" not in row["per_flow"].split("/"):
                    self._rows.setdefault(world_of(row), []).append(float(row["goodput_mbps"]))

    @property
    def note(self) -> str:
        """A sentence for the page."""
        return (
            f"ns-3's figures are those of a table of earlier runs ({RUNS}), not of this machine; lines that "
            "the table lacks are not judged."
        )

    def jobs(self, world: World, seeds: Sequence[int], **extra: str | float) -> list[Job]:
        """Return no runs."""
        del world, seeds, extra
        return []

    def goodputs(
        self, results: Results, world: World, seeds: Sequence[int], **extra: str | float
    ) -> list[float]:
        """Return the goodput of each stored run, Mb/s, whatever the seeds; none if there are no such runs."""
        del results, seeds
        return [] if extra else self._rows.get(canonical(world), [])

    def durations(self) -> list[list[str]] | None:
        """Return the rows of the table of durations."""
        path = self.directory / DURATIONS
        if not path.is_file():
            raise ProgramError(f"--reference {self.directory}: it has no {DURATIONS}")
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))[1:]


Theirs = Here | Stored


def canonical(world: World) -> World:
    """Return the world without what makes no difference, as the key of stored runs."""
    # A single hop is steady at once; a string's queues are not.
    changes: dict[str, int] = {"seconds": world.seconds if world.hops > 1 else 0, "rate": 0}
    if not world.qos:
        changes |= {"aggregate": 0}
    if world.control != "fixed":
        changes |= {"mcs": 0}
    return World(**(world.__dict__ | changes))


def world_of(row: dict[str, str]) -> World:
    """Return the world of a row of the table."""
    number = {name: int(row[name]) for name in ("mcs", "width", "nss", "gi", "ampdu", "rts", "flows")}
    star = re.search(r"\bstations=", row["options"]) is not None
    length = re.search(r"\bT=(\d+)", row["options"])
    count = int(row["hops_or_stations"])
    return canonical(
        World(
            standard=row["standard"],
            mcs=number["mcs"],
            width=number["width"],
            streams=number["nss"],
            guard=number["gi"],
            aggregate=number["ampdu"],
            rts=min(number["rts"], NO_RTS),
            hops=1 if star else count,
            stations=count if star else 0,
            spacing=float(row["spacing"]),
            app=row["app"],
            flows=1 if star else number["flows"],
            control=row["rc"],
            queue=row["queue"].replace("fqcodel", "fq-codel"),
            seconds=int(length.group(1)) if length else 10,
        )
    )
