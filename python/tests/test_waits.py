"""Where a delivered segment waited longest: in tables made by hand, and in runs whose waits are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest

import tworay
from tworay.showing.waits import _way, longest_wait

if TYPE_CHECKING:
    from tworay.running.run import Run

SEGMENT = {"uid": 7, "t_s": 1.0, "arrived_s": 1.5, "flow": 0, "from": 0, "to": 2, "kind": "data", "seq": 101}
SEGMENT |= {"ack": 1, "hops": 2}


def frame(
    t: float, sender: int, kind: str, *, airtime: float = 0.01, fate: str = "received"
) -> dict[str, Any]:
    """Return a row of the table `frames`: a frame of the segment to the next node."""
    return {
        "t_s": t, "airtime_s": airtime, "from": sender, "to": sender + 1, "kind": kind, "uid": 7,
        "fate": fate,
    }  # fmt: skip


def told(frames: list[dict[str, Any]], queues: list[tuple[float, int, int]]) -> str | None:
    tables = {
        "frames": pl.DataFrame(frames),
        "queues": pl.DataFrame(queues, schema=["t_s", "node", "packets"], orient="row"),
    }
    run = SimpleNamespace(tables=tables, summary={"names": {"barn": 1}})
    wait = longest_wait(cast("Run", run), SEGMENT)
    return wait and wait.text


def test_the_queue_that_held_a_segment_longest_is_named() -> None:
    """It came to node 1 at 1.11 s, when 5 packets waited, and had its first frame at 1.46 s."""
    frames = [frame(1.1, 0, "data"), frame(1.46, 1, "rts"), frame(1.47, 1, "data", airtime=0.03)]
    queues = [(1.05, 1, 5), (1.11, 1, 6), (1.3, 1, 3)]
    assert told(frames, queues) == "left the queue of barn after 350 ms behind 5 packets"


def test_attempts_of_a_mac_are_named() -> None:
    """The fourth RTS of node 0 was answered: from 1.01 s to the end of the data at 1.43 s."""
    tries = [frame(t, 0, "rts", fate="collision") for t in (1.01, 1.1, 1.2)]
    frames = [*tries, frame(1.4, 0, "rts"), frame(1.41, 0, "data", airtime=0.02), frame(1.45, 1, "data")]
    assert told(frames, [(0.5, 0, 9)]) == "left node 0 in attempt 4 of its MAC, after 420 ms"


def test_a_way_that_the_record_has_in_part_is_not_told() -> None:
    assert told([frame(1.1, 0, "data")], [(0.5, 3, 0)]) is None


def test_without_single_segments_the_fullest_queue_is_named() -> None:
    """From 1.0 to 1.5 s node 3 held 10 packets for 0.2 s and then 20 for 0.3 s: 16 on average."""
    queues = [(0.5, 0, 12), (0.9, 3, 10), (1.2, 3, 20), (1.6, 3, 99)]
    said = "was on its way while the queue of node 3 was the fullest, with 16 packets on average"
    assert told([frame(9.0, 0, "data")], queues) == said


BLOAT = """
duration = "10s"
routing.protocol = "static"
[[wire]]
from = 0
to = 1
rate = "100Mbps"
delay = "5ms"
[[wire]]
from = 1
to = 2
rate = "1Mbps"
delay = "5ms"
[[flow]]
from = 0
to = 2
"""


def test_the_queue_of_a_slow_wire_is_named_with_its_packets() -> None:
    """At 1 Mb/s a packet of 1500 B takes 12 ms: who comes behind 43 waits for 43 to 44 times that."""
    run = tworay.run(tworay.Scenario.from_toml(BLOAT, "b.toml", ""), record=True)
    segments = run.tables["segments"].filter((pl.col("kind") == "data") & pl.col("arrived_s").is_not_null())
    waited = 0
    for one in segments.filter(pl.col("bytes") == 1460).to_dicts():
        wait = longest_wait(run, one)
        assert wait is not None
        if "left the queue of the wire from node 1 to node 2" in wait.text:
            ahead = int(wait.text.split("behind ")[1].split()[0])
            assert 12e-3 * ahead - 1e-9 <= wait.seconds <= 12e-3 * (ahead + 1) + 1e-9, wait
            waited += 1
    assert waited > 500
    slow = str(run.explain(at=5.0))
    assert "left the queue of the wire from node 1 to node 2 after" in " ".join(slow.split())


def test_the_waits_of_a_way_over_the_air_are_all_of_its_time() -> None:
    """No moment of a segment's way is left out or told twice."""
    run = tworay.run("string-4", record=True, set={"duration": "10s"})
    known = 0
    for one in run.tables["segments"].filter(pl.col("arrived_s").is_not_null()).to_dicts():
        waits = _way(run, one)
        if waits:
            assert sum(wait.seconds for wait in waits) == pytest.approx(
                one["arrived_s"] - one["t_s"], abs=1e-5
            )
            known += 1
    assert known > 0.9 * run.tables["segments"]["arrived_s"].count()
