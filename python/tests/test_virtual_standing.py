"""Networks that stay up in virtual time: `tworay live up --virtual`, `shell`, `status`, `down`."""

from __future__ import annotations

import itertools
import json
import os
import pty
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import Result, command
from machines import processes_of
from playwright.sync_api import expect
from report_browser import started
from waiting import wait_for
from watchers import events, watched

import tworay
from tworay.virtual import cache
from tworay.virtual.order import publish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAME = f"test-{os.getpid()}"
CLOCK = "cut -d' ' -f1 /proc/uptime"


def live(*arguments: str | Path, cwd: Path, text: str | None = None) -> Result:
    return Result(
        subprocess.run(
            command("live", *arguments), cwd=cwd, capture_output=True, text=True, timeout=120, check=False,
            input=text,
        )
    )  # fmt: skip


def shell(cwd: Path, node: int, *words: str) -> Result:
    return live("shell", "--name", NAME, str(node), "--", *words, cwd=cwd)


def described(cwd: Path) -> dict[str, Any] | None:
    found = live("status", "--json", cwd=cwd).document
    return next((one for one in found if one["name"] == NAME), None)


def test_who_looks_again_and_again_never_reads_half_a_file(tmp_path: Path) -> None:
    # A machine told its nodes with a plain write; now and then the host read the file while it was empty.
    path, text = tmp_path / "up.json", json.dumps({str(node): "10.0.0.1" for node in range(100)})
    publish(path, text)
    writing = threading.Thread(target=lambda: [publish(path, text) for _ in range(300)])
    writing.start()
    while writing.is_alive():
        assert path.read_text(encoding="utf-8") == text


@pytest.fixture
def network(virtual_able: None, tmp_path: Path) -> Iterator[Path]:
    up = live(
        "up", "string-2", "--set", "names.far=2", "--virtual", "--name", NAME, "--out", "out", cwd=tmp_path
    )
    try:
        assert up.code == 0, up.err
        assert f"{NAME} is up; nodes 0 (10.0.0.0), far (10.0.0.2)" in up.out
        yield tmp_path
    finally:
        if described(tmp_path) is not None:
            live("down", NAME, cwd=tmp_path)


def test_options_of_virtual_time_need_it(cli: Callable[..., Result]) -> None:
    for option in (("--pace", "1"), ("--memory", "512")):
        refused = cli("live", "up", "string-2", *option)
        assert refused.code == 2
        assert f"{option[0]} is for machines in virtual time: add --virtual" in refused.err
    wrong = cli("live", "up", "string-2", "--virtual", "--pace", "0")
    assert wrong.code == 2
    assert "--pace 0: allowed are 0.01 to 1000" in wrong.err


def test_commands_run_at_nodes_and_time_stands_still_between_them(network: Path) -> None:
    ping = shell(network, 0, "sh", "-c", "ping -c 2 10.0.0.2; echo wrong >&2; exit 5")
    assert ping.code == 5
    assert "2 received, 0% packet loss" in ping.out
    assert ping.err == "wrong\n"
    before = float(shell(network, 0, "sh", "-c", CLOCK).out)
    about = described(network)
    assert about is not None
    # While nothing runs, the machine's process is stopped: state T.
    (process,) = [p for p in processes_of(Path(about["scratch"])) if Path(f"/proc/{p}/stat").exists()][:1]

    def stopped() -> bool:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "T"

    assert wait_for(stopped)
    time.sleep(3.0)
    assert float(shell(network, 0, "sh", "-c", CLOCK).out) - before < 1.0
    assert shell(network, 7, "true").code == 2
    # A second network of that name.
    again = live("up", "string-2", "--virtual", "--name", NAME, cwd=network)
    assert again.code == 2
    assert f"a live network {NAME} is up already" in again.err
    down = live("down", NAME, cwd=network)
    assert down.code == 0, down.err
    assert f"{NAME} is down" in down.out
    summary = json.loads((network / "out/summary.json").read_text(encoding="utf-8"))
    assert summary["sim_seconds"] > 1
    assert summary["live"]["virtual"]["kernel"] == cache.kernel().name
    assert (network / "out/report.html").is_file()
    assert wait_for(lambda: not processes_of(Path(about["scratch"])))
    assert not Path(about["scratch"]).exists()


