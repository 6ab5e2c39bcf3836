"""The page of a run in a real browser: graphs, the map, what is saved from it, and how fast it opens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from report_browser import Opened, rows_of

import tworay
from tworay.report.writing import write_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

# Clicks here and there until the story of a loss is told; true if it is.
CLICK_AROUND = """async selector => {
    const story = document.getElementById('story');
    delete story.dataset.loss;
    const box = document.querySelector(selector).getBoundingClientRect();
    for (let y = box.top + 4; y < box.bottom; y += 9)
        for (let x = box.left + 4; x < box.right; x += 9) {
            const spot = {clientX: x, clientY: y, bubbles: true};
            document.querySelector(selector).dispatchEvent(new MouseEvent('click', spot));
            await Promise.resolve();
            if (story.dataset.loss !== undefined) return true;
        }
    await new Promise(done => setTimeout(done, 200));
    return story.dataset.loss !== undefined;
}"""

# Where in the graph the pointer is over a loss.
FIND_MARK = """() => {
    const over = document.querySelector('#sequence .u-over');
    const box = over.getBoundingClientRect();
    for (let y = box.top + 4; y < box.bottom; y += 9)
        for (let x = box.left + 4; x < box.right; x += 9) {
            over.dispatchEvent(new MouseEvent('mousemove', {clientX: x, clientY: y, bubbles: true}));
            if (document.querySelector('#sequence .status').textContent.includes('Click for its story'))
                return [x, y];
        }
    return null;
}"""


def test_a_run_is_drawn_zoomed_and_brushed(browser: Browser, recorded: Path) -> None:
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        for panel in ("#sequence", "#window", "#rtt"):
            assert opened.pixels(f"{panel} canvas") > 3, panel
            assert int(page.locator(f"{panel} .plot").get_attribute("data-rows") or 0) > 50, panel
        assert opened.pixels(".bands canvas") >= 3
        assert int(page.locator("#sequence .plot").get_attribute("data-losses") or 0) > 0
        whole = opened.view()
        assert whole == (0, 40)
        # A drag over a plot becomes the view, of every panel.
        page.locator("#window .u-over").scroll_into_view_if_needed()
        box = page.locator("#window .u-over").bounding_box()
        assert box
        at = box["y"] + box["height"] - 20
        page.mouse.move(box["x"] + box["width"] * 0.25, at)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.5, at, steps=4)
        page.mouse.up()
        low, high = opened.wait_for_view(whole)
        assert low == pytest.approx(10, abs=0.5)
        assert high == pytest.approx(20, abs=0.5)
        # The strip is a brush: dragging the marked stretch moves it.
        strip = page.locator(".overview canvas").bounding_box()
        assert strip
        scale = (strip["width"] - 96) / 40
        x = strip["x"] + 80 + 15 * scale
        page.mouse.move(x, strip["y"] + 20)
        page.mouse.down()
        page.mouse.move(x + 5 * scale, strip["y"] + 20, steps=4)
        page.mouse.up()
        moved = opened.wait_for_view((low, high))
        assert moved[0] == pytest.approx(low + 5, abs=0.6)
        # Keys: zoom, pan, and back to the whole.
        page.locator(".overview").focus()
        page.keyboard.press("+")
        closer = opened.wait_for_view(moved)
        assert closer[1] - closer[0] == pytest.approx((moved[1] - moved[0]) / 2, rel=0.05)
        page.keyboard.press("ArrowRight")
        assert opened.wait_for_view(closer)[0] > closer[0]
        page.keyboard.press("Home")
        page.wait_for_timeout(80)
        assert opened.view() == whole
        page.locator("#sequence summary").click()
        page.wait_for_selector("#sequence tbody tr")
        opened.picture("run-light")


def test_the_map_plays_and_tells(browser: Browser, recorded: Path) -> None:
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        assert opened.pixels(".map canvas") > 3
        page.get_by_label("Speed").select_option("10")
        page.get_by_role("button", name="Play").click()
        page.wait_for_timeout(500)
        page.get_by_role("button", name="Pause").click()
        played = opened.moment()
        assert played > 1
        # A node: where it stands, its queue, its battery.
        page.get_by_label("Node", exact=True).select_option("1")
        card = page.locator(".card").inner_text()
        for word in ("Node 1", "neighbours in range", "interface queue", "routes in use", "battery"):
            assert word in card
        # A click on the canvas finds the node that stands there.
        canvas = page.locator(".map canvas")
        box = canvas.bounding_box()
        assert box
        page.get_by_label("Node", exact=True).select_option("")
        for x in range(20, int(box["width"]), 30):
            canvas.click(position={"x": x, "y": box["height"] - 34})
            if page.get_by_label("Node", exact=True).input_value():
                break
        assert "Node " in page.locator(".card").inner_text()
        # The story of a loss: cause, what the MAC tried, what the sender did.
        page.get_by_role("button", name="next loss").click()
        page.wait_for_selector("#story[data-loss]")
        story = page.locator("#story").inner_text()
        assert "of flow 0, lost at" in story
        assert opened.moment() == pytest.approx(float(story.split("lost at ")[1].split(" s")[0]), abs=0.1)
        before = opened.view()
        page.get_by_role("button", name="zoom there").click()
        near = opened.wait_for_view(before)
        assert near[1] - near[0] < before[1] - before[0]
        # Clicks on marks tell stories, too: in the graph where the pointer says so, and on the map.
        page.locator("#sequence .u-over").scroll_into_view_if_needed()
        spot = page.evaluate(FIND_MARK)
        page.locator("#story").evaluate("panel => { delete panel.dataset.loss; }")
        page.mouse.click(*spot)
        page.wait_for_selector("#story[data-loss]")
        assert page.evaluate(CLICK_AROUND, ".map canvas")
        # A table for those who can't see the map.
        page.get_by_text("Nodes at this moment").click()
        page.wait_for_selector("#map tbody tr")
        assert page.locator("#map tbody tr").count() == 4
        opened.picture("run-map")


DRAWN = {
    "bands": "Sender",
    "sequence": "Time and sequence",
    "window": "Window",
    "rtt": "Round trip and timer",
    "queue-1": "Queue of node 1",
    "map": "Map",
}


@pytest.mark.parametrize(("name", "title"), DRAWN.items(), ids=list(DRAWN))
def test_every_plot_of_a_run_is_saved(browser: Browser, recorded: Path, name: str, title: str) -> None:
    """Each on a page of its own: Chromium refuses the eleventh file that a page saves within a moment."""
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        panel = page.locator(f"#{name}")
        with page.expect_download() as svg:
            panel.get_by_role("button", name=f"SVG of {title}").click()
        picture = ElementTree.fromstring(svg.value.path().read_bytes())
        words = [text.text or "" for text in picture.iter("{http://www.w3.org/2000/svg}text")]
        assert words[0].startswith(f"signal-loss, seed 1: {title}")
        assert len(list(picture.iter("{http://www.w3.org/2000/svg}path"))) > 3
        with page.expect_download() as saved:
            panel.get_by_role("button", name=f"CSV of {title}").click()
        assert len(rows_of(saved.value)) > 3


def test_a_run_is_made_again_by_one_command_and_plots_have_links(browser: Browser, recorded: Path) -> None:
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        for heading in page.locator(".panel details summary").all():
            heading.click()
        command = "tworay run one/scenario.toml --seed 1 --record --out AGAIN"
        assert page.locator("#again code").first.inner_text() == command
        assert page.locator("body").inner_text().count("tworay run") == 1
        # The window's own numbers: from the handshake on in order of time.
        with page.expect_download() as saved:
            page.locator("#window").get_by_role("button", name="CSV").click()
        head, *rows = rows_of(saved.value)
        assert head == ["t, s", "in flight, segments", "ssthresh, segments", "cwnd, segments"]
        times = [float(row[0]) for row in rows]
        assert times == sorted(times)
        assert times[-1] == 40
        link = page.locator("#window").get_by_role("link", name="Link to this view")
        assert link.get_attribute("href") == "#window&from=0&to=40&at=0&flow=0"
        # A link of that kind leads to the plot, the time in view and the moment looked at.
        page.goto(opened.file.as_uri() + "#rtt&from=10&to=20&at=12.5&flow=0")
        opened.wait_for_view((0, 40))
        assert opened.view() == (10, 20)
        assert opened.moment() == 12.5
        opened.requests[:] = opened.requests[:1]


def test_why_leads_to_the_moment(browser: Browser, recorded: Path) -> None:
    with Opened(browser, recorded / "report.html", dark=True) as opened:
        page = opened.page
        first = page.locator("#why .silences > li").first
        assert "out of range at" in first.inner_text()
        begin = float(first.locator("button").first.get_attribute("data-from") or 0)
        end = float(first.locator("button").first.get_attribute("data-to") or 0)
        for target in ("in the graph", "on the map"):
            page.get_by_role("button", name="Show the whole run").click()
            page.wait_for_timeout(80)
            first.get_by_role("button", name=target).click()
            page.wait_for_timeout(120)
            low, high = opened.view()
            assert low <= begin < end <= high
            assert high - low < 40
        assert (
            page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 23, 27)"
        )
        opened.picture("run-dark")


def test_a_silence_brings_its_own_story(browser: Browser, recorded: Path) -> None:
    """The story on show is that of the loss behind the silence, or none if nothing was lost."""
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        silences = page.locator("#why .silences > li")
        cause = silences.filter(has_text="an ACK stuck at node 1").first
        delay = silences.filter(has_text="No loss, only delay").first
        page.get_by_role("button", name="next loss").click()
        page.get_by_role("button", name="next loss").click()
        page.wait_for_selector("#story[data-loss]")
        for target in ("on the map", "in the graph"):
            delay.get_by_role("button", name=target).click()
            page.wait_for_selector("#story:not([data-loss])", state="attached")
            assert "lost at" not in page.locator("#story").inner_text()
            assert "No loss is behind" in page.locator("#story").inner_text()
            # 27.503 s: when the ACK got stuck, as the silence says.
            cause.get_by_role("button", name=target).click()
            page.wait_for_selector("#story[data-loss]")
            assert "stuck at node 1 at 27.503 s" in cause.inner_text()
            assert "an ACK of flow 0, lost at 27.503 s" in page.locator("#story").inner_text()


def test_another_flow_leaves_no_story_of_the_first(browser: Browser, tmp_path: Path) -> None:
    tworay.run("string-4x2", set={"duration": "20s"}, record=True, out=tmp_path / "two")
    with Opened(browser, write_report(tmp_path / "two")) as opened:
        page = opened.page
        page.get_by_role("button", name="next loss").click()
        page.wait_for_selector("#story[data-loss]")
        assert "flow 0" in page.locator("#story").inner_text()
        page.get_by_label("Flow", exact=True).select_option("1")
        assert "flow 0" not in page.locator("#story").inner_text()
        assert page.locator("#story[data-loss]").count() == 0


def test_guesses_are_scored_in_words_that_agree(browser: Browser, recorded: Path) -> None:
    """Few guesses were about a loss, and right. The others, with nothing lost, are wrong and in no recall."""
    with Opened(browser, recorded / "report.html") as opened:
        (row,) = tworay.Run.read(recorded).summary["diagnosis"].values()
        assert row.keys() == {"link-failure", "none"}
        total = sum(row.values())
        said = opened.page.locator("#guessed").inner_text()
        share = 100 * row["link-failure"] / total
        assert f"{row['link-failure']} of {total} guesses right ({share:.0f} %)" in said
        assert "link-failure 100 %. Balanced accuracy, the mean of this one recall: 100 %" in said
        were = "guess was" if row["none"] == 1 else "guesses were"
        assert f"{row['none']} {were} made when nothing was lost: wrong, but in no recall" in said


def test_without_a_record_the_graph_is_drawn_from_the_senders_state(browser: Browser, tmp_path: Path) -> None:
    tworay.run("string-4", set={"duration": "10s"}, out=tmp_path / "plain")
    with Opened(browser, write_report(tmp_path / "plain")) as opened:
        assert opened.pixels("#sequence canvas") > 3
        assert opened.page.locator("#map").count() == 0
        assert "--record" in opened.page.locator(".page-head").inner_text()


def test_a_large_run_opens_at_once(browser: Browser, tmp_path: Path) -> None:
    """50 nodes, 900 s and five flows, recorded: less than 8 MB, open in less than 2 s, fluid when zoomed."""
    text = tworay.scenario_text("strip-50").replace('duration = "300s"', 'duration = "900s"')
    assert "900s" in text
    for node in (2, 4, 6, 8):
        text += f'\n[[flow]]\nfrom = {node}\nto = {node + 1}\napp = "ftp"\nstart = "{node}s"\n'
    file = tmp_path / "large.toml"
    file.write_text(text)
    run = tworay.run(file, record=True, out=tmp_path / "large")
    assert run.tables["frames"].height > 500_000
    report = write_report(tmp_path / "large")
    assert report.stat().st_size < 8_000_000
    with Opened(browser, report) as opened:
        took = opened.page.evaluate("performance.now()")
        # From the beginning to the moment at which all plots are drawn; the machine may be busy.
        assert took < 2000 * patience()
        assert "Left out of this page: Frames:" in opened.page.locator(".thinned").inner_text()
        for panel in ("#sequence", "#window", "#rtt"):
            assert 100 < int(opened.page.locator(f"{panel} .plot").get_attribute("data-rows") or 0) <= 10_000
        opened.picture("large")


def patience() -> float:
    """Factor by which things take longer than on an idle machine: as many tasks as want each processor."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
