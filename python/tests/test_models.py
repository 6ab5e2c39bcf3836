"""The closed forms, by hand."""

from __future__ import annotations

import pytest

from tworay.errors import InputError
from tworay.models.freeze_probing import FreezeProbing


def model(cycles: int, periods: int = 0, total: float = 100.0) -> FreezeProbing:
    return FreezeProbing(total, 0.1, cycles, periods, packet_bytes=1000)


@pytest.mark.parametrize(
    ("cycles", "segments", "refined"),
    [
        # 1000 round trips of at most 8 segments.
        (0, 8000, 8000),
        (10, 8000, 8000 - 10 * 8),
        # The window never reaches its limit: 3/2 (1000)^2 / N.
        (250, 6000, 6000),
        (1000, 1500, 1500),
    ],
)
def test_segments_by_number_of_cycles(cycles: int, segments: float, refined: float) -> None:
    assert model(cycles).total_bytes == pytest.approx(1000 * segments)
    assert model(cycles).refined_bytes == pytest.approx(1000 * refined)


def test_the_refined_branches_meet() -> None:
    # At T_a / N = W_max / 2 round trips: 3 N W^2 / 8 segments either way.
    assert model(250).refined_bytes == pytest.approx(1000 * 3 * 250 * 64 / 8)


def test_timer_periods_are_idle() -> None:
    assert model(0, periods=25).total_bytes == pytest.approx(model(0).total_bytes / 2)
    assert model(0, periods=80).total_bytes == 0, "more periods than time"


def test_ratio() -> None:
    assert model(10).ratio(4_000_000) == pytest.approx(2)
    assert model(10).ratio(7_920_000, refined=True) == pytest.approx(1)
    with pytest.raises(InputError, match="nothing was sent"):
        model(10).ratio(0)


@pytest.mark.parametrize("wrong", [{"rtt_seconds": 0}, {"total_seconds": -1}, {"cycles": -1}])
def test_impossible_measurements_are_refused(wrong: dict[str, float]) -> None:
    values = {"total_seconds": 1, "rtt_seconds": 1, "cycles": 1, "periods": 0} | wrong
    with pytest.raises(InputError, match=next(iter(wrong))):
        FreezeProbing(**values)  # type: ignore[arg-type]
