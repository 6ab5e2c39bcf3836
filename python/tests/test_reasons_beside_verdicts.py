"""Reasons beside a verdict that does not follow from counting cells; t intervals of 5 seeds."""

from __future__ import annotations

import pytest

from tworay.papers.judging import judge_measured
from tworay.papers.library import Claim
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import Judgement, Measured

# Estimate and half width in percent: far above zero, just above it at 95 %, below it, and undecided.
ABOVE, BARELY, BELOW, WIDE = (10.0, 1.0), (10.0, 9.0), (-10.0, 12.0), (2.0, 20.0)


def judged(*cells: tuple[float, float], **how: object) -> Judgement:
    measured = [Measured((str(i),), m, m - half, m + half, 5) for i, (m, half) in enumerate(cells)]
    return judge_measured(Claim("X", "", "", {"gain": "goodput_bps"} | how), measured)


@pytest.mark.parametrize(
    ("cells", "how", "verdict", "reason"),
    [
        # Two of three would do, but for two cells together the half width is 11.3 instead of 9.
        (
            (ABOVE, BARELY, BELOW),
            {"across": "general"},
            Verdict.INCONCLUSIVE,
            "too few cells support it with intervals for 2 cells together",
        ),
        (
            (BARELY, WIDE, WIDE),
            {"across": "some"},
            Verdict.INCONCLUSIVE,
            "too few cells support it with intervals for 3 cells together",
        ),
        # For three cells together the half width is 17.1 instead of 12: the upper end, 7.1, is above δ.
        (
            (ABOVE, ABOVE, BELOW),
            {},
            Verdict.INCONCLUSIVE,
            "too few cells refute it with intervals for 3 cells together",
        ),
        # A range of 20 to 30 %, which +10 ± 1 refutes on its side; the second cell reaches into it.
        (
            (ABOVE, (15.0, 9.0)),
            {"band": [20, 30], "basis": "stated"},
            Verdict.DIRECTION,
            "cells refute the band, on the claimed side of zero",
        ),
        ((ABOVE, ABOVE), {}, Verdict.HOLDS, ""),
        ((ABOVE, (-10.0, 1.0)), {}, Verdict.FAILS, ""),
        ((ABOVE, WIDE), {}, Verdict.INCONCLUSIVE, ""),
    ],
)
def test_a_verdict_says_what_the_numbers_of_cells_do_not(
    cells: tuple[tuple[float, float], ...], how: dict[str, object], verdict: Verdict, reason: str
) -> None:
    found = judged(*cells, **how)
    assert (found.verdict, found.reason) == (verdict, reason)
