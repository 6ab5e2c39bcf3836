"""Two runs on one axis in a real browser: arms of a comparison, and runs beside each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl
import pytest
from playwright.sync_api import expect
from report_browser import Opened, rows_of

import tworay
from tworay.errors import InputError
from tworay.experiment.store.reading import run_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result
    from playwright.sync_api import Browser, Page

SETTINGS = {"duration": "25s"}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Run a flow whose relay fails at 20 s, and another sender elsewhere, which ends before that."""
    place = tmp_path_factory.mktemp("two")
    tworay.run("link-failure", set=SETTINGS, out=place / "before")
    tworay.run("string-4", tcp="vegas", set={"duration": "12s"}, out=place / "after")
    return place / "before", place / "after"


def state_at(series: pl.DataFrame, t: float, column: str) -> float | None:
    """Return what a series says of a moment; nothing before its first row, and where it has no value."""
    known = series.filter(pl.col("t_s") <= t + 5e-7)
    value = None if known.is_empty() else known[column][-1]
    return None if value is None else float(value)


def drawn(page: Page, plot: str) -> list[list[str]]:
    """Return the rows of a plot's file."""
    with page.expect_download() as saved:
        page.locator(f"#{plot}").get_by_role("button", name="CSV").click()
    return rows_of(saved.value)


def counts(run: tworay.Run) -> tuple[int, int]:
    """Return how many segments of data were lost, and how many were sent again."""
    lost = run.tables["ledger"].filter((pl.col("flow") == 0) & (pl.col("kind") == "data")).height
    return lost, run.tables["retransmissions"].filter(pl.col("flow") == 0).height


def test_two_runs_share_an_axis(browser: Browser, two: tuple[Path, Path]) -> None:
    before, after = two
    page_file = tworay.write_report(before, against=[after])
    assert page_file == before / "report-with-after.html"
    series = [tworay.results(place).tables["series"] for place in two]
    with Opened(browser, page_file) as opened:
        page = opened.page
        for panel in ("#sequence", "#window", "#rtt"):
            assert opened.pixels(f"{panel} canvas") > 3, panel
        for plot, column, scale in (
            ("window", "cwnd_segments", 1.0),
            ("rtt", "srtt_s", 1.0),
            ("sequence", "acked_bytes", 1e-3),
        ):
            head, *rows = drawn(page, plot)
            assert [name.split(",")[0] for name in head] == ["t", "before", "after"]
            assert len(rows) > 100
            for row in rows[:: len(rows) // 50]:
                t = float(row[0])
                for place, (run, end) in enumerate(zip(series, (25.0, 12.0), strict=True)):
                    # A run that has ended has no state.
                    expected = state_at(run, t, column) if t < end else None
                    found = float(row[1 + place]) if row[1 + place] else None
                    if expected is None:
                        assert found is None, (plot, row)
                    else:
                        assert found == pytest.approx(expected * scale, abs=2e-3), (plot, row)
        # Losses and what was sent again are those of the tables.
        for name, place in zip(("before", "after"), two, strict=True):
            lost, again = counts(tworay.results(place))
            assert f"{name}: {lost} lost, {again} sent again" in page.locator("#overlay .legend").inner_text()
        assert counts(tworay.results(before))[0] > 0
        opened.picture("two-runs")


def test_a_stretch_of_two_runs_fits_its_axis_and_has_a_link(browser: Browser, two: tuple[Path, Path]) -> None:
    before, after = two
    page_file = tworay.write_report(before, against=[after])
    with Opened(browser, page_file) as opened:
        page = opened.page
        whole = opened.view()
        page.locator("#sequence .u-over").scroll_into_view_if_needed()
        box = page.locator("#sequence .u-over").bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 30, steps=4)
        page.mouse.up()
        low, high = opened.wait_for_view(whole)
        assert (low, high) == (pytest.approx(5, abs=0.3), pytest.approx(10, abs=0.3))
        with page.expect_download() as saved:
            page.locator("#sequence").get_by_role("button", name="SVG").click()
        # Ticks of the axis of bytes: what was acknowledged from 5 to 10 s, not from the beginning on.
        picture = saved.value.path().read_text()
        ticks = [float(one) for one in re.findall(r'text-anchor="end"[^>]*>([\d.]+)</text>', picture)]
        run = tworay.results(before).tables["series"]
        least, most = (state_at(run, t, "acked_bytes") for t in (low, high))
        assert least is not None
        assert most is not None
        assert min(ticks) > 0.7 * least / 1000
        assert max(ticks) < 1.3 * most / 1000
        page.locator("#window summary").click()
        page.locator("#choice-1").select_option("0")
        page.wait_for_timeout(100)
        link = page.locator("#window a").get_attribute("href") or ""
    assert link.startswith("#window&from=")
    with Opened(browser, page_file) as opened:
        page = opened.page
        page.goto(page_file.as_uri() + link)
        page.reload()
        page.wait_for_selector("html[data-ready]", state="attached")
        page.wait_for_timeout(100)
        assert page.locator("#choice-1").input_value() == "0"
        assert opened.view() == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))
        opened.requests[:] = opened.requests[:1]


