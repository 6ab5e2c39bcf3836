"""The pages of comparisons, sweeps and papers in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from report_browser import HOSTILE, Opened

import tworay
from tworay.metrics.diagnosis import covers
from tworay.papers.library import find
from tworay.papers.reproducing import Reproduction
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import Judgement
from tworay.report.figures import Row, dots
from tworay.report.writing import write_papers, write_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


def test_a_comparison_says_its_verdict_first(browser: Browser, compared: Path) -> None:
    with Opened(browser, compared / "report.html") as opened:
        page = opened.page
        assert page.locator(".verdict").inner_text().startswith(("Best in goodput", "No difference"))
        goodput = page.locator('figure[data-name="goodput_bps"]')
        # Three arms with five seeds each, means and intervals; a line joins each seed.
        assert goodput.locator(".wide circle.seed").count() == 15
        assert goodput.locator(".wide circle.mean").count() == 3
        assert goodput.locator(".wide polyline.pair").count() == 5
        assert (goodput.locator(".wide").is_visible(), goodput.locator(".narrow").is_visible()) == (
            True,
            False,
        )
        command = "tworay compare string-4 --tcp newreno,vegas,welcome"
        assert page.locator("#again code").first.inner_text().startswith(command)
        assert page.locator("body").inner_text().count("tworay compare") == 1
        with page.expect_download() as saved:
            goodput.get_by_role("button", name="CSV").click()
        text = saved.value.path().read_text()
        assert text.startswith("arm,")
        assert "newreno," in text
        with page.expect_download() as svg:
            goodput.get_by_role("button", name="SVG").click()
        picture = svg.value.path().read_text()
        assert picture.startswith("<?xml")
        assert "class=" not in picture
        assert "rgb(" in picture
        assert 'width="720"' in picture
        assert page.locator("#losses rect.cell").count() > 3
        # What is averaged stands beside the average.
        averaged = r"Recall, .*: \w+ \d+ %.*\. Balanced accuracy, the mean of th"
        assert re.search(averaged, page.locator("#diagnosis").inner_text())
        # The row of right guesses and the heading agree.
        counts = tworay.results(compared).summary["diagnosis"]["welcome"]
        total = sum(sum(row.values()) for row in counts.values())
        right = sum(n for guess, row in counts.items() for cause, n in row.items() if covers(guess, cause))
        assert f"welcome: {right} of {total} guesses right ({100 * right / total:.0f} %)" in (
            page.locator("#diagnosis figcaption").inner_text()
        )
        assert page.locator("#pairs rect").count() >= 9
        opened.picture("comparison-light")


def test_an_axis_of_non_negative_values_starts_at_zero() -> None:
    nobody = [Row(name, [0.0, 0.0], 0.0, (0.0, 0.0)) for name in ("a", "b")]
    ticks = re.findall(r'<text class="soft"[^>]*>(-?[\d.]+)</text>', dots(nobody, "timeouts", "timeouts"))
    assert ticks
    assert min(map(float, ticks)) == 0


def test_a_comparison_of_a_hundred_runs_stays_small(tmp_path: Path) -> None:
    settings = {"duration": "2s"}
    tworay.compare("string-1", tcp="reno,newreno,sack,vegas", seeds=25, set=settings, out=tmp_path / "many")
    assert write_report(tmp_path / "many").stat().st_size < 5_000_000


def test_a_sweep_is_drawn_as_small_multiples(browser: Browser, tmp_path: Path) -> None:
    experiment = {
        "name": "hops",
        "scenario": "string-{1..3}",
        "tcp": ["newreno", "vegas"],
        "seeds": 2,
        "set": {"duration": "3s"},
        "vary": {"mac.rts_threshold": ["0B", "3000B"]},
    }
    tworay.Experiment(experiment).run(tmp_path / "hops")
    with Opened(browser, write_report(tmp_path / "hops")) as opened:
        page = opened.page
        assert "24 runs finished of 24" in page.locator(".verdict").inner_text()
        # A picture for each threshold, a line for each variant, a point for each length.
        assert page.locator("figure").count() == 2
        assert page.locator("figure svg.figure polyline").count() == 4
        # The two variants differ in shape, too; vertical lines are intervals.
        assert page.locator("figure svg.figure circle").count() == 6
        assert page.locator("figure svg.figure polygon").count() == 6
        assert page.locator("figure svg.figure line.s-0").count() == 6
        # Said once for all pictures of a metric; what distinguishes them is their heading.
        command = "tworay table hops --metric goodput_bps --rows scenario --cols tcp --plot goodput_bps.svg"
        assert page.locator("body").inner_text().count("tworay table") == 1
        codes = page.locator("#goodput_bps code").all_inner_texts()
        assert codes == [command, "--where mac.rts_threshold=…"]
        assert page.locator("figcaption").first.inner_text() == "mac.rts_threshold=0B"
        assert opened.grave_faults() == []
        opened.picture("sweep")


def test_a_papers_page_has_claims_with_verdicts_and_figures_by_number(
    browser: Browser, tmp_path: Path
) -> None:
    paper = find("freeze-probing")
    drawn = tmp_path / "figure-7.svg"
    drawn.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><circle r="50"/></svg>')
    numbers = (["speed", "tcp", "goodput (kb/s)"], [["2m/s", "reno", "97.5 ± 10"]])
    result = Reproduction(paper, tmp_path, drawn={"7": drawn}, tables={"7": numbers})
    verdicts = list(Verdict)
    for place, claim in enumerate(paper.claims):
        result.judgements[claim.id] = Judgement(verdicts[place % len(verdicts)], reason=HOSTILE)
    (tmp_path / paper.name).mkdir()
    (file,) = write_papers([result])
    with Opened(browser, file) as opened:
        page = opened.page
        assert page.locator("#claims tbody tr").count() == len(paper.claims)
        assert page.evaluate("window.hit") is None
        figure = page.locator("#figures figure")
        assert figure.inner_text().startswith("Figure 7: Goodput by speed")
        # The claims that name it, with their verdicts; its numbers and files.
        about = [claim.id for claim in paper.claims if claim.source == "figure 7"]
        listed = figure.locator("table").first.locator("tbody th").all_inner_texts()
        assert set(about) <= set(listed) < {claim.id for claim in paper.claims}
        with page.expect_download() as saved:
            figure.get_by_role("button", name="CSV").click()
        assert "2m/s,reno,97.5 ± 10" in saved.value.path().read_text()
        with page.expect_download() as svg:
            figure.get_by_role("button", name="SVG").click()
        assert svg.value.path().read_bytes() == drawn.read_bytes()
        command = "tworay reproduce freeze-probing:NUMBER --out AGAIN"
        assert page.locator(".page-head code").last.inner_text() == command
        assert "tworay reproduce" not in figure.inner_text()
        # The picture is there, and it is ours.
        assert page.locator("#figures img").evaluate("image => image.naturalWidth") == 90
        assert opened.grave_faults() == []
        opened.picture("paper")
