"""A live run made by hand, as iperf3 leaves one: an idle connection for control, then the transfer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

import tworay

if TYPE_CHECKING:
    from pathlib import Path

# The control connection: opened at 0.2 s, everything acknowledged by 0.4 s, nothing to send until 10.5 s.
OPENED, ACKED, AGAIN, ENDED = 0.2, 0.4, 10.5, 10.6
SECONDS = 11.0
SETTINGS = {
    "layer": 3,
    "nodes": [],
    "limit_seconds": 3600.0,
    "mtu": None,
    "slow": 1.0,
    "most_late_seconds": 2.0,
    "congestion": "cubic",
    "freeze": False,
}
COMMAND = ["iperf3", "-c", "{peer}", "-t", "10"]


def state(time: float, acked: int, in_flight: float) -> dict[str, Any]:
    """Return a row of the control connection's series."""
    return {
        "seed": 1,
        "t_s": time,
        "flow": 0,
        "cwnd_segments": 10.0,
        "ssthresh_segments": float("inf"),
        "srtt_s": 0.1,
        "rto_s": 0.3,
        "in_flight_segments": in_flight,
        "acked_bytes": acked,
    }


def live_run(place: Path, programs: dict[str, Any] | None) -> Path:
    """Write the run with its report into a directory and return the report."""
    run = tworay.run("string-2", set={"duration": f"{SECONDS:g}s"}, series=True, losses=True)
    # The simulator's transfer is the second connection.
    for name, table in run.tables.items():
        if "flow" in table.columns:
            run.tables[name] = table.with_columns(pl.col("flow") + 1)
    rows = [
        state(OPENED, 0, 1.0),
        state(ACKED, 165, 1.0),
        # The kernel is asked now and then: that nothing is in flight is seen late.
        state(ACKED + 0.05, 165, 0.0),
        state(AGAIN, 165, 1.0),
        state(ENDED, 166, 0.0),
    ]
    series = run.tables["series"]
    run.tables["series"] = pl.concat([pl.DataFrame(rows, schema=series.schema), series])
    phases = run.tables["phases"]
    control = [
        {"seed": 1, "t_s": time, "flow": 0, "phase": phase}
        for time, phase in ((OPENED, "handshake"), (ACKED, "slow_start"))
    ]
    run.tables["phases"] = pl.concat([pl.DataFrame(control, schema=phases.schema), phases])
    # The other end of the control connection sent a segment again, which is not the sender's affair.
    again = run.tables["retransmissions"]
    other = {"seed": 1, "t_s": 0.7, "flow": 0, "seq": 193_002_884, "phase": "slow_start"}
    run.tables["retransmissions"] = pl.concat([pl.DataFrame([other], schema=again.schema), again])
    (transfer,) = run.summary["flows"]
    transfer |= {"id": 1, "tcp": "kernel:cubic"}
    idle = {"id": 0, "goodput_bps": 8 * 166 / SECONDS, "completion_seconds": ENDED - OPENED}
    run.summary["flows"] = [transfer | idle, transfer]
    live: dict[str, Any] = {"settings": SETTINGS, "freezes": []}
    run.summary["live"] = live if programs is None else live | {"programs": programs}
    run.save(place)
    return tworay.write_report(place)
