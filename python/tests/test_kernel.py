"""The controllers in this machine's kernel: loaded, used over a string of two hops, unloaded."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from kernel_string import SERVER, String, alone, narrow, over_the_air, string, transfer

from tworay import kernel
from tworay.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    from tworay import Run

    Cli = Callable[..., Result]

USABLE = os.geteuid() == 0 and Path("/sys/kernel/btf/vmlinux").exists()
NAMES = [one.name for one in kernel.controllers()[0]]
SIZE = 500_000
# A port of its own: connections of earlier tests don't use it, which may still be closing (with Reno, once
# their controller is unloaded).
MEASURED = 5002
NOBODY = 65534


def states() -> dict[str, str]:
    return {one.name: one.state for one in kernel.controllers()[0]}


@pytest.fixture(scope="module")
def ends():
    if not USABLE:
        yield None
        return
    with alone(), string() as made:
        yield made


class Carried(NamedTuple):
    """Actions of all controllers at once over the air, and what was left of them."""

    fresh: dict[str, bool]
    loaded: dict[str, str]
    runs: dict[str, Run]
    gone: dict[str, dict[str, Any]]
    left: dict[str, list[str]]


@pytest.fixture(scope="module")
def carried(ends: String | None, tmp_path_factory: pytest.TempPathFactory) -> Carried | None:
    if ends is None:
        return None
    directory = tmp_path_factory.mktemp("carried")
    directory.chmod(0o755)
    # Connections of earlier uses may still keep a controller.
    before = kernel.ask("leftovers")
    fresh, gone = {}, {}
    try:
        for name in NAMES:
            fresh[name] = kernel.load(name)["fresh"]
        loaded = states()
        assert not any(kernel.load(name)["fresh"] for name in NAMES)
        # They run in real time and need little of the processor.
        with ThreadPoolExecutor(len(NAMES)) as pool:
            lossy = {name: 0.02 if name == "tworay_welcome" else 0.0 for name in NAMES}
            runs = pool.map(lambda name: over_the_air(directory, SIZE, name, lossy[name]), NAMES)
            ran = dict(zip(NAMES, runs, strict=True))
    finally:
        for name in fresh:
            gone[name] = kernel.unload(name)
    left = {what: Counter(names) for what, names in kernel.ask("leftovers").items()}
    return Carried(fresh, loaded, ran, gone, {w: [*(left[w] - Counter(before[w])).elements()] for w in left})


@pytest.mark.parametrize("name", NAMES)
def test_a_controller_carries_half_a_megabyte_and_leaves_nothing_behind(name: str, carried: Carried | None):
    if carried is None:
        with pytest.raises(RunError, match=r"as root|BTF"):
            kernel.load(name)
        return
    assert carried.fresh[name]
    assert carried.loaded[name] == "loaded"
    (flow,) = carried.runs[name].summary["flows"]
    assert flow["tcp"] == f"kernel:{name}"
    assert flow["acked_segments"] >= SIZE // 1460
    assert carried.gone[name]["gone"], carried.gone[name]
    assert states()[name] == "absent"
    assert carried.left == {"programs": [], "maps": []}


def test_a_real_kernels_guesses_meet_the_true_causes(carried: Carried | None):
    if carried is None:
        return
    summary = carried.runs["tworay_welcome"].summary
    # One packet in fifty is lost at each hop, and nothing else is wrong.
    assert summary["ledger"]["channel"]["data"] > 5
    guesses = summary["diagnosis_scores"]["guesses"]
    assert guesses == len(summary["live"]["diagnoses"]) > 0
    causes = Counter({cause: n for row in summary["diagnosis"].values() for cause, n in row.items() if n})
    # A busy machine answers late, and the kernel may then take a timeout for a loss that is none.
    lost = {cause for cause, kinds in summary["ledger"].items() if any(kinds.values())}
    assert causes["channel"] > 0
    assert causes.keys() <= lost | {"none"}


ROUTE = "ip route replace $(ip route show | head -n 1) congctl tworay_sca"


def test_the_guides_way_from_measured_links_to_a_route(ends: String | None, cli: Cli, tmp_path: Path):
    """docs/guide/kernel.md: convert a mesh, load a controller, choose it for a route."""
    if ends is None:
        return
    (tmp_path / "mesh.csv").write_text("from,to,loss\nroof,mill,10%\nmill,barn,5%\n")
    assert cli("convert", "mesh.csv", "--flow", "roof:barn:ftp", "-o", "mesh.toml").code == 0
    assert cli("kernel", "load", "sca", "--set", "theta=2").out == "tworay_sca is loaded, theta = 2\n"
    try:
        run = over_the_air(tmp_path, 100_000, None, scenario=tmp_path / "mesh.toml", before=ROUTE)
        assert run.summary["flows"][0]["tcp"] == "kernel:tworay_sca"
        assert "loaded    congestion avoidance" in cli("kernel", "list").out
    finally:
        assert cli("kernel", "unload", "sca").out == "tworay_sca is unloaded\n"


def test_losses_are_told_and_what_they_cost_is_measured(ends: String | None):
    if ends is None:
        with pytest.raises(RunError, match=r"as root|BTF"):
            list(kernel.events(0.1))
        return
    narrow(ends, "4mbit")
    told: list[dict[str, Any]] = []
    kernel.load("welcome")
    try:
        listener = threading.Thread(target=lambda: told.extend(kernel.events(4)))
        listener.start()
        with kernel.Measuring(port=MEASURED) as whole:
            sent = transfer(ends, SIZE, "tworay_welcome", port=MEASURED)
        listener.join()
        with kernel.Measuring(callbacks=True) as callbacks:
            transfer(ends, SIZE, "tworay_welcome", port=MEASURED)
    finally:
        kernel.unload("welcome")

    told = [event for event in told if event["from"] == "10.91.1.1"]
    assert told
    for event in told:
        assert (event["controller"], event["from"], event["to"]) == ("tworay_welcome", "10.91.1.1", SERVER)
        assert event["guess"] in {"congestion", "channel", "link-failure"}
        assert event["to_port"] == MEASURED
        assert event["cwnd"]["before"] >= event["cwnd"]["after"] > 0
    costs = {one["kind"]: one for one in whole.result["costs"]}
    # All ACKs but those of the beginning and the end, and less than a millisecond each.
    acks = [one for kind, one in costs.items() if kind != "timeout"]
    assert 0.9 * sent.arrived < sum(one["count"] for one in acks) <= sent.arrived
    assert sum(one["count"] * one["mean_ns"] for one in acks) < 1e6 * sent.arrived
    assert costs["ack_congestion_avoidance"]["count"] > 0
    # Some recoveries begin by the kernel's reordering timer, without an ACK.
    signs = [event["sign"] for event in told]
    assert 0 < costs["fast_retransmit"]["count"] <= signs.count("dup-acks")
    assert all(one["mean_ns"] > 100 for one in costs.values())
    assert {one["controller"] for one in costs.values()} == {"tworay_welcome"}
    ran = {one["callback"]: one["count"] for one in callbacks.result["callbacks"]}
    assert ran["init"] == 1
    assert ran["in_ack_event"] >= ran["cong_avoid"] > 20
    assert ran["set_state"] > 0
    assert ran["cwnd_event"] > 0


def test_only_new_events_are_shown_with_the_time_of_day(ends: String | None, cli: Cli):
    if ends is None:
        return
    narrow(ends, "4mbit")
    kernel.load("welcome")
    try:
        told: list[dict[str, Any]] = []
        listener = threading.Thread(target=lambda: told.extend(kernel.events(4)))
        listener.start()
        began = time.time()
        transfer(ends, SIZE, "tworay_welcome")
        listener.join()
        # All of them are of the past now.
        assert list(kernel.events(0.5)) == []
        assert cli("kernel", "events", "--seconds", "0.5").out == ""
    finally:
        kernel.unload("welcome")
    assert told
    assert all(began - 1 < event["unix_ns"] / 1e9 < time.time() for event in told)


def test_two_readers_see_every_event(ends: String | None):
    if ends is None:
        return
    narrow(ends, "4mbit")
    kernel.load("welcome")
    try:
        with ThreadPoolExecutor(2) as pool:
            readers = [pool.submit(lambda: list(kernel.events(4, "welcome"))) for _ in range(2)]
            time.sleep(0.5)
            transfer(ends, SIZE, "tworay_welcome")
            first, second = ([(one["seq"], one["monotonic_ns"]) for one in r.result()] for r in readers)
    finally:
        kernel.unload("welcome")
    assert first
    assert first == second


def test_simultaneous_networks_keep_their_guesses_apart(ends: String | None, tmp_path: Path):
    """Both have the same addresses; each gets the events of its own connections, and of its own time."""
    if ends is None:
        return
    tmp_path.chmod(0o755)
    places = [tmp_path / name for name in "ab"]
    for place in places:
        place.mkdir(mode=0o755)
    kernel.load("welcome")
    try:
        with ThreadPoolExecutor(3) as pool:
            everything = pool.submit(lambda: list(kernel.events(15, "welcome")))
            time.sleep(0.5)
            runs = list(pool.map(lambda place: over_the_air(place, SIZE, "tworay_welcome", 0.03), places))
            seen = everything.result()
    finally:
        kernel.unload("welcome")
    own = [
        {(one["netns"], one["seq"], one["monotonic_ns"]) for one in run.summary["live"]["diagnoses"]}
        for run in runs
    ]
    assert all(own)
    assert not own[0] & own[1]
    assert own[0] | own[1] == {(one["netns"], one["seq"], one["monotonic_ns"]) for one in seen}
    for run in runs:
        assert run.summary["diagnosis_scores"]["guesses"] == len(run.guesses)


def test_an_ended_network_keeps_no_controller(ends: String | None, cli: Cli):
    """Its programs leave data unsent; their sockets would retransmit into nowhere for minutes."""
    if ends is None:
        return
    send = (
        "import socket, os; s = socket.create_connection((os.environ['TWORAY_PEER'], 5001)); "
        "s.setblocking(0); s.send(bytes(10**6))"
    )
    serve = "import socket, time; s = socket.create_server((str(), 5001)); time.sleep(60)"
    kernel.load("westwood")
    try:
        done = cli(
            "live", "run", "string-2", "--most-late", "2000", "--congestion", "tworay_westwood",
            "--serve", f"exec {sys.executable} -c '{serve}'",
            "--", sys.executable, "-c", send,
        )  # fmt: skip
        assert done.code == 0, done.err
    finally:
        gone = kernel.unload("westwood")
    assert gone["connections"] == {"used": 0, "moved": 0}
    assert gone["gone"]
    assert states()["tworay_westwood"] == "absent"


def test_the_limit_by_hops_reads_the_ttl(ends: String | None):
    if ends is None:
        return
    kernel.load("cwl")
    try:
        # Two hops: two segments (Papanastasiou 2006, table 4.2).
        assert transfer(ends, SIZE, "tworay_cwl").cwnd == 2
    finally:
        kernel.unload("cwl")


def test_what_is_not_loaded_is_not_unloaded():
    with pytest.raises(InputError, match="there is no kernel controller cubic; there are welcome, westwood"):
        kernel.unload("cubic")
    if USABLE:
        with pytest.raises(InputError, match="tworay_westwood is not loaded"):
            kernel.unload("westwood")


def test_without_rights_one_sentence_says_what_to_do():
    words = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    process = subprocess.run(
        [*words, kernel.LOADER, "--protocol", str(kernel.PROTOCOL), "load", "westwood"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert process.stderr.count("\n") == 1
    assert "as root" in process.stderr or "BTF" in process.stderr


def test_one_who_follows_events_does_not_count_as_a_connection(ends: String | None, cli: Cli):
    """A reader keeps the maps of a controller, but nothing uses its programs: it is gone."""
    if ends is None:
        return
    kernel.load("sca")
    following = kernel.Following(None, "sca")
    try:
        assert cli("kernel", "unload", "sca").out == "tworay_sca is unloaded\n"
        assert states()["tworay_sca"] == "absent"
    finally:
        following.close()
        assert list(following) == []
