"""One list of metrics: every number of a run is in it, and the documentation says what it says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import QUICK, Result

import tworay
from tworay import _native, metrics
from tworay.errors import InputError
from tworay.metrics import of_runs
from tworay.metrics.declared import METRICS, Of
from tworay.showing import causes

if TYPE_CHECKING:
    from collections.abc import Callable

    Cli = Callable[..., Result]

ROOT = Path(__file__).parents[2]
# Three flows of TCP and one of datagrams, with energy.
TRAFFIC = """
duration = "8s"
[topology]
kind = "string"
hops = 3
spacing = "200m"
[energy]
model = "states"
draw_computing = true
[[flow]]
from = 0
to = 3
tcp = "probing"
[[flow]]
from = 3
to = 0
tcp = "vegas"
start = "1s"
[[flow]]
from = 1
to = 3
app = "cbr"
rate = "20kbps"
start = "1.5s"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tworay.Run:
    file = tmp_path_factory.mktemp("metrics") / "traffic.toml"
    file.write_text(TRAFFIC)
    return tworay.run(file, resources=True)


def test_every_number_of_a_run_is_declared_and_compared(run: tworay.Run) -> None:
    found = metrics.values(run.summary)
    for name in found:
        assert metrics.find(name) is not None, name
    # Datagrams have null in the place of a family, such as the phases of a sender.
    of_tcp = [flow for flow in run.summary["flows"] if flow["tcp"]]
    flow_keys = {name for flow in of_tcp for name, _ in of_runs._leaves("", flow)}
    assert flow_keys - {"id", "from", "to"} <= set(found)
    for section in ("mac", "routing", "energy", "metrics", "ledger"):
        leaves = {name for name, _ in of_runs._leaves(f"{section}.", run.summary[section])}
        assert leaves <= set(found)


def test_every_declared_metric_is_one_of_a_run(run: tworay.Run) -> None:
    # Transfers and video are flows of their own kinds.
    more = (
        'app = "web"\nthink = "1s"\nsizes = { kind = "fixed", size = "5kB" }',
        'app = "video"\nrate = "50kbps"',
    )
    flows = "".join(f"[[flow]]\nfrom = 0\nto = 1\n{keys}\n" for keys in more)
    text = f'duration = "20s"\n[topology]\nkind = "string"\nhops = 1\n{flows}'
    traffic = tworay.run(tworay.Scenario.from_toml(text, "traffic.toml", ""))
    found = metrics.values(run.summary) | metrics.values(traffic.summary)
    for metric in METRICS:
        # Comparisons of routing have those of the air (test_air).
        if metric.name != "routing.malformed.*" and metric.group != "air":
            assert any(metric.holds(name) for name in found), metric.name


def test_names_are_declared_once() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names)


def test_figures_of_flows_are_added_up_or_averaged_as_declared(run: tworay.Run) -> None:
    found, flows = metrics.values(run.summary), run.summary["flows"]
    # Flow 2 sends datagrams, which are not judged.
    judged = [flow for flow in flows if flow["tcp"]]
    assert found["goodput_bps"] == sum(flow["goodput_bps"] for flow in judged)
    delays = [flow["mean_delay_seconds"] for flow in judged]
    assert found["mean_delay_seconds"] == pytest.approx(sum(delays) / 2)
    windows = [flow["mean_cwnd_segments"] for flow in flows if flow["tcp"]]
    assert found["mean_cwnd_segments"] == pytest.approx(sum(windows) / 2)
    assert found["flow.2.goodput_bps"] == flows[2]["goodput_bps"]
    assert found["operations.timeout"] == sum(flow["timeouts"] for flow in flows)


def test_small_segments_are_delivered_by_their_bytes(tmp_path: Path) -> None:
    """85 of 85 small segments arrived, and two thirds were said to: their bytes in whole MSS are fewer."""
    (tmp_path / "small.toml").write_text(
        'name = "small"\nduration = "20s"\n[topology]\nkind = "string"\nhops = 1\n'
        "[[flow]]\nfrom = 0\nto = 1\n"
        'app = "request"\nthink = "200ms"\nsizes = { kind = "fixed", size = "500B" }\n'
    )
    run = tworay.run(str(tmp_path / "small.toml"))
    (flow,) = run.summary["flows"]
    assert run.ledger.is_empty()
    assert flow["retransmitted_segments"] == 0
    # 500 B are a third of a segment.
    assert flow["acked_segments"] == pytest.approx(flow["sent_segments"] * 500 / 1460, abs=1)
    # An answer may be on its way at the end.
    assert flow["delivery_ratio"] in (1.0, pytest.approx(1 - 1 / flow["sent_segments"]))


def test_datagrams_have_a_delivery_ratio_and_routing_has_a_load(run: tworay.Run) -> None:
    flows, routing = run.summary["flows"], run.summary["routing"]
    for flow in flows:
        assert flow["delivery_ratio"] == pytest.approx(flow["acked_segments"] / flow["sent_segments"])
    assert 0 < flows[2]["delivery_ratio"] <= 1
    arrived = run.tables["paths"]["packets"].sum()
    assert routing["load"] == pytest.approx(routing["control_packets"] / arrived)
    goodputs = [flow["goodput_bps"] for flow in flows if flow["tcp"]]
    assert run.summary["metrics"]["least_goodput_bps"] == min(goodputs)
    assert run.summary["metrics"]["most_goodput_bps"] == max(goodputs)


