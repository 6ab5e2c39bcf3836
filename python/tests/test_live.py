"""Live networks: real kernels over simulated air.

They run in real time but need little of the processor, so those of all tests run at once, and each test
waits for its own. Where the machine can't run them, the tests say what is missing; as root with /dev/net/tun
they fail.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import live_station
import polars as pl
import pytest

import tworay as tworay_package
from tworay import _native
from tworay.live import Network, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Result

MISSING = _native.live_missing()
ABLE = os.geteuid() == 0 and Path("/dev/net/tun").exists()
STATION = Path(live_station.__file__).resolve()
MEGABYTE = 1_000_000
# At 11 Mb/s two hops carry a megabyte in some four seconds.
FAST = ("--set", "mac.data_rate=11Mbps", "--set", "mac.basic_rate=2Mbps")
FIXED = ("--set", "routing.protocol=static")
# A busy machine may be late: these tests are about bytes, not about time.
PATIENT = ("--most-late", "2000")

ROUND_OFF_AT = 25
SCENARIOS = {
    # In the middle of the transfer the link that carries it is gone for a second.
    "cut.toml": """
name = "cut"
duration = "60s"
mac = { data_rate = "11Mbps", basic_rate = "2Mbps" }
routing = { protocol = "static" }
[topology]
kind = "string"
hops = 2
[[flow]]
from = 0
to = 2
[[event]]
at = "2s"
what = "cut"
for = "1s"
""",
    # Run over fixed routes: what comes back is the link alone.
    "off.toml": live_station.off(),
    # A string of five, 0 to 4, and a way round node 2 over 5, 6 and 7: so much longer that no loss of some
    # hellos makes it the better one. Node 2 goes off when the daemons have had time to find each other on a
    # busy machine too.
    "round.toml": f"""
name = "round"
duration = "60s"
[topology]
kind = "explicit"
positions = [[0, 0], [200, 0], [400, 0], [600, 0], [800, 0], [200, 200], [400, 200], [600, 200]]
[[flow]]
from = 0
to = 4
[[event]]
node = 2
at = "{ROUND_OFF_AT}s"
what = "down"
""",
}


@pytest.fixture(autouse=True)
def able() -> None:
    """Skip where there are no rights or devices; where there are, nothing may be missing."""
    if MISSING is not None:
        assert not ABLE, MISSING
        pytest.skip(f"{MISSING}; then: sudo .venv/bin/pytest python/tests/test_live.py")


def tworay(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tworay", "live", *map(str, arguments)]


def python(*arguments: str) -> list[str]:
    return [sys.executable, str(STATION), *arguments]


def shell(words: list[str]) -> str:
    return "exec " + shlex.join(words)


SERVER = shell(python("serve", str(MEGABYTE)))
# The server may take a while to come up.
PATIENT_CURL = "curl -s --retry 30 --retry-delay 1 --retry-connrefused"
CURL = (
    "sh",
    "-c",
    f"{PATIENT_CURL} --max-time 60 http://$TWORAY_PEER:8000/ | sha256sum >&2",
)
# Ten seconds without a relay, and as long after it as a kernel's timer may take.
UPLOAD = (
    "--congestion", "cubic", "--serve", "exec iperf3 -s >&2", "--out", "out", "--json",
    "--", "sh", "-c", "timeout 28 iperf3 -c $TWORAY_PEER -t 40 >&2; true",
)  # fmt: skip
BABELD = (
    "exec babeld -I babeld-$TWORAY_NODE.pid -S babeld-$TWORAY_NODE.state -h 1 "
    "-C 'default type wireless' -C 'default hello-interval 1' $TWORAY_DEVICE"
)
# Pings go on over the break, and from then on until one comes back. The network began before this.
MESH = f"""
(sleep {ROUND_OFF_AT + 2}; touch broken) &
until ping -c 1 -W 1 $TWORAY_PEER; do sleep 0.3; done
ip route get $TWORAY_PEER
iperf3 -c $TWORAY_PEER -t 2
ping -i 0.3 -W 1 -w 60 $TWORAY_PEER >/dev/null &
until [ -e broken ]; do ping -c 1 -W 1 $TWORAY_PEER; sleep 1; done
for n in $(seq 60); do ping -c 1 -W 1 $TWORAY_PEER && break; sleep 1; done
"""
DUMP = f"""
tcpdump --immediate-mode -U -i $TWORAY_DEVICE -w station.pcap 2>&1 &
sleep 1
{PATIENT_CURL} http://$TWORAY_PEER:8000/ | head -c 40000 | wc -c >&2
sleep 0.5
kill $!
wait
"""

# What runs for the tests below, by name: the arguments of `tworay live run`.
RUNS: dict[str, list[str | Path]] = {
    "plain": ["string-2", *FAST, *PATIENT, "--serve", SERVER, "--json", "--", *CURL],
    "lossy": [
        "string-2", *FAST, *PATIENT, "--set", "errors.pkt_err.bernoulli.rate=0.02",
        "--serve", SERVER, "--json", "--", *CURL,
    ],
    "cut": ["cut.toml", *PATIENT, "--serve", SERVER, "--json", "--", *CURL],
    "expired": [
        "string-4", *FIXED, *PATIENT, "--json",
        "--", "sh", "-c", "for n in 1 2 3 4; do ping -c 1 -t $n $TWORAY_PEER >&2; done",
    ],
    "frozen": ["off.toml", *FIXED, *PATIENT, "--freeze", *UPLOAD],
    "unfrozen": ["off.toml", *FIXED, *PATIENT, *UPLOAD],
    "babel": [
        "round.toml", *PATIENT, "--layer", "2", "--each", BABELD, "--serve", "exec iperf3 -s >&2", "--json",
        "--", "sh", "-c", MESH,
    ],
    "dumped": [
        "string-2", *PATIENT, "--pcap", "air.pcapng", "--serve", SERVER, "--json",
        "--", "sh", "-c", DUMP,
    ],
    "ten": [
        "string-2", *FAST, *PATIENT, "--serve", shell(python("serve", "50000")), "--json",
        "--", *python("fetch", "http://{peer}:8000/", "10"),
    ],
}  # fmt: skip


class Jobs:
    """Live networks started when the first test asks for one."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._pool = ThreadPoolExecutor(len(RUNS))
        self._futures: dict[str, Future[subprocess.CompletedProcess[str]]] = {}

    def __getitem__(self, name: str) -> subprocess.CompletedProcess[str]:
        for one, arguments in RUNS.items():
            if one not in self._futures:
                self._futures[one] = self._pool.submit(self._run, one, arguments)
        return self._futures[name].result()

    def _run(self, name: str, arguments: list[str | Path]) -> subprocess.CompletedProcess[str]:
        place = self.place / name
        place.mkdir()
        for file, text in SCENARIOS.items():
            (place / file).write_text(text, encoding="utf-8")
        return subprocess.run(
            tworay("run", *arguments), cwd=place, capture_output=True, text=True, timeout=150, check=False
        )

    def document(self, name: str) -> Any:
        done = self[name]
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("live"))


