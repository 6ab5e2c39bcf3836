"""Two flows in opposite directions: what is drawn and told is the chosen flow's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import tworay
from tworay.errors import InputError
from tworay.showing.wording import _did

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

PAPER = """\
name = "paper"
duration = "40s"
[names]
alice = 0
relay = 1
bob = 2
[topology]
kind = "string"
hops = 2
[[flow]]
from = "alice"
to = "bob"
app = "web"
every = "1s"
sizes = { kind = "pareto", least = "2kB", most = "1MB" }
[[flow]]
from = "bob"
to = "alice"
app = "ftp"
"""


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a scenario in which a web server answers against a file transfer."""
    file = tmp_path_factory.mktemp("paper") / "paper.toml"
    file.write_text(PAPER)
    return file


@pytest.fixture(scope="module")
def run(paper: Path) -> tworay.Run:
    return tworay.run(str(paper), tcp="reno")


def test_the_first_trouble_is_the_drawn_flows(run: tworay.Run) -> None:
    """The transfer loses its first segment long before the web server does."""
    lost = run.ledger.filter(pl.col("kind") == "data")
    first = {flow: lost.filter(pl.col("flow") == flow)["since_s"].min() for flow in (0, 1)}
    assert first[1] < first[0]
    for flow, word in ((0, "alice:bob"), (1, "bob:alice")):
        low, high = tworay.plot(run, "sequence", flow=word, zoom="trouble").axes[0].get_xlim()
        mine = lost.filter((pl.col("flow") == flow) & pl.col("since_s").is_between(low, high))
        assert not mine.is_empty()
        # It begins within the stretch, not before the flow's first loss.
        assert high > first[flow]
    # Of all flows drawn it is still the first of the whole run.
    whole = tworay.plot(run, "sequence", zoom="trouble").axes[0].get_xlim()
    assert whole == tworay.plot(run, "sequence", flow=1, zoom="trouble").axes[0].get_xlim()


def test_trouble_is_sought_in_runs_only(paper: Path, tmp_path: Path) -> None:
    arms = tworay.compare(str(paper), tcp="reno,vegas", seeds=1, set={"duration": "2s"}, out=tmp_path / "c")
    # A mean over seeds has no single one; of a seed, the runs that are drawn are looked into.
    with pytest.raises(InputError, match="the mean of runs has no single one"):
        tworay.plot(arms, "goodput", zoom="trouble")


def test_a_loss_is_told_with_the_pause_that_it_caused(run: tworay.Run) -> None:
    """Every lost segment that was sent again has a reaction of its sender, or a recovery that had begun."""
    listed = run.explain(flow=0).document["moments"]
    caused = [one for one in listed if one["loss"] and one["loss"]["kind"] == "data"]
    assert caused
    for one in caused:
        (moment,) = run.explain(flow="alice:bob", at=one["loss"]["t_s"]).document["moments"]
        assert moment["loss"] == one["loss"]
        assert moment["pause"] == one["pause"]
        again = [row["t_s"] for row in moment["sent_again"]]
        assert {row["t_s"] for row in moment["reactions"]} & set(again)


def test_no_text_says_that_nothing_indicated_a_loss_that_was_repaired(run: tworay.Run) -> None:
    for flow in (0, 1):
        for time in run.ledger.filter((pl.col("flow") == flow) & (pl.col("kind") == "data"))["t_s"]:
            explanation = run.explain(flow=flow, at=time)
            (moment,) = explanation.document["moments"]
            if moment["sent_again"]:
                assert "neither its timer nor duplicate ACKs" not in " ".join(str(explanation).split())


def test_a_loss_within_a_recovery_is_no_silence() -> None:
    again = {"t_s": 2.0, "seq": 1, "phase": "recovery"}
    said = _did({"reactions": [], "sent_again": [again]})
    assert "in a recovery already" in said
    assert "neither its timer" in _did({"reactions": [], "sent_again": []})
    assert "neither its timer" in _did({"reactions": [], "sent_again": None})


THREE = (
    PAPER
    + """\
[[flow]]
from = "relay"
to = "bob"
app = "ftp"
"""
)


