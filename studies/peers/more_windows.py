"""Compares the windows of random transfers over a wired bottleneck with those of ns-2."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studies.peers import tools, windows
from studies.peers.jobs import Results

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RATES = (100, 200, 256, 500, 800, 1000, 1500, 2000, 3000, 5000)
DELAYS = (5, 10, 25, 50, 100, 150, 300)
QUEUES = (3, 4, 5, 6, 8, 10, 15, 20, 30, 50)


@dataclass(frozen=True)
class Wanted:
    """The cases to draw."""

    cases: int
    seed: int
    variants: tuple[str, ...]
    rate_kbps: str | None
    """The same for all cases; ``None``: from ``RATES``, or any from 64 to 6000."""
    delay_ms: str | None
    """The same for all cases; ``None``: from ``DELAYS``, or any from 1 to 400."""

    def draw(self) -> Iterator[windows.Case]:
        """Yield the cases: 30 s each, up to 20 losses among the first 1500 packets, but not the SYN."""
        source = random.Random(self.seed)
        for number in range(self.cases):
            variant = self.variants[number % len(self.variants)]
            rate = self.rate_kbps or str(source.choice([*RATES, source.randint(64, 6000)]))
            delay = self.delay_ms or str(source.choice([*DELAYS, source.randint(1, 400)]))
            queue = source.choice(QUEUES)
            losses = source.sample(range(1, 1500), source.randint(0, 20))
            yield windows.Case(variant, rate, delay, str(queue), "30", " ".join(map(str, sorted(losses))), ())


def compare(wanted: Wanted, *, threads: int, table: Path | None) -> bool:
    """Run the cases in both and print those that differ by more than a segment; return whether none does.

    ``table`` receives ns-2's windows in the format of the stored ones.
    """
    tools.install()
    cases = list(wanted.draw())
    results = Results()
    results.do((job for case in cases for job in (case.job(), case.ours())), threads=threads)
    beyond = same = samples = 0
    lines = ["variant,rate_kbps,delay_ms,queue,end,drops,cwnd"]
    for case in cases:
        theirs, ours = results[case.job()]["windows"], results[case.ours()]["windows"]
        off = windows.difference(ours, theirs)
        samples += len(theirs)
        same += off <= windows.SAME
        lines.append(replace(case, windows=tuple(theirs)).line())
        if off > windows.TOLERANCE:
            beyond += 1
            print(f"{off:6.2f} segments: {' '.join(case.arguments)}")
    if table is not None:
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(
        f"{len(cases)} cases, {samples} samples: {same} cases agree within {windows.SAME} segments, "
        f"{beyond} have a sample more than {windows.TOLERANCE:g} off"
    )
    return beyond == 0
