"""Results for other programs: means and single runs as CSV, the verdict as a table, axes of numbers."""

from __future__ import annotations

import csv
import io
import math
import os
import shutil
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from conftest import document
from tiny_sweep import TINY, sweep

import tworay
from tworay.arguments import in_python
from tworay.experiment.numbering import with_numbers
from tworay.experiment.store.directory import RUNS
from tworay.showing.reporting import comparison_report
from tworay.showing.text import rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result
    from forking import Forks

    Cli = Callable[..., Result]

GOODPUT = "goodput_bps"


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def compared_once(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compare, and write both files."""
    place = tmp_path_factory.mktemp("exports")
    words = ("--vary", "mac.queue_limit=10,50", "--set", "duration=3s", "--seeds", "3", "--out", "out")
    files = ("--csv", "m.csv", "--long", "l.csv")
    compare = ["compare", "string-2", "--tcp", "reno,vegas", *words, *files]
    result = forks.run(compare, place, os.environ, seconds=120)
    assert result.returncode == 0, result.stderr
    return place


@pytest.fixture
def stored(compared_once: Path, tmp_path: Path) -> str:
    """A copy in the working directory of commands."""
    shutil.copytree(compared_once, tmp_path, dirs_exist_ok=True)
    return "out"


def test_means_and_long_form_agree_with_each_other_and_with_the_document(
    cli: Cli, stored: str, tmp_path: Path
) -> None:
    means, runs = (read((tmp_path / name).read_text(encoding="utf-8")) for name in ("m.csv", "l.csv"))
    document = cli("show", stored, "--json").document
    # In Python the table has the same columns and rows.
    found = tworay.results(tmp_path / stored)
    assert isinstance(found, tworay.Comparison)
    assert found.table.columns == list(means[0])
    assert {"unit", "group"} <= set(means[0])
    assert found.table["group"].to_list() == [row["group"] or None for row in means]
    assert found.table["unit"].to_list() == [row["unit"] or None for row in means]
    assert len(means) == sum(len(cells) for cells in document["variants"].values())
    for row in means:
        # The mean by hand, of the rows of the other file.
        of = [
            float(one["value"])
            for one in runs
            if (one["variant"], one["metric"]) == (row["variant"], row["metric"])
        ]
        assert len(of) == int(row["n"])
        if of:
            assert float(row["mean"]) == pytest.approx(math.fsum(of) / len(of), rel=1e-12)
    assert {(row["tcp"], row["mac.queue_limit"]) for row in runs} == {
        (tcp, limit) for tcp in ("reno", "vegas") for limit in ("10", "50")
    }
    assert {row["seed"] for row in runs} == {"1", "2", "3"}
    assert {row["unit"] for row in runs if row["metric"] == GOODPUT} == {"bit/s"}
    # Stored results give the same bytes, also on standard output, where nothing else may stand.
    assert cli("show", stored, "--csv", "-").out == (tmp_path / "m.csv").read_text(encoding="utf-8")
    assert cli("show", stored, "--long", "-").out == (tmp_path / "l.csv").read_text(encoding="utf-8")
    one = read(cli("show", stored, "--long", "-", "--metrics", GOODPUT).out)
    assert [row["metric"] for row in one] == [GOODPUT] * 12
    assert tworay.results(tmp_path / stored).long.schema["mac.queue_limit"] == pl.Int64  # type: ignore[union-attr]


def test_a_single_run_is_written_by_flow_and_by_metric(cli: Cli) -> None:
    cli("run", "string-2", "--set", "duration=3s", "--out", "one")
    (flow,) = read(cli("show", "one", "--csv", "-").out)
    rows = {row["metric"]: row for row in read(cli("show", "one", "--long", "-").out)}
    assert float(flow[GOODPUT]) == float(rows[GOODPUT]["value"]) > 0
    assert rows[GOODPUT]["scenario"] == "string-2"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--csv", "-", "--json"), "--csv and --json both print; name a file"),
        (("--csv", "-", "--long", "-"), "--csv and --long both print; name a file"),
        (("--csv", "a.csv", "--long", "a.csv"), "--csv and --long both name a.csv"),
        (("--csv", "m.csv"), "m.csv exists already; add --force"),
        (("--csv", "no/m.csv"), "make it first"),
        (("--csv", "-", "--metrics", "goodputt"), "did you mean goodput_bps"),
    ],
)
def test_wrong_exports_are_refused(cli: Cli, stored: str, words: tuple[str, ...], said: str) -> None:
    found = cli("show", stored, *words)
    assert found.code == 2
    assert said in found.err
    assert found.out == ""


def test_what_runs_nothing_exports_nothing(cli: Cli) -> None:
    for option in ("--dry-run", "--slurm"):
        found = cli("compare", "string-2", "--tcp", "reno,vegas", option, "--csv", "m.csv", "--out", "out")
        assert found.code == 2
        assert f"--csv: {option} has no results" in found.err


def test_a_single_run_shows_the_metrics_that_are_asked_for(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "one"
    run = cli("run", "string-2", "--set", "duration=2s", "--out", str(out), "--json")
    shown = cli("show", str(out), "--metrics", "goodput,mac.queue_drops")
    lines = [line.split() for line in shown.out.splitlines()[2:]]
    goodput = run.document["flows"][0]["goodput_bps"]
    assert lines == [["goodput_bps", f"{goodput:,.6g}", "bit/s"], ["mac.queue_drops", "0", "packets"]]
    wrong = cli("show", str(out), "--metrics", "gput")
    assert wrong.code == 2
    assert "there is no metric `gput`; did you mean goodput_bps?" in wrong.err


def test_the_tables_of_a_run_as_csv(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "string-2", "--set", "duration=3s", "--out", "one").code == 0
    series = pl.read_parquet(tmp_path / "one" / "series.parquet")
    printed = cli("show", "one", "--table", "series")
    assert printed.code == 0, printed.err
    assert pl.read_csv(io.StringIO(printed.out), infer_schema_length=None).height == series.height > 10
    assert printed.out.partition("\n")[0] == ",".join(name for name in series.columns if name != "seed")
    assert cli("show", "one", "--table", "series", "--csv", "cwnd.csv").out == ""
    assert (tmp_path / "cwnd.csv").read_text() == printed.out
    refused = cli("show", "one", "--table", "serie")
    assert refused.code == 2
    assert "--table serie: the run has no such table; did you mean series?" in refused.err


def of(arms: dict[str, list[float]]) -> tworay.Comparison:
    result = tworay.Comparison("made", list(arms))
    for arm, values in arms.items():
        for seed, goodput in enumerate(values, 1):
            result.add(arm, seed, document(arm, seed, goodput))
    return result


def test_the_verdict_as_a_table() -> None:
    result = of(
        {
            "slow": [90.0, 91.0, 92.0, 90.5, 91.5, 92.5],
            "fast": [100.0, 101.5, 102.0, 100.5, 101.0, 103.5],
        }
    )
    table = result.verdict()
    assert table["variant"].to_list() == ["fast", "slow"]
    assert table["best"].to_list() == [True, False]
    assert table["group"].to_list() == ["a", "b"]
    # slow - fast by seed: -10, -10.5, -10, -10, -9.5, -11.
    assert table["difference"].to_list() == [None, pytest.approx(-61 / 6)]
    low, high = table["difference_low"][1], table["difference_high"][1]
    assert low < -61 / 6 < high < 0
    assert table["holm_p"][1] < 0.05
    # Three seeds are too few to tell.
    few = of({"slow": [90.0, 91.0, 92.5], "fast": [100.0, 101.5, 102.0]}).verdict()
    assert few["best"].to_list() == [None, None]
    assert few["group"].to_list() == [None, None]
    with pytest.raises(tworay.InputError, match="did you mean goodput_bps"):
        result.verdict("goodputt")


# Arms with equal runs in every seed, arms of which nothing arrived, and too few seeds.
NO_VERDICTS = {
    "gave the same run with every seed": {"slow": [90.0] * 6, "fast": [100.0] * 6},
    "nothing arrived in any run": {"slow": [0.0] * 6, "fast": [0.0] * 6},
    "too few seeds: it takes 5 or more": {"slow": [90.0, 91.0, 92.5], "fast": [100.0, 101.5, 102.0]},
}


@pytest.mark.parametrize("said", NO_VERDICTS)
def test_where_the_command_has_no_verdict_python_has_none(said: str) -> None:
    result = of(NO_VERDICTS[said])
    (first, *_) = result.conclusion()
    assert first.startswith("No verdict"), first
    assert said in first
    # What the command prints first, after the head, with arguments for options.
    assert first in in_python(" ".join(rendered(comparison_report(result), 200).split()))
    table = result.verdict()
    assert table["best"].to_list() == [None, None], table
    assert table["group"].to_list() == [None, None], table


def test_the_conclusion_in_python_is_that_of_the_command() -> None:
    result = of(
        {"slow": [90.0, 91.0, 92.0, 90.5, 91.5, 92.5], "fast": [100.0, 101.5, 102.0, 100.5, 101.0, 103.5]}
    )
    assert result.conclusion()[0].startswith("Best in goodput: fast, by ")
    assert result.conclusion() == result.conclusion("goodput_bps")
    assert result.conclusion("routing.route_changes") == []
    with pytest.raises(tworay.InputError, match="did you mean goodput_bps"):
        result.conclusion("goodputt")


@pytest.mark.parametrize(
    ("labels", "numbers", "kind"),
    [
        (["2", "10"], [2, 10], pl.Int64),
        (["0.5", "1e3"], [0.5, 1000.0], pl.Float64),
        (["2", "10", "auto"], None, None),
        (["007", "8"], None, None),  # A name, not a number: 7 could not be told from 007.
        (["1.0", "1.00"], None, None),  # Two values that would fall together.
        (["aodv", "dsr"], None, None),
    ],
)
def test_an_axis_of_numbers_is_a_column_of_numbers(
    labels: list[str], numbers: list[float] | None, kind: Any
) -> None:
    found = with_numbers(pl.DataFrame({"axis": labels, "seed": list(range(len(labels)))}), ["axis"])
    assert found.columns == ["axis", "seed"]
    assert found["axis"].to_list() == (labels if numbers is None else numbers)
    assert found.schema["axis"] == (kind or pl.String)


def test_an_axis_with_one_unit_gets_a_column_of_numbers_beside_it() -> None:
    frame = pl.DataFrame({"speed": ["2m/s", "10.5m/s"], "wait": ["500ms", "1s"], "limit": ["0B", "7"]})
    found = with_numbers(frame, ["speed", "wait", "limit"])
    # 500ms and 1s would be 500 and 1.
    assert found.columns == ["speed", "speed (m/s)", "wait", "limit"]
    assert found["speed (m/s)"].to_list() == [2.0, 10.5]
    assert found["speed"].to_list() == ["2m/s", "10.5m/s"]


def test_runs_of_a_sweep_have_axes_of_numbers_and_are_still_chosen_by_text(tmp_path: Path) -> None:
    limits = {"mac.queue_limit": [10, 50], "mac.rts_threshold": ["0B", "3000B"]}
    experiment = TINY | {"scenario": "string-2", "seeds": 2, "vary": limits}
    sweep(tmp_path / "out", experiment)
    runs = pl.read_parquet(tmp_path / "out" / RUNS)
    assert runs["mac.queue_limit"].unique().sort().to_list() == [10, 50]
    assert runs["mac.rts_threshold (B)"].unique().sort().to_list() == [0.0, 3000.0]
    results = tworay.Results(tmp_path / "out")
    assert results.runs.equals(runs)
    for value in (10, "10", [10]):
        chosen = results.where({"queue_limit": value})
        assert chosen["mac.queue_limit"].unique().to_list() == [10]
        assert chosen.height == runs.height // 2
    table = results.table(GOODPUT, ["mac.queue_limit", "rts_threshold"], "tcp")
    assert table.height == 8
    # Cells keep the texts: an experiment of before, and one that is resumed, mean the same by them.
    assert pl.read_parquet(tmp_path / "out" / "cells.parquet").schema["mac.queue_limit"] == pl.String


def test_csv_is_not_written_into_files_of_another_format(cli: Cli, stored: str, tmp_path: Path) -> None:
    for option in ("--csv", "--long"):
        refused = cli("show", stored, option, "A.parquet")
        assert (
            refused.code,
            f"{option} A.parquet: this option writes CSV; name it A.csv" in refused.err,
        ) == (
            2,
            True,
        ), refused.err
    refused = cli("show", stored, "--table", "series", "--csv", "s.PARQUET")
    assert (refused.code, "name it s.csv" in refused.err) == (2, True)
    words = ("string-2", "--tcp", "reno,vegas", "--seeds", "1", "--set", "duration=1s", "--out", "d")
    assert cli("compare", *words, "--csv", "m.json").code == 2
    for command in (("costs", "--out", "c.parquet"), ("energy", "--readings", "e.xlsx", "--", "true")):
        refused = cli(*command)
        assert (refused.code, "this option writes CSV" in refused.err) == (2, True), refused.err
    assert not [*tmp_path.glob("*.[pP]*"), *tmp_path.glob("*.json"), *tmp_path.glob("d")]
    # Others name the separator or nothing.
    assert cli("show", stored, "--csv", "means.txt").code == 0