def test_an_ending_names_a_metric_and_a_wrong_name_gets_the_nearest() -> None:
    known = metrics.EXAMPLES
    assert metrics.parse("jain_fairness,goodput_bps", known) == ["metrics.jain_fairness", "goodput_bps"]
    assert metrics.parse(["delay"], known) == ["mean_delay_seconds"]
    assert metrics.parse(None, known) is None
    with pytest.raises(InputError, match="did you mean goodput_bps"):
        metrics.parse("goodputt_bps", known)
    with pytest.raises(InputError, match="did you mean goodput_bps"):
        metrics.parse("gooput", known)
    with pytest.raises(InputError, match="there is no metric `seconds`; did you mean"):
        metrics.parse("seconds", known)


def test_metrics_are_chosen_and_listed(cli: Cli) -> None:
    base = ("compare", "string-3", "--tcp", "reno,sack", "--seeds", "2", *QUICK)
    chosen = cli(*base, "--metrics", "delivery_ratio,mac.sent.rts,handshake_seconds")
    assert chosen.code == 0
    heading = next(line for line in chosen.out.splitlines() if line.startswith("tcp"))
    assert "goodput" not in heading
    assert "handshake" in heading
    refused = cli(*base, "--metrics", "godput", "--out", "results")
    assert refused.code == 2
    assert "`tworay metrics` lists them" in refused.err
    listed = cli("metrics").out
    for metric in METRICS:
        assert metric.name in listed
    assert len(cli("metrics", "--json").document) == len(METRICS)


def test_the_documentation_has_the_lists_and_numbers() -> None:
    """Write them anew with `python docs/make/metrics_page.py`."""
    for page, text in runpy.run_path(str(ROOT / "docs/make/metrics_page.py"))["pages"]().items():
        assert page.read_text(encoding="utf-8") == text, page


def test_words_of_causes_are_declared_once() -> None:
    """Neither the package nor the pages have a list of causes, or a text that says what one means."""
    names = {name for name, _, _ in _native.causes()}
    assert len(names) == len(causes.ROOTS) > 5
    for rows in (_native.causes(), _native.deaths()):
        for name, words, definition in rows:
            assert re.fullmatch(r"[a-z][a-z-]*", name)
            # Words continue a sentence, definitions are sentences.
            assert not words.endswith(".")
            assert definition.endswith(".")
            assert "  " not in definition
    texts = {file: file.read_text() for file in (ROOT / "python/tworay").rglob("*.py")}
    texts |= {file: file.read_text() for file in (ROOT / "viewer/src").rglob("*.ts")}
    for file, text in texts.items():
        said = [words for _, words, _ in _native.causes() if words in text]
        assert not said, f"{file} retypes {said}"
    # The map of guesses to causes is a definition of its own; shapes and sentences may lack a cause.
    listing = [file.name for file, text in texts.items() if all(f'"{name}"' in text for name in names)]
    assert listing == []


def test_bars_and_shapes_of_causes_have_colours_of_their_own() -> None:
    """A cause without a rule was drawn black."""
    style = (ROOT / "viewer/src/viewer.css").read_text()
    colours = {}
    for name, _, _ in _native.causes():
        match = re.search(rf"--cause-{name}: (#\w+);", style)
        assert match, f"{name} has no colour"
        colours[name] = match[1]
        # Bars without a rule have the colour of unknown causes.
        assert name == "unknown" or f".f-{name} {{ fill: var(--cause-{name}); }}" in style
    assert len(set(colours.values())) == len(colours)


def test_families_say_what_their_members_are_called() -> None:
    assert metrics.title("mac.sent.rts") == "sent rts"
    assert metrics.title("flow.3.goodput_bps") == "flow 3 goodput kb/s"
    assert metrics.words("goodput_bps") == ("goodput", "kb/s")
    found = metrics.find("phase_seconds.slow_start")
    assert found is not None
    assert found.of is Of.MEAN


def test_fairness_is_that_of_programs_with_a_backlog() -> None:
    """Of iperf3 over three hops: the connection that arranges the test, and that of the test's data."""
    arranges = {"id": 0, "tcp": "kernel:cubic", "goodput_bps": 466.0, "mean_in_flight_segments": 0.43}
    sends = {"id": 1, "tcp": "kernel:cubic", "goodput_bps": 408000.0, "mean_in_flight_segments": 34.7}
    document = {"flows": [one | {"completion_seconds": 7.0} for one in (arranges, sends)]}
    found = metrics.values(document)
    assert found["metrics.jain_fairness"] == 1
    assert found["metrics.least_goodput_bps"] == found["metrics.most_goodput_bps"] == 408000
    assert found["metrics.total_goodput_bps"] == 408466
    # Whoever names them means them.
    named = metrics.values(document, metrics.parse_judge("flow.0,flow.1"))
    assert named["metrics.jain_fairness"] == pytest.approx(408466**2 / (2 * (408000**2 + 466**2)))
