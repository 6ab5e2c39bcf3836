"""CUBIC and BBR on a wired bottleneck, compared with ns-3."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies.peers import processes, tools
from studies.peers.jobs import Job, Result, read_json
from studies.peers.places import NS3_WIRED, ROOT, SCENARIOS
from studies.peers.suite import OUT
from studies.peers.verdicts import Sample, Section, deviation, percent, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.peers.jobs import Results
    from studies.peers.plan import Plan

SHARE = 0.05
CUTS = 0.10
STOP, QUICK_STOP = 300, 60
FLOOR = 4.0
"""BBR's window while it measures the round trip, segments."""
APART = 2.0
"""Minimum seconds between two of these periods: within one, ns-3's window moves up and down."""


@dataclass(frozen=True)
class Bottleneck:
    """A bottleneck: rate, delay and queue in packets."""

    rate: str
    delay: str
    queue: int

    @property
    def name(self) -> str:
        """The name in the table."""
        return f"{self.rate}, {self.delay}, {self.queue}"


PATHS = (Bottleneck("10Mbps", "20ms", 50), Bottleneck("10Mbps", "50ms", 100), Bottleneck("4Mbps", "40ms", 40))
DEEP = tuple(Bottleneck(path.rate, path.delay, 1000) for path in PATHS)
"""The same with a queue that BBR's Startup does not fill."""
AS_NS3 = {"cubic": "sack+cubic(friendly=no)", "bbr": "bbr(high_gain=2.89,quantum=1)"}
BY_THE_TEXT = {"cubic": "sack+cubic", "bbr": "bbr"}


class Senders:
    """Chapter: windows, goodput and reductions of one flow."""

    def __init__(self, plan: Plan) -> None:
        self._stop = STOP if plan.name == "full" else QUICK_STOP

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for tcp, path in (*(("cubic", path) for path in PATHS), *(("bbr", path) for path in DEEP + PATHS)):
            yield from self._theirs(tcp, path)
            yield from self._ours(tcp, path, AS_NS3[tcp])
            yield from self._ours(tcp, path, BY_THE_TEXT[tcp])

    def _theirs(self, tcp: str, path: Bottleneck) -> list[Job]:
        options = {"tcp": tcp, "rate": path.rate, "delay": path.delay, "queue": path.queue}
        options |= {"timestamps": int(tcp == "bbr"), "stop": self._stop}
        depends = (tools.ns3_version(), tools.digest(ROOT / NS3_WIRED))
        words = [str(tools.NS3_WIRED_BINARY), *(f"--{name}={value}" for name, value in options.items())]
        return [Job("ns-3", (*words, f"--seed={seed}"), depends, 10.0) for seed in seeds(tcp, path)]

    def _ours(self, tcp: str, path: Bottleneck, variant: str) -> list[Job]:
        scenario = SCENARIOS / "wired.toml"
        settings = {"wire.1.rate": path.rate, "wire.1.delay": path.delay, "wire.1.queue": path.queue}
        settings |= {"tcp.timestamps": "true" if tcp == "bbr" else "false"}
        depends = (tools.tworay_build(), tools.digest(ROOT / scenario))
        jobs = []
        for seed in seeds(tcp, path):
            command = [tools.tworay_command(), "run", str(scenario), "--seed", str(seed), "--tcp", variant]
            for key, value in {**settings, "duration": f"{self._stop}s"}.items():
                command += ["--set", f"{key}={value}"]
            jobs.append(Job("tworay", (*command, "--json", "--out", OUT), depends, 1.0, with_probes))
        return jobs

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(
            "CUBIC and BBR on a wired bottleneck, against ns-3",
            "mean window and goodput within 5 %, reductions within 10 %",
        )
        section.text(
            "One flow over a wired bottleneck with a drop-tail queue, given as rate, delay per direction "
            f"and queue in packets. {self._stop} s, segments of 1460 bytes, selective acknowledgments, one "
            "ACK per segment, minimum RTO 1 s (RFC 6298), an initial slow start threshold of 20 segments. "
            "Time-weighted mean window in segments; goodput in segments. Reductions are fast recoveries "
            "and timeouts. BBR has none: its column counts how often the window falls to four segments "
            "(ProbeRTT).",
            "**What ns-3.37's CUBIC omits of RFC 9438**: the Reno-friendly region (§4.3; the attribute "
            "`TcpFriendliness` came later). `friendly=no` omits it in tworay too, and is judged; the "
            "complete RFC is shown as well. ns-3 counts whole segments (target and ACKs per step are "
            "integers), adds the minimum round trip where the RFC adds the smoothed one (§4.2), and uses "
            "HyStart by default, which the driver turns off.",
            "**How ns-3.37's BBR departs from the draft** "
            "(draft-cardwell-iccrg-bbr-congestion-control-00): a send quantum of one segment at every rate "
            "(§4.2.2 has two from 1.2 Mb/s on), a Startup gain of 2.89, two more segments while it probes "
            "for bandwidth, and an allowance for aggregated ACKs, both from Linux. tworay has settings for "
            "the first two, which are judged; the draft's values are shown as well. BBR runs with "
            "timestamps in both, because without them ns-3.37's stops after some 2000 segments; CUBIC runs "
            "without, because with them ns-3.37's reduces twice as often.",
        )
        section.commands(
            self._theirs("cubic", PATHS[0])[0].line,
            self._ours("cubic", PATHS[0], AS_NS3["cubic"])[0].line,
            self._theirs("bbr", DEEP[0])[0].line,
            self._ours("bbr", DEEP[0], AS_NS3["bbr"])[0].line,
        )
        for tcp, title, paths, judged in (
            ("cubic", "CUBIC", PATHS, True),
            ("bbr", "BBR", DEEP, True),
            ("bbr", "BBR where Startup overflows the queue", PATHS, False),
        ):
            section.text(f"### {title}")
            if judged:
                section.text(f"Judged: `{AS_NS3[tcp]}`. As specified: `{BY_THE_TEXT[tcp]}`.")
            else:
                section.text(
                    "Shown, not judged: after its first losses ns-3.37's BBR sends one segment per timeout "
                    "for the rest of the run with some seeds. The last column has ns-3's timeouts by seed."
                )
            what = "reductions" if tcp == "cubic" else "ProbeRTT"
            header = ["bottleneck", "mean window: ns-3", "tworay", "Δ", "as specified"]
            header += ["goodput: ns-3", "tworay", "Δ", "as specified"]
            header += [f"{what}: ns-3", "tworay", "as specified", "" if judged else "timeouts of ns-3"]
            section.table(header, [self._row(section, results, tcp, path, judged) for path in paths])
        return section

    def _row(self, section: Section, results: Results, tcp: str, path: Bottleneck, judged: bool) -> list[str]:
        jobs = (
            self._theirs(tcp, path),
            self._ours(tcp, path, AS_NS3[tcp]),
            self._ours(tcp, path, BY_THE_TEXT[tcp]),
        )
        figures = [[measured(results[job], tcp) for job in group] for group in jobs]
        windows, acked, cuts = ([Sample(run[i] for run in group) for group in figures] for i in range(3))
        verdicts = {
            "window": within(windows[1], windows[0], SHARE),
            "goodput": within(acked[1], acked[0], SHARE),
            # A difference of one is chance: it depends on where the run ends.
            "reductions": abs(cuts[1].mean - cuts[0].mean) <= max(CUTS * cuts[0].mean, 1.0),
        }
        row = [path.name]
        for name, decimals in ((windows, 1), (acked, 0)):
            theirs, ours, text = name
            row += [theirs.show(decimals), ours.show(decimals), percent(deviation(ours, theirs))]
            row.append(text.show(decimals))
        row += [each.show(0) for each in cuts]
        if not judged:
            return [*row, ", ".join(str(results[job]["timeouts"]) for job in jobs[0])]
        return [*row, section.judge(f"{tcp}, {path.name}", verdicts)]


