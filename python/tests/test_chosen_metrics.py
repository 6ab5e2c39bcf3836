"""The `--metrics` of a comparison are kept: terminal, page, `show` and notebook have one verdict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay import metrics
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

FAST = ("--tcp", "newreno,vegas", "--seeds", "5", "--set", "duration=10s", "--set", "topology.spacing=240m")


def verdict_of(text: str) -> str:
    (line,) = [
        one for one in " ".join(text.split()).split(". ") if "Best in" in one or "No difference in" in one
    ][:1]
    return line[line.index("Best in" if "Best in" in line else "No difference in") :]


@pytest.fixture
def made(cli: Cli) -> Result:
    done = cli("compare", "string-3", *FAST, "--metrics", "retransmitted_segments,timeouts", "--out", "out")
    assert done.code == 0, done.err
    return done


def test_terminal_show_and_page_judge_the_same_metric(cli: Cli, made: Result, tmp_path: Path) -> None:
    said = verdict_of(made.out)
    assert "retransmi" in said
    shown = cli("show", "out")
    assert verdict_of(shown.out) == said
    # The table has the chosen columns only, as when the comparison ended.
    assert "goodput" not in shown.out.partition("lost:")[0]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    head = page.partition('<p class="verdict">')[2].partition("</p>")[0]
    assert said.rstrip(".") in head
    cli("report", "out")
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").count(head) >= 1
    # The page shows the others as well, below.
    assert page.index('data-name="retransmitted_segments"') < page.index('data-name="goodput_bps"')
    assert "--metrics retransmitted_segments,timeouts" in page
    # Documents, Python and notebooks.
    assert (
        json.loads((tmp_path / "out" / "summary.json").read_text())["verdict"]["metric"]
        == "retransmitted_segments"
    )
    assert cli("show", "out", "--json").document["verdict"]["metric"] == "retransmitted_segments"
    found = tworay.results(tmp_path / "out")
    assert isinstance(found, tworay.Comparison)
    assert found.headline == "retransmitted_segments"
    assert found.verdict().equals(found.verdict("retransmitted_segments"))
    assert said.rstrip(".") in found._repr_html_()


def test_a_new_choice_replaces_the_old_one(cli: Cli, made: Result, tmp_path: Path) -> None:
    assert "goodput" in verdict_of(cli("show", "out", "--metrics", "goodput_bps").out)
    # Resumed without a choice it stays; with one it is replaced.
    assert verdict_of(cli("compare", "--resume", "out").out) == verdict_of(made.out)
    cli("compare", "--resume", "out", "--metrics", "goodput_bps")
    assert "goodput" in verdict_of(cli("show", "out").out)
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["verdict"]["metric"] == "goodput_bps"
    # The choice of flows as well, which was lost if no run was added.
    cli("compare", "--resume", "out", "--judge", "flow.0")
    assert cli("show", "out", "--json").document["judge"] == "flow.0"


def test_a_choice_without_a_direction_leaves_the_verdict_to_the_next(cli: Cli) -> None:
    # More or less of a window is neither better nor worse.
    done = cli("compare", "string-3", *FAST, "--metrics", "mean_cwnd_segments,timeouts", "--json")
    assert done.document["verdict"]["metric"] == "timeouts"


def test_an_odd_choice_in_the_manifest_is_refused(cli: Cli, made: Result, tmp_path: Path) -> None:
    assert made.code == 0
    file = tmp_path / "out" / "tworay.json"
    manifest = json.loads(file.read_text())
    assert manifest["metrics"] == ["retransmitted_segments", "timeouts"]
    file.write_text(json.dumps(manifest | {"metrics": [3]}))
    assert "metrics = '[3]'" in cli("show", "out").err
    # Directories of an earlier tworay have no such key.
    del manifest["metrics"]
    file.write_text(json.dumps(manifest))
    assert "goodput" in verdict_of(cli("show", "out").out)


def test_a_name_that_no_run_can_have_is_refused_before_the_runs() -> None:
    # Misspelt metrics of one flow were taken for members of their family, and vanished without a word.
    with pytest.raises(InputError, match=r"^metrics: .*`flow.0.stals`; did you mean flow.0.stalls\?"):
        tworay.compare("string-3", tcp="reno,vegas", metrics=["flow.0.stals"])
    with pytest.raises(InputError, match=r"metrics: .*`flow.0.stals`; did you mean flow.0.stalls"):
        tworay.Experiment({"scenario": "string-3", "metrics": ["flow.0.stals"]})
    # The unit may be left out, as with metrics of all flows.
    assert metrics.check("flow.3.goodput,goodput") == ["flow.3.goodput_bps", "goodput_bps"]


def test_a_name_that_no_run_has_is_warned_about(cli: Cli) -> None:
    chosen = "timeouts,ledger.congestoin.data,flow.7.goodput"
    with pytest.warns(UserWarning, match=r"^metrics: no run has ") as said:
        found = tworay.compare(
            "string-3", tcp="reno,vegas", seeds=1, set={"duration": "5s"}, metrics=chosen, watch=False
        )
    texts = [str(one.message) for one in said]
    assert texts == [
        "metrics: no run has ledger.congestoin.data; did you mean ledger.congestion.data?",
        "metrics: no run has flow.7.goodput_bps; did you mean flow.0.goodput_bps?",
    ]
    assert {one.filename for one in said} == {__file__}
    assert found.chosen == ["timeouts"]
    assert "Warning</strong> metrics: no run has ledger.congestoin.data" in found._repr_html_()
    words = ("compare", "string-3", "--tcp", "reno,vegas", "--seeds", "1", "--set", "duration=5s")
    assert "--metrics: no run has ledger.congestoin.data; did you" in cli(*words, "--metrics", chosen).err


def test_arguments_of_one_metric_are_named_in_messages(made: Result, tmp_path: Path) -> None:
    found = tworay.results(tmp_path / "out")
    assert isinstance(found, tworay.Comparison)
    ask: list[Callable[[], object]] = [
        lambda: found.verdict("gput"),
        lambda: found.conclusion("gput"),
        lambda: tworay.plot(found, "box", metric="gput"),
    ]
    for one in ask:
        with pytest.raises(InputError, match=r"^metric: there is no metric `gput`; did you mean goodput_bps"):
            one()
