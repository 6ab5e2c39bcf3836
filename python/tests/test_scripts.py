"""The scripts of crates/tworay-tcp/tests/scripts, played to this machine's kernel."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from studies.peers import kernel_script, script_text
from studies.peers.kernel_script import Sent
from studies.peers.script_text import Arrives, Expected, Write

ROOT = Path(__file__).parents[2]
WRITTEN_FOR = (6, 18)
"""The Linux whose differences from the RFCs the scripts state."""

SCRIPT = """
about: two segments
rfc: 9293 §3
players: kernel/reno, linux
50 write 2
50 > 1-2
90 < ack 1 sack 3 5-6 dsack 1 window 4 echo 1.2
# Why they differ.
kernel: 130 timer 80 > 2
kernel: +480 timer > probe
linux: 131 timer 81 > 2
1000 end
"""


def test_a_script_is_read_for_one_player() -> None:
    script = script_text.read(SCRIPT, "kernel/reno")
    # The newest block is sent first, and before it the duplicate (RFC 2018 §4, RFC 2883 §3).
    ack = Arrives(90, 1, ((1, 1), (5, 6), (3, 3)), 4, (1, 2))
    assert script.events == [Write(50, 2), ack]
    assert [(e.at, e.after_sent, e.numbers, e.timer) for e in script.expected] == [
        (50, False, (1, 2), None),
        (130, False, (2,), 80),
        (480, True, (script_text.PROBE,), 480),
    ]
    assert script.end == 1000
    others = script_text.read(SCRIPT, "linux").expected
    assert [(e.at, e.timer) for e in others] == [(50, None), (131, 81)]
    with pytest.raises(ValueError, match="sends 1"):
        script_text.read("50 sends 1", "linux")


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ([(50.1, 1), (50.2, 2), (131, 2), (611, 0)], None),
        # Late by up to three ticks; or by eleven, if the timer wheel counts in steps of eight and an RTO that
        # was rounded up was doubled. A busy kernel of 250 Hz has sent as late as 254.6 ms after a wait of
        # 240, and 524 after one of 480: by 14.6 and 44 ms.
        ([(50.1, 1), (50.2, 2), (144.6, 2), (668.6, 0)], None),
        ([(50.1, 1), (50.2, 2), (147, 2), (625, 0)], "segment 2 at 147"),
        ([(50.1, 1), (50.2, 2), (128, 2), (608, 0)], "segment 2 at 128"),
        ([(50.1, 1), (50.2, 2), (131, 2), (660, 0)], "segment 0 at 660"),
        ([(50.1, 1), (53.0, 2), (131, 2), (611, 0)], "segment 2 at 53"),
        ([(50.1, 2), (50.2, 1), (131, 2), (611, 0)], "segment 2 at 50"),
        ([(50.1, 1), (50.2, 2), (131, 2)], "segment 0 is not sent"),
        ([(50.1, 1), (50.2, 2), (131, 2), (611, 0), (700, 3)], "nothing is written"),
    ],
)
def test_a_kernel_that_does_something_else_fails(sent: list[tuple[float, int]], wrong: str | None) -> None:
    expected: list[Expected] = script_text.read(SCRIPT, "kernel/reno").expected
    found = kernel_script.fault(expected, [Sent(at, number, 0) for at, number in sent])
    assert found is None if wrong is None else found is not None and wrong in found


@pytest.mark.parametrize("file", script_text.scripts(), ids=lambda file: file.stem)
def test_a_script_ends_after_its_last_timer_may_expire(file: Path) -> None:
    for player in script_text.players(file.read_text()):
        script, latest = script_text.read(file.read_text(), player), 0.0
        for line in script.expected:
            late = 0.0 if line.timer is None else kernel_script.late(line.timer)
            latest = line.at + late + (latest if line.after_sent else 0.0)
        assert latest < script.end, player


@pytest.mark.usefixtures("live_able")
def test_the_kernel_does_what_the_scripts_say() -> None:
    release = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    if release < WRITTEN_FOR:
        pytest.skip(f"the scripts state what Linux {WRITTEN_FOR[0]}.{WRITTEN_FOR[1]} does, this is {release}")
    words = [sys.executable, "-m", "studies.peers.kernel_script"]
    played = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert played.returncode == 0, played.stdout + played.stderr
    kernels = [p for file in script_text.scripts() for p in script_text.players(file.read_text()) if "/" in p]
    assert played.stdout.count(": as written") == len(kernels) > 20