def seeds(tcp: str, path: Bottleneck) -> tuple[int, ...]:
    """Return the seeds: chance decides only where BBR's cycle begins, and whether ns-3's BBR stalls."""
    return (1, 2) if tcp == "bbr" and path in PATHS else (1,)


def measured(result: Result, tcp: str) -> tuple[float, float, float]:
    """Return mean window, acknowledged segments and reductions of a run, of ns-3 or tworay."""
    flow = result["flows"][0]
    if "acked" in flow:
        cuts = result["probes"] if tcp == "bbr" else result["recoveries"] + result["timeouts"]
        return result["mean_cwnd"], flow["acked"], cuts
    cuts = result["probes"] if tcp == "bbr" else flow["fast_retransmits"] + flow["timeouts"]
    return flow["mean_cwnd_segments"], flow["acked_segments"], cuts


def with_probes(command: tuple[str, ...]) -> Result:
    """Run tworay, and add how often the window fell to BBR's minimum."""
    import polars as pl

    with tempfile.TemporaryDirectory(prefix="tworay-peers-") as name:
        directory = Path(name) / "out"
        words = [str(directory) if word == OUT else word for word in command]
        document: dict[str, Any] = read_json(processes.run(words), command)
        series = pl.read_parquet(directory / "series.parquet", columns=["t_s", "cwnd_segments"])
    times, windows = series["t_s"].to_list(), series["cwnd_segments"].to_list()
    return {**document, "probes": falls(times, windows)}


def falls(times: Sequence[float], windows: Sequence[float]) -> int:
    """Count how often the window falls to BBR's minimum; times closer than ``APART`` count once."""
    found, last = 0, -APART
    for i in range(1, len(windows)):
        if windows[i] <= FLOOR < windows[i - 1]:
            found += times[i] - last > APART
            last = times[i]
    return found
