"""The studies of virtual time: paired differences, what counts as equal, and their tables."""

from __future__ import annotations

from typing import Any

import pytest

from studies.virtual import against_simulation
from studies.virtual.against_simulation import MEASURES, rows
from studies.virtual.judging import difference


def test_a_difference_is_paired_by_seed() -> None:
    # Seed 4 is the kernel's only. Differences are 2, 4, 6: mean 4, deviation 2; t(0.975, 2) = 4.3027.
    found = difference({1: 12.0, 2: 24.0, 3: 36.0, 4: 99.0}, {1: 10.0, 2: 20.0, 3: 30.0, 5: 7.0})
    assert found is not None
    assert (found.seeds, found.ours, found.theirs, found.difference) == (3, 20.0, 24.0, 4.0)
    half = 4.3027 * 2 / 3**0.5
    assert (found.low, found.high) == (pytest.approx(4 - half, rel=1e-4), pytest.approx(4 + half, rel=1e-4))
    share, low, high = found.relative
    assert (share, low, high) == (0.2, found.low / 20, found.high / 20)


def test_without_a_common_seed_or_value_there_is_none() -> None:
    assert difference({1: 1.0}, {2: 1.0}) is None
    assert difference({1: None}, {1: 1.0}) is None


@pytest.mark.parametrize(
    ("theirs", "verdict"),
    [
        # Of 100, with a deviation of 0.1: within 5. All above: differs. Wide: undecided.
        ({1: 101.0, 2: 101.1, 3: 101.2}, "within"),
        ({1: 109.0, 2: 109.1, 3: 109.2}, "differs"),
        ({1: 91.0, 2: 91.1, 3: 91.2}, "differs"),
        ({1: 95.0, 2: 100.0, 3: 105.0}, "undecided"),
        ({1: 101.0}, "undecided"),
    ],
)
def test_within_needs_the_whole_interval(theirs: dict[int, float | None], verdict: str) -> None:
    found = difference(theirs, dict.fromkeys(theirs, 100.0))
    assert found is not None
    assert found.verdict(5.0) == verdict


class Stored:
    """Stands for a comparison: values by arm and seed."""

    def __init__(self, values: dict[str, dict[int, dict[str, float]]]) -> None:
        self._values = values
        self.seeds = [1, 2, 3]

    def values(self, arm: str) -> dict[int, dict[str, float]]:
        return self._values.get(arm, {})


def runs(goodput: float, share: float, rtt: float) -> dict[int, dict[str, float]]:
    names = [measure.metric for measure in MEASURES]
    wave = {1: -0.01, 2: 0.0, 3: 0.01}
    return {
        seed: dict(zip(names, (goodput, share, rtt * (1 + by)), strict=True)) for seed, by in wave.items()
    }


def test_a_row_has_the_verdict_of_its_worst_measure() -> None:
    # Goodput 10 % above: differs. 0.2 and 0.5 % of the segments are sent again: that is within half
    # a segment in 100. Round trips are equal.
    found: Any = Stored({"kernel:reno": runs(330e3, 0.005, 0.1), "linux": runs(300e3, 0.002, 0.1)})
    (row,) = rows(found)
    assert row.controller == "reno"
    assert row.verdicts() == {
        "goodput_bps": "differs", "retransmission_ratio": "within", "mean_rtt_seconds": "within",
    }  # fmt: skip
    cells = row.cells()
    assert cells[2] == "330, 300; +30 (+30, +30) differs"
    assert cells[-1] == "**differs**"


def test_the_page_counts_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    same = runs(300e3, 0.002, 0.1)
    found: Any = Stored({"kernel:reno": same, "linux": same})
    lines = against_simulation.page([(against_simulation.CASES[0], found)], "Made by hand.", ["Because."])
    assert "Of all figures: 3 within." in lines
    assert "- Because." in lines
    assert any("`yeah`, `illinois`" in line or "`illinois`." in line for line in lines)
