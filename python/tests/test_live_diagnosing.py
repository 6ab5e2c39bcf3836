"""Which of the machine's events belong to a live network, and what had been lost when a kernel guessed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import polars as pl

from tworay.live.diagnosing import diagnose

OWN, OTHER = 4_026_531_001, 4_026_531_002
STARTED = 5_000_000_000
SENDER, PEER = "10.0.0.0", "10.0.0.2"


def end(node: int, address: str, port: int, initial: int) -> dict[str, Any]:
    return {"node": node, "address": address, "port": port, "initial_sequence": initial}


def run_of(ledger: list[tuple[float, int, int, str]]) -> Any:
    """Make a run of two connections between the same ports, one after the other, and of their losses."""
    connections = [
        {"flow": 0, "ends": [end(0, SENDER, 4000, 1000), end(2, PEER, 80, 77)]},
        {"flow": 1, "ends": [end(0, SENDER, 4000, 900_000), end(2, PEER, 80, 500_000)]},
    ]
    live = {
        "settings": {"slow": 2.0, "layer": 3},
        "started_monotonic_ns": STARTED,
        "connections": connections,
    }
    flows = [{"id": 0, "from": 0}, {"id": 1, "from": 0}]
    columns = {
        "since_s": [row[0] for row in ledger],
        "flow": [row[1] for row in ledger],
        "seq": [row[2] for row in ledger],
        "cause": [row[3] for row in ledger],
        "kind": ["data" for _ in ledger],
        "from": [0 for _ in ledger],
    }
    schema = {
        "since_s": pl.Float64,
        "flow": pl.Int64,
        "seq": pl.Int64,
        "cause": pl.String,
        "kind": pl.String,
        "from": pl.Int64,
    }
    return SimpleNamespace(
        summary={"live": live, "sim_seconds": 10.0, "flows": flows},
        ledger=pl.DataFrame(columns, schema=schema),
        tables={},
    )


def event(at: float, seq: int, guess: str = "channel", **changed: Any) -> dict[str, Any]:
    """Make the event of a guess ``at`` seconds of the network, which runs at half speed."""
    return {
        "monotonic_ns": STARTED + int(2e9 * at),
        "netns": OWN,
        "from": SENDER,
        "from_port": 4000,
        "to": PEER,
        "to_port": 80,
        "seq": seq,
        "guess": guess,
    } | changed


def diagnosed(ledger: list[tuple[float, int, int, str]], *events: dict[str, Any]) -> Any:
    run = run_of(ledger)
    diagnose(cast("Any", run), events, {OWN})
    return run


LOST = [(1.0, 0, 1001, "channel")]


def test_only_the_networks_own_events_count() -> None:
    strange = [
        event(2.0, 1001, netns=OTHER),
        event(-0.5, 1001),
        event(10.5, 1001),
        event(2.0, 1001, from_port=4001),
        event(2.0, 1001, to="10.0.0.4"),
    ]
    run = diagnosed(LOST, *strange, event(2.0, 1001))
    assert run.summary["diagnosis"] == {"channel": {"channel": 1}}
    assert len(run.summary["live"]["diagnoses"]) == 1
    assert run.tables["guesses"].rows() == [(2.0, 0, 1001, "channel", "channel", "channel")]
    assert "diagnosis" not in diagnosed(LOST, *strange).summary


def test_a_loss_after_the_guess_is_not_its_cause() -> None:
    """The same segment is lost twice: the guess in between was about the first loss."""
    ledger = [(1.0, 0, 1001, "channel"), (3.0, 0, 1001, "link-failure")]
    run = diagnosed(ledger, event(2.0, 1001), event(4.0, 1001, "link-failure"), event(0.5, 1001))
    assert run.summary["diagnosis"] == {
        "channel": {"channel": 1, "none": 1},
        "link-failure": {"link-failure": 1},
    }


def test_connections_that_reuse_their_ports_are_told_apart_by_their_numbers() -> None:
    ledger = [(1.0, 0, 1001, "channel"), (6.0, 1, 901_461, "contention")]
    run = diagnosed(ledger, event(2.0, 1001), event(7.0, 901_461))
    assert [one["flow"] for one in run.summary["live"]["diagnoses"]] == [0, 1]
    assert run.summary["diagnosis"] == {"channel": {"channel": 1, "contention": 1}}


def test_a_guess_of_the_receiver_about_its_own_data_is_no_guess_of_the_flow() -> None:
    back = event(2.0, 78, **{"from": PEER, "from_port": 80, "to": SENDER, "to_port": 4000})
    run = diagnosed(LOST, back)
    assert run.summary["diagnosis"] == {"channel": {"none": 1}}
    assert run.tables["guesses"].is_empty()
