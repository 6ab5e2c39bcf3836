"""docs/studies/performance.md: what the measurements of ``make bench`` say."""

from __future__ import annotations

import datetime
import statistics
from typing import TYPE_CHECKING

from tworay.peers import tools
from tworay.peers.cases import BARE, COMMAND, NS2, NS3, STANDARD
from tworay.peers.verdicts import Section, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tworay.peers.cases import Case, Measured

FASTER = {NS2: 5.0, NS3: 100.0}
"""By which factor tworay shall need less CPU time."""
OPPONENT = {NS2: BARE, NS3: STANDARD}
"""Which of our runs does the work of which peer."""

LABELS = {
    BARE: "tworay, as ns-2",
    COMMAND: "the same by `tworay run`",
    STANDARD: "tworay, standard",
    NS2: "ns-2",
    NS3: "ns-3",
}

Table = dict[str, dict[str, "Measured"]]


def document(cases: Sequence[Case], measured: Table, repeats: int) -> str:
    """Put the document together."""
    sections = [_ratios(cases, measured), *(_case(case, measured[case.name]) for case in cases)]
    lines = [
        "# Performance beside ns-2 and ns-3",
        "",
        "Written by `make bench`; don't edit it, it will be replaced.",
        "",
        f"- Date: {datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}",
        f"- tworay {tools.tworay_version()}, commit {tools.commit()}, release profile",
        f"- ns-2: Debian `ns2` {tools.ns2_version()}",
        f"- ns-3: Debian `libns3-dev` {tools.ns3_version()} (logging compiled in), driver built with -O2",
        f"- Machine: {tools.machine()}",
        "",
        "All simulators run by turns, one process at a time, in one go: first each case once with seed 1, "
        f"then each with seed 2, and so on up to {repeats}. CPU seconds are user + system time of the whole "
        "process, peak memory its largest resident set (`peers/measure.c`). Every number is the median over "
        "n runs.",
        "",
        f'*{LABELS[BARE]}*: `dialect = "ns2"`, a bare binary around the library '
        "(`crates/tworay-sim/examples/run.rs`). "
        f"*{LABELS[COMMAND]}*: with the start of Python, which is in its CPU seconds and its memory. "
        f"*{LABELS[STANDARD]}*: the defaults (`dialect=standard`), the bare binary. ns-2 is "
        "compared with the first of these, ns-3 with the last. All run NewReno over AODV, without SACK "
        "but for the two cases named so: ns-3's NewReno comes with SACK, and without it falls into sending "
        "whole windows again from some seeds on. Among the moving nodes ns-3 delivers next to nothing "
        "between 0 and 1, 4.8 hops apart on average; between 6 and 7, in reach of each other, all do "
        "the same work.",
        "",
        *(section.markdown() for section in sections),
        "## Commands",
        "",
        "```sh",
        *_commands(measured),
        "```",
        "",
    ]
    return "\n".join(lines)


def _ratios(cases: Sequence[Case], measured: Table) -> Section:
    section = Section("Ratios", "")
    section.text(
        "How many times the CPU seconds and the peak memory of tworay the others need. To be reached: "
        "5 times (ns-2), 100 times (ns-3), and not more memory than ns-2. The ratio per segment divides "
        "each side's CPU seconds by the segments that it delivered: where these differ, the work does. "
        "Where one side delivers more than twice what the other does, nothing is judged."
    )
    rows = []
    for case in cases:
        runs = measured[case.name]
        for peer, ours in OPPONENT.items():
            if peer in runs and ours in runs:
                rows.append(_ratio_row(section, case, runs[peer], runs[ours], peer))
    section.table(["case", "against", "CPU", "CPU per segment", "memory", ""], rows)
    return section


def _ratio_row(section: Section, case: Case, theirs: Measured, ours: Measured, peer: str) -> list[str]:
    cpu = _median(theirs.cpu) / _median(ours.cpu)
    memory = _median(theirs.peak) / _median(ours.peak)
    acked = sorted((_median(theirs.acked), _median(ours.acked)))
    if acked[1] > 2 * acked[0]:
        cell = "not the same work"
        return [case.title, peer, f"{cpu:.1f}", "–", f"{memory:.1f}", cell]
    verdicts = {"CPU": cpu >= FASTER[peer]}
    if peer == NS2:
        verdicts["memory"] = memory >= 1
    each = [_median(side.cpu) / max(_median(side.acked), 1) for side in (theirs, ours)]
    per_segment = f"{each[0] / each[1]:.1f}" if min(_median(theirs.acked), _median(ours.acked)) else "–"
    cell = section.judge(f"{case.title}, {peer}", verdicts)
    return [case.title, peer, f"{cpu:.1f}", per_segment, f"{memory:.1f}", cell]


def _case(case: Case, runs: dict[str, Measured]) -> Section:
    section = Section(case.title[0].upper() + case.title[1:], "")
    rows = []
    for name, found in runs.items():
        cpu = _median(found.cpu)
        events = _median(found.events) if found.events else None
        rows.append(
            [
                LABELS[name],
                str(len(found.cpu)),
                seconds(cpu),
                f"{seconds(min(found.cpu))} to {seconds(max(found.cpu))}",
                seconds(_median(found.own_cpu)) if found.own_cpu else "–",
                f"{_median(found.peak) / 2**20:.1f} MiB",
                f"{events / cpu / 1e6:.2f} M" if events else "–",
                f"{_median(found.acked):.0f}",
                f"{_median(found.acked) * case.segment_kbits / case.transfer_seconds:.0f} kb/s",
            ]
        )
    section.table(
        ["", "n", "CPU", "from – to", "run alone", "peak memory", "events/s", "segments", "goodput"], rows
    )
    return section


def _commands(measured: Table) -> Iterator[str]:
    for runs in measured.values():
        for found in runs.values():
            yield found.command


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)
