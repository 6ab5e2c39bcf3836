"""Notebooks: results as HTML in cells, progress while they run, and the example of the guide executed."""

from __future__ import annotations

import base64
import re
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbclient import NotebookClient

import tworay
from tworay.running import watching
from tworay.running.executing import State

EXAMPLE = Path(__file__).parents[2] / "docs/examples/compare.ipynb"
SHORT = {"duration": "3s"}
VOID = {"img", "br", "hr", "progress"}


class Table(HTMLParser):
    """Reads the cells of tables, and refuses tags that are not closed in their order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.pictures: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "img":
            self.pictures.append(dict(attrs)["src"])
        if tag not in VOID - {"progress"}:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def picture(source: str) -> ElementTree.Element:
    head, _, data = source.partition(",")
    assert head == "data:image/svg+xml;base64"
    return ElementTree.fromstring(base64.b64decode(data))


def html_of(result: Any) -> str:
    found = result._repr_html_()
    assert isinstance(found, str)
    return found


def test_a_run_shows_its_flows_and_losses() -> None:
    run = tworay.run("string-3", set=SHORT)
    page = Table(html_of(run))
    assert page.rows[0][:3] == ["flow", "tcp", "goodput kb/s"]
    assert page.rows[1][:3] == ["0: 0→3", "newreno", f"{run.goodput_bps / 1000:.1f}"]
    assert len(page.pictures) == 1
    picture(page.pictures[0])
    without = tworay.run("string-3", set=SHORT, series=False)
    assert Table(html_of(without)).pictures == []


def test_a_comparison_shows_verdict_table_and_plot() -> None:
    result = tworay.compare("string-2", tcp="reno,vegas", seeds=5, set=SHORT)
    html = html_of(result)
    page = Table(html)
    verdict = result.verdict()
    assert verdict["best"].to_list() == [True, False]
    assert f"Best in goodput: {verdict['variant'][0]}, by" in html
    means = {row[0]: row[1] for row in page.rows[1:3]}
    for row in result.table.filter(metric="goodput_bps").iter_rows(named=True):
        half = (row["ci95_high"] - row["ci95_low"]) / 2000
        assert means[row["variant"]].startswith(f"{row['mean'] / 1000:.1f} ± {half:.1f}")
    texts = "".join(picture(page.pictures[0]).itertext())
    assert "reno" in texts
    assert "vegas" in texts
    assert html_of(result) == html


def test_a_sweep_shows_its_means_and_names_failures(tmp_path: Path) -> None:
    experiment = {"name": "two", "scenario": ["string-2", "string-3"], "tcp": ["reno", "vegas"], "seeds": 2}
    results = tworay.Experiment(experiment | {"set": SHORT}).run(tmp_path / "two.sweep")
    html = html_of(results)
    page = Table(html)
    assert "8 runs by scenario, tcp" in html
    assert page.rows[0] == ["scenario", "reno", "vegas"]
    assert [row[0] for row in page.rows[1:]] == ["string-2", "string-3"]
    mean = results.table("goodput_bps", "scenario", "tcp")["mean"][0]
    assert page.rows[1][1].startswith(f"{mean / 1000:.1f} ± ")
    assert "runs failed" not in html
    contrast = Table(html_of(results.compare("timeouts")))
    assert contrast.rows[0] == page.rows[0]
    # Without a second value there is nothing to compare.
    alone = tworay.Experiment({"name": "one", "scenario": "string-2", "seeds": 1, "set": SHORT})
    assert "1 runs by scenario" in html_of(alone.run(tmp_path / "one.sweep"))


def test_names_are_escaped(tmp_path: Path) -> None:
    scenario = tmp_path / "x.toml"
    text = tworay.scenario_text("string-2").replace('name = "string-2"', 'name = "<script>alert(1)</script>"')
    assert "<script>" in text
    scenario.write_text(text, encoding="utf-8")
    html = html_of(tworay.run(scenario, set=SHORT))
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_comparison_without_runs_says_so() -> None:
    assert "no run has finished yet" in html_of(tworay.Comparison("made", ["reno", "vegas"]))


def test_watch_takes_a_function_true_or_false(capsys: pytest.CaptureFixture[str]) -> None:
    def compare(watch: Any) -> str:
        tworay.compare("string-2", tcp="reno,vegas", seeds=1, set=SHORT, watch=watch)
        return capsys.readouterr().err

    states: list[int] = []
    assert compare(lambda state: states.append(state.ended)) == ""
    assert states[-1] == 2
    assert compare(None) == compare(False) == ""
    assert "string-2: 2/2 runs" in compare(True)
    with pytest.raises(tworay.InputError, match="watch = 'bar': give a function"):
        compare("bar")


@pytest.fixture
def displays(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pretend to be in a cell, and collect what it shows."""
    shown: list[str] = []

    class Handle:
        def update(self, html: str) -> None:
            shown.append(html)

    def display(html: str, *, display_id: bool) -> Handle:
        assert display_id
        shown.append(html)
        return Handle()

    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display, HTML=str))
    return shown


