"""The rule of verdicts on simulated experiments whose true answer is known, and how often it is wrong.

A true gain is set, in percent. Each seed is a world, whose level varies log-normally; the two arms of a pair
have independent noise of a given standard deviation, percent. These values pass the functions that judge
papers (`tworay.papers.judging`). A verdict is *wrong* if it says of the truth what is not so:

- "holds" where the claim is false, or "does not hold" where it is true;
- "holds in direction" where the true difference is not on the claimed side of zero.

"Inconclusive" is never wrong, only of no use; its share is given beside. "In direction" of a true claim is
not wrong: it says less than could be said.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tworay.analysis.contrasts import difference
from tworay.papers.judging import judge_measured
from tworay.papers.library import Claim
from tworay.papers.markdown import prose, table, write
from tworay.papers.rule import MARGIN, Verdict
from tworay.papers.verdicts import RULE, Measured

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FILE = "how-claims-are-judged.md"
SEED = 1
EXPERIMENTS = 500
# Spread of the worlds' levels, standard deviation of the logarithm.
WORLDS = 0.3


@dataclass(frozen=True)
class Case:
    """A kind of claim, a truth for each of its cells (percent), and what is so."""

    kind: str
    how: dict[str, Any]
    truths: tuple[float, ...]
    holds: bool
    side: bool
    """True if the true difference is on the claimed side of zero in every cell."""


@dataclass(frozen=True)
class Tally:
    """The verdicts on the experiments of a case."""

    case: Case
    noise: float
    seeds: int
    counts: Counter[Verdict]

    def share(self, verdict: Verdict) -> float:
        """Return the share of a verdict, 0 to 1."""
        return self.counts[verdict] / self.counts.total()

    @property
    def wrong(self) -> float:
        """The share of verdicts that say what is not so, 0 to 1."""
        wrong = self.share(Verdict.FAILS) if self.case.holds else self.share(Verdict.HOLDS)
        return wrong + (0.0 if self.case.side else self.share(Verdict.DIRECTION))


MORE: dict[str, Any] = {"gain": "", "band": "more"}
EQUAL: dict[str, Any] = {"gain": "", "band": "alike"}
BAND: dict[str, Any] = {"gain": "", "band": [5, 15], "basis": "stated", "error": 0}
CASES = (
    *(
        Case("more", MORE, (truth,), truth >= MARGIN, truth > 0)
        for truth in (-5.0, 0.0, 2.5, 5.0, 10.0, 20.0)
    ),
    *(Case("equal", EQUAL, (truth,), truth <= MARGIN, truth > 0) for truth in (0.0, 2.5, 5.0, 7.5, 15.0)),
    *(
        Case("5 to 15 % more", BAND, (truth,), 5 <= truth <= 15, truth > 0)
        for truth in (-5.0, 0.0, 2.5, 5.0, 10.0, 20.0)
    ),
    Case("more in each of 5 cells", MORE, (10.0,) * 5, True, True),
    Case("more in each of 5 cells", MORE, (5.0,) * 5, True, True),
    Case("more in each of 5 cells", MORE, (10.0,) * 4 + (0.0,), False, False),
    Case("more in each of 5 cells", MORE, (0.0,) * 5, False, False),
    Case("more in some of 5 cells", MORE | {"across": "some"}, (0.0,) * 5, False, False),
    Case("more in some of 5 cells", MORE | {"across": "some"}, (20.0,) + (0.0,) * 4, True, True),
    Case("more in general, 5 cells", MORE | {"across": "general"}, (10.0,) * 3 + (0.0,) * 2, True, True),
    Case("more in general, 5 cells", MORE | {"across": "general"}, (10.0,) * 2 + (0.0,) * 3, False, False),
    Case("equal in each of 5 cells", EQUAL, (0.0,) * 5, True, True),
    Case("equal in each of 5 cells", EQUAL, (0.0,) * 4 + (7.5,), False, True),
    Case("5 to 15 % more in each of 5 cells", BAND, (10.0,) * 5, True, True),
    Case("5 to 15 % more in each of 5 cells", BAND, (10.0,) * 4 + (40.0,), False, True),
    Case("5 to 15 % more in each of 5 cells", BAND, (10.0,) * 3 + (40.0, 0.0), False, False),
)
# Standard deviation of the noise of an arm, percent, and number of seeds.
SIZES = ((5.0, 10), (5.0, 50), (20.0, 10), (20.0, 50))


def measured(draw: np.random.Generator, truth: float, noise: float, seeds: int) -> Measured:
    """Simulate a cell: the paired difference of two arms over common worlds."""
    worlds = np.exp(WORLDS * draw.standard_normal(seeds))
    arms = worlds * (1 + noise / 100 * draw.standard_normal((2, seeds)))
    new, old = (1 + truth / 100) * arms[0], arms[1]
    row = difference(dict(enumerate(new.tolist())), dict(enumerate(old.tolist())))
    return Measured((), row["percent"], row["percent_low"], row["percent_high"], seeds)


def tally(case: Case, noise: float, seeds: int, experiments: int = EXPERIMENTS) -> Tally:
    """Judge a case in many simulated experiments, which are the same at each call."""
    draw = np.random.default_rng([SEED, CASES.index(case), int(noise), seeds])
    claim = Claim("", "", "", case.how)
    counts = Counter(
        judge_measured(claim, [measured(draw, truth, noise, seeds) for truth in case.truths]).verdict
        for _ in range(experiments)
    )
    return Tally(case, noise, seeds, counts)


def coverage(noise: float, seeds: int, experiments: int = EXPERIMENTS) -> float:
    """Return the share of 95 % intervals of a difference that contain a true one of 10 %."""
    draw = np.random.default_rng([SEED, len(CASES), int(noise), seeds])
    found = [measured(draw, 10.0, noise, seeds) for _ in range(experiments)]
    return float(np.mean([one.low is not None and one.low <= 10.0 <= (one.high or 0) for one in found]))


def page(folder: Path) -> None:
    """Write the page on the rule: its words, and how often it is wrong."""
    lines = ["# How claims are judged", "", *prose(INTRODUCTION), "## The rule", "", *prose(RULE)]
    lines += ["## How often it is wrong", "", *prose(BED)]
    head = ["claim", "truth", "noise", "seeds", *SHOWN, "wrong"]
    rows = [_row(tally(case, *size)) for case in CASES for size in SIZES]
    lines += table(head, rows)
    lines += prose(READ)
    lines += prose(" ".join(_coverage(*size) for size in SIZES))
    write(folder / FILE, lines)


SHOWN = (Verdict.HOLDS, Verdict.DIRECTION, Verdict.INCONCLUSIVE, Verdict.FAILS)
INTRODUCTION = (
    "What makes a claim of a paper hold here? Made by `tworay reproduce --stored docs/studies --pages "
    "docs/studies`, as the pages of the papers."
)
BED = (
    f"Each line has {EXPERIMENTS} simulated experiments with a known truth: worlds whose levels vary by "
    "30 %, and two arms with independent noise (standard deviation in percent of the level). A verdict is "
    "wrong if it says what is not so: *holds* of a false claim, *does not hold* of a true one, *in "
    "direction* where the true difference is not on the claimed side. *Inconclusive* is never wrong."
)
READ = (
    "With intervals of 95 % a verdict on one cell is wrong in about 2.5 % of the experiments if the truth "
    "lies on a limit of the rule, and more seldom elsewhere, with one exception: a true difference between "
    'zero and δ is called "more" where the estimate happens to reach δ (truth +2.5 %: up to one in ten with '
    "few seeds). A claim about every cell needs no correction to hold. A single cell refutes it; with "
    "intervals of 95 % for each, one of five cells whose truth is exactly δ would be found below it in one "
    "experiment of seven. So the refuting cell's interval has level 1 − 0.05/k, as Holm's procedure has for "
    "its first test. The price: a claim that is false in one noisy cell of several is found to be so more "
    "seldom. The intervals of very noisy cells are slightly too narrow, because they take the mean of the "
    "second arm as known."
)


def _row(found: Tally) -> list[str]:
    truths = ", ".join(
        f"{n} × {truth:+g} %" if n > 1 else f"{truth:+g} %" for truth, n in _runs(found.case.truths)
    )
    shares = [f"{100 * found.share(verdict):.1f} %" for verdict in SHOWN]
    return [
        found.case.kind,
        truths,
        f"{found.noise:g} %",
        str(found.seeds),
        *shares,
        f"{100 * found.wrong:.1f} %",
    ]


def _runs(truths: Sequence[float]) -> list[tuple[float, int]]:
    return list(Counter(truths).items())


def _coverage(noise: float, seeds: int) -> str:
    share = coverage(noise, seeds)
    return (
        f"With noise of {noise:g} % and {seeds} seeds {100 * share:.1f} % of the intervals contain the truth."
    )
