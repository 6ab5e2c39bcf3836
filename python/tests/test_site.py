"""The site of the documentation: built, its links followed, opened in Chromium."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageStat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "target" / "report-pages"
MAKE = runpy.run_path(str(ROOT / "docs/make/build_site.py"))
KINDS = ["Guide", "How-to", "Reference", "Explanation", "Studies", "Decisions"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    MAKE["build"](folder / "site", folder / "stage")
    return folder / "site"


@contextlib.contextmanager
def opened(browser: Browser, address: str, *, width: int, dark: bool) -> Iterator[Page]:
    """Open a page; nothing comes from elsewhere, and nothing complains."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.wait_for_load_state("load")
    yield page
    context.close()
    assert [url for url in requests if not re.match(r"file:|blob:|data:|http://127\.0\.0\.1:", url)] == []
    assert complaints == []


def test_every_page_is_in_the_left_column_once() -> None:
    def leaves(entries: Any) -> Iterator[str]:
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, dict):
                for below in entry.values():
                    yield from leaves(below)
            else:
                yield entry

    navigation = MAKE["navigation"]()
    assert [next(iter(entry)) for entry in navigation if next(iter(entry)) in KINDS] == KINDS
    found = list(leaves(navigation))
    assert len(found) == len(set(found))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert pages - set(found) == set()
    # The studies begin with the verdicts.
    assert next(entry["Studies"] for entry in navigation if "Studies" in entry)[0] == "studies/README.md"


def test_no_link_of_the_site_is_broken(site: Path) -> None:
    assert list(MAKE["broken"](site)) == []
    verdicts = (site / "studies/index.html").read_text(encoding="utf-8")
    assert "<h1" in verdicts
    assert "Which claims of five papers hold" in verdicts


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#there">b</a><a href="c.html">c</a><p id="here">')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#here">a</a><a href="https://example.org">x</a><script src="https://example.org/x.js">'
    )
    assert list(MAKE["broken"](tmp_path)) == [
        "a.html: b.html#there leads to no place of its page",
        "a.html: c.html leads to no file",
        "b.html: https://example.org/x.js is loaded from another host",
    ]


def brightness(page: Page) -> float:
    """Return the mean of the background's red, green and blue, 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    # As rgb(…) of 0 to 255, or as a colour function of 0 to 1 or of lightness.
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)[:3]]
    if colour.startswith("rgb"):
        return sum(numbers) / 3
    canvas = """colour => { const at = document.createElement('canvas').getContext('2d');
        at.fillStyle = colour; at.fillRect(0, 0, 1, 1); return [...at.getImageData(0, 0, 1, 1).data]; }"""
    return float(sum(page.evaluate(canvas, colour)[:3]) / 3)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390], ids=["desk", "phone"])
def test_pages_fit_in_light_and_dark(browser: Browser, site: Path, width: int, dark: bool) -> None:
    name = "studies/index" if width > 1000 else "reference/commands"
    with opened(browser, (site / f"{name}.html").as_uri(), width=width, dark=dark) as page:
        assert (brightness(page) < 128) == dark
        # Wide tables and code scroll by themselves; the page doesn't.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        column = page.locator(".md-sidebar--primary")
        shown = [text for text in column.inner_text().splitlines() if text in KINDS]
        if width > 1000:
            assert column.bounding_box()["x"] < 100  # type: ignore[index]
            assert list(dict.fromkeys(shown)) == KINDS
        else:
            page.locator(".md-header label[for=__drawer]").click()
            page.get_by_text("Reference", exact=True).first.wait_for(state="visible")
        PICTURES.mkdir(parents=True, exist_ok=True)
        look = f"{name.replace('/', '-')}-{width}-{'dark' if dark else 'light'}"
        page.screenshot(path=PICTURES / f"site-{look}.png")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_drawings_have_the_ground_of_the_page(browser: Browser, site: Path, dark: bool) -> None:
    with opened(browser, (site / "gallery.html").as_uri(), width=1280, dark=dark) as page:
        drawing = page.locator(".md-typeset img[src$='.svg']").first
        drawing.scroll_into_view_if_needed()
        pixels = Image.open(io.BytesIO(drawing.screenshot())).convert("L")
        # Most of a drawing is its ground.
        assert (ImageStat.Stat(pixels).median[0] < 128) == dark


def found_by(page: Page, words: str) -> list[str]:
    """Search, and return the addresses found."""
    page.keyboard.press("/")
    page.get_by_placeholder("Search").fill(words)
    page.wait_for_function(FOUND, arg=words)
    return [str(address) for address in page.evaluate(RESULTS)]


# The results stand in a shadow tree of their own.
RESULTS = """() => { const links = [];
    const walk = node => { for (const one of node.querySelectorAll('*')) {
        if (one.shadowRoot) walk(one.shadowRoot);
        if (one.tagName === 'A' && node !== document) links.push(one.href); } };
    walk(document); return links; }"""
FOUND = f"words => ({RESULTS})().length > 0"


@pytest.mark.parametrize("where", ["folder", "server"])
def test_the_search_finds_a_word(browser: Browser, site: Path, where: str) -> None:
    with serving(site) as server:
        address = server("guide/tour.html") if where == "server" else (site / "guide/tour.html").as_uri()
        with opened(browser, address, width=1280, dark=False) as page:
            assert any("guide/my-network.html" in one for one in found_by(page, "batctl"))


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Callable[[str], str]]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield lambda page: f"http://127.0.0.1:{server.server_port}/{page}"
        finally:
            server.shutdown()
            thread.join()