def test_a_bar_follows_the_runs_of_a_cell(displays: list[str]) -> None:
    with watching.watching(None, "a < b") as (watch, stage):
        stage("looking for paths")
        watch(State(todo=4, done=1, seconds=2.0, share=0.25))
        watch(State(todo=4, done=4, seconds=8.0, share=1.0))
    # A quarter in 2 s leaves 6 s for the rest.
    assert "looking for paths" in displays[0]
    assert "a &lt; b" in displays[1]
    assert 'value="0.250"' in displays[1]
    assert "1/4 runs" in displays[1]
    assert displays[1].endswith("6 s left</div>")
    assert displays[2].endswith("8 s</div>")
    for html in displays:
        Table(html)


def test_a_long_run_shows_a_bar_and_a_short_one_nothing(
    displays: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching.watching_one("short", None) as control:
        assert control is not None
    assert displays == []
    monkeypatch.setattr(watching, "PATIENCE", 0.01)
    monkeypatch.setattr(watching, "TICK_SECONDS", 0.01)
    with watching.watching_one("long", None):
        deadline = time.monotonic() + 10
        while not displays and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "long" in displays[0]
    assert displays[-1].endswith("simulated</div>")
    # A run that its caller controls is one of many, or has a progress of its own.
    before = list(displays)
    mine = tworay._native.RunControl()  # type: ignore[attr-defined]
    with watching.watching_one("controlled", mine) as control:
        assert control is mine
        time.sleep(0.1)
    assert displays == before


def test_outside_a_notebook_nothing_is_shown() -> None:
    assert not watching.in_notebook()
    with watching.watching_one("plain", None) as control:
        assert control is None


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    notebook = nbformat.read(EXAMPLE, as_version=4)
    place = str(tmp_path_factory.mktemp("notebook"))
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": place}})
    return client.execute()


def outputs(cell: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for output in cell.outputs:
        found |= output.get("data", {})
    return found


@pytest.mark.filterwarnings("default")  # Of the client and its sockets, not of tworay.
def test_the_notebook_of_the_guide_runs_and_shows_its_results(executed: Any) -> None:
    cells = {cell.source: cell for cell in executed.cells if cell.cell_type == "code"}
    assert all(cell.execution_count for cell in cells.values())

    def shown(start: str) -> Any:
        (cell,) = [cell for source, cell in cells.items() if source.startswith(start)]
        return cell

    html = outputs(shown("import tworay"))["text/html"]
    assert Table(html).rows[0][0] == "flow"
    compared = shown("result = ")
    texts = [
        output["data"]["text/html"] for output in compared.outputs if "text/html" in output.get("data", {})
    ]
    # The bar, with its last update, and the result below it.
    assert re.search(r"string-3 <progress.*12/12 runs", texts[0])
    assert "goodput" in texts[1]
    assert Table(texts[1]).pictures
    assert "difference" in outputs(shown("result.verdict"))["text/html"]
    swept = [one["data"]["text/html"] for one in shown("experiment = ").outputs if "data" in one]
    assert "30/30 runs" in swept[0]
    assert Table(swept[-1]).rows[0] == ["mac.queue_limit", "newreno", "vegas"]
    # Without a bar, since the function has the progress.
    assert outputs(shown("progress = ")) == {"text/plain": "4"}
