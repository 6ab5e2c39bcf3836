"""Congestion windows on a wired bottleneck: ns-2 compared with tworay and with the figures of the tests.

tworay-tcp's test `ns2_windows` has the same bounds and needs no ns-2, because it stores ns-2's figures.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studies.peers import processes, tools
from studies.peers.jobs import Job, Result
from studies.peers.places import ROOT, SCENARIOS
from studies.peers.suite import OUT
from studies.peers.verdicts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.peers.jobs import Results

SCRIPT = Path("studies/peers/ns2/window.tcl")
KEPT = Path("crates/tworay-tcp/tests/all/ns2_windows.csv")
FIRST, STEP = 2.0, 0.5
"""First sample and interval, seconds."""
TOLERANCE = 1.0
"""Bound at every sample, segments."""
SAME = 0.01
"""Bound of tworay-tcp's tests, whose clock is ns-2's, segments."""
SEGMENTS = 64
"""The advertised window of Westwood and Reno, which limits TCP-Linux' congestion window."""
TCP_LINUX = (
    'tcp.sack.form="tcp-linux"',
    'tcp.rto.arithmetic="linux-ticks"',
    "tcp.tick=1ms",
    "tcp.rto.initial=3s",
    "tcp.rto.min=200ms",
    "tcp.rto.max=120s",
    "tcp.timestamps=true",
    # ns-2's sink accepts any segment, however far beyond the window.
    "tcp.window=1000",
    f"tcp.initial_ssthresh={SEGMENTS}",
)
SETTINGS = {
    "vegas": ("vegas",),
    "westwood": (f"sack+westwood+(2)+cwl({SEGMENTS})", *TCP_LINUX),
    "reno": (f"sack+cwl({SEGMENTS})", *TCP_LINUX),
}
"""tworay's variant, and settings in addition to those of the suite."""


@dataclass(frozen=True)
class Case:
    """A line of the stored figures."""

    variant: str
    rate_kbps: str
    delay_ms: str
    queue: str
    end: str
    drops: str
    windows: tuple[float, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of ns-2's script."""
        return (self.variant, self.rate_kbps, self.delay_ms, self.queue, self.end, *self.drops.split())

    def line(self) -> str:
        """Return it as a line of the stored figures."""
        head = (self.variant, self.rate_kbps, self.delay_ms, self.queue, self.end, self.drops)
        return ",".join((*head, " ".join(f"{window:g}" for window in self.windows)))

    def job(self) -> Job:
        """Return the run in ns-2."""
        command = ("ns", str(SCRIPT), *self.arguments)
        return Job("ns-2", command, (tools.ns2_version(), tools.digest(ROOT / SCRIPT)), 0.3, sampled_windows)

    def ours(self) -> Job:
        """Return the run in tworay."""
        path = SCENARIOS / "suite.toml"
        variant, *settings = SETTINGS[self.variant]
        # ns-2's queue counts the packet that is being sent.
        settings += [f"wire.2.rate={self.rate_kbps}kbps", f"wire.2.delay={self.delay_ms}ms"]
        settings += [f"wire.2.drops=[{','.join(self.drops.split())}]", f"wire.2.queue={int(self.queue) - 1}"]
        command = [tools.tworay_command(), "run", str(path), "--seed", "1", "--tcp", variant]
        for setting in (f"duration={self.end}s", *settings):
            command += ["--set", setting]
        depends = (tools.tworay_build(), tools.digest(ROOT / path))
        return Job("tworay", (*command, "--out", OUT), depends, 0.7, series_windows)


def kept_cases(text: str) -> list[Case]:
    """Parse the table of the tests."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = [line.split(",") for line in lines[1:]]
    return [
        Case(row[0], row[1], row[2], row[3], row[4], row[5], tuple(map(float, row[6].split())))
        for row in rows
    ]


def sampled_windows(command: tuple[str, ...]) -> Result:
    """Run ns-2; return the windows it prints."""
    return {"windows": read_windows(processes.run(command, may_fail=True))}


def read_windows(output: str) -> list[float]:
    """Parse lines of time and window; ns-2 prints other lines as well."""
    rows = [line.split() for line in output.splitlines()]
    return [float(row[1]) for row in rows if len(row) == 2 and row[0].replace(".", "", 1).isdigit()]


def series_windows(command: tuple[str, ...]) -> Result:
    """Run tworay; return the windows of its time series at the times of the samples."""
    import polars as pl

    with tempfile.TemporaryDirectory(prefix="tworay-peers-") as name:
        directory = Path(name) / "out"
        processes.run([str(directory) if word == OUT else word for word in command])
        series = pl.read_parquet(directory / "series.parquet", columns=["t_s", "cwnd_segments"])
    end = next(float(word[9:-1]) for word in command if word.startswith("duration="))
    return {"windows": sample(series["t_s"].to_list(), series["cwnd_segments"].to_list(), end)}


def sample(times: Sequence[float], windows: Sequence[float], end: float) -> list[float]:
    """Return the window at every sampling time before the end; rows are changes, in order of time."""
    samples: list[float] = []
    row = 0
    while (at := FIRST + STEP * len(samples)) < end:
        while row + 1 < len(times) and times[row + 1] <= at:
            row += 1
        samples.append(windows[row])
    return samples


def difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the largest difference of two series, in segments."""
    if len(ours) != len(theirs):
        return float("inf")
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True))


class Windows:
    """Chapter: the windows of Vegas, Westwood and Reno."""

    def __init__(self) -> None:
        self._cases = kept_cases((ROOT / KEPT).read_text(encoding="utf-8"))

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for case in self._cases:
            yield case.job()
            yield case.ours()

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "Congestion windows of ns-2",
            "within one segment of ns-2's; the figures stored in the tests agree with ns-2 on this machine",
        )
        section.text(
            "Vegas, and Westwood and Reno in TCP-Linux, on a wired bottleneck that drops listed packets or "
            "overflows by itself, sampled every half second. "
            "`cargo test -p tworay-tcp --test all ns2_windows::` compares with the stored figures "
            f"(`{KEPT}`)."
        )
        firsts = {case.variant: case for case in reversed(self._cases)}
        for case in (firsts["vegas"], firsts["westwood"]):
            section.commands(case.job().line, case.ours().line)
        rows = []
        for case in self._cases:
            found, ours = results[case.job()]["windows"], results[case.ours()]["windows"]
            moved = max((abs(a - b) for a, b in zip(found, case.windows, strict=False)), default=0.0)
            same = len(found) == len(case.windows) and moved <= 0.001
            off = difference(ours, found)
            what = (
                f"{case.variant}, {case.rate_kbps} kb/s, {case.delay_ms} ms, queue {case.queue}, "
                f"dropped {case.drops or 'none'}"
            )
            verdict = section.judge(what, {"tworay": off <= TOLERANCE, "stored figures": same})
            rows.append([what, str(len(found)), f"{off:.3f}", f"{moved:.3f}", verdict])
        section.table(["", "samples", "tworay off by, segments", "stored figures off by", ""], rows)
        return section
