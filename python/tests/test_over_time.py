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
        "from_s", "to_s", "acknowledged_bps",
    ]  # fmt: skip
    assert table.height == 4 * 2 * INTERVALS
    assert table["variant"].unique(maintain_order=True).to_list() == found.variants
    assert set(zip(table["tcp"], table["tcp (variant)"], strict=True)) == {
        ("plain", "reno"),
        ("other", "vegas"),
    }
    # Intervals cover the run, and what is acknowledged in them adds up to the last of the series.
    assert (table["from_s"].min(), table["to_s"].max()) == (0.0, SECONDS)
    bits = pl.col("acknowledged_bps") * (pl.col("to_s") - pl.col("from_s"))
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
    assert alone.out.splitlines()[0] == "flow,from_s,to_s,acknowledged_bps"
    assert len(alone.out.splitlines()) == INTERVALS + 1


def test_the_shell_chooses_the_intervals_as_python_does(place: Path, cli: Cli, tmp_path: Path) -> None:
    """Bins of half a second: 12 of a run of 6 s."""
    done = cli("show", str(place), "--table", "goodput", "--intervals", "12", "--csv", "halves.csv")
    assert done.code == 0, done.err
    halves = pl.read_csv(tmp_path / "halves.csv")
    assert halves["to_s"].unique().sort().to_list() == [0.5 * (k + 1) for k in range(12)]
    assert halves.height == 4 * 2 * 12
    found = tworay.results(place)
    assert isinstance(found, tworay.Comparison)
    assert halves["acknowledged_bps"].to_list() == found.goodput_over_time(12)["acknowledged_bps"].to_list()
    for words, said in (
        (("--table", "goodput", "--intervals", "0"), "intervals: 0 is not in 1 to 1000000"),
        (("--table", "series", "--intervals", "5"), "the table series has none; it is for --table goodput"),
        (("--intervals", "5"), "--intervals 5: add --table goodput"),
    ):
        refused = cli("show", str(place), *words)
        assert (refused.code, said in " ".join(refused.err.split())) == (2, True), refused.err


def test_what_senders_know_is_called_so() -> None:
    """One segment is lost on a wire of 1 Mb/s: what waited for it is acknowledged at once, above the rate."""
    text = (
        'duration = "10s"\nrouting.protocol = "static"\n[[wire]]\nfrom = 0\nto = 1\nrate = "1Mbps"\n'
        'delay = "200ms"\nqueue = 100\ndrops = [40]\n[[flow]]\nfrom = 0\nto = 1\n'
    )
    run = tworay.run(tworay.Scenario.from_toml(text, "t.toml", ""))
    over = run.goodput_over_time(100)
    assert max(over["acknowledged_bps"]) > 1e6
    axes = tworay.plot(run, "goodput").axes[0]
    assert axes.get_ylabel() == "acknowledged data, kb/s"
    assert "acknowledged data over time" in run._repr_html_()


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
