"""`make causes`: the rules notice causes that cannot be, and the drawing keeps what it promises."""

from __future__ import annotations

import random
from typing import Any

import pytest

from studies.causes.drawing import LIGHT, LOADS, NOMINAL, REACH, Drawn, Span, drawn
from studies.causes.rules import of_counts, of_light_loads, of_rows
from studies.causes.singly import Single, of_singles

# Three nodes in a row, 200 m apart; node 1 was off from 10 to 20 s.
CASE = Drawn(
    {
        "radio": {"preset": "b-11"},
        "routing": {"protocol": "aodv"},
        "flow": [{"from": 0, "to": 2, "app": "cbr"}],
    },
    [Span("down", 10.0, 20.0, 1)],
    [(0, 0), (200, 0), (400, 0)],
)
DOWN: dict[str, Any] = {
    "flow": 0, "cause": "node-down", "died": "buffer", "node": 0, "t_s": 15.0, "since_s": 12.0,
    "root_node": 0, "next_hop": 1, "interferer": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"since_s": 16.0}, "since after the loss"),
        ({"since_s": 9.0}, "node-down where no node of the hop was off"),
        ({"t_s": 90.0}, "node-down where no node of the hop was off"),
        ({"root_node": 2, "next_hop": 0}, "node-down where no node of the hop was off"),
        ({"interferer": 2}, "an interferer of what no signal destroyed"),
        ({"cause": "channel"}, "channel where there is no noise"),
        ({"cause": "rate"}, "rate of a radio whose rate is set"),
        ({"cause": "link-failure"}, "link-failure where no link has failed"),
        ({"cause": "contention", "next_hop": 2}, "a hop that is no hop"),
        ({"cause": "unknown"}, "unknown in a small network"),
    ],
)
def test_a_cause_that_cannot_be_is_noticed(wrong: dict[str, Any], rule: str) -> None:
    assert list(of_rows(CASE, [DOWN])) == []
    assert rule in [fault.rule for fault in of_rows(CASE, [DOWN | wrong])]


def test_more_losses_by_load_than_chance_allows_are_noticed() -> None:
    """The twin loses 100: 3 + 3 * 100^(1/2) = 33 more may be chance, whenever they are."""

    def lost(count: int) -> list[dict[str, Any]]:
        return [DOWN | {"cause": "congestion", "died": "ifq", "t_s": 12 + i / 50} for i in range(count)]

    assert list(of_counts(CASE, lost(133), [lost(100)])) == []
    (fault,) = of_counts(CASE, lost(140), [lost(100)])
    assert fault.count == 7
    assert list(of_counts(CASE, lost(140), [lost(100), lost(110)])) == []
    late = [row | {"t_s": row["t_s"] + 30} for row in lost(100)]
    (fault,) = of_counts(CASE, late, [lost(100)])
    assert "at a time" in fault.rule


def test_what_no_twin_loses_is_not_lost_to_load() -> None:
    full = DOWN | {"cause": "congestion", "died": "ifq"}
    collided = DOWN | {"cause": "contention", "died": "data-retries"}
    rows = [DOWN, full, full, collided, full | {"flow": 1}]
    (fault,) = of_light_loads(CASE, rows, [[], [full | {"flow": 1}], []])
    assert (fault.flow, fault.count) == (0, 2)


def test_while_a_node_drives_within_reach_load_may_be_too_much_for_its_hops() -> None:
    """Node 1 leaves at 10 s with 20 m/s, at right angles: after 163 m, at 18.2 s, it is 258 m from both."""
    document = CASE.document | {"event": [{"node": 1, "what": "move", "to": [200, 400], "speed": "20m/s"}]}
    case = Drawn(document, [Span("drive", 10.0, 60.0, 1)], CASE.at)
    full = DOWN | {"cause": "congestion", "died": "ifq"}
    assert list(of_light_loads(case, [full | {"t_s": 18.0}], [[]])) == []
    (fault,) = of_light_loads(case, [full | {"t_s": at} for at in (9.0, 18.0, 18.3)], [[]])
    assert fault.count == 2


def test_light_draws_overload_no_hop() -> None:
    most = LOADS["moderate"][1]
    for number in range(60):
        document = drawn(random.Random(f"7/{number}"), LIGHT).document
        rates = [float(flow["rate"][:-3]) for flow in document["flow"] if flow["app"] == "cbr"]
        assert max(rates, default=0) <= max(most * NOMINAL[document["radio"]["preset"]], 5000) + 1


def test_draws_are_the_same_and_their_twins_have_no_disturbance() -> None:
    cases = [drawn(random.Random(f"7/{number}")) for number in range(60)]
    again = [drawn(random.Random(f"7/{number}")) for number in range(60)]
    assert [case.text() for case in cases] == [case.text() for case in again]
    assert {len(case.spans) for case in cases} == {0, 1, 2, 3}
    for case in cases:
        twin = case.twin()
        assert "event" not in twin
        assert "errors" not in twin
        assert "fading" not in twin["radio"]
        assert all(only_by_wire(case, wire) for wire in case.wires)


def only_by_wire(case: Drawn, wire: frozenset[int]) -> bool:
    """Return true if a wire joins places that no radio does."""
    (ax, ay), (bx, by) = (case.at[node] for node in wire)
    return ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 > REACH


# A loss at a relay, beside noise at node 2 that is said to have caused it.
NOISY = Drawn(CASE.document, [Span("loss", 5.0, 20.0, 2), Span("down", 8.0, 9.0, 1)], CASE.at)
AT_RELAY: dict[str, Any] = DOWN | {"cause": "channel", "died": "ifq", "node": 1, "seq": 7}
WITHOUT = AT_RELAY | {"cause": "node-down"}


@pytest.mark.parametrize(
    ("without", "alone", "is_wrong"),
    [
        ([WITHOUT], [], True),
        ([WITHOUT | {"t_s": 15.001}], [], False),
        ([WITHOUT | {"died": "expired"}], [], False),
        ([AT_RELAY], [], False),
        ([], [], False),
        ([WITHOUT], [AT_RELAY | {"t_s": 16.0, "seq": 9}], False),
        ([WITHOUT], [AT_RELAY | {"t_s": 18.0, "seq": 9}], True),
    ],
)
def test_the_same_loss_without_its_cause_is_noticed(
    without: list[dict[str, Any]], alone: list[dict[str, Any]], is_wrong: bool
) -> None:
    """Nothing is lost near 15 s with the noise alone, and this is lost without it at the same instant."""
    noise, outage = NOISY.spans
    singles = [Single(noise, without, alone), Single(outage, [], [])]
    assert bool(list(of_singles(NOISY, [AT_RELAY], singles))) == is_wrong


def test_a_full_queue_at_the_source_proves_nothing_without_a_second_disturbance() -> None:
    noise = Single(NOISY.spans[0], [WITHOUT], None)
    assert list(of_singles(NOISY, [AT_RELAY], [noise]))
    at_source = [row | {"node": 0} for row in (AT_RELAY, WITHOUT)]
    assert not list(of_singles(NOISY, at_source[:1], [Single(NOISY.spans[0], at_source[1:], None)]))


def test_a_drawn_scenario_without_one_disturbance_keeps_the_others() -> None:
    """Each disturbance goes, and what is left are the tables of the others."""
    for number in range(40):
        case = drawn(random.Random(f"singly/{number}"))
        spans = case.disturbances()
        calm = case.twin()
        assert not calm.get("event")
        assert not calm.get("errors")
        assert "fading" not in calm["radio"]
        events = case.document.get("event", [])
        for span in spans:
            assert len(case.without(span).get("event", [])) == len(events) - len(span.events)
