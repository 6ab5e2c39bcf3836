"""A station's own things: its name, those of the others, files, addresses, a prompt, an SSH server."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studies.live.station import PATIENT, tworay
from tworay.errors import InputError
from tworay.live import ssh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Result

pytestmark = pytest.mark.usefixtures("live_able")

WORDS = "hostname; cat /etc/hostname; ping -c 1 alice; getent hosts node-1"
CARD = "ip -o link show tworay-0; ip -6 -o addr show tworay-0"
PINGS, LATER = "ping -c 1 alice; read _; exit 0", "sleep 0.5; ping -c 3 -i 0.3 alice; exit 0"
# A relay without a name between two hosts.
NAMED = """
name = "house"
duration = "60s"
[names]
roof = 0
alice = 2
[topology]
kind = "string"
hops = 2
[[flow]]
from = "roof"
to = "alice"
"""


def one(cli: Callable[..., Result], place: Path, *words: str) -> str:
    """Run a shell command at the node ``roof`` and return what it prints before the report."""
    (place / "house.toml").write_text(NAMED)
    done = cli("live", "run", "house.toml", *PATIENT, *words)
    assert done.code == 0, done.err
    return str(done.out)


def test_stations_have_names_and_know_those_of_all_nodes(cli: Callable[..., Result], tmp_path: Path) -> None:
    host = os.uname().nodename
    said = one(cli, tmp_path, "--", "sh", "-c", WORDS)
    assert said.startswith("roof\nroof\n")
    assert "1 received" in said
    # A node without a name is node-N; addresses are 10.0.x.y (docs/guide/live.md).
    assert re.search(r"^10\.0\.0\.1\s+node-1$", said, re.MULTILINE)
    assert os.uname().nodename == host


def test_what_daemons_write_stays_at_their_station(cli: Callable[..., Result], tmp_path: Path) -> None:
    mine = [f"{place}/tworay-test-{os.getpid()}" for place in ("/etc", "/var/lib", "/run")]
    write = "; ".join(f"[ -e {file} ] && echo met; hostname >{file}" for file in mine)
    said = one(cli, tmp_path, "--all", "--each", write, "--", "sh", "-c", f"sleep 1; cat {' '.join(mine)}")
    # Three stations wrote the same paths, and none met another's file.
    assert said.startswith("roof\n" * 3)
    assert "met" not in said
    assert not [file for file in mine if Path(file).exists()]
    # Files elsewhere are the host's.
    assert one(cli, tmp_path, "--", "sh", "-c", "pwd; echo kept >kept").startswith(f"{tmp_path}\n")
    assert (tmp_path / "kept").read_text() == "kept\n"


def test_addresses_of_ipv6_follow_from_those_of_the_cards(cli: Callable[..., Result], tmp_path: Path) -> None:
    """RFC 4291 appendix A: EUI-64 of the MAC with the universal bit inverted; and only one address."""
    said = one(
        cli,
        tmp_path,
        "--layer",
        "2",
        "--",
        "sh",
        "-c",
        CARD,
    )
    mac = re.search(r"link/ether ([0-9a-f:]+)", said)
    assert mac is not None
    octets = bytes.fromhex(mac[1].replace(":", ""))
    eui = bytes([octets[0] ^ 2]) + octets[1:3] + b"\xff\xfe" + octets[3:]
    words = [int.from_bytes(eui[i : i + 2], "big") for i in range(0, 8, 2)]
    found = re.findall(r"inet6 (fe80\S+)/64", said)
    assert len(found) == 1
    import ipaddress

    expected = ipaddress.IPv6Address("fe80::" + ":".join(f"{word:x}" for word in words))
    assert ipaddress.IPv6Address(found[0]) == expected


@contextlib.contextmanager
def standing(cli: Callable[..., Result], place: Path, *options: str) -> Iterator[str]:
    """Keep the network ``house`` up; gives its name."""
    (place / "house.toml").write_text(NAMED)
    name = f"house-{os.getpid()}"
    up = cli("live", "up", "house.toml", "--name", name, *PATIENT, *options)
    assert up.code == 0, up.err
    try:
        yield name
    finally:
        cli("live", "down", name)


def until(text: str, terminal: int) -> str:
    """Read from a terminal until a text is there, twenty seconds at most."""
    read, end = "", time.monotonic() + 20
    while text not in read and time.monotonic() < end:
        if select.select([terminal], [], [], 0.5)[0]:
            read += os.read(terminal, 65536).decode(errors="replace")
    return read


def test_a_shell_says_where_it_is_whatever_the_users_prompt(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / ".bashrc").write_text("PS1='mine> '\nalias hello='echo hel''lo'\n")
    with standing(cli, tmp_path) as name:
        terminal, other = pty.openpty()
        env = os.environ | {"SHELL": str(shutil.which("bash")), "HOME": str(tmp_path), "TERM": "dumb"}
        shell = subprocess.Popen(
            tworay("shell", "--name", name, "roof"),
            stdin=other, stdout=other, stderr=other, env=env, start_new_session=True,
        )  # fmt: skip
        os.close(other)
        assert f"[{name} roof] $ " in until("$ ", terminal)
        # The rest of the user's settings is there.
        os.write(terminal, b"hello; hostname; exit\n")
        assert re.search(r"hello\r\nroof\r\n", until("roof\r\n", terminal))
        assert shell.wait(20) == 0
        os.close(terminal)


def test_where_the_host_s_accounts_can_t_be_read_root_may_log_in(tmp_path: Path) -> None:
    # As in a machine of a user without rights, which reads what that user may read.
    (line,) = [line for line in ssh.SCRIPT.splitlines() if "/etc/shadow" in line]
    accounts = tmp_path / "shadow"
    line = line.replace("/etc/shadow", str(accounts))
    subprocess.run(["sh", "-ec", line], check=True)
    # A password that nobody has is no lock to sshd; "!" would be one.
    assert accounts.read_text(encoding="ascii").startswith("root:*:")
    accounts.write_text("root:!:1::::::\n", encoding="ascii")
    subprocess.run(["sh", "-ec", line], check=True)
    assert accounts.read_text(encoding="ascii") == "root:!:1::::::\n"


def test_without_sshd_the_package_is_named(
    cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "PLACES", "")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="apt-get install openssh-server"):
        ssh.program()


@pytest.mark.parametrize("how", [(), ("--virtual",)])
def test_stations_reach_each_other_by_ssh(
    cli: Callable[..., Result], tmp_path: Path, request: pytest.FixtureRequest, how: tuple[str, ...]
) -> None:
    if how:
        request.getfixturevalue("virtual_able")
    try:
        ssh.program()
    except InputError as error:
        pytest.skip(str(error))
    own = [Path("/etc/ssh/tworay"), Path("/run/sshd")]
    before = [place.exists() for place in own]
    said = one(
        cli, tmp_path, "--ssh", *how, "--", "sh", "-c",
        "ssh 2 hostname; ssh alice 'echo $TWORAY_ADDRESS; cat /proc/net/tcp'",
    )  # fmt: skip
    # By number and by name.
    assert said.startswith("alice\n10.0.0.2\n")
    # 0100A8C0-like notation, in bytes of this machine: port 22 of the listener, at this station only.
    assert re.search(r":0016 ", said)
    assert [place.exists() for place in own] == before


def test_a_capture_streams_while_the_network_runs(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text(NAMED)
    run = subprocess.Popen(
        tworay("run", "house.toml", *PATIENT, "--pcap", "-", "--", "sh", "-c", PINGS),
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert run.stdin is not None
    assert run.stdout is not None
    read, end = b"", time.monotonic() + 20
    # The echo request and its answer have passed two hops each, and the program still waits for a line.
    while blocks(read).count(PACKET) < 4 and time.monotonic() < end:
        if select.select([run.stdout], [], [], 0.5)[0]:
            read += os.read(run.stdout.fileno(), 65536)
    assert run.poll() is None
    kinds = blocks(read)
    assert kinds[0] == SECTION
    assert kinds.count(PACKET) >= 4
    rest, err = run.communicate(b"\n", timeout=30)
    assert run.returncode == 0, err
    assert blocks(read + rest)[0] == SECTION
    # What the command and tworay print is no part of the capture.
    assert b"1 received" in err
    assert b"goodput" in err


# Types of blocks (draft-ietf-opsawg-pcapng §4).
SECTION, PACKET = 0x0A0D0D0A, 6


def blocks(data: bytes) -> list[int]:
    """Return the types of the complete blocks of a capture, whose lengths stand at both ends."""
    at, found = 0, []
    while at + 12 <= len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        if at + length > len(data):
            break
        assert data[at + length - 4 : at + length] == data[at + 4 : at + 8]
        found.append(int.from_bytes(data[at : at + 4], "little"))
        at += length
    return found


def test_losses_in_the_stream_have_their_causes(cli: Callable[..., Result], tmp_path: Path) -> None:
    """A relay that is off from the start: pings are lost as ``node-down`` there, and say so."""
    off = NAMED + '[routing]\nprotocol = "static"\n[[event]]\nnode = 1\nat = "0.1s"\nwhat = "down"\n'
    (tmp_path / "off.toml").write_text(off)
    done = subprocess.run(
        tworay("run", "off.toml", *PATIENT, "--pcap", "-", "--", "sh", "-c", LATER),
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert blocks(done.stdout)[0] == SECTION
    assert b"lost: node-down at node 0 towards node 1 " in done.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("up", "string-2", "--pcap", "-"), "no standard output"),
        (("run", "string-2", "--pcap", "-", "--json"), "can't hold the JSON and the capture"),
        (("run", "string-2", "--record"), "add --out DIR"),
    ],
)
def test_wrong_input_is_named(cli: Callable[..., Result], words: tuple[str, ...], text: str) -> None:
    done = cli("live", *words)
    assert done.code == 2
    assert text in done.err


def test_a_live_run_is_recorded(cli: Callable[..., Result], tmp_path: Path) -> None:
    import polars as pl

    one(cli, tmp_path, "--record", "--out", "out", "--", "ping", "-c", "2", "alice")
    # Two requests and two answers of ICMP, each with its hops.
    frames = pl.read_parquet(tmp_path / "out" / "frames.parquet")
    data = frames.filter((pl.col("kind") == "data") & (pl.col("carries") == "data"))
    hops = data.select("from", "to").unique().sort("from", "to").rows()
    assert hops == [(0, 1), (1, 0), (1, 2), (2, 1)]