def losses(document: Any) -> dict[str, int]:
    return {cause: n["data"] + n["ack"] for cause, n in document["ledger"].items() if n["data"] + n["ack"]}


def main_flow(document: Any) -> Any:
    """Return the flow of the transfer: others are refused until the server listens."""
    return max(document["flows"], key=lambda flow: flow["sent_segments"])


@pytest.mark.parametrize(("name", "cause"), [("plain", None), ("lossy", "channel"), ("cut", "link-failure")])
def test_a_megabyte_over_two_hops_arrives_as_it_was(jobs: Jobs, name: str, cause: str | None) -> None:
    document = jobs.document(name)
    assert hashlib.sha256(live_station.content(MEGABYTE)).hexdigest() in jobs[name].stderr
    flow = main_flow(document)
    # The server's payload and its header: the flow is turned to where the data goes.
    assert (flow["from"], flow["to"]) == (2, 0)
    assert flow["tcp"].startswith("kernel:")
    assert flow["goodput_bps"] * document["sim_seconds"] / 8 > MEGABYTE / 2
    assert flow["mean_hops"] == 2
    assert flow["sent_segments"] >= flow["acked_segments"] > 0
    if cause is not None:
        assert losses(document)[cause] > 0


def test_ten_connections_at_once_are_ten_flows(jobs: Jobs) -> None:
    document = jobs.document("ten")
    right = hashlib.sha256(live_station.content(50_000)).hexdigest()
    assert jobs["ten"].stderr.count(right) == 10
    flows = [flow for flow in document["flows"] if flow["acked_segments"] > 0]
    assert len(flows) == 10
    assert all(flow["completion_seconds"] is not None for flow in flows)


def resumed(place: Path) -> float:
    """Return when the first data was acknowledged after the relay is back, counted from then."""
    series = pl.read_parquet(place / "out" / "series.parquet").filter(pl.col("acked_bytes") > 100)
    back = live_station.BACK_AT
    before = series.filter(pl.col("t_s") < back)["acked_bytes"].max()
    after = series.filter((pl.col("t_s") >= back) & (pl.col("acked_bytes") > before))["t_s"].min()
    assert isinstance(after, float)
    return after - back


