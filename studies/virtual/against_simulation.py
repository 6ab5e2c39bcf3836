"""The kernel's controllers beside the simulator's: docs/studies/kernel-against-simulation.md."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from studies.virtual import kept
from studies.virtual.judging import BOUND, difference
from studies.virtual.plan import AS_LINUX, CASES, PAGES, PAIRS
from studies.virtual.running import Arm, compared, completed
from tworay.papers.markdown import listed, prose, table, write
from tworay.running.control import arm_of, is_kernel
from tworay.virtual.controllers import CONTROLLERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studies.virtual.judging import Difference
    from studies.virtual.kept import Kept
    from studies.virtual.plan import Case

PAGE = PAGES / "kernel-against-simulation.md"
RUNS = PAGES / "kernel-against-simulation.csv"
# Retransmissions are a small share of the segments: half a segment in 100 is within, too.
SHARE_BOUND = 0.005


class Measure(NamedTuple):
    """A quantity of the table: its metric, unit, factor to the unit, digits."""

    metric: str
    title: str
    factor: float
    digits: int

    def bound(self, found: Difference) -> float:
        """Return the absolute bound of ``within``."""
        relative = BOUND * abs(found.ours)
        return max(relative, SHARE_BOUND) if self.metric == "retransmission_ratio" else relative

    def text(self, value: float) -> str:
        """Return a value in the unit."""
        return f"{value * self.factor:.{self.digits}f}"


MEASURES = (
    Measure("goodput_bps", "goodput, kb/s", 1e-3, 0),
    Measure("retransmission_ratio", "sent again, %", 100, 2),
    Measure("mean_rtt_seconds", "RTT, ms", 1e3, 0),
)
HOW = """Every pair has the same scenario and seeds, so the same errors and movement. The kernel's TCP
runs in virtual time (`--tcp kernel:NAME`). The simulated sender is `linux` with the controller
of that name: it has the kernel's repair and timers. BBR is simulated with `form=linux`: the
kernel adds room to the draft's window (for bursts of ACKs, at most what the path delivers in
100 ms; even numbers; two segments while it probes). So is CUBIC: the kernel counts whole segments
and clock ticks, and its HyStart ends slow start. Vegas is simulated as Linux has it, a growth
with the repair of `linux`: it doubles the window in every round, judges a round by its shortest RTT,
and keeps 2 to 4 segments in the queue. The simulation's settings follow Linux: {settings}.
A difference is that of the means over the seeds, paired by seed, with its 95 %
interval. *Within* means: the whole interval lies within 5 % of the simulated mean, or, for
segments sent again, within half a segment in 100. *Differs*: no part of it does. *Undecided*:
these seeds cannot tell."""
HEAD = ["kernel", "simulated", *(f"{m.title}: kernel, simulated; difference" for m in MEASURES), "verdict"]


class Row(NamedTuple):
    """A controller in a case: its name, and the difference of each measure."""

    controller: str
    found: list[Difference | None]

    def verdicts(self) -> dict[str, str]:
        """Return the verdict of each measure that both have."""
        pairs = zip(MEASURES, self.found, strict=True)
        return {m.metric: one.verdict(m.bound(one)) for m, one in pairs if one is not None}

    @property
    def verdict(self) -> str:
        """One word for the row: ``differs`` before ``undecided`` before ``within``."""
        every = set(self.verdicts().values())
        return next((word for word in ("differs", "undecided", "within") if word in every), "no data")

    def cells(self) -> list[str]:
        """Return the row of the table."""
        cells = [f"`{self.controller}`", f"`{PAIRS[self.controller]}`"]
        for measure, one in zip(MEASURES, self.found, strict=True):
            if one is None:
                cells.append("–")
                continue
            text = f"{measure.text(one.theirs)}, {measure.text(one.ours)}"
            if one.low is not None and one.high is not None:
                ends = ", ".join(
                    f"{value * measure.factor:+.{measure.digits}f}" for value in (one.low, one.high)
                )
                text += f"; {one.difference * measure.factor:+.{measure.digits}f} ({ends})"
                text += f" {one.verdict(measure.bound(one))}"
            cells.append(text)
        return [*cells, f"**{self.verdict}**" if self.verdict == "differs" else self.verdict]


METRICS = [measure.metric for measure in MEASURES]


def rows(case: str, runs: Kept) -> list[Row]:
    """Return a row for each pair of which both arms have run."""
    made = []
    for controller, ours in PAIRS.items():
        theirs, mine = runs.get((case, arm_of(controller))), runs.get((case, ours))
        if theirs is None or mine is None:
            continue
        differences = [
            difference(
                {seed: values[m.metric] for seed, values in theirs.values.items()},
                {seed: values[m.metric] for seed, values in mine.values.items()},
            )
            for m in MEASURES
        ]
        made.append(Row(controller, differences))
    return made


def run(seeds: int, cases: Iterable[Case] = CASES, jobs: int | None = None) -> Kept:
    """Run all pairs over these cases but what is kept already; return what is kept of all."""
    arms = (
        Arm(
            case.name,
            arm,
            is_kernel(arm),
            partial(
                compared,
                f"against-{case.name}-{arm}",
                case.scenario,
                [arm],
                {**AS_LINUX, **case.settings},
                seeds,
                jobs=jobs,
            ),
        )
        for case in cases
        for controller, ours in PAIRS.items()
        for arm in (ours, arm_of(controller))
    )
    return completed(RUNS, METRICS, seeds, arms)


def page(runs: Kept, about: str, explained: list[str]) -> list[str]:
    """Return the lines of the page."""
    lines = ["# The kernel's controllers beside the simulated ones", ""]
    lines += ["Does a simulated controller do what the kernel's own does over the same air?", ""]
    lines += prose(about)
    listed_settings = ", ".join(f"`{key}={value}`" for key, value in AS_LINUX.items())
    lines += prose(HOW.format(settings=listed_settings))
    lines += prose(f"[Every run's values]({RUNS.name}).")
    words: dict[str, int] = {}
    for case in CASES:
        made = rows(case.name, runs)
        lines += [f"## {case.title[0].upper()}{case.title[1:]}", ""]
        settings = " ".join(f"--set {key}={value}" for key, value in case.settings.items())
        lines += prose(f"`{case.scenario}`, `{settings}`; {kept.made_by(case.name, runs)}.")
        lines += table(HEAD, [row.cells() for row in made])
        for row in made:
            for word in row.verdicts().values():
                words[word] = words.get(word, 0) + 1
    lines += ["## In all", ""]
    lines += prose(
        "Of all figures: " + ", ".join(f"{count} {word}" for word, count in sorted(words.items())) + "."
    )
    if explained:
        lines += listed(explained)
    others = [f"`{name}`" for name in CONTROLLERS if name not in PAIRS]
    lines += prose(f"The simulator has no counterpart of the kernel's {', '.join(others)}.")
    return lines


def write_page(runs: Kept, about: str, explained: list[str]) -> None:
    """Write docs/studies/kernel-against-simulation.md."""
    write(PAGE, page(runs, about, explained))
