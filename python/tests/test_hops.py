"""Adaptive variants find the length of the path over every routing protocol."""

from __future__ import annotations

import polars as pl
import pytest

import tworay


# Hops and the window limit of the thesis' table 4.2.
@pytest.mark.parametrize(("hops", "limit"), [(2, 2), (4, 1), (6, 2), (8, 3)])
@pytest.mark.parametrize("protocol", ["static", "aodv", "olsr", "dsr"])
def test_adaptive_cwl_limits_the_window_by_the_acks_hop_limit(protocol: str, hops: int, limit: int) -> None:
    settings = {"duration": "30s", "routing.protocol": protocol}
    run = tworay.run(f"string-{hops}", tcp="newreno+adaptive-cwl", set=settings)
    late = run.series.filter(pl.col("t_s") > 15)
    assert run.series["cwnd_segments"].max() >= limit
    assert run.goodput_bps > 0
    assert late.is_empty() or late["cwnd_segments"].max() <= limit


def test_adaptive_sca_slows_the_growth_over_aodv() -> None:
    settings = {"duration": "60s", "routing.protocol": "aodv"}
    plain, adaptive = (
        tworay.run("string-8", tcp=tcp, set=settings).series["cwnd_segments"].mean()
        for tcp in ("newreno", "newreno+adaptive-sca")
    )
    assert adaptive < plain
    # Below 4 hops it is plain NewReno.
    short = [
        tworay.run("string-3", tcp=tcp, set=settings).goodput_bps
        for tcp in ("newreno", "newreno+adaptive-sca")
    ]
    assert short[0] == short[1]


@pytest.mark.parametrize(
    ("protocol", "table"), [("aodv", "aodv"), ("olsr", "aodv"), ("static", "aodv"), ("dsr", "dsr")]
)
def test_adaptive_sca_takes_the_table_of_the_routing_protocol(protocol: str, table: str) -> None:
    # 12 hops: theta is 37 with AODV (table B.1) and 10 with DSR (4.4).
    settings = {"duration": "60s", "routing.protocol": protocol}
    by_protocol, aodv, dsr = (
        tworay.run("string-12", tcp=f"newreno+adaptive-sca{choice}", set=settings).series["cwnd_segments"]
        for choice in ("", "(table=aodv)", "(table=dsr)")
    )
    assert by_protocol.equals({"aodv": aodv, "dsr": dsr}[table])
    assert not aodv.equals(dsr)