def test_a_frozen_sender_goes_on_at_once_when_the_route_is_back(jobs: Jobs) -> None:
    """Without the freeze only the kernel's timer, backed off for ten seconds, sends the next segment."""
    for name in ("frozen", "unfrozen"):
        jobs.document(name)
    frozen, unfrozen = (resumed(jobs.place / name) for name in ("frozen", "unfrozen"))
    assert frozen < 0.5
    assert unfrozen > 1.0
    document = jobs.document("frozen")
    data = main_flow(document)
    assert data["freezes"] == 1
    assert data["frozen_seconds"] == pytest.approx(10, abs=1)
    assert document["live"]["kept_while_frozen"] > 0
    (freeze,) = document["live"]["freezes"]
    assert freeze["node"] == data["from"]
    assert freeze["to_seconds"] - freeze["from_seconds"] == pytest.approx(data["frozen_seconds"])
    # A fixed route is never missing: only a probe that comes through tells of the repair.
    assert freeze["route_lost_seconds"] is None


def test_where_the_hop_limit_ends_is_told_hop_by_hop(jobs: Jobs) -> None:
    """What traceroute lives on: each relay answers for itself, and the peer at last."""
    document = jobs.document("expired")
    said = jobs["expired"].stderr
    told = [line.split()[1] for line in said.splitlines() if "Time to live exceeded" in line]
    assert told == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
    assert "64 bytes from 10.0.0.4" in said
    assert losses(document) == {"ttl": 3}
    assert document["live"]["time_exceeded"] == 3


def test_babeld_routes_over_four_hops_and_around_a_break(jobs: Jobs) -> None:
    document = jobs.document("babel")
    said = jobs["babel"].stderr
    assert "10.0.0.4 via 10.0.0.1" in said
    assert "iperf Done." in said
    # Each relay takes one of the hop limit: three before the break, and five on the way round.
    relays = [64 - int(line.split("ttl=")[1].split()[0]) for line in said.splitlines() if "ttl=" in line]
    assert 3 in relays, "pings passed by node 2 before it went off"
    assert relays[-1] == 5, "the last came back by the way round"
    # What went to the dead relay until its neighbours noticed.
    assert losses(document)["node-down"] > 0
    assert document["routing"]["protocol"] == "none"


def test_the_capture_of_the_air_is_what_tcpdump_sees(jobs: Jobs) -> None:
    """Packet for packet: what the station sends is on the air, and what is on the air arrives."""
    jobs.document("dumped")
    place = jobs.place / "dumped"
    fields = ("ip.id", "ip.src", "tcp.seq_raw", "tcp.ack_raw", "tcp.len", "tcp.checksum")
    station = tshark(place / "station.pcap", "tcp", fields)
    sent_at = 'tcp && wlan.fc.retry == 0 && frame.interface_name == "node {}"'
    air = [tshark(place / "air.pcapng", sent_at.format(node), fields) for node in (0, 1)]
    assert len(station) > 40
    for sender, on_air in (("10.0.0.0", air[0]), ("10.0.0.2", air[1])):
        seen = [row for row in station if row[1] == sender]
        assert [row for row in on_air if row[1] == sender][: len(seen)] == seen


def tshark(file: Path, wanted: str, fields: tuple[str, ...]) -> list[list[str]]:
    columns = [word for field in fields for word in ("-e", field)]
    done = subprocess.run(
        ["tshark", "-r", file, "-Y", wanted, "-T", "fields", *columns],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line.split("\t") for line in done.stdout.splitlines()]


@contextlib.contextmanager
def nothing_left() -> Iterator[None]:
    """Afterwards no namespace is left that was not there before, and the host has the same interfaces."""
    before, links = live_station.namespaces(), subprocess.check_output(["ip", "-o", "link"])
    yield
    until = time.monotonic() + 10
    while (left := live_station.namespaces() - before) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
    assert subprocess.check_output(["ip", "-o", "link"]) == links


# Leaves a child of its own that doesn't end when asked to, then goes on.
STUBBORN = "setsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 0.1; done' >/dev/null 2>&1 & echo up; "


