"""Series of comparisons as tables and CSV: goodput over time by arm and seed, and what senders saw."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import polars as pl
import pytest

import tworay
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

SECONDS, INTERVALS = 6.0, 60


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("over") / "results"
    arms = {"plain": "reno", "other": "vegas"}
    tworay.compare(
        "string-2", tcp=arms, vary="mac.rts_threshold=0B,3000B", seeds=2, set={"duration": "6s"}, out=out
    )
    return out


def test_goodput_over_time_has_a_row_per_arm_seed_and_interval(place: Path) -> None:
    found = tworay.results(place)
    assert isinstance(found, tworay.Comparison)
    table = found.goodput_over_time()
    assert table.columns == [
        "variant", "tcp", "tcp (variant)", "mac.rts_threshold", "mac.rts_threshold (B)", "seed", "flow",
        "from_s", "to_s", "goodput_bps",
    ]  # fmt: skip
    assert table.height == 4 * 2 * INTERVALS
    assert table["variant"].unique(maintain_order=True).to_list() == found.variants
    assert set(zip(table["tcp"], table["tcp (variant)"], strict=True)) == {
        ("plain", "reno"),
        ("other", "vegas"),
    }
    # Intervals cover the run, and what is acknowledged in them adds up to the last of the series.
    assert (table["from_s"].min(), table["to_s"].max()) == (0.0, SECONDS)
    bits = pl.col("goodput_bps") * (pl.col("to_s") - pl.col("from_s"))
    summed = table.group_by("variant", "seed").agg(bits.sum().alias("bits"))
    acked = found.series.group_by("variant", "seed").agg(pl.col("acked_bytes").max() * 8)
    for row in summed.join(acked, on=["variant", "seed"]).to_dicts():
        assert row["bits"] == pytest.approx(row["acked_bytes"])


def test_a_comparison_and_a_run_are_written_as_csv(place: Path, cli: Cli, tmp_path: Path) -> None:
    printed = cli("show", str(place), "--table", "goodput")
    assert printed.code == 0, printed.err
    read = pl.read_csv(io.StringIO(printed.out), infer_schema_length=None)
    assert read.height == 4 * 2 * INTERVALS
    assert cli("show", str(place), "--table", "series", "--csv", "series.csv").code == 0
    assert {"variant", "seed", "t_s", "cwnd_segments"} <= set(pl.read_csv(tmp_path / "series.csv").columns)
    assert cli("run", "string-2", "--set", "duration=6s", "--out", "one").code == 0
    alone = cli("show", "one", "--table", "goodput")
    assert alone.out.splitlines()[0] == "flow,from_s,to_s,goodput_bps"
    assert len(alone.out.splitlines()) == INTERVALS + 1


def test_tables_that_are_not_there_are_refused(place: Path, cli: Cli) -> None:
    refused = cli("show", str(place), "--table", "serie")
    assert refused.code == 2
    assert "the comparison has no such table; did you mean series? it has" in refused.err
    unkept = tworay.compare("string-2", tcp="reno", seeds=1, set={"duration": "3s"})
    with pytest.raises(InputError, match=r"tworay.compare\(..., out=DIR\)"):
        _ = unkept.series
    with pytest.raises(InputError, match="out=DIR"):
        unkept.goodput_over_time()


def test_a_comparison_that_was_just_made_has_its_series(tmp_path: Path) -> None:
    made = tworay.compare("string-2", tcp="reno", seeds=1, set={"duration": "3s"}, out=tmp_path / "now")
    assert made.goodput_over_time().height == INTERVALS
