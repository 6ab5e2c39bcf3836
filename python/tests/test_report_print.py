"""Pages on paper: what stands on the screen as text, colours and circles stands there, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from report_browser import Opened

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

# Width of A4, and of the printable area with the browser's default margins (1 cm at either side), pixels.
A4 = 210 / 25.4 * 96
PRINTABLE = A4 - 2 * 10 / 25.4 * 96


# What Chromium does before it prints: it lays the page out anew only when the listeners are done. Returns how
# large canvases are drawn.
PRINT = """async () => {
    dispatchEvent(new Event('beforeprint'));
    for (let i = 0; i < 10; i++) await Promise.resolve();
    return [...document.querySelectorAll('canvas')].map(canvas => [canvas.width, canvas.height]);
}"""
SHOWN = """() => [...document.querySelectorAll('canvas')].map(canvas => canvas.getBoundingClientRect())
    .map(box => [box.width, box.height, box.right])"""


def prepare(page: Page) -> list[tuple[int, int]]:
    """Lay the page out for paper; return how large its canvases were drawn."""
    drawn: list[tuple[int, int]] = page.evaluate(PRINT)
    page.set_viewport_size({"width": round(PRINTABLE), "height": 1000})
    page.emulate_media(media="print")
    return drawn


def test_a_story_keeps_its_times_on_paper(browser: Browser, recorded: Path) -> None:
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        page.get_by_role("button", name="next loss").click()
        page.wait_for_selector("#story[data-loss]")
        prepare(page)
        times = page.locator("#story li .time")
        assert times.count() > 2
        for time in times.all():
            assert time.is_visible()
        # Other buttons do nothing on paper.
        assert not page.get_by_role("button", name="next loss").is_visible()
        opened.picture("run-print")


def test_swatches_of_legends_are_printed(browser: Browser, recorded: Path) -> None:
    """Browsers leave backgrounds out unless told otherwise (CSS Color Adjustment, section 4)."""
    with Opened(browser, recorded / "report.html") as opened:
        prepare(opened.page)
        for swatch in opened.page.locator(".key i").all():
            assert swatch.evaluate("e => getComputedStyle(e).printColorAdjust") == "exact"


def test_nodes_stay_round_and_plots_fit_the_paper(browser: Browser, recorded: Path) -> None:
    with Opened(browser, recorded / "report.html", dark=True) as opened:
        page = opened.page
        drawn = prepare(page)
        shown = page.evaluate(SHOWN)
        assert len(shown) == len(drawn) > 5
        for (wide, high), (width, height, right) in zip(drawn, shown, strict=True):
            # Shown at the size at which it was drawn, a circle stays a circle.
            assert (width, height) == pytest.approx((wide, high), abs=1)
            assert right <= PRINTABLE + 1
        assert page.evaluate("document.documentElement.scrollWidth") <= PRINTABLE + 1
        # Back on the screen everything is as it was.
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.wait_for_timeout(100)
        assert page.locator("#window canvas").evaluate("c => c.getBoundingClientRect().width") > 700


def test_printing_does_what_the_browser_does(browser: Browser, recorded: Path) -> None:
    """The events that the tests above make up come from Chromium itself."""
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        page.evaluate("addEventListener('beforeprint', () => { window.width = document.body.clientWidth; })")
        page.pdf(format="A4")
        assert 0 < page.evaluate("window.width") <= PRINTABLE
        assert page.evaluate("document.documentElement.dataset.printing") is None
