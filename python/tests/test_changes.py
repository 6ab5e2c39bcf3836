"""Stories name what was done to the network while it ran: nodes switched off and on, moves, losses, cuts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import tworay
from tworay.showing.chains import chain
from tworay.showing.changes import Change, behind, changes, in_force, while_

if TYPE_CHECKING:
    from tworay.running.run import Run

NAMES = {"gw": 0, "mid": 1, "barn": 2}
# What a live network keeps of `tworay live off mid` and so on.
STEERED = [
    "8.290614800s off mid",
    "10.701744691s on mid",
    "11.184106324s move barn 500,500",
    "12.557814637s move barn 200,0",
]
ABOUT = {"id": 0, "from": 2, "to": 0, "tcp": "kernel:bbr"}


def live(steered: list[str]) -> Run:
    summary = {"names": NAMES, "live": {"steered": steered}, "routing": {"protocol": "static"}}
    return cast("Run", SimpleNamespace(summary=summary, tables={}))


def story(run: Run, begin: float, end: float, *, idle_since: float | None = None) -> list[dict[str, Any]]:
    """Return the chain of a pause without a loss."""
    pause = {"begin_s": begin, "end_s": end, "to_the_end": False}
    pause |= {"after_idle": idle_since is not None, "from_start": False}
    moment = {"loss": None, "pause": pause, "reactions": []}
    return chain(run, ABOUT, moment, changes(run, {}), idle_since)


def test_a_live_outage_is_named_by_what_the_user_did() -> None:
    """Idle from 5 s; the first data after it leave at 8.563 s, when `mid` is off already."""
    steps = story(live(STEERED), 8.563, 18.062, idle_since=5.0)
    assert [(step["t_s"], step["text"]) for step in steps] == [
        (8.2906148, "mid switched off"),
        (8.563, "no loss, only delay, while mid was off and barn moved: first data after an idle spell"),
        (10.701744691, "mid switched on"),
        (11.184106324, "barn sent to 500,500 m"),
        (12.557814637, "barn sent to 200,0 m"),
        (18.062, "new data acknowledged"),
    ]


def test_what_was_over_or_came_later_is_no_reason() -> None:
    run = live(STEERED)
    for begin, end in ((1.0, 8.2), (13.0, 14.0)):
        (first, _) = story(run, begin, end)
        assert first["text"].startswith("no loss, only delay (run it again with --record")
    # Off and on while there was nothing to send.
    (first, _) = story(run, 10.9, 11.0, idle_since=8.0)
    assert "mid" not in first["text"]


def test_a_node_that_was_off_when_something_was_acknowledged_is_no_reason() -> None:
    """What is acknowledged a second after `mid` was switched off goes another way."""
    run = live(["2s off mid"])
    assert in_force(changes(run, {}), 3.0, (3.0, 4.0)) == []
    assert [change.text for change in in_force(changes(run, {}), 2.05, (2.05, 4.0))] == ["mid switched off"]


def test_events_of_a_scenario_are_named_too() -> None:
    """Node 1 is off from 5 s to 8 s; a second node, which nothing crosses, doesn't matter for the loss."""
    settings = {"duration": "20s", "routing.protocol": "static", "flow.0.to": 2}
    script = "5s off 1\n6000ms loss 3 0.5\n8s on 1\n"
    run = tworay.run(tworay.load("string-3", set=settings).with_script(script, "script"))
    told = " ".join(str(run.explain()).split())
    assert "node 1 switched off at 5.000 s" in told
    assert "node 1 switched on at 8.000 s" in told
    assert "node 3" not in told
    lost = run.ledger.filter(run.ledger["cause"] == "node-down").sort("since_s").row(0, named=True)
    full = " ".join(str(run.explain(at=lost["since_s"])).split())
    assert "had no power (node 1 switched off at 5.000 s)" in full


def test_cuts_and_losses_have_their_words() -> None:
    run = live(["1s loss barn 0.2", "3s loss barn 0"])
    cut = {"at": "2s", "what": "cut", "flow": 0, "for": "500ms"}
    found = changes(run, {"event": [cut]})
    assert [change.text for change in found] == [
        "barn made to lose 20 % of frames",
        "a link of flow 0 cut",
        "barn made to lose 0 % of frames",
    ]
    assert while_(in_force(found, 0.5, (0.5, 2.2))) == "while barn lost frames and a link was cut"
    # The cut ended at 2.5 s, before the first data after an idle spell.
    assert while_(in_force(found, 1.5, (2.7, 2.9))) is None


def test_only_an_end_of_the_hop_is_behind_a_loss() -> None:
    loss = {"cause": "node-down", "root_node": 2, "next_hop": 1, "since_s": 9.0}
    found = changes(live(["1s off gw", *STEERED]), {})
    change = behind(found, loss)
    assert isinstance(change, Change)
    assert change.text == "mid switched off"
    assert behind(found, loss | {"next_hop": 0})
    assert behind(found, loss | {"cause": "channel"}) is None
    assert behind(found, loss | {"since_s": 8.0}) is None
