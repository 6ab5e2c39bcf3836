"""ns-2's congestion windows on a wired bottleneck: the figures that the tests keep, made again.

tworay's own windows are compared with the kept figures in tworay-tcp's tests (`ns2_windows`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tworay_peers import processes, tools
from tworay_peers.jobs import Job, Result
from tworay_peers.places import ROOT
from tworay_peers.verdicts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay_peers.jobs import Results

SCRIPT = Path("peers/ns2/window.tcl")
KEPT = Path("crates/tworay-tcp/tests/ns2_windows.csv")


@dataclass(frozen=True)
class Case:
    """A line of the kept figures."""

    variant: str
    queue: str
    end: str
    drops: str
    windows: tuple[float, ...]

    def job(self) -> Job:
        """Run it in ns-2."""
        command = ("ns", str(SCRIPT), self.variant, self.queue, self.end, *self.drops.split())
        return Job("ns-2", command, (tools.ns2_version(), tools.digest(ROOT / SCRIPT)), 0.3, sampled_windows)


def kept_cases(text: str) -> list[Case]:
    """Read the table of the tests."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = [line.split(",") for line in lines[1:]]
    return [Case(row[0], row[1], row[2], row[3], tuple(map(float, row[4].split()))) for row in rows]


def sampled_windows(command: tuple[str, ...]) -> Result:
    """Run ns-2; return the windows it prints."""
    return {"windows": read_windows(processes.run(command, may_fail=True))}


def read_windows(output: str) -> list[float]:
    """Read lines of time and window; ns-2 says other things as well."""
    rows = [line.split() for line in output.splitlines()]
    return [float(row[1]) for row in rows if len(row) == 2 and row[0].replace(".", "", 1).isdigit()]


class Windows:
    """One chapter: the windows of Vegas and Westwood."""

    def __init__(self) -> None:
        self._cases = kept_cases((ROOT / KEPT).read_text(encoding="utf-8"))

    def jobs(self) -> Iterator[Job]:
        """Yield everything that has to be run."""
        yield from (case.job() for case in self._cases)

    def section(self, results: Results) -> Section:
        """Write the chapter."""
        section = Section(
            "Congestion windows of ns-2", "the figures that the tests keep are those of ns-2 here"
        )
        section.text(
            "Vegas, and Westwood in TCP-Linux, on a wired bottleneck, every half second. tworay's windows "
            f"are compared with the kept figures (`{KEPT}`) by `cargo test -p tworay-tcp --test ns2_windows`."
        )
        section.commands(self._cases[0].job().line)
        rows = []
        for case in self._cases:
            found = results[case.job()]["windows"]
            worst = max((abs(a - b) for a, b in zip(found, case.windows, strict=False)), default=0.0)
            same = len(found) == len(case.windows) and worst <= 0.001
            what = f"{case.variant}, queue {case.queue}, dropped {case.drops or 'none'}"
            verdict = section.judge(what, {"windows": same})
            rows.append([what, str(len(found)), f"{worst:.3f}", verdict])
        section.table(["", "samples", "largest difference, segments", ""], rows)
        return section
