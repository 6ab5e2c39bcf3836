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
        (("--table", "goodput", "--intervals", "0"), "--intervals 0: give a whole number from 1 to 1000000"),
        (("--table", "goodput", "--intervals", "2.5"), "--intervals 2.5: give a whole number"),
        (("--table", "goodput", "--every", "0.5"), "--every 0.5: give a time above 0 with its unit"),
        (("--table", "goodput", "--every", "0s"), "--every 0s: give a time above 0"),
        (("--table", "goodput", "--every", "1ns"), "6000000000 of these intervals, at most 1000000"),
        (
            ("--table", "goodput", "--every", "1s", "--intervals", "5"),
            "--intervals 5 and --every 1s: both give a width; leave one out",
        ),
        (("--table", "series", "--intervals", "5"), "the table series has none; it is for --table goodput"),
        (("--table", "series", "--every", "5s"), "the table series has none; it is for --table goodput"),
        (("--intervals", "5"), "--intervals 5: add --table goodput"),
        (("--every", "5s"), "--every 5s: add --table goodput"),
    ):
        refused = cli("show", str(place), *words)
        assert (refused.code, said in " ".join(refused.err.split())) == (2, True), refused.err


def test_a_width_in_place_of_a_number(place: Path, cli: Cli, tmp_path: Path) -> None:
    """Intervals of 2.5 s in a run of 6 s: the third lasts 1 s."""
    done = cli("show", str(place), "--table", "goodput", "--every", "2500ms", "--csv", "wide.csv")
    assert done.code == 0, done.err
    wide = pl.read_csv(tmp_path / "wide.csv").filter(pl.col("variant") == "plain mac.rts_threshold=0B")
    wide = wide.filter(pl.col("seed") == 1)
    assert list(wide.select("from_s", "to_s").iter_rows()) == [(0, 2.5), (2.5, 5), (5, 6)]
    found = tworay.results(place)
    assert isinstance(found, tworay.Comparison)
    # Each has its own width: what is acknowledged in them adds up to what the series has at the end.
    series = found.series.filter((pl.col("variant") == wide["variant"][0]) & (pl.col("seed") == 1))
    bits = (wide["acknowledged_bps"] * (wide["to_s"] - wide["from_s"])).sum()
    assert bits == pytest.approx(series["acked_bytes"].max() * 8)
    # A width that divides the run is that number of intervals, also where 0.1 + 0.2 is not 0.3.
    tenths = found.goodput_over_time(every=0.1)
    assert tenths["to_s"].unique().sort().to_list() == [(k + 1) / 10 for k in range(60)]
    assert tenths["acknowledged_bps"].sum() == pytest.approx(
        found.goodput_over_time(60)["acknowledged_bps"].sum()
    )
    with pytest.raises(InputError, match=r"^intervals=5 and every=1.0: both give a width"):
        found.goodput_over_time(5, every=1.0)
    with pytest.raises(InputError, match=r"^intervals=2.5: give a whole number"):
        found.goodput_over_time(2.5)  # type: ignore[arg-type]


def test_plots_have_the_same_choice(place: Path, cli: Cli, tmp_path: Path) -> None:
    run = tworay.run("string-2", set={"duration": "6s"})
    for drawn in (tworay.plot(run, "goodput", every="2s"), tworay.plot(place, "goodput", intervals=3)):
        (stairs, *_) = [one for one in drawn.axes[0].patches if hasattr(one, "get_data")]
        assert list(stairs.get_data().edges) == [0, 2, 4, 6]
    with pytest.raises(InputError, match=r"^every=2: cwnd adds nothing up over time"):
        tworay.plot(run, "cwnd", every=2)
    assert cli("plot", str(place), "goodput", "--every", "0.5s", "-o", "goodput.svg").code == 0
    both = cli("plot", str(place), "goodput", "--every", "0.5s", "--intervals", "3", "-o", "both.svg")
    assert (both.code, "leave one out" in both.err) == (2, True)
    refused = cli("plot", str(place), "box", "--intervals", "3", "-o", "box.svg")
    assert (refused.code, "--intervals 3: box adds nothing up" in refused.err) == (2, True)
    assert not (tmp_path / "box.svg").exists()


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