def test_a_reader_chooses_two_arms_of_a_comparison(browser: Browser, compared: Path) -> None:
    with Opened(browser, compared / "report.html") as opened:
        page = opened.page
        arms = ["newreno", "vegas", "welcome"]
        for choice in ("#choice-0", "#choice-1"):
            assert page.locator(f"{choice} option").all_inner_texts() == arms
        legend = page.locator("#overlay .legend")
        for first, second in ((0, 1), (2, 1)):
            page.locator("#choice-0").select_option(str(first))
            page.locator("#choice-1").select_option(str(second))
            for place in (first, second):
                lost, again = counts(run_of(compared, arms[place], 1))
                text = f"{arms[place]}: {lost} lost, {again} sent again"
                expect(legend).to_contain_text(text)
        assert "newreno" not in legend.inner_text()
        head, *_ = drawn(page, "window")
        assert [name.split(",")[0] for name in head] == ["t", "welcome", "vegas"]
        # Keys move the axis while the plots have the focus; in the lists they choose.
        whole = opened.view()
        page.locator("#choice-0").focus()
        page.keyboard.press("ArrowUp")
        assert page.locator("#choice-0").input_value() == "1"
        assert opened.view() == whole
        page.locator("#overlay [role=group]").focus()
        page.keyboard.press("+")
        assert opened.wait_for_view(whole) == (5, 15)


def test_another_seed_is_shown_over_time(compared: Path, tmp_path: Path) -> None:
    tworay.compare("string-2", tcp="newreno,vegas", seeds=2, set={"duration": "5s"}, out=tmp_path / "c")
    page = tworay.write_report(tmp_path / "c", seed=2).read_text()
    assert "Seed 2: what was acknowledged" in page
    assert "Seed 1: what was acknowledged" in tworay.write_report(tmp_path / "c").read_text()
    with pytest.raises(InputError, match=r"seed=7: .*seeds: 1, 2"):
        tworay.write_report(tmp_path / "c", seed=7)


def test_what_can_not_be_laid_over_each_other_is_refused(
    cli: Callable[..., Result], two: tuple[Path, Path], compared: Path, tmp_path: Path
) -> None:
    def refused(*words: object) -> str:
        done = cli("report", *words)
        assert done.code == 2, done
        return " ".join(done.err.split())

    before, _ = two
    assert f"--with {compared}: name the directory of a run" in refused(before, "--with", compared)
    assert "this run is named twice" in refused(before, "--with", before)
    assert "nowhere" in refused(before, "--with", tmp_path / "nowhere")
    assert "--arm (newreno, vegas, welcome) and --seed" in refused(compared, "--with", before)
    udp = tmp_path / "udp"
    tworay.run("string-2", set={"duration": "2s", "flow.0.app": "cbr", "flow.0.rate": "50kbps"}, out=udp)
    tworay.run(
        "string-2",
        set={"duration": "2s", "flow.0.app": "cbr", "flow.0.rate": "50kbps"},
        seed=2,
        out=tmp_path / "more",
    )
    assert "fewer than two TCP flows" in refused(udp, "--with", tmp_path / "more")
