"""Reports in a real browser: every kind of page opens from disk, works, and is sound.

Pictures of the pages are left in target/report-pages for people to look at.
"""

from __future__ import annotations

import csv
import os
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import sync_playwright

import tworay
from tworay.papers.library import find
from tworay.papers.reproducing import Reproduction
from tworay.papers.verdicts import Judgement, Verdict
from tworay.report.writing import render, write_papers, write_report

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "the pages are tested in Debian's chromium: scripts/setup.sh tests installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record a walk of a few nodes whose sender guesses causes, with batteries."""
    place = tmp_path_factory.mktemp("recorded") / "one"
    # The only relay walks out of range and comes back.
    settings = {"duration": "40s", "energy.model": "states", "energy.battery": "50J"}
    tworay.run("signal-loss", tcp="welcome", set=settings, record=True, out=place)
    write_report(place)
    return place


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("compared") / "some"
    tworay.compare("string-4", tcp="newreno,vegas,welcome", seeds=5, set={"duration": "20s"}, out=place)
    write_report(place)
    return place


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


def rows_of(saved: Download) -> list[list[str]]:
    return list(csv.reader(saved.path().read_text().splitlines()))


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


def test_a_plot_says_how_it_is_made_again(browser: Browser, recorded: Path) -> None:
    with Opened(browser, recorded / "report.html") as opened:
        page = opened.page
        # The window's own numbers: from the handshake on in order of time.
        with page.expect_download() as saved:
            page.locator("#window").get_by_role("button", name="CSV").click()
        head, *rows = rows_of(saved.value)
        assert head == ["t, s", "in flight, segments", "ssthresh, segments", "cwnd, segments"]
        times = [float(row[0]) for row in rows]
        assert times == sorted(times)
        assert times[-1] == 40
        page.locator("#window summary").click()
        command = page.locator("#window .command", has_text="tworay run").inner_text()
        assert command.startswith("tworay run one/scenario.toml --seed 1 --record --out AGAIN")
        link = command.split("AGAIN/report.html")[1]
        assert link == "#window&from=0&to=40&at=0&flow=0"
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
        assert "tworay compare string-4 --tcp newreno,vegas,welcome" in goodput.inner_text()
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
        assert "balanced accuracy" in page.locator("#diagnosis").inner_text()
        assert page.locator("#pairs rect").count() >= 9
        opened.picture("comparison-light")


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


def test_without_a_record_the_graph_is_drawn_from_the_senders_state(browser: Browser, tmp_path: Path) -> None:
    tworay.run("string-4", set={"duration": "10s"}, out=tmp_path / "plain")
    with Opened(browser, write_report(tmp_path / "plain")) as opened:
        assert opened.pixels("#sequence canvas") > 3
        assert opened.page.locator("#map").count() == 0
        assert "--record" in opened.page.locator(".page-head").inner_text()


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
        assert "tworay table hops --metric" in page.locator("figure").first.inner_text()
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
        # The picture is there, and it is ours.
        assert page.locator("#figures img").evaluate("image => image.naturalWidth") == 90
        assert opened.grave_faults() == []
        opened.picture("paper")


def test_the_policy_allows_our_own_script_only(recorded: Path) -> None:
    text = (recorded / "report.html").read_text()
    policy = text.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert text.count("<script>") == 1


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
    """How much longer things take than on an idle machine: as many tasks as want each processor."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_a_comparison_of_a_hundred_runs_stays_small(tmp_path: Path) -> None:
    settings = {"duration": "2s"}
    tworay.compare("string-1", tcp="reno,newreno,sack,vegas", seeds=25, set=settings, out=tmp_path / "many")
    assert write_report(tmp_path / "many").stat().st_size < 5_000_000
