"""The throughput of saturating sources that the wires of their paths carry, and marks in drawings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tworay.papers.wiredcolumns import carried, paths_of
from tworay.showing.drawing import Look, draw

if TYPE_CHECKING:
    from pathlib import Path

WIRES = [(0, 4, "10Mbps"), (1, 4, "10Mbps"), (4, 5, "12Mbps"), (5, 2, "10Mbps"), (5, 3, "1Mbps")]
DUMBBELL: dict[str, list[dict[str, Any]]] = {
    "wire": [{"from": a, "to": b, "rate": rate} for a, b, rate in WIRES],
    "flow": [{"from": 0, "to": 2}, {"from": 1, "to": 3}],
}


def test_a_flow_has_the_rate_of_its_slowest_wire() -> None:
    paths = paths_of(DUMBBELL)
    assert [[wire for wire, _ in path] for path in paths] == [
        [(0, 4), (4, 5), (5, 2)],
        [(1, 4), (4, 5), (5, 3)],
    ]
    assert carried(paths, [60, 60], 60) == pytest.approx(11e6)
    assert carried(paths, [60, 30], 60) == pytest.approx(10.5e6), "the second leaves half way"


def test_flows_share_a_wire_that_is_too_slow_for_all() -> None:
    wires = [wire | ({"rate": "5Mbps"} if wire["from"] == 4 else {}) for wire in DUMBBELL["wire"]]
    assert carried(paths_of(DUMBBELL | {"wire": wires}), [60, 60], 60) == pytest.approx(5e6)


def test_the_compared_value_is_on_the_axis_and_seeds_above_it_are_counted(tmp_path: Path) -> None:
    row = {"speed": "2 m/s", "mean": 2.0, "low": 1.9, "high": 2.1, "n": 3, "values": [1.9, 2.1, 700.0]}
    means = pl.DataFrame([row, row | {"speed": "20 m/s"}])
    look = Look(y="ratio", factor=1.0, log="y", singles=True, reference=1.0, top=10.0)
    figure = draw(means, "ratio", rows="speed", output=tmp_path / "ratio.svg", look=look)
    low, high = figure.axes[0].get_ylim()
    assert low < 1
    assert high == 10
    assert "2 above the axis (up to 700); dashed: 1" in (tmp_path / "ratio.svg").read_text()


def test_each_cell_of_a_logarithmic_axis_has_a_label(tmp_path: Path) -> None:
    rates = ["0.01 %", "0.05 %", "0.1 %", "0.2 %", "0.3 %", "0.4 %"]
    rows = [{"errors": r, "mean": 1.0, "low": 0.9, "high": 1.1, "n": 3, "values": []} for r in rates]
    figure = draw(pl.DataFrame(rows), "x", rows="errors", output=tmp_path / "x.svg", look=Look(log="x"))
    labels = [one.get_text() for one in figure.axes[0].get_xticklabels()]
    assert labels == ["0.01", "0.05", "0.1", "0.2", "0.3", "0.4"]
