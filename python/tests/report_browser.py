"""Reports in a real browser, for the tests of their pages.

Pictures of the pages are left in target/report-pages for people to look at.
"""

from __future__ import annotations

import contextlib
import csv
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Download, Page

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "target" / "report-pages"
AXE = ROOT / "viewer" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
HOSTILE = '<script>window.hit=1</script><img src=x onerror="window.hit=2">'
# Everything that a person can be kept out by; the rest is advice.
GRAVE = {"serious", "critical"}


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """Start Debian's chromium, without a window."""
    assert CHROMIUM, "the pages are tested in Debian's chromium: scripts/setup.sh tests installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page as it was opened: what it asked for and complained about."""

    def __init__(self, browser: Browser, file: Path, *, width: int = 1280, dark: bool = False) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")
        self.file = file

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
        # The file itself; downloads and decompression stay within the page.
        outside = [url for url in self.requests if not url.startswith(("blob:", "data:"))]
        assert outside == [self.file.as_uri()]
        assert self.complaints == []

    def picture(self, name: str) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.evaluate("scrollTo(0, 0)")
        self.page.wait_for_timeout(50)
        self.page.screenshot(path=PICTURES / f"{name}.png", full_page=True)

    def pixels(self, selector: str) -> int:
        """Return how many colours a canvas has."""
        script = """canvas => {
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const seen = new Set();
            for (let i = 0; i < data.length; i += 4)
                if (data[i + 3]) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
            return seen.size;
        }"""
        return int(self.page.locator(selector).first.evaluate(script))

    def view(self) -> tuple[float, float]:
        low, high = self.page.locator("output.view").inner_text().replace(" s", "").split(" – ")
        return float(low), float(high)

    def moment(self) -> float:
        return float(self.page.locator("output.clock").inner_text().removesuffix(" s"))

    def wait_for_view(self, before: tuple[float, float]) -> tuple[float, float]:
        for _ in range(100):
            if self.view() != before:
                break
            self.page.wait_for_timeout(20)
        return self.view()

    def grave_faults(self) -> list[Any]:
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            (rule["id"], [node["html"][:120] for node in rule["nodes"]])
            for rule in found["violations"]
            if rule["impact"] in GRAVE
        ]


def rows_of(saved: Download) -> list[list[str]]:
    return list(csv.reader(saved.path().read_text().splitlines()))
