"""The part of a scenario's traffic that kernels carry, and the words that refuse or name the rest."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from conftest import command

from studies.live import station
from tworay import compare
from tworay.errors import InputError
from tworay.live.options import Options
from tworay.live.sending import ends, not_sent
from tworay.running.scenarios import load as load_scenario
from tworay.virtual import transfer
from tworay.virtual.arms import run_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

STATION = Path(station.__file__).resolve()
TCP_CLOSE = 7
MSS = 1460
# Where struct tcp_info has the window that the peer offers (uapi/linux/tcp.h, since 5.4).
TCPI_SND_WND = 228

TALK = """name = "talk"
duration = "4s"
[topology]
kind = "string"
hops = 2
[[flow]]
from = 0
to = 2
{other}
[[flow]]
from = 0
to = 2
"""


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ('app = "request"\nthink = "200ms"', 'app = "request"'),
        ('app = "web"\nevery = "1s"\nsizes = { kind = "fixed", size = "20kB" }', 'app = "web"'),
        ('app = "video"\nrate = "100kbps"', 'app = "video"'),
        ('app = "replay"\nfile = "t.mahi"\nover = "tcp"', 'app = "replay", over = "tcp"'),
    ],
)
def test_kernels_leave_no_flow_out_without_a_word(
    cli: Callable[..., Result], tmp_path: Path, other: str, named: str
) -> None:
    """Their arm would have the medium to itself, and be compared with arms that share it."""
    (tmp_path / "t.mahi").write_text("5\n9\n")
    (tmp_path / "talk.toml").write_text(TALK.format(other=other))
    words = ("--tcp", "newreno,kernel:reno", "--seeds", "1")
    refused = cli("compare", "talk.toml", *words)
    assert refused.code == 2
    assert f"kernel:reno: flow 0 of talk ({named})" in refused.err
    assert "--set flow.0=off" in refused.err
    assert len(refused.err) < 200
    # The remedy leads on: without a kernel to the next thing that is missing.
    (tmp_path / "cache").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        followed = cli("compare", "talk.toml", *words, "--set", "flow.0=off")
    assert "`tworay live kernel build` builds it" in followed.err
    (tmp_path / "exp.toml").write_text('scenario = "talk.toml"\ntcp = ["kernel:reno"]\nseeds = 1\n')
    swept = cli("sweep", "exp.toml")
    assert (swept.code, f"flow 0 of talk ({named})" in swept.err) == (2, True)
    with pytest.raises(InputError, match="flow 0 of talk"):
        run_kernel(load_scenario(str(tmp_path / "talk.toml")), 1, "reno")


def test_a_kernel_keeps_within_the_window_of_the_scenario(virtual_able: None, tmp_path: Path) -> None:
    """A receiver's buffer that grows by itself would take the window along, to three times the limit."""
    result = compare(
        "string-3", tcp="newreno,kernel:reno", vary={"tcp.window": [8, 16]}, seeds=1, set={"duration": "8s"},
        out=tmp_path / "windows",
    )  # fmt: skip
    most = result.series.group_by("variant").agg(pl.col("in_flight_segments").max())
    assert dict(most.iter_rows()) == {
        f"{sender} tcp.window={window}": window for sender in ("newreno", "kernel:reno") for window in (8, 16)
    }


def test_the_window_is_a_limit_for_newer_kernels_too() -> None:
    """Since 6.5 a kernel sets the limit anew when data arrive, by the whole buffer; here, over loopback."""
    window = 64 * MSS
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [transfer.__file__, "serve", port, window, MSS]
    with subprocess.Popen([sys.executable, "-I", *map(str, words)]) as server, patient(port) as sender:
        seen = []
        for _ in range(200):
            sender.sendall(bytes(MSS))
            time.sleep(0.002)
            info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCPI_SND_WND + 4)
            seen.append(struct.unpack_from("I", info, TCPI_SND_WND)[0])
        sender.shutdown(socket.SHUT_WR)
        assert server.wait(10) == 0
    # What was offered before the first data stays offered.
    assert max(seen[50:]) <= window


def patient(port: int) -> socket.socket:
    """Return a connection to a server that is about to start."""
    for _ in range(200):
        sender = transfer.endpoint(MSS)
        if sender.connect_ex(("127.0.0.1", port)) == 0:
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sender
        sender.close()
        time.sleep(0.05)
    raise AssertionError("nobody listens")


