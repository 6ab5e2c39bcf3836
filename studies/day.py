"""Simulates a day of 50 moving nodes and checks that memory stays as it was after the first hour.

``make day``. Each routing protocol runs in a process of its own: five endless TCP transfers over the nodes of
`strip-50`, without time series and rows of losses, which grow with the traffic because they are asked for.
Everything else has a bound, so that a day takes no more memory than an hour does.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

PROTOCOLS = ("aodv", "dsr", "olsr")
SCENARIO = "strip-50-5"
HOURS = 24
# Growth from the first hour to the last that is allowed: what the allocator does not give back, bytes.
MOST_GROWTH = 2 << 20
EVERY_SECONDS = 0.2


def resident() -> int:
    """Return the memory that this process holds, bytes."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no VmRSS")


def day(protocol: str, hours: int) -> dict[str, object]:
    """Run a day; return the highest memory within each simulated hour, and what the run did."""
    import tworay
    from tworay._native import RunControl

    control, highest, ended = RunControl(), [0] * hours, threading.Event()

    def watch() -> None:
        while not ended.wait(EVERY_SECONDS):
            hour = min(hours - 1, int(control.progress() * hours))
            highest[hour] = max(highest[hour], resident())

    watcher = threading.Thread(target=watch)
    before, began = resident(), time.process_time()
    watcher.start()
    try:
        run = tworay.run(
            SCENARIO,
            seed=1,
            set={"duration": f"{hours}h", "routing.protocol": protocol},
            series=False,
            losses=False,
            control=control,
        )
    finally:
        ended.set()
        watcher.join()
    flows = run.summary["flows"]
    return {
        "before": before,
        "highest": highest,
        "cpu_seconds": time.process_time() - began,
        "events": run.summary["events"],
        "acked_segments": sum(flow["acked_segments"] for flow in flows),
    }


def main() -> int:
    """Run the protocols one after the other, print a row of each, and fail if one grows."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=PROTOCOLS, help="one protocol")
    options.add_argument("--hours", type=int, default=HOURS, help="simulated hours")
    options.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        print(json.dumps(day(given.only, given.hours)))
        return 0
    print("| routing | events | segments | CPU, s | MB before | in hour 1 | in the last | grew, kB |")
    print("|---|---|---|---|---|---|---|---|")
    grew = []
    for protocol in [given.only] if given.only else PROTOCOLS:
        done = subprocess.run(
            [sys.executable, "-m", "studies.day", "--child", "--only", protocol, "--hours", str(given.hours)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stderr)
        found = json.loads(done.stdout)
        first, last = found["highest"][0], max(found["highest"][1:])
        if not first:
            raise SystemExit(f"{protocol}: the first hour took less than {EVERY_SECONDS} s; nothing was seen")
        cells = [
            protocol,
            f"{found['events']:,}",
            f"{found['acked_segments']:,}",
            f"{found['cpu_seconds']:.0f}",
        ]
        cells += [f"{size / 1e6:.1f}" for size in (found["before"], first, last)]
        print("| " + " | ".join([*cells, f"{(last - first) / 1024:.0f}"]) + " |", flush=True)
        if last - first > MOST_GROWTH:
            grew.append(f"{protocol} by {(last - first) / 1e6:.1f} MB: {found['highest']}")
    print("\n".join(f"memory grew: {text}" for text in grew) or "memory stayed flat")
    return 1 if grew else 0


if __name__ == "__main__":
    sys.exit(main())