@contextlib.contextmanager
def started(place: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a command that leaves a stubborn child over a network; what is given has begun."""
    with subprocess.Popen(
        tworay("run", "string-2", *PATIENT, "--", "sh", "-c", STUBBORN + "sleep 60"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.wait(timeout=20)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_of_a_network_that_is_killed(jobs: Jobs, how: signal.Signals, tmp_path: Path) -> None:
    for name in RUNS:
        jobs[name]
    with nothing_left():
        with started(tmp_path) as process:
            if how == signal.SIGINT:
                os.killpg(process.pid, how)
            else:
                process.kill()
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)


def test_what_outlives_the_keeper_too_is_ended_by_the_next_down(
    jobs: Jobs, cli: Callable[..., Result], tmp_path: Path
) -> None:
    for name in RUNS:
        jobs[name]
    with nothing_left():
        before = live_station.namespaces()
        with started(tmp_path) as process:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            keepers = [pid for pid in children if "tworay-keeper" in Path(f"/proc/{pid}/cmdline").read_text()]
            assert len(keepers) == 1
            os.kill(int(keepers[0]), signal.SIGKILL)
            process.kill()
        assert live_station.inside(live_station.namespaces() - before), "the stubborn child is still there"
        down = cli("live", "down")
        assert (down.code, "that a killed network had left running" in down.out) == (0, True), down.err


def test_programs_end_with_the_network_though_its_object_lives() -> None:
    own = live_station.namespaces()
    with Network(tworay_package.load("string-2"), Options(most_late=2.0)) as network:
        assert network.start(0, ["sh", "-c", STUBBORN]).wait(10.0) == 0
        stations = live_station.namespaces() - own
        assert live_station.inside(stations)
    assert not live_station.inside(stations)
    assert network.finish()[1] is None


def test_a_standing_network_is_entered_by_others_and_ended(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    name = f"test-{os.getpid()}"
    up = cli("live", "up", "string-2", "--name", name, *PATIENT, "--out", "out")
    assert up.code == 0, up.err
    assert name in cli("live", "status").out
    again = cli("live", "up", "string-2", "--name", name)
    assert again.code == 2
    assert "is up already" in again.err
    ping = cli("live", "shell", "--name", name, "0", "--", "ping", "-c", "2", "10.0.0.2")
    assert "2 received" in ping.out
    # Two networks side by side don't meet: each answers for itself.
    assert cli("live", "up", "string-2", "--name", f"{name}-b", *PATIENT).code == 0
    process = next(
        one for one in json.loads(cli("live", "status", "--json").out) if one["name"] == f"{name}-b"
    )
    os.kill(process["pid"], signal.SIGKILL)
    gone = cli("live", "down", f"{name}-b")
    assert (gone.code, "had ended already" in gone.out) == (0, True)
    down = cli("live", "down", name)
    assert (down.code, "report.html" in down.out) == (0, True)
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["live"]["settings"]["layer"] == 3
    assert "<html" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    nobody = cli("live", "shell", "--name", name, "0")
    assert nobody.code == 2
    assert "live" in nobody.err


def test_why_a_standing_network_ended_is_told_by_the_next_command(cli: Callable[..., Result]) -> None:
    name = f"test-{os.getpid()}-limit"
    assert cli("live", "up", "string-2", "--name", name, *PATIENT, "--limit", "1").code == 0
    until = time.monotonic() + 20
    while name in cli("live", "status").out and time.monotonic() < until:
        time.sleep(0.2)
    gone = cli("live", "down", name)
    assert (gone.code, "time limit of 1 s" in gone.out) == (0, True), gone.err


def test_a_machine_that_is_too_slow_is_told_so(cli: Callable[..., Result]) -> None:
    late = cli("live", "run", "string-2", "--most-late", "0.000001", "--", "ping", "-c", "9", "{peer}")
    assert late.code == 1
    assert "ms late at" in late.err
    assert "--slow 2" in late.err


def test_slow_motion_stretches_the_round_trip(cli: Callable[..., Result]) -> None:
    """Five times slower: a ping that takes some 7 ms of the air's time takes 35 ms of the station's."""
    document = cli(
        "live", "run", "string-2", *PATIENT, "--slow", "5", "--set", "routing.protocol=static", "--json",
        "--", "ping", "-c", "5", "-i", "0.2", "{peer}",
    )  # fmt: skip
    times = [
        float(line.split("time=")[1].split()[0]) for line in document.err.splitlines() if "time=" in line
    ]
    assert min(times) > 25
    assert document.document["flows"][0]["mean_delay_seconds"] < 0.02


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("string-2", "--congestion", "nonsense"), "has no congestion control"),
        (("string-2", "--nodes", "0,9"), "there is no node 9"),
        (("string-2", "--nodes", "a"), "node numbers"),
        (("string-2", "--layer", "4"), "--layer 4"),
        (("string-2", "--layer", "2", "--freeze"), "--layer 3"),
        (("string-2", "--slow", "0.5"), "--slow 0.5"),
        (("string-2", "--mtu", "9000"), "68 to 2304"),
        (("dumbbell-2", "--layer", "2"), "wired only"),
        (("string-2", "--", "no-such-program"), "can't start no-such-program"),
        (("nowhere",), "nowhere"),
    ],
)
def test_wrong_input_is_named(cli: Callable[..., Result], arguments: tuple[str, ...], words: str) -> None:
    result = cli("live", "run", *arguments)
    assert result.code == 2
    assert words in result.err


def test_without_rights_one_sentence_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        ["setpriv", "--bounding-set=-sys_admin,-net_admin", *tworay("run", "string-2")],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "needs root" in done.stderr
    assert len(done.stderr.splitlines()) == 1
