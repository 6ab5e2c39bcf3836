"""Moving nodes: ns-2 and tworay on the same movement files."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from studies.peers.movement import Waypoints
from studies.peers.simulators import Value, acked, ns2, tworay
from studies.peers.strings import sample
from studies.peers.verdicts import (
    Judging,
    Sample,
    Section,
    deviation,
    percent,
    rank_correlation,
    within,
)
from tworay.analysis.stats import mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.peers.jobs import Job, Results
    from studies.peers.plan import Plan

SHARE = {"aodv": 0.15, "dsr": 0.30}
RANKS = 0.8
"""Lower bound of the rank correlation of the files."""
SECONDS = 300
BOUNDS = {
    "aodv": "mean over the files within 15 %; rank correlation of the files above 0.8; the files in the "
    "same order where ns-2's intervals determine it",
    "dsr": "mean over the files within 30 %; the files in the same order where ns-2's intervals determine it",
}


class Moving:
    """Chapter: NewReno among 50 nodes in a strip, over one routing protocol."""

    def __init__(self, plan: Plan, routing: str) -> None:
        self._plan = plan
        self._routing = routing
        self._files = {
            f"{speed} m/s, file {seed}": Waypoints(SECONDS, speed, seed).write()
            for speed, seed in plan.moving
        }

    def jobs(self) -> Iterator[Job]:
        """Yield all runs that the chapter needs."""
        for name in self._files:
            yield from self._theirs(name)
            yield from self._ours(name)

    def _theirs(self, name: str) -> list[Job]:
        path = str(self._files[name])
        options: dict[str, Value] = {"movement": path, "flows": "0-1", "stop": SECONDS}
        if self._routing != "aodv":
            options["routing"] = self._routing
        return [
            ns2({**options, "seed": seed}, weight=4.0)
            for seed in self._plan.seed_range(self._plan.moving_seeds)
        ]

    def _ours(self, name: str) -> list[Job]:
        seeds = self._plan.seed_range()
        settings: dict[str, Value] = {}
        if self._routing != "aodv":
            settings["routing.protocol"] = self._routing
        return [
            tworay("moving", seed, settings=settings, movement=self._files[name], weight=1.5)
            for seed in seeds
        ]

    def section(self, results: Results) -> Section:
        """Return the chapter."""
        section = Section(f"Movement files over {self._routing.upper()}, against ns-2", BOUNDS[self._routing])
        section.text(
            "50 nodes in 1500 m × 300 m, random waypoint without pause, speeds from 1 m/s to the "
            "one given; one "
            f"NewReno flow over {self._routing.upper()} for {SECONDS - 1} s. Segments acknowledged: "
            "mean ± standard deviation over "
            f"{self._plan.moving_seeds} seeds of ns-2 and {self._plan.seeds} of tworay on the same file; "
            "the intervals are ns-2's 95 % intervals."
        )
        first = next(iter(self._files))
        section.commands(self._theirs(first)[0].line, self._ours(first)[0].line)
        theirs = {name: sample(results, self._theirs(name), acked) for name in self._files}
        ours = {name: sample(results, self._ours(name), acked) for name in self._files}
        section.table(
            ["file", "ns-2", "interval", "tworay", "Δ"],
            [
                [
                    name,
                    theirs[name].show(),
                    _interval(theirs[name]),
                    ours[name].show(),
                    percent(deviation(ours[name], theirs[name])),
                ]
                for name in self._files
            ],
        )
        self._mean(section, theirs, ours)
        self._ranks(section, theirs, ours)
        self._order(section, theirs, ours)
        return section

    def _mean(self, section: Section, theirs: dict[str, Sample], ours: dict[str, Sample]) -> None:
        their_mean, our_mean = over_files(theirs), over_files(ours)
        off = percent(deviation(our_mean, their_mean))
        share = SHARE[self._routing]
        cell = section.judge(
            "mean over the files", {"goodput": within(our_mean, their_mean, share, self._plan.judging)}
        )
        section.text(f"Mean over the files: {their_mean.mean:.0f} → {our_mean.mean:.0f}, {off}: {cell}.")

    def _ranks(self, section: Section, theirs: dict[str, Sample], ours: dict[str, Sample]) -> None:
        found = rank_correlation([theirs[f].mean for f in self._files], [ours[f].mean for f in self._files])
        text = f"Rank correlation of the files (Spearman): {found:.2f}"
        if self._routing == "aodv" and self._plan.judging is Judging.MEANS:
            cell = section.judge("rank correlation of the files", {"order": found > RANKS})
            text = f"{text}, more than {RANKS:.1f}: {cell}"
        section.text(f"{text}.")

    def _order(self, section: Section, theirs: dict[str, Sample], ours: dict[str, Sample]) -> None:
        sure, turned = 0, []
        for a, b in combinations(self._files, 2):
            if not apart(theirs[a], theirs[b]):
                continue
            sure += 1
            agrees = (theirs[a].mean > theirs[b].mean) == (ours[a].mean > ours[b].mean)
            if self._plan.judging is Judging.INTERVALS:
                agrees |= not apart(ours[a], ours[b])
            section.judge(f"{a} against {b}", {"order": agrees})
            if not agrees:
                turned.append(f"{a} / {b}")
        kept = sure - len(turned)
        text = (
            f"Pairs of files whose order ns-2's intervals determine: {sure}; in the same order here: {kept}."
        )
        section.text(f"{text} In the opposite order: {', '.join(turned)}." if turned else text)


def over_files(samples: dict[str, Sample]) -> Sample:
    """Return the mean over the files for each seed; its spread is the uncertainty of the mean."""
    by_seed = zip(*(each.values for each in samples.values()), strict=True)
    return Sample(mean(values) or 0.0 for values in by_seed)


def apart(one: Sample, other: Sample) -> bool:
    """Return whether the 95 % intervals of two means do not overlap."""
    a, b = one.interval, other.interval
    return a is not None and b is not None and (a.low > b.high or b.low > a.high)


def _interval(sample_: Sample) -> str:
    interval = sample_.interval
    return f"{interval.low:.0f} to {interval.high:.0f}" if interval else "–"
