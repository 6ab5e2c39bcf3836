"""Two flows in opposite directions: what is drawn and told is the chosen flow's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import tworay
from tworay.errors import InputError
from tworay.showing.wording import _did

if TYPE_CHECKING:
    from pathlib import Path

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
    with pytest.raises(InputError, match="it looks into runs, not comparisons"):
        tworay.plot(arms, "cwnd", zoom="trouble")


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
