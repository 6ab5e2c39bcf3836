"""Takes the pictures of reports in the documentation: docs/images/report-*.png.

    .venv/bin/python docs/make/report_pictures.py

Needs chromium and the package playwright, as the tests do.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

import tworay
from tworay.report.writing import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDTH = 1280


def opened(page: Page, file: Path) -> None:
    """Open a report and wait until it is drawn."""
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")


def loss(page: Page, directory: Path) -> None:
    """Show the time at which the only relay of a transfer moves out of range."""
    tworay.run("signal-loss", tcp="welcome", set={"duration": "40s"}, record=True, out=directory)
    opened(page, write_report(directory))
    page.get_by_role("button", name="next loss").click()
    page.wait_for_selector("#story[data-loss]")
    page.get_by_role("button", name="zoom there").click()
    page.get_by_role("button", name="Farther").click()
    page.wait_for_timeout(400)
    page.evaluate("document.querySelector('.workbench').scrollIntoView()")


def field(page: Page, directory: Path) -> None:
    """Show fifty moving nodes in the middle of a run."""
    tworay.run("strip-50", tcp="newreno", seed=3, set={"duration": "120s"}, record=True, out=directory)
    opened(page, write_report(directory))
    page.locator("#why button[data-target=map]").first.click()
    page.wait_for_timeout(400)
    page.evaluate("document.querySelector('.workbench').scrollIntoView()")


def comparison(page: Page, directory: Path) -> None:
    """Show a comparison on a string of four hops."""
    variants = "tahoe,newreno,sack,vegas,welcome"
    tworay.compare("string-4", tcp=variants, seeds=10, set={"duration": "60s"}, out=directory)
    opened(page, write_report(directory))


def main() -> None:
    """Take all pictures."""
    chromium = shutil.which("chromium") or sys.exit("this needs chromium: apt-get install chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for take, height in ((loss, 860), (field, 900), (comparison, 860)):
            page = browser.new_page(viewport={"width": WIDTH, "height": height})
            take(page, Path(place) / take.__name__)
            file = IMAGES / f"report-{take.__name__}.png"
            page.screenshot(path=file)
            print(file, file.stat().st_size)
        browser.close()


if __name__ == "__main__":
    main()
