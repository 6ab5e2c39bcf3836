"""Flows without TCP: what they are called, and the share that was delivered."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from studies.live.station import PATIENT
from tworay.live.marking import mark
from tworay.naming import Nodes, sent_as
from tworay.showing.rendering import flow_columns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    from tworay.running.run import Run


def flow(number: int, tcp: str | None) -> dict[str, Any]:
    return {"id": number, "from": 0, "to": 1, "tcp": tcp, "delivery_ratio": 0.5, "goodput_bps": 1.0}


def test_protocols_have_their_names() -> None:
    connections = [{"flow": n, "protocol": p} for n, p in enumerate((6, 1, 17, 103))]
    live = {"late_spans": [], "ended_early": None, "connections": connections}
    flows = [flow(0, "kernel:cubic"), *(flow(n, None) for n in (1, 2, 3))]
    run = cast("Run", SimpleNamespace(summary={"live": live, "flows": flows}, tables={}))
    mark(run, None)
    assert [sent_as(one) for one in flows] == ["kernel:cubic", "icmp", "udp", "ip-103"]
    assert "protocol" not in flows[0]
    assert sent_as(flow(0, None)) == "udp"


def test_the_delivered_share_is_that_of_datagrams() -> None:
    """TCP's is acknowledged over sent, what was sent again included: no share of what was to arrive."""
    _, columns = flow_columns([flow(0, "reno"), flow(1, None)], Nodes())
    (share,) = [one for one in columns if one.heading == "delivered %"]
    assert [str(cell).strip() for cell in share.cells] == ["–", "50.0"]


@pytest.mark.usefixtures("live_able")
def test_ping_is_icmp(cli: Callable[..., Result], tmp_path: Path) -> None:
    done = cli(
        "live", "run", "string-1", *PATIENT, "--out", f"p{os.getpid()}", "--json",
        "--", "ping", "-c", "2", "-i", "0.2", "{peer}",
    )  # fmt: skip
    assert done.code == 0, done.err
    (only,) = json.loads(done.out)["flows"]
    assert (only["tcp"], only["protocol"]) == (None, "icmp")
    story = cli("show", f"p{os.getpid()}").out
    assert "icmp" in story
    assert "udp" not in story
