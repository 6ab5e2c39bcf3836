"""Reports in a real browser: accessible, fit for a narrow window, and free of foreign scripts."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from report_browser import HOSTILE, Opened

import tworay
from tworay.report.writing import render, write_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nobody_is_kept_out(browser: Browser, recorded: Path, compared: Path, dark: bool) -> None:
    for name, place, width in (("run", recorded, 1280), ("comparison", compared, 400)):
        with Opened(browser, place / "report.html", dark=dark, width=width) as opened:
            assert opened.grave_faults() == [], name


def test_a_narrow_window_needs_no_sideways_scrolling(
    browser: Browser, recorded: Path, compared: Path
) -> None:
    for name, place in (("run", recorded), ("comparison", compared)):
        with Opened(browser, place / "report.html", width=400) as opened:
            wide = opened.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 400, name
            # Pictures fit as well, and their letters are not shrunk.
            for one in opened.page.locator("figure .narrow").all():
                if one.is_visible():
                    assert one.evaluate("box => box.scrollWidth <= box.clientWidth + 1"), name
                    assert one.evaluate("box => box.firstChild.getBoundingClientRect().width") >= 360
            opened.picture(f"{name}-narrow")


def test_whatever_things_are_called_shows_as_text(browser: Browser, tmp_path: Path) -> None:
    text = tworay.scenario_text("string-1")
    name = f"name = {HOSTILE!r}\n"
    assert tomllib.loads(name)["name"] == HOSTILE
    lines = [line for line in text.splitlines() if not line.startswith("name")]
    file = tmp_path / "hostile.toml"
    file.write_text(name + "\n".join(lines))
    place = tmp_path / "<b>hostile & co</b>"
    settings = {"duration": "3s"}
    tworay.run(file, set=settings, record=True, out=place / "run")
    vary = {"mac.queue_limit": [5, 50]}
    tworay.compare(file, vary=vary, seeds=2, set=settings, out=place / "compare")
    for kind in ("run", "compare"):
        assert "<script>window" not in render(place / kind)
        with Opened(browser, write_report(place / kind)) as opened:
            assert HOSTILE in opened.page.locator("h1").inner_text()
            assert opened.page.evaluate("window.hit") is None
            assert opened.page.locator("b, img").count() == 0


def test_the_policy_allows_our_own_script_only(recorded: Path) -> None:
    text = (recorded / "report.html").read_text()
    policy = text.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert text.count("<script>") == 1