def test_the_same_commands_give_the_same_bytes_however_long_one_waits_between_them(
    virtual_able: None, tmp_path: Path
) -> None:
    # A machine at rest looked for the next command by opening a file that was not there, which moves time.
    left = []
    for wait in (0.0, 1.5):
        place = tmp_path / f"waited-{wait}"
        place.mkdir()
        up = live(
            "up", "string-2", "--virtual", "--name", NAME, "--out", "out", "--pcap", "air.pcapng", cwd=place
        )
        assert up.code == 0, up.err
        try:
            said = []
            for _ in range(2):
                time.sleep(wait)
                said.append(shell(place, 0, "sh", "-c", "date +%s.%N; ping -c 2 10.0.0.2").out)
        finally:
            down = live("down", NAME, cwd=place)
        assert down.code == 0, down.err
        files = ("out/summary.json", "air.pcapng")
        left.append((said, [(place / file).read_bytes() for file in files]))
    assert left[0][0] == left[1][0]
    assert left[0] == left[1]


def test_a_shell_runs_lines_and_keeps_its_directory(network: Path) -> None:
    done = live(
        "shell", "--name", NAME, "2", cwd=network, text="cd /tmp\npwd\necho $TWORAY_ADDRESS\nfalse\nexit\n"
    )
    assert done.out == "/tmp\n10.0.0.2\n"
    assert done.code == 1


