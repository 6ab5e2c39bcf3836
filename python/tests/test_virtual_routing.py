"""Routing daemons as arms: what is refused, and what they do in virtual time."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import Result, command
from machines import ended

import tworay
from tworay.errors import InputError, RunError
from tworay.virtual import cache, daemons, stillness
from tworay.virtual.arms import run_kernel
from tworay.virtual.guest import START_WITHIN
from tworay.virtual.order import STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

KERNEL = ("--tcp", "kernel:cubic")
WEB = tuple(
    word
    for key in ("app=web", "sizes.kind=fixed", "sizes.size=20kB", "every=1s")
    for word in ("--set", f"flow.0.{key}")
)

# Without a kernel.


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("string-2", "--routing", "aodv,babeld"),
            "there are arms with simulated senders; name only kernels",
        ),
        (("string-2", "--routing", "babeld", "--tcp", "newreno,kernel:cubic"), "name only kernels"),
        (("string-2", "--routing", "aodv,aodv"), "--routing aodv,aodv: write different protocols"),
        (("string-2", "--routing", "aodv,", *KERNEL), "--routing aodv,: write different protocols"),
        (("string-2", "--routing", "babel", *KERNEL), "babel"),
        (
            ("string-2", "--routing", "dsr", "--vary", "routing.protocol=aodv", *KERNEL),
            "--routing and --vary routing.protocol: the key is given twice",
        ),
        (
            ("string-2", "--routing", "batman-adv:none.sh", *KERNEL),
            "`tworay live routing batman-adv > FILE` writes the template to change",
        ),
        (
            ("freeze-probing-field-udp", "--routing", "batman-adv", *KERNEL),
            "sends simulated datagrams, which no daemon routes; leave it out with --set flow.1=off",
        ),
        (
            ("string-2", *WEB, "--routing", "batman-adv", *KERNEL),
            "flow 0 of string-2 sends the simulated traffic of `web`, which no daemon routes",
        ),
    ],
)
def test_wrong_arms_are_refused(
    virtual_able: None, cli: Callable[..., Result], arguments: tuple[str, ...], text: str
) -> None:
    refused = cli("compare", *arguments, "--seeds", "1")
    assert refused.code == 2
    assert text in refused.err
    assert refused.out == ""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("babeld", "sudo apt-get install babeld"),
        ("bird-babel", "sudo apt-get install bird2"),
        ("batman-adv", "sudo apt-get install iproute2"),
    ],
)
def test_a_daemon_that_is_missing_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, line: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(daemons, "SYSTEM", ())
    with pytest.raises(InputError, match=f"routing {name}: .* is not installed; run:  {line}"):
        daemons.load(name)


def test_scripts_are_listed_and_printed_and_replaced_by_those_of_the_user(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    listed = cli("live", "routing", "--json").document
    assert [one["name"] for one in listed] == list(daemons.KINDS)
    assert all(name in cli("live", "routing").out for name in daemons.KINDS)
    printed = cli("live", "routing", "batman-adv")
    assert printed.code == 0
    assert "type batadv ra BATMAN_IV" in printed.out
    assert cli("live", "routing", "batman").code == 2
    changed = tmp_path / "mine.sh"
    changed.write_text(printed.out + "# mine\n", encoding="utf-8")
    own, shipped = daemons.load(f"batman-adv:{changed}"), daemons.load("batman-adv")
    assert own.script == shipped.script + "# mine\n"
    assert own.digest != shipped.digest


# With the kernel.


def quick(hops: int, seconds: int) -> tworay.Scenario:
    return tworay.load(f"string-{hops}", set={"duration": f"{seconds}s"})


def test_batman_adv_carries_data_the_same_way_each_time(virtual_able: None) -> None:
    daemon = daemons.load("batman-adv")
    first, second = (run_kernel(quick(2, 15), 1, "cubic", daemon=daemon, on_air=True) for _ in range(2))
    assert json.dumps(first.summary) == json.dumps(second.summary)
    assert first.summary["routing"]["protocol"] == "batman-adv"
    (flow,) = first.summary["flows"]
    assert (flow["id"], flow["from"], flow["to"], flow["tcp"]) == (0, 0, 2, "kernel:cubic")
    assert flow["goodput_bps"] > 100_000
    # A relay that forwards a segment does not send it again.
    assert flow["retransmitted_segments"] < 0.2 * flow["sent_segments"]
    # More than the OGMs of three nodes, once a second; each segment crosses two hops with 24 bytes around it.
    heard = first.summary["air"]
    assert heard["routing_packets"] > 30
    assert heard["routing_bytes"] > 2 * 24 * flow["acked_segments"]
    assert 0 < heard["routing_airtime_seconds"] < heard["airtime_seconds"]
    assert heard["breaks"] == 0


def test_batman_adv_carries_data_over_802_11n(virtual_able: None) -> None:
    scenario = tworay.load("string-2", set={"duration": "15s", "radio.preset": "n20"})
    run = run_kernel(scenario, 1, "cubic", daemon=daemons.load("batman-adv"), on_air=True)
    (flow,) = run.summary["flows"]
    assert flow["goodput_bps"] > 1_000_000
    heard = run.summary["air"]
    assert heard["routing_packets"] > 12
    # 24 bytes around each segment and each acknowledgment on each of two hops: an acknowledgment for two
    # segments, or for more of an aggregate; repetitions add at most as many again.
    assert 1 < heard["routing_bytes"] / (2 * 24 * flow["acked_segments"]) < 2 * 1.5
    assert (heard["airtime_seconds"], heard["breaks"]) == (None, None)


def test_bird_carries_data_the_same_way_each_time(virtual_able: None) -> None:
    daemon = daemons.load("bird-babel")
    first, second = (run_kernel(quick(2, 50), 1, "cubic", daemon=daemon, on_air=True) for _ in range(2))
    assert json.dumps(first.summary) == json.dumps(second.summary)
    assert first.summary["live"]["routing"]["name"] == "bird-babel"
    (flow,) = first.summary["flows"]
    # Two hops carry less than half of 1.7 Mb/s. A route comes within some 25 s, half of the time.
    assert 100_000 < flow["goodput_bps"] < 850_000
    # Each of three nodes sends a hello every 4 s in the 46 s after its start, at least: 11.
    heard = first.summary["air"]
    assert heard["routing_packets"] > 3 * 11
    assert 0 < heard["routing_airtime_seconds"] < heard["airtime_seconds"]


def test_daemons_route_between_walking_nodes(virtual_able: None) -> None:
    walking = {
        "topology.nodes": "6", "topology.width": "350m", "topology.height": "350m",
        "mobility.min_speed": "5m/s", "mobility.max_speed": "10m/s", "duration": "45s", "flow.0.start": "25s",
    }  # fmt: skip

    def compared(seeds: str) -> tworay.Comparison:
        return tworay.compare(
            "square-50", routing="babeld,batman-adv", tcp="kernel:cubic", set=walking, seeds=seeds
        )

    both, again = compared("1,2"), compared("2")
    assert both.failures == []
    assert len(both.variants) == 2
    for arm in both.variants:
        # The same seed has the same movement, starts of daemons and data, whatever runs beside it.
        one, two = both.documents(arm)[1], both.documents(arm)[2]
        assert json.dumps(two) == json.dumps(again.documents(arm)[2])
        assert json.dumps(one["flows"]) != json.dumps(two["flows"])
        # Nodes are within two hops of each other, so every seed has routes long before the flow starts.
        for document in (one, two):
            assert document["flows"][0]["goodput_bps"] > 100_000
            assert document["air"]["routing_packets"] > 6 * 45 / 4


def test_rates_are_over_the_scenarios_time_not_the_connections(virtual_able: None) -> None:
    # babeld has a route after some 20 s only, so the connection opens late.
    run = run_kernel(quick(2, 30), 1, "cubic", daemon=daemons.load("babeld"), on_air=True)
    (flow,) = run.summary["flows"]
    began = next(one for one in run.summary["live"]["connections"] if one["flow"] == 0)["started_seconds"]
    assert began > 5
    # Segments of 1460 bytes from the scenario's start, 1 s, to the end.
    sent = 8 * 1460 * flow["sent_segments"] / 29
    assert flow["throughput_bps"] == pytest.approx(sent, rel=0.01)
    assert run.flows["throughput_bps"].to_list() == [flow["throughput_bps"]]
    assert flow["handshake_seconds"] >= began - 1


def test_a_flow_without_a_route_has_a_goodput_of_zero(virtual_able: None) -> None:
    # babeld has none within 4 s, so nothing of the flow ever leaves node 0.
    run = run_kernel(quick(2, 4), 1, "vegas", daemon=daemons.load("babeld"), on_air=True)
    (flow,) = run.summary["flows"]
    ends = (flow["id"], flow["from"], flow["to"], flow["tcp"])
    assert ends == (0, 0, 2, "kernel:vegas")
    assert (flow["goodput_bps"], flow["sent_segments"], flow["mean_rtt_seconds"]) == (0.0, 0, None)
    assert tworay.metrics.values(run.summary)["goodput_bps"] == 0.0


def test_a_script_that_fails_is_told_by_its_last_line(virtual_able: None, tmp_path: Path) -> None:
    script = tmp_path / "broken.sh"
    script.write_text("echo first; echo no such thing >&2; exit 3\n", encoding="ascii")
    daemon = daemons.load(f"batman-adv:{script}")
    with pytest.raises(RunError, match=r"the routing of node \d ended with exit code 3: no such thing"):
        run_kernel(quick(2, 5), 1, "cubic", daemon=daemon)


def test_daemons_stand_beside_simulated_protocols_when_a_path_breaks(
    virtual_able: None, tmp_path: Path
) -> None:
    def compare(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command("compare", *arguments),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    arms = (
        "route-break", "--routing", "aodv,batman-adv", *KERNEL, "--seeds", "1", "--set", "duration=60s",
        "--set", "flow.0.start=28s", "--out", "out",
    )  # fmt: skip
    done = compare(*arms, "--json")
    assert done.returncode == 0, done.stderr
    variants = json.loads(done.stdout)["variants"]
    assert len(variants) == 2
    for arm in variants.values():
        assert arm["goodput_bps"]["mean"] > 50_000
        # The last link breaks at 35 s: one break, after which data goes another way.
        assert arm["air.breaks"]["mean"] == 1
        assert arm["air.next_hop_changes"]["mean"] >= 1
        assert 0 < arm["air.heal_seconds"]["mean"] < 25
    again = compare("--resume", "out")
    assert again.returncode == 0, again.stderr
    assert "heal" in again.stdout
    manifest = tmp_path / "out/summary.json"
    assert "batman-adv" in manifest.read_text(encoding="utf-8")
    # Another script is another arm.
    name = f"{tmp_path}/iproute"
    Path(name).mkdir()
    (Path(name) / "ip").write_text("#!/bin/sh\n", encoding="ascii")
    (Path(name) / "ip").chmod(0o755)
    other = subprocess.run(
        command("compare", "--resume", "out", "--seeds", "2"), cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PATH": f"{name}:{os.environ['PATH']}"}, check=False,
    )  # fmt: skip
    assert other.returncode == 2
    assert "was run by another version of batman-adv or of its script" in other.stderr


def virtual_seconds(scratch: Path) -> float:
    """Return the time in a machine; zero before its network is up."""
    try:
        return float(json.loads((scratch / STATUS).read_text(encoding="utf-8"))["sim_seconds"])
    except OSError:
        return 0.0


def left_behind() -> set[Path]:
    place = cache.home() / "virtual"
    return set(place.iterdir()) if place.is_dir() else set()


def test_a_daemon_that_hangs_is_ended_with_an_error(
    virtual_able: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "hangs.sh"
    script.write_text("sleep 2; while :; do :; done\n", encoding="ascii")
    monkeypatch.setattr(stillness, "STUCK", 3.0)
    before = left_behind()
    daemon = daemons.load(f"batman-adv:{script}")
    with pytest.raises(RunError, match="virtual time stood still"):
        run_kernel(quick(2, 30), 1, "cubic", daemon=daemon)
    assert left_behind() <= before


def test_a_comparison_that_is_killed_leaves_no_machine(virtual_able: None, tmp_path: Path) -> None:
    before = left_behind()
    process = subprocess.Popen(
        command("compare", "string-4", "--routing", "babeld,batman-adv", *KERNEL, "--seeds", "2",
                "--jobs", "2", "--set", "duration=5000s", "--out", "out"),
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while len(left_behind() - before) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    scratch = left_behind() - before
    assert len(scratch) == 2
    # Until daemons run; a busy host takes long.
    until = time.monotonic() + 300
    while min(map(virtual_seconds, scratch)) <= START_WITHIN and time.monotonic() < until:
        time.sleep(0.1)
    assert min(map(virtual_seconds, scratch)) > START_WITHIN
    process.kill()
    process.wait(30)
    assert ended(*scratch)
    with cache.scratch():
        assert not scratch & left_behind()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("olrs", "With kernels also babeld, batman-adv, batman-adv-v, bird-babel (`tworay live routing`)\n"),
        ("babled", "bird-babel (`tworay live routing`); did you mean babeld?\n"),
    ],
)
def test_a_misspelt_protocol_is_answered_with_the_daemons_too(
    cli: Callable[..., Result], name: str, said: str
) -> None:
    done = cli("compare", "string-2", "--routing", name, "--tcp", "kernel:cubic", "--seeds", "1")
    assert done.code == 2
    assert said in done.err
