"""Programs that wait in a loop in virtual time are found and named."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from conftest import command

from tworay.virtual.loops import Loops, words

if TYPE_CHECKING:
    from pathlib import Path


def process(proc: Path, number: int, program: str, utime: int, stime: int) -> None:
    # proc(5): 52 fields, of which utime and stime are the 14th and 15th; a name may hold brackets and spaces.
    fields = [str(number), f"({program})", "S", *["0"] * 10, str(utime), str(stime), *["0"] * 37]
    (proc / str(number)).mkdir(exist_ok=True)
    (proc / str(number) / "stat").write_text(" ".join(fields) + "\n", encoding="ascii")


def test_time_of_the_processor_is_that_of_loops(tmp_path: Path) -> None:
    loops = Loops(str(tmp_path), frozenset({7}))
    process(tmp_path, 7, "python3", 900, 0)
    process(tmp_path, 8, "iperf3", 100, 50)
    process(tmp_path, 9, "a (b) c", 30, 0)
    # Less than a tenth of a second is the reading of a program that sleeps.
    process(tmp_path, 10, "ping", 9, 0)
    (tmp_path / "uptime").touch()
    loops.look(0.0)
    # A second one of that name, and more of the first; not looked at yet.
    process(tmp_path, 8, "iperf3", 200, 100)
    process(tmp_path, 11, "iperf3", 25, 25)
    loops.look(2.4)
    assert loops.programs()[0] == {"program": "iperf3", "seconds": 1.5}
    loops.look(2.5)
    # One that has ended keeps what was seen of it.
    (tmp_path / "8/stat").unlink()
    loops.look(5.0)
    assert loops.programs() == [
        {"program": "iperf3", "seconds": 3.5},
        {"program": "a (b) c", "seconds": 0.3},
    ]
    told = words(loops.programs(), 12.9)
    assert told is not None
    assert "in a loop instead of sleeping, in 13 s: iperf3 (3.5 s), a (b) c (0.3 s)" in told
    assert words([], 12.9) is None


# Reads the clock for a second, then sleeps, so that it is seen while it lives.
LOOP = """
import time
end = time.monotonic() + 1.0
while time.monotonic() < end:
    pass
time.sleep(4.0)
"""


def test_a_program_that_reads_the_clock_in_a_loop_is_named(virtual_able: None, tmp_path: Path) -> None:
    file = tmp_path / "loop.py"
    file.write_text(LOOP, encoding="ascii")
    words = command("live", "run", "string-2", "--virtual", "--json", "--", "python3", "-I", "-S", file)
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["live"]["virtual"]["loops"]
    assert found["program"] == "python3"
    # Ticks of 4 ms, each counted for the program that runs when it comes.
    assert 0.9 <= found["seconds"] <= 1.1
    assert "waited in a loop instead of sleeping" in done.stderr
    assert "python3 (1.0 s)" in done.stderr
