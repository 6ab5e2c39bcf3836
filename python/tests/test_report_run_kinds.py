"""The pages of quite different runs in a real browser: wide fields, datagrams, nothing lost, wires only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from report_browser import Opened

import tworay
from tworay.report.writing import write_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

UDP = """
name = "datagrams"
duration = "10s"
[topology]
kind = "string"
hops = 4
[[flow]]
from = 0
to = 4
app = "cbr"
rate = "300kbps"
"""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a string: it is four times as long as anything is high."""
    place = tmp_path_factory.mktemp("wide") / "long"
    tworay.run("string-4", set={"duration": "5s"}, record=True, out=place)
    return write_report(place)


@pytest.mark.parametrize("width", [1280, 800, 640, 360])
def test_a_wide_field_shows_at_any_width(browser: Browser, wide: Path, width: int) -> None:
    """The map goes across the page."""
    with Opened(browser, wide, width=width) as opened:
        for panel in ("#map", "#sequence", "#window", "#story"):
            assert opened.page.locator(panel).is_visible(), panel
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        opened.picture(f"wide-{width}")


def test_datagrams_have_no_window_and_are_no_bytes(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "udp.toml"
    file.write_text(f"{UDP}\n[[flow]]\nfrom = 0\nto = 4\n")
    tworay.run(file, record=True, out=tmp_path / "udp")
    with Opened(browser, write_report(tmp_path / "udp")) as opened:
        page = opened.page
        # It opens on the TCP flow; the datagrams are chosen.
        assert page.locator("#window").is_visible()
        page.get_by_label("Flow", exact=True).select_option("0")
        for panel in ("#bands", "#window", "#rtt"):
            assert not page.locator(panel).is_visible(), panel
        # Plots are drawn with the browser's next frame.
        expect(page.locator("#sequence .legend")).to_contain_text("datagrams")
        legend = page.locator("#sequence .legend").inner_text()
        for word in ("acknowledged", "window", "SACK", "sent again"):
            assert word not in legend
        with page.expect_download() as svg:
            page.locator("#sequence").get_by_role("button", name="SVG").click()
        picture = svg.value.path().read_text()
        assert ">datagrams<" in picture
        assert "kB" not in picture
        # No figures of a sender that has none.
        cells = page.locator("#numbers table").first.locator("tbody tr").first.locator("td").all_inner_texts()
        assert cells[1:] == ["–"] * (len(cells) - 1)
        page.get_by_label("Flow", exact=True).select_option("1")
        assert page.locator("#window").is_visible()
        assert "acknowledged" in page.locator("#sequence .legend").inner_text()


def test_where_nothing_was_lost_no_story_is_offered(browser: Browser, tmp_path: Path) -> None:
    tworay.run("string-1", tcp="vegas", set={"duration": "5s"}, out=tmp_path / "none")
    with Opened(browser, write_report(tmp_path / "none")) as opened:
        page = opened.page
        assert page.get_by_role("button", name="next loss").count() == 0
        assert "Nothing of flow 0: 0 → 1, vegas was lost" in page.locator("#story").inner_text()
        # Nothing to switch on or off either.
        assert page.locator("#sequence input").count() == 0


def test_wires_have_no_map_to_click_on(browser: Browser, tmp_path: Path) -> None:
    tworay.run("dumbbell-2", set={"duration": "10s"}, record=True, out=tmp_path / "wires")
    with Opened(browser, write_report(tmp_path / "wires")) as opened:
        assert "map" not in opened.page.locator("#story").inner_text()
        assert opened.page.get_by_role("button", name="on the map").locator("visible=true").count() == 0
