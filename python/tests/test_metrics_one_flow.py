"""Figures of one flow among several: web, video and datagrams side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tworay
from tworay import metrics
from tworay.metrics.declared import METRICS, Better
from tworay.showing.unfinished import unfinished

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

MIXED = """\
name = "mixed"
duration = "20s"
[topology]
kind = "string"
hops = 2
[[flow]]
from = 0
to = 2
app = "web"
every = "1s"
sizes = { kind = "fixed", size = "10kB" }
[[flow]]
from = 0
to = 2
app = "video"
rate = "200kbps"
[[flow]]
from = 0
to = 2
app = "cbr"
rate = "64kbps"
size = "160B"
[[flow]]
from = 2
to = 0
app = "ftp"
"""
ALONE = ("flow.0.transfer_p95_seconds", "flow.1.stalled_seconds", "flow.2.latency_under_load_seconds")


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    (tmp_path / "mixed.toml").write_text(MIXED)
    return tmp_path / "mixed.toml"


def test_each_kind_has_its_own_figures(mixed: Path) -> None:
    run = tworay.run(mixed)
    found = metrics.values(run.summary)
    flows = run.summary["flows"]
    assert found["flow.0.transfer_p95_seconds"] == flows[0]["transfer_p95_seconds"]
    assert found["flow.1.transfer_p95_seconds"] == flows[1]["transfer_p95_seconds"]
    # The one of all is the mean of both, which tells neither.
    both = (flows[0]["transfer_p95_seconds"] + flows[1]["transfer_p95_seconds"]) / 2
    assert found["transfer_p95_seconds"] == pytest.approx(both)
    assert found["flow.2.delivery_ratio"] == flows[2]["delivery_ratio"]
    assert {"flow.2.transfer_p95_seconds", "flow.3.transfer_p95_seconds", "flow.0.stalls"}.isdisjoint(found)
    # A run of one flow has it once.
    alone = metrics.values(tworay.run("string-2", set={"duration": "3s"}).summary)
    expected = ["flow.0.goodput_bps", "flow.0.latency_under_load_seconds"]
    assert [name for name in alone if name.startswith("flow.")] == expected


def test_a_tcp_flow_has_its_own_delay_under_load(cli: Cli, mixed: Path) -> None:
    """The column of all flows is the mean of the judged ones; each of them is what judging it alone shows."""
    run = tworay.run(mixed)
    found = metrics.values(run.summary)
    own = [found[f"flow.{flow}.latency_under_load_seconds"] for flow in range(4)]
    assert own == [flow["latency_under_load_seconds"] for flow in run.summary["flows"]]
    for flow in range(4):
        judged = metrics.values(run.summary, metrics.parse_judge(f"flow.{flow}"))
        assert judged["latency_under_load_seconds"] == own[flow]
    words = ("compare", str(mixed), "--tcp", "newreno,vegas", "--seeds", "2")
    done = cli(*words, "--metrics", "flow.3.latency_under_load_seconds")
    assert done.code == 0, done.err
    assert "flow 3 delay p95 ms" in " ".join(done.out.split())


def test_a_sweep_keeps_what_single_flows_have_up_to_twenty(tmp_path: Path) -> None:
    """Columns of 12 flows stay, with goodput and delay of each."""
    plan = {"scenario": "bottleneck-12", "tcp": ["newreno"], "seeds": 1, "set": {"duration": "5s"}}
    runs = tworay.Experiment(plan).run(tmp_path / "twelve").runs
    kept = [name for name in runs.columns if name.startswith("flow.")]
    assert sum(name.endswith(".goodput_bps") for name in kept) == 12
    assert sum(name.endswith(".latency_under_load_seconds") for name in kept) == 12


def test_they_are_declared_as_those_of_all_flows() -> None:
    whole, alone = metrics.find("transfer_p95_seconds"), metrics.find("flow.3.transfer_p95_seconds")
    assert whole is not None
    assert alone is not None
    assert (alone.better, alone.scale, alone.unit) == (Better.LESS, whole.scale, whole.unit)
    assert metrics.title("flow.3.transfer_p95_seconds") == f"flow 3 {metrics.title('transfer_p95_seconds')}"
    goodput = metrics.find("flow.3.goodput_bps")
    assert goodput is not None
    assert goodput.name == "flow.*"


def test_one_table_shows_web_video_and_a_call(cli: Cli, mixed: Path) -> None:
    words = ("compare", str(mixed), "--tcp", "newreno,vegas", "--seeds", "3", "--set", "radio.preset=b-11")
    done = cli(*words, "--metrics", ",".join(ALONE), "--json")
    assert done.code == 0, done.err
    assert done.document["verdict"]["metric"] == ALONE[0]
    shown = cli(*words, "--metrics", ",".join(ALONE)).out
    heads = " ".join(shown.partition("goodput")[0].split())
    for number in (0, 1, 2):
        assert f"flow {number}" in heads
    # Of a flow that no run has, before nothing is shown at all.
    assert "no run has flow.9.stalls" in cli(*words, "--metrics", f"{ALONE[0]},flow.9.stalls").err


def test_the_definition_of_their_family_names_each() -> None:
    (family,) = [one for one in METRICS if one.name == "flow.*"]
    for name in ("goodput_bps", "transfer_p95_seconds", "stalls", "delivery_ratio"):
        assert f"{name}`" in family.definition


def test_metrics_name_flows_by_their_ends(cli: Cli, mixed: Path, tmp_path: Path) -> None:
    """`gate:barn` is flow 1 of two; a mistyped end is refused before anything runs."""
    text = MIXED.split("[[flow]]")
    named = "[[flow]]".join([text[0] + "[names]\ngate = 2\nbarn = 0\n", text[1], text[4]])
    (tmp_path / "named.toml").write_text(named)
    words = ("compare", "named.toml", "--tcp", "newreno,vegas", "--seeds", "2", "--out", "out")
    done = cli(*words, "--metrics", "flow.gate:barn.goodput_bps,flow.barn:gate.transfer_seconds", "--json")
    assert done.code == 0, done.err
    assert done.document["verdict"]["metric"] == "flow.1.goodput_bps"
    shown = cli("show", "out", "--metrics", "flow.gate:barn.goodput_bps")
    assert "flow 1 goodput kb/s" in " ".join(shown.out.split())
    result = tworay.compare(tmp_path / "named.toml", tcp="newreno,vegas", seeds=2)
    assert result.conclusion("flow.gate:barn.goodput_bps") == result.conclusion("flow.1.goodput_bps")
    for wrong, says in [
        ("flow.gat:barn.goodput_bps", "did you mean gate?"),
        ("flow.gate.goodput_bps", "2 flows are from or to this node"),
        ("flow.gate:barn.goodputt", "did you mean flow.1.goodput_bps?"),
    ]:
        refused = cli(*words[:-1], "other", "--metrics", wrong)
        assert (refused.code, (tmp_path / "other").exists()) == (2, False), refused
        assert says in " ".join(refused.err.split())
    # An experiment's scenarios may give the ends other numbers.
    (tmp_path / "e.toml").write_text('scenario = "named.toml"\ntcp = ["reno"]\nseeds = 1\n')
    refused = cli("sweep", "e.toml", "--metrics", "flow.gate:barn.goodput_bps")
    assert "here a flow is named by its number, such as flow.0.goodput_bps" in " ".join(refused.err.split())


def test_a_metric_may_be_named_as_tables_head_it() -> None:
    known = metrics.values(tworay.run("string-2", set={"duration": "3s"}).summary)
    for word in ("delay p95", "delay p95 ms", "SRTT", "goodput kb/s"):
        (name,) = metrics.parse(word, known) or [""]
        assert word in (metrics.title(name), metrics.words(name)[0])
    assert metrics.parse("delay p95", known) == ["latency_under_load_seconds"]


def test_transfers_that_did_not_end_are_counted(tmp_path: Path, cli: Cli) -> None:
    """The relay is off from 10 s on: of a transfer every second, those asked for later never end."""
    file = tmp_path / "half.toml"
    file.write_text(
        'duration = "20s"\ntopology = { kind = "string", hops = 2 }\nrouting = { protocol = "static" }\n'
        '[[event]]\nnode = 1\nat = "10s"\nwhat = "down"\n'
        '[[flow]]\nfrom = 0\nto = 2\napp = "web"\nevery = "1s"\nsizes = { kind = "fixed", size = "2kB" }\n',
        encoding="ascii",
    )
    out = tmp_path / "cmp"
    found = tworay.compare(str(file), tcp="reno,vegas", seeds=3, out=out)
    done = cli("compare", str(file), "--tcp", "reno,vegas", "--seeds", "3", "--out", "again")
    rows = found.table_of("transfers")
    counts = {}
    for arm in found.variants:
        mine = rows.filter(rows["variant"] == arm)
        completed = [found.values(arm)[seed]["flow.0.completed_transfers"] for seed in found.values(arm)]
        assert sum(one or 0 for one in completed) == mine["seconds"].is_not_null().sum()
        assert mine.filter((mine["asked_s"] > 10) & mine["seconds"].is_not_null()).is_empty()
        counts[arm] = f"{mine.filter(mine['asked_s'] > 10).height} of {mine.height} with {arm}"
    hint = f"Transfers that had not ended are not in these times: {counts['reno']}, {counts['vegas']}"
    assert hint in " ".join(done.out.split())
    about = found.conclusion("flow.0.transfer_p95_seconds")
    assert any(line.startswith(hint) for line in about)
    assert not any("had not ended" in line for line in found.conclusion("goodput_bps"))


def test_transfers_of_equal_runs_are_counted_once(tmp_path: Path) -> None:
    """1 MB takes at least 8 s at 1 Mb/s: of three transfers in 20 s the last one doesn't end.

    Without errors nothing is random, and the runs of all seeds are one. With errors they are three.
    """
    file = tmp_path / "wired.toml"
    file.write_text(
        'duration = "20s"\nrouting.protocol = "static"\n'
        '[[wire]]\nfrom = 0\nto = 1\nrate = "1Mbps"\ndelay = "20ms"\n'
        '[[flow]]\nfrom = 0\nto = 1\napp = "request"\nsizes = { kind = "fixed", size = "1MB" }\n',
        encoding="ascii",
    )
    rates = {"wire.0.errors.bernoulli.rate": ["0.0", "0.001"]}
    found = tworay.compare(str(file), tcp="reno", vary=rates, seeds=3, out=tmp_path / "cmp")
    assert [len(found.counted(arm)) for arm in found.variants] == [1, 3]
    (line,) = unfinished(
        found, "transfer_p95_seconds", dict(zip(found.variants, ("none", "some"), strict=True))
    )
    assert "in these times: 1 of 3 with none, 3 of 9 with some (" in line
