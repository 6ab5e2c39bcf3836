"""Rates and aggregates of links, as a record of 802.11n has them: table, page and plots."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

import tworay
from tworay.errors import InputError
from tworay.report.commands import Again
from tworay.report.runpage import run_page

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.running.run import Run

SET = {
    "radio.preset": "n20",
    "radio.rate": "fixed",
    "radio.mcs": 3,
    "topology.spacing": "50m",
    "routing.protocol": "static",
    "routing.longest_hop": "60m",
    "duration": "3s",
}


@pytest.fixture(scope="module")
def recorded() -> Run:
    """A string of two hops at MCS 3, recorded."""
    return tworay.run("string-2", set=SET, record=True)


def test_the_table_has_every_transmission_with_its_rate(recorded: Run) -> None:
    """MCS 3 in 20 MHz: 104 bits in 4 µs. The MAC counts each frame of an aggregate."""
    rates = recorded.tables["rates"]
    assert set(rates["rate_bps"]) == {26_000_000}
    assert (set(rates["mcs"]), set(rates["streams"])) == ({3}, {1})
    assert {(0, 1), (1, 2), (1, 0), (2, 1)} >= set(rates.select("from", "to").rows()) >= {(0, 1), (1, 2)}
    assert rates["packets"].sum() == recorded.summary["mac"]["sent"]["data"]
    # (5,484 - 36) / 4 = 1,362 symbols of 104 bits, less 22 bits, are 17,703 B. The data segments (1,040 B of
    # IP and TCP and 38 of the MAC) take 1,084 B each: 16 of them, and more of the ACKs.
    assert 1 < rates.filter(pl.col("from") < pl.col("to"))["packets"].max() <= 16
    assert rates["t_s"].is_sorted()


def test_without_aggregates_every_transmission_has_one_packet() -> None:
    """802.11g has neither MCS nor aggregates."""
    found = tworay.run(
        "string-2", set={"radio.preset": "g", "topology.spacing": "50m", "duration": "2s"}, record=True
    )
    rates = found.tables["rates"]
    assert set(rates["packets"]) == {1}
    assert rates["mcs"].null_count() == rates.height
    assert rates["packets"].sum() == found.summary["mac"]["sent"]["data"]


def test_the_radio_of_2003_has_no_such_table() -> None:
    assert "rates" not in tworay.run("string-2", set={"duration": "2s"}, record=True).tables


def test_plots_have_a_line_for_each_link(recorded: Run, tmp_path: Path) -> None:
    axes = tworay.plot(recorded, "rate", tmp_path / "rate.svg").axes[0]
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    assert {"0→1", "1→2"} <= set(lines)
    assert all(value == 26.0 for line in lines.values() for value in line.get_ydata())
    sizes = tworay.plot(recorded, "aggregates").axes[0]
    most = max(float(value) for line in sizes.get_lines() for value in line.get_ydata())
    assert most == recorded.tables["rates"]["packets"].max()


@pytest.mark.parametrize("what", ["rate", "aggregates"])
def test_what_has_no_rates_says_how_to_get_them(what: str) -> None:
    plain = tworay.run("string-2", set={"duration": "2s"})
    with pytest.raises(InputError, match="record=True"):
        tworay.plot(plain, what)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no flow"):
        tworay.plot(plain, what, flow=0)  # type: ignore[arg-type]


def test_the_page_plots_the_links_below_the_queues(recorded: Run) -> None:
    page = run_page(recorded, Again("tworay run"))
    found = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    titles = [strip["title"] for strip in data["strips"]]
    assert titles.index("Rate 0 → 1") > titles.index("Queue of node 0")
    strip = next(one for one in data["strips"] if one["title"] == "Aggregates 1 → 2")
    assert (strip["unit"], strip["column"]) == ("frames", "frames")
    assert strip["levels"][0]["rows"] > 10