def test_flows_are_judged_by_their_ends(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text(THREE)
    short = ("--tcp", "reno,vegas", "--seeds", "2", "--set", "duration=5s")
    made = cli("compare", "three.toml", *short, "--judge", "bob:alice", "--out", "c")
    assert made.code == 0, made.err
    assert "Judged: flow 1 (bob to alice), of 3 flows; --judge" in " ".join(made.out.split())
    by_number = cli("show", "c", "--json", "--judge", "flow.1").document
    for same in ("bob:alice", "bob->alice"):
        assert cli("show", "c", "--json", "--judge", same).document == by_number
    several = cli("show", "c", "--judge", "flow.2, alice:bob")
    assert "Judged: flows 0 (alice to bob), 2 (relay to bob), of 3 flows;" in " ".join(several.out.split())
    assert cli("show", "c", "--json", "--judge", "relay").document["judge"] == "flow.2"
    assert cli("plot", "c", "box", "--judge", "bob:alice", "-o", "box.svg").code == 0
    assert (
        tworay.compare(
            str(tmp_path / "three.toml"), tcp="reno", seeds=1, judge="relay:bob", set={"duration": "1s"}
        ).judge
        == "flow.2"
    )
    # Switched off, a flow leaves its number to no other.
    off = cli("compare", "three.toml", *short, "--set", "flow.0=off", "--judge", "relay:bob", "--json")
    assert off.document["judge"] == "flow.2"
    for wrong, reason in {
        "bob:alicia": "--judge bob:alicia: flow alicia: no node has this name; did you mean alice?",
        "alice:relay": "there is no flow between these nodes in this direction",
        "alice": "choose one by its number, or by both ends such as alice:bob",
        "TCPs": "write tcp, udp, all, or flows such as flow.0",
    }.items():
        refused = cli("show", "c", "--judge", wrong)
        assert (refused.code, reason in " ".join(refused.err.split())) == (2, True), refused.err


def test_a_verdict_about_one_flow_says_whose_it_is(cli: Cli, tmp_path: Path) -> None:
    world = THREE + '[[flow]]\nfrom = "bob"\nto = "relay"\napp = "cbr"\nrate = "8kbps"\nsize = "100B"\n'
    (tmp_path / "four.toml").write_text(world)
    short = ("--tcp", "reno,vegas", "--seeds", "2", "--set", "duration=5s", "--out", "c")
    assert cli("compare", "four.toml", *short).code == 0

    def said(metric: str) -> str:
        return " ".join(cli("show", "c", "--metrics", metric).out.split())

    assert "Judged: the TCP flows (3 of 4);" in said("goodput_bps")
    assert "Judged: the TCP flows (3 of 4);" in said("metrics.jain_fairness")
    assert "Judged: flow 1 (bob to alice), of 4 flows." in said("flow.1.goodput_bps")
    # Of the whole run, whichever flows are judged.
    assert "Judged" not in said("metrics.total_goodput_bps")
    comparison = tworay.results(tmp_path / "c")
    title = tworay.plot(comparison, "box", metric="flow.1.goodput_bps").axes[0].get_title()
    assert title.endswith("flow 1 (bob to alice), of 4 flows")


def test_an_end_of_several_flows_is_answered_with_both_ends(run: tworay.Run) -> None:
    with pytest.raises(InputError, match=r"by its number, or by both ends such as alice:bob: 0 \(alice to"):
        run.explain(flow="alice")


def test_a_run_of_a_comparison_is_named_right(cli: Cli, paper: Path, tmp_path: Path) -> None:
    words = ("--tcp", "base=reno,new=vegas", "--seeds", "1-3", "--set", "duration=2s", "--out", "cmp")
    assert cli("compare", str(paper), *words).code == 0
    for given, reason in (
        (("--arm", "bases", "--seed", "1"), "--arm bases: cmp has no such arm; did you mean base?"),
        (("--arm", "base", "--seed", "9"), "--seed 9: cmp has no such run of base; its seeds are 1-3"),
        (("--arm", "base"), "name one of its runs with --arm (base, new) and --seed (1, 2, 3)"),
        (
            ("--arm", "base", "--seed", "1", "--flow", "0", "--at", "99"),
            "--at 99: this run lasts from 0 to 2 s; choose a time of it",
        ),
    ):
        refused = cli("explain", "cmp", *given)
        assert (refused.code, reason in " ".join(refused.err.split())) == (2, True), refused.err


@pytest.mark.parametrize("wrong", ["-1:5", "1:inf", "nan:1", (-1, 5)])
def test_a_stretch_lies_within_the_run(run: tworay.Run, wrong: str | tuple[float, float]) -> None:
    with pytest.raises(InputError, match="write two times from 0 to 40 s"):
        tworay.plot(run, "cwnd", zoom=wrong)


def test_transfers_are_called_as_other_lines_of_flows(run: tworay.Run, paper: Path, tmp_path: Path) -> None:
    other = tworay.run(str(paper), tcp="reno", seed=2)
    axes = tworay.plot(run, "transfers", against=other).axes[0]
    done = [one.tables["transfers"].filter(pl.col("seconds").is_not_nan()).height for one in (run, other)]
    assert axes.get_legend_handles_labels()[1] == [
        f"seed 1: flow 0: alice→bob, reno: {done[0]} transfers",
        f"seed 2: flow 0: alice→bob, reno: {done[1]} transfers",
        "median of a class of sizes",
    ]
    assert axes.get_title() == "paper, seed 1 and paper, seed 2: completion time by size"
    assert tworay.plot(run, "transfers").axes[0].get_title() == "paper, seed 1: completion time by size"
    arms = tworay.compare(str(paper), tcp="reno,vegas", seeds=2, set={"duration": "8s"}, out=tmp_path / "c")
    assert tworay.plot(arms, "transfers").axes[0].get_title() == "paper, 2 seeds: completion time by size"
    one = tworay.plot(arms, "transfers", seed=2).axes[0].get_title()
    assert one == "paper, seed 2: completion time by size"
