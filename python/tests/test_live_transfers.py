"""Live networks: what programs send over simulated air arrives, is counted, and finds its way.

The networks run in real time but need little of the processor, so all of them run at once, and each test
waits for its own.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from studies.live import station as live_station
from studies.live.station import PATIENT, tworay

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("live_able")

STATION = Path(live_station.__file__).resolve()
MEGABYTE = 1_000_000
# At 11 Mb/s two hops carry a megabyte in some four seconds.
FAST = ("--set", "mac.data_rate=11Mbps", "--set", "mac.basic_rate=2Mbps")
FIXED = ("--set", "routing.protocol=static")
ROUND_OFF_AT = 25
# Relays of the way round.
ROUND = 5
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
    # Its files are where each daemon has them: every station has a /run and a /var/lib of its own.
    "exec babeld -h 1 -C 'default type wireless' -C 'default hello-interval 1' $TWORAY_DEVICE"
)
# Pings go on over the break, and from then on until one comes back by the way round. The network began
# before this, and may be late on a busy machine.
MESH = f"""
(sleep {ROUND_OFF_AT + 2}; touch broken) &
until ping -c 1 -W 1 $TWORAY_PEER; do sleep 0.3; done
ip route get $TWORAY_PEER
iperf3 -c $TWORAY_PEER -t 2
ping -i 0.3 -W 1 -w 60 $TWORAY_PEER >/dev/null &
until [ -e broken ]; do ping -c 1 -W 1 $TWORAY_PEER; sleep 1; done
for n in $(seq 60); do
  came=$(ping -c 1 -W 1 $TWORAY_PEER)
  echo "$came"
  case "$came" in *ttl={64 - ROUND}*) break ;; esac
  sleep 1
done
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
    # Twenty times slower than real time: the program ends long before the last FIN is acknowledged.
    "closing": [
        "string-2", *FAST, *PATIENT, "--slow", "20", "--serve", shell(python("serve", "20000")), "--json",
        "--", *python("fetch", "http://{peer}:8000/", "1"),
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

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, *_: object) -> None:
        # Tests of what a network leaves behind follow: nothing of these may still be running.
        self._pool.shutdown()

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
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jobs]:
    with Jobs(tmp_path_factory.mktemp("live")) as jobs:
        yield jobs


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


def test_a_connection_that_the_program_has_closed_is_closed_on_the_air_too(jobs: Jobs) -> None:
    flow = main_flow(jobs.document("closing"))
    assert flow["completion_seconds"] is not None


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
    """As traceroute needs it, each relay answers for itself, and the peer at last."""
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
    assert relays[-1] == ROUND, "the last came back by the way round"
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
