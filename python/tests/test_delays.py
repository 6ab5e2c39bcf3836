"""Stories of pauses without a loss: what delayed the acknowledgment, from tables made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest

import tworay
from tworay.showing.delays import delays
from tworay.showing.searches import searches

if TYPE_CHECKING:
    from tworay.running.run import Run

ABOUT = {"id": 0, "from": 0, "to": 2, "tcp": "newreno"}


def segment(
    t: float, arrived: float | None, *, seq: int = 0, size: int = 0, ack: int | None = None
) -> dict[str, Any]:
    """Return a row of the table `segments`: data of 0 to 2, or an ACK of 2 to 0."""
    ends = (2, 0) if ack is not None else (0, 2)
    return {
        "t_s": t, "arrived_s": arrived, "flow": 0, "from": ends[0], "to": ends[1],
        "seq": seq, "bytes": size, "ack": ack, "again": 0,
    }  # fmt: skip


def told(*rows: dict[str, Any], pause: tuple[float, float]) -> list[tuple[float, str]]:
    tables = {"segments": pl.DataFrame(list(rows), infer_schema_length=None)}
    return delays(cast("Run", SimpleNamespace(tables=tables)), ABOUT, pause)[0]


def test_a_delayed_ack_is_named() -> None:
    found = told(
        segment(0.9, 1.0, ack=101),
        segment(1.0, 1.05, seq=101, size=100),
        # The receiver had the segment at 1.05 s and answered 200 ms later.
        segment(1.25, 1.30, ack=201),
        pause=(1.0, 1.30),
    )
    assert found == [
        (1.05, "the oldest segment, sent 50 ms before, arrived"),
        (1.25, "the receiver sent the ACK that it had held back for 200 ms (delayed ACK)"),
    ]


def test_reordering_is_named() -> None:
    found = told(
        segment(0.9, 1.0, ack=101),
        segment(1.0, 1.40, seq=101, size=100),
        segment(1.01, 1.06, seq=201, size=100),
        segment(1.02, 1.07, seq=301, size=100),
        segment(1.40, 1.45, ack=401),
        pause=(1.0, 1.45),
    )
    assert found == [
        (1.40, "the oldest segment, sent 400 ms before and overtaken by 2 later ones (reordering), arrived")
    ]


def test_what_is_only_late_is_neither() -> None:
    found = told(
        segment(0.9, 1.0, ack=101),
        segment(1.0, 1.40, seq=101, size=100),
        segment(1.40, 1.45, ack=201),
        pause=(1.0, 1.45),
    )
    assert found == [(1.40, "the oldest segment, sent 400 ms before, arrived")]


def test_the_ack_may_come_before_a_look_at_the_sender() -> None:
    """The states of kernels are seen every 100 ms: the ACK of 1.15 s ended the pause that lasted to 1.2 s."""
    found = told(
        segment(0.9, 1.0, ack=101),
        segment(1.0, 1.10, seq=101, size=100),
        segment(1.10, 1.15, ack=201),
        segment(1.05, 1.16, seq=201, size=100),
        segment(1.16, 1.19, ack=301),
        pause=(1.1, 1.2),
    )
    assert found == [(1.10, "the oldest segment, sent 100 ms before, arrived")]


def test_a_run_without_a_record_tells_nothing() -> None:
    assert delays(cast("Run", SimpleNamespace(tables={})), ABOUT, (0.0, 1.0)) == ([], 0.0)


def test_a_run_with_delayed_acks_says_so() -> None:
    """Single segments with pauses: every ACK waits for the timer of 100 ms (`tcp.receiver.acks`)."""
    text = (
        'duration = "5s"\nrouting.protocol = "static"\n[tcp.receiver]\nacks = "delayed"\n'
        '[[wire]]\nfrom = 0\nto = 1\nrate = "10Mbps"\ndelay = "5ms"\n'
        '[[flow]]\nfrom = 0\nto = 1\napp = "web"\nthink = "50ms"\nsizes = { kind = "fixed", size = "500B" }\n'
    )
    world = tworay.Scenario.from_toml(text, "t.toml", "")
    run = tworay.run(world, record=True)
    said = str(run.explain())
    assert "(delayed ACK)" in " ".join(said.split())
    held = [step["text"] for moment in run.explain().document["moments"] for step in moment["chain"]]
    waited = [text for text in held if "held back" in text]
    assert waited, held
    assert all(pytest.approx(100, abs=101) == int(text.split("for ")[1].split(" ms")[0]) for text in waited)


def note(t: float, node: int, event: str, **more: float) -> dict[str, Any]:
    """Return a row of the table `routing`."""
    return {"t_s": t, "node": node, "event": event} | dict.fromkeys(("dst", "neighbour", "search_s")) | more


def sought(*rows: dict[str, Any], pause: tuple[float, float]) -> tuple[str | None, list[tuple[float, str]]]:
    types = {"t_s": pl.Float64, "node": pl.Int64, "event": pl.String, "dst": pl.Int64, "neighbour": pl.Int64}
    frame = pl.DataFrame(list(rows), schema=types | {"search_s": pl.Float64})
    run = SimpleNamespace(tables={"routing": frame}, summary={"routing": {"protocol": "aodv"}})
    return searches(cast("Run", run), ABOUT, pause)


BROKEN = (
    note(1.1, 1, "link-broken", neighbour=2),
    note(1.1, 1, "route-lost", dst=2),
    note(2.5, 0, "route-found", dst=2, search_s=1.3),
)


def test_a_break_and_the_search_for_another_route_are_the_reason_of_a_delay() -> None:
    assert sought(*BROKEN, pause=(1.0, 2.6)) == (
        "the route broke and a route was searched for",
        [
            (1.1, "AODV at node 1 took its link to node 2 as broken"),
            (2.5, "AODV at node 0 found a route to node 2, after a search of 1.30 s"),
        ],
    )


def test_a_break_before_the_pause_counts_if_the_search_lasted_into_it() -> None:
    """The search ended at 2.5 s and began at 1.2 s; the break of 1.1 s was before it."""
    reason, steps = sought(*BROKEN, pause=(2.0, 2.6))
    assert reason == "a route was searched for"
    assert len(steps) == 1


def test_breaks_and_searches_of_others_are_no_reason() -> None:
    others = (
        note(1.1, 1, "link-broken", neighbour=7),
        note(1.1, 1, "route-lost", dst=7),
        note(2.5, 5, "route-found", dst=2, search_s=1.3),
        note(2.5, 0, "route-found", dst=7, search_s=1.3),
    )
    assert sought(*others, pause=(1.0, 2.6)) == (None, [])
    # Before and after the pause.
    assert sought(*BROKEN, pause=(3.0, 4.0)) == (None, [])
    assert sought(*BROKEN, pause=(0.0, 1.0)) == (None, [])


def test_the_story_of_a_pause_without_a_loss_names_the_search() -> None:
    """The first route of `strip-50` is searched for while the SYN waits: nothing is lost."""
    run = tworay.run("strip-50", seed=2, record=True, set={"duration": "3s"})
    story = " ".join(str(run.explain()).split())
    assert "no loss, but a route was searched for: the flow's start at 1.000 s" in story
    found = run.tables["routing"].filter((pl.col("event") == "route-found") & (pl.col("node") == 0))
    # Without a record the reason isn't known.
    other = " ".join(str(tworay.run("strip-50", seed=2, set={"duration": "3s"}).explain()).split())
    again = "run it again with --record --out DIR to see of what"
    assert f"no loss, only delay ({again}): the flow's start at 1.000 s" in other
    assert f"after a search of {1000 * found['search_s'][0]:.0f} ms" in story
