"""The stories, page and capture of a transfer between real kernels, whose first numbers are random, agree."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tworay as tworay_package
from studies.live import station as live_station
from studies.live.station import PATIENT, tworay
from tworay.report.rundata import FlowData, Tables, write_losses

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.usefixtures("live_able")

SIZE = 400_000
FETCH = "curl -s --retry 30 --retry-delay 1 --retry-connrefused --max-time 60 http://$TWORAY_PEER:8000/"
SETTINGS = {"mac.data_rate": "11Mbps", "mac.basic_rate": "2Mbps", "errors.pkt_err.bernoulli.rate": "0.03"}


class Told(Tables):
    """The tables of a page, before they are packed."""

    def __init__(self) -> None:
        super().__init__()
        self.columns: dict[str, Mapping[str, Any]] = {}

    def add(self, name: str, columns: Mapping[str, Any]) -> None:
        self.columns[name] = columns

    def values(self, table: str, column: str) -> list[float]:
        return [float(value) for value in self.columns[table][column][0]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fetch a file over a lossy string: the data flows back from the server."""
    place = tmp_path_factory.mktemp("numbers")
    words = [word for key, value in SETTINGS.items() for word in ("--set", f"{key}={value}")]
    server = f"exec python3 {Path(live_station.__file__).resolve()} serve {SIZE}"
    done = subprocess.run(
        tworay(
            "run", "string-2", *words, *PATIENT, "--congestion", "cubic", "--out", "out", "--pcap",
            "air.pcapng",
            "--serve", server, "--", "sh", "-c", f"{FETCH} | sha256sum",
        ),
        cwd=place, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256(live_station.content(SIZE)).hexdigest() in done.stdout
    return place


def captured(place: Path, node: int, wanted: str, *fields: str) -> list[tuple[int, ...]]:
    """Return fields of the packets that a station sent, without the MAC's own retries."""
    columns = [word for field in fields for word in ("-e", field)]
    show = f'tcp && wlan.fc.retry == 0 && frame.interface_name == "node {node}" && {wanted}'
    done = subprocess.run(
        ["tshark", "-r", place / "air.pcapng", "-o", "tcp.relative_sequence_numbers:FALSE", "-Y",
        show,
         "-T", "fields", *columns],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [tuple(int(value, 0) for value in line.split("\t")) for line in done.stdout.splitlines()]


def main_flow(run: Any) -> dict[str, Any]:
    found: dict[str, Any] = max(run.summary["flows"], key=lambda flow: flow["sent_segments"])
    return found


def ends_of(run: Any, flow: int) -> dict[int, dict[str, Any]]:
    (connection,) = [one for one in run.summary["live"]["connections"] if one["flow"] == flow]
    return {end["node"]: end for end in connection["ends"]}


def test_the_first_numbers_of_both_directions_are_kept(place: Path) -> None:
    run = tworay_package.Run.read(place / "out")
    ends = ends_of(run, main_flow(run)["id"])
    for node in (0, 2):
        address = f"ip.src == 10.0.0.{node} && tcp.srcport == {ends[node]['port']} && tcp.flags.syn == 1"
        syns = captured(place, node, address, "tcp.seq_raw")
        assert {number for (number,) in syns} == {ends[node]["initial_sequence"]}


def test_stories_page_and_capture_agree(place: Path) -> None:
    run = tworay_package.Run.read(place / "out")
    flow = main_flow(run)
    ends = ends_of(run, flow["id"])
    first = ends[flow["from"]]["initial_sequence"]
    assert first > 0
    # What the capture says of the server's data: the file and a header of some hundred bytes.
    address = f"ip.src == 10.0.0.2 && tcp.srcport == {ends[2]['port']} && tcp.len > 0"
    sent = captured(place, 2, address, "tcp.seq_raw")
    offsets = [(number - first - 1) % 2**32 for (number,) in sent]
    assert 0 <= min(offsets) < max(offsets) < SIZE + 1000
    # The page: losses and retransmissions of the data stand at bytes that were sent.
    told = Told()
    data = FlowData(run, flow, {})
    data.write(told, 10_000)
    write_losses(run, {flow["id"]: data}, told)
    again = told.values(f"again-{flow['id']}", "byte")
    assert again
    assert set(again) <= set(offsets)
    kinds, indices = told.columns["losses"]["kind"]
    flows = told.values("losses", "flow")
    bytes_ = told.values("losses", "byte")
    lost = [
        byte
        for byte, kind, of in zip(bytes_, [kinds[index] for index in indices], flows, strict=True)
        if kind == "data" and of == flow["id"] and byte == byte
    ]
    assert len(lost) > 3
    assert {byte for byte in lost if byte >= 0} <= set(offsets)
    # 3 % of the packets of each hop are lost: a loss of data is repaired by sending it again.
    assert len([byte for byte in lost if byte in set(again)]) > len(lost) / 2
    # The stories: each names another loss, at a byte of the file, and tells when it was sent again.
    moments = run.explain(flow=flow["id"]).document["moments"]
    losses = [moment for moment in moments if moment["part"] == "data"]
    assert losses
    named = [(moment["loss"]["t_s"], moment["loss"]["seq"]) for moment in losses]
    assert len(named) == len(set(named))
    for moment in losses:
        # As Wireshark counts: the first byte of payload has the number 1.
        assert moment["loss"]["relative_seq"] - 1 in offsets
        assert moment["sent_again"]
    text = str(run.explain(flow=flow["id"]))
    assert "-" not in {part[:1] for part in text.split("byte ")[1:]}
    assert all(f"byte {moment['loss']['relative_seq']}" in text for moment in losses)


def test_the_summary_is_the_one_that_was_printed(place: Path) -> None:
    summary = json.loads((place / "out" / "summary.json").read_text())
    assert all(len(one["ends"]) == 2 for one in summary["live"]["connections"])
    assert summary["live"]["ended_early"] is None