def test_kernels_are_not_compared_with_runs_that_have_a_warm_up(cli: Callable[..., Result]) -> None:
    """Simulated flows would be judged without their start, those of kernels with it."""
    refused = cli("compare", "string-2", "--tcp", "newreno,kernel:reno", "--set", "warmup=2s")
    assert refused.code == 2
    assert "has a warmup of 2s" in refused.err
    assert "--set warmup=0s" in refused.err


def test_the_record_of_real_kernels_balances_with_the_books(virtual_able: None, tmp_path: Path) -> None:
    """A page of 60 kB over a lossy string: the flow is the server's, and each of its segments is kept."""
    server = f"exec {sys.executable} {STATION} serve 60000"
    fetch = f"{sys.executable} {STATION} fetch http://$TWORAY_PEER:8000/ 1"
    done = subprocess.run(
        command(
            "live", "run", "string-2", "--virtual", "--congestion", "reno", "--record", "--out", "out",
            "--set", "errors.pkt_err.bernoulli.rate=0.02", "--serve", server, "--", "sh", "-c", fetch,
        ),
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    (flow,) = summary["flows"]
    assert (flow["from"], flow["to"], flow["tcp"]) == (2, 0, "kernel:reno")
    segments = pl.read_parquet(tmp_path / "out" / "segments.parquet")
    data = segments.filter((pl.col("from") == 2) & (pl.col("bytes") > 0))
    assert data.height == flow["sent_segments"] > 40
    assert data["again"].sum() == flow["retransmitted_segments"]
    # All of the page and its head arrived: each byte once is acknowledged.
    once = data.filter(pl.col("arrived_s").is_not_null()).unique("seq")["bytes"].sum()
    assert flow["delivery_ratio"] == pytest.approx(once / data["bytes"].sum())
    lost = segments.filter(pl.col("cause").is_not_null()).group_by("cause", "kind").len()
    booked = {
        (cause, kind): count
        for cause, kinds in summary["ledger"].items()
        for kind, count in kinds.items()
        if count
    }
    assert {(cause, kind): count for cause, kind, count in lost.iter_rows()} == booked != {}


def test_live_networks_name_the_flows_that_nobody_sends(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "talk.toml").write_text(
        TALK.format(other='app = "web"\nevery = "1s"\nsizes = { kind = "fixed", size = "20kB" }')
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path))
        nobody = cli("live", "run", "string-2", "--virtual", "--", "true")
    assert "Not sent" not in nobody.err
    talk = load_scenario(str(tmp_path / "talk.toml"))
    assert ends(talk, Options()) == (0, 2)
    words = str(not_sent(talk, Options()))
    assert "Not sent: flow 0 (web), flow 1 (ftp) of talk" in words
    assert not_sent(load_scenario("string-2"), Options()) is None


@pytest.mark.parametrize(
    "words",
    [
        ("--", "ping", "-c", "60", "-i", "0.5", "{peer}"),
        ("--pcap", "-", "--", "ping", "-c", "6", "-i", "0.5", "{peer}"),
    ],
    ids=["output", "capture"],
)
def test_a_reader_who_leaves_costs_no_results(
    virtual_able: None, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """`tworay live run --virtual ... | head -c 40`: the program is ended, as a pipe ends it in real time."""
    with subprocess.Popen(
        command("live", "run", "string-2", "--virtual", "--out", "out", *words),
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        assert len(process.stdout.read(40)) == 40
        process.stdout.close()
        said = process.stderr.read().decode()
        process.wait(timeout=60)
    assert "results are in out" in said, said
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary["flows"][0]["acked_segments"] > 0
    # The program did not go on for nobody: it would have sent for 30 s.
    assert summary["sim_seconds"] < 15


def test_a_sender_that_ends_with_the_network_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The network's end aborts connections; a sender whose time is up closes its own at that moment."""
    server = socket.create_server(("127.0.0.1", 0))

    class Aborted(socket.socket):
        def shutdown(self, how: int) -> None:
            accepted = server.accept()[0]
            # Closes with RST, as an abort does (SO_LINGER of 0 s).
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            accepted.close()
            # The first byte of struct tcp_info is the state.
            while self.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != TCP_CLOSE:
                time.sleep(0.01)
            super().shutdown(how)

    connection = Aborted()
    monkeypatch.setattr(transfer, "endpoint", lambda mss: connection)
    words = ["send", "127.0.0.1", str(server.getsockname()[1]), "0", "0", "0", "0"]
    monkeypatch.setattr(sys, "argv", ["transfer", *words])
    with server, connection:
        transfer.main()