def test_a_shell_at_a_terminal_says_where_it_is(network: Path) -> None:
    keyboard, terminal = pty.openpty()
    os.write(keyboard, b"echo $TWORAY_NAME\nexit\n")
    done = subprocess.run(
        command("live", "shell", "--name", NAME, "far"), cwd=network, stdin=terminal,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    for end in (keyboard, terminal):
        os.close(end)
    prompt = f"[{NAME} far] $ "
    assert done.stdout == f"{prompt}far\n{prompt}", done.stderr


def test_the_network_is_changed_between_commands(network: Path) -> None:
    def answered() -> bool:
        return "1 received" in str(shell(network, 0, "ping", "-c", "1", "-W", "5", "10.0.0.2").out)

    def change(*words: str) -> Result:
        return live(*words, "--name", NAME, cwd=network)

    assert answered()
    off = change("off", "1")
    assert (off.code, off.out.split("s ", 1)[1]) == (0, "off 1\n"), off.err
    assert not answered()
    assert change("on", "1").code == 0
    assert answered()
    wrong = change("move", "77", "1,1")
    assert (wrong.code, "there is no node 77" in wrong.err) == (2, True), wrong.err


def test_each_command_moves_time_by_what_its_help_says(network: Path) -> None:
    """A change: 150 ms. A status, and waiting: nothing. A command that ends at once: 50 + 150 ms."""

    def change(word: str) -> float:
        return float(live(word, "1", "--name", NAME, cwd=network).out.split("s ")[0])

    times = [change("off"), change("on")]
    assert live("status", cwd=network).code == 0
    time.sleep(0.5)
    times.append(change("off"))
    shell(network, 0, "true")
    times.append(change("on"))
    moved = [after - before for before, after in itertools.pairwise(times)]
    assert moved == pytest.approx([0.15, 0.15, 0.15 + 0.2], abs=0.01)
    told = " ".join(live("up", "--help", cwd=network).out.split())
    assert "each move, off, on and loss by 150 ms; status and watch by nothing" in told


def test_a_watcher_sees_the_network_as_in_real_time(network: Path) -> None:
    def look(wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        return events(address, lambda kind, view: kind == "view" and wanted(view))[-1][1]

    with watched(NAME) as address, started() as browser:
        about, first = events(address, lambda kind, _: kind == "view")
        names = ["0", "1", "far"]
        stands = {"name": NAME, "scenario": "string-2", "stations": [0, 2], "virtual": True}
        assert about == ("about", stands | {"names": names})
        # A string of 200 m hops in which nobody is off and nothing was sent.
        assert first[1]["nodes"] == [[0.0, 0.0, True, 0], [200.0, 0.0, True, 0], [400.0, 0.0, True, 0]]
        assert (first[1]["flows"], first[1]["lost"], first[1]["running"]) == ([], 0, True)
        page = browser.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        page.wait_for_selector("#map circle[data-node='2']")
        assert page.locator("#map line").count() == 2
        expect(page.locator("#state")).to_contain_text("time stands still")
        assert "virtual time" in page.locator("#lag").inner_text()
        # While a command runs, looks go on with its time; 8 requests of 1000 B with their 28 B of headers.
        ping = shell(network, 0, "ping", "-c", "8", "-i", "0.5", "-s", "1000", "10.0.0.2")
        assert "8 received" in ping.out
        after = look(lambda view: view["t"] >= first[1]["t"] + 3.5)
        assert after["lost"] == 0
        assert live("off", "1", "--name", NAME, cwd=network).code == 0
        off = look(lambda view: not view["nodes"][1][2])
        assert [line.split(" ", 1)[1] for line in off["steered"]] == ["off 1"]
        # Nobody sends, so time stands still but for the looks.
        assert off["t"] == pytest.approx(after["t"], abs=1)
        page.wait_for_selector("#map .off")
        # AODV searches for several seconds before it gives up.
        shell(network, 0, "ping", "-c", "1", "-W", "30", "10.0.0.2")
        lossy = look(lambda view: view["lost"] > 0)
        assert {cause for _, _, cause, _ in lossy["losses"]} <= {"node-down", "no-route"}
        expect(page.locator("#causes")).to_contain_text("1")
        assert live("down", NAME, cwd=network).code == 0
        assert events(address, lambda kind, _: kind == "ended")[-1][0] == "ended"
        expect(page.locator("#state")).to_contain_text("has ended")
        assert wrong == []


def test_a_server_runs_until_it_is_interrupted_beside_other_commands(network: Path) -> None:
    server = subprocess.Popen(
        command("live", "shell", "--name", NAME, "2", "--", "sh", "-c", "echo on; sleep 50000"), cwd=network,
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert server.stdout is not None
    assert server.stdout.readline() == "on\n"
    assert shell(network, 0, "echo", "beside").out == "beside\n"
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=30)
    assert server.returncode == 130


def test_a_killed_network_leaves_nothing(network: Path) -> None:
    about = described(network)
    assert about is not None
    assert processes_of(Path(about["scratch"]))
    # Also while its machine is stopped.
    os.kill(about["pid"], signal.SIGKILL)
    assert wait_for(lambda: not processes_of(Path(about["scratch"])))
    assert described(network) is None
    assert shell(network, 0, "true").code == 2
    down = live("down", NAME, cwd=network)
    assert down.code == 0
    assert f"{NAME} had ended already" in down.out
    with cache.scratch():
        assert not Path(about["scratch"]).exists()


def test_a_pace_keeps_time_moving_with_the_clock(virtual_able: None, tmp_path: Path) -> None:
    up = live("up", "string-2", "--virtual", "--pace", "1", "--name", NAME, cwd=tmp_path)
    assert up.code == 0, up.err
    try:
        began = time.monotonic()
        before = float(shell(tmp_path, 0, "sh", "-c", CLOCK).out)
        time.sleep(4.0)
        after = float(shell(tmp_path, 0, "sh", "-c", CLOCK).out)
        spent = time.monotonic() - began
        # Between the two commands at least the sleep has passed, and never more than real time.
        assert 3.0 < after - before < spent + 1.0
    finally:
        assert live("down", NAME, cwd=tmp_path).code == 0


def test_a_run_in_virtual_time_is_watched_at_its_pace(virtual_able: None, tmp_path: Path) -> None:
    # Beside networks of other tests, which are called as their scenarios.
    file = tmp_path / "paced.toml"
    file.write_text(tworay.scenario_text("string-2").replace('name = "string-2"', f'name = "{NAME}"'))
    # A request each virtual second: half a minute in which somebody can look. Two commands take seconds of it
    # where other tests run as well.
    words = ("run", file, "--virtual", "--pace", "1", "--", "ping", "-c", "30", "{peer}")
    with subprocess.Popen(
        command("live", *words), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert wait_for(lambda: described(tmp_path) is not None)
        with watched(NAME) as address:
            refused = live("off", "1", "--name", NAME, cwd=tmp_path)
            seen = events(address, lambda kind, document: kind == "view" and document["t"] > 3)
            assert seen[0] == ("about", seen[0][1] | {"scenario": NAME, "virtual": True})
            # The network ends while somebody looks.
            assert events(address, lambda kind, document: kind == "ended", seconds=60)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "30 received" in out
    assert (refused.code, "can only be watched" in refused.err) == (2, True), refused.err
    times = [document["t"] for kind, document in seen if kind == "view"]
    assert times == sorted(times)
    assert described(tmp_path) is None


def test_a_pace_changes_no_byte(virtual_able: None, tmp_path: Path) -> None:
    found = []
    for pace in ("20", "200"):
        ran = live(
            "run", "string-2", "--virtual", "--pace", pace, "--json", "--", "ping", "-c", "4", "{peer}",
            cwd=tmp_path,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        document = ran.document
        del document["cpu_seconds"]
        found.append(document)
    assert found[0] == found[1]


def test_only_a_run_with_a_pace_can_be_watched(tmp_path: Path) -> None:
    assert "allowed are 0.01 to 1000" in live("run", "string-2", "--virtual", "--pace", "0", cwd=tmp_path).err
    assert "add --virtual" in live("run", "string-2", "--pace", "1", cwd=tmp_path).err
