"""In ``bottleneck-N`` flows share one wire; in ``dumbbell-N`` each has a slow wire of its own.

A wire of R bit/s carries R × 1000 / 1040 of payload in segments of 1000 bytes with 40 bytes of headers.
"""

from __future__ import annotations

import tworay

CARRIED = 1000 / 1040


def goodput(name: str, **settings: str) -> float:
    changed = {key.replace("__", "."): value for key, value in settings.items()}
    same = {"flow.0.start": "0s", "flow.1.start": "0s"}
    return tworay.run(name, set={"duration": "30s"} | same | changed, series=False).goodput_bps


def test_two_flows_together_get_what_the_shared_wire_carries() -> None:
    assert 0.9 * 4e6 * CARRIED < goodput("bottleneck-2") <= 4e6 * CARRIED
    assert 0.9 * 8e6 * CARRIED < goodput("bottleneck-2", wire_kind__bottleneck__rate="8Mbps") <= 8e6 * CARRIED


def test_other_wires_don_t_limit_them() -> None:
    assert goodput("bottleneck-2", wire_kind__sink__rate="50Mbps") > 0.9 * 4e6 * CARRIED


def test_the_papers_dumbbell_has_a_bottleneck_for_each_flow() -> None:
    """Two sinks of 1 Mb/s get 2 Mb/s together, whatever the wire between the routers carries beyond that."""
    for rate in ("100Mbps", "10Mbps"):
        assert 0.9 * 2e6 * CARRIED < goodput("dumbbell-2", wire_kind__bottleneck__rate=rate) <= 2e6 * CARRIED
