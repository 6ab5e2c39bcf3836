"""Compares the estimates of memory and time with what drawn scenarios take.

A seed draws scenarios: strings, grids, fields of moving or standing nodes, shared wires; any routing, radios
of several standards, transfers, datagrams and web pages; with or without time series or record. Each runs in
a process of its own. The estimate of memory is that of the nodes (``Scenario.memory``) and of the tables
(``Scenario.memory_of_tables``); that of time is ``Scenario.estimate``, which `tworay check` prints.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

# Of memory below this, allocator and libraries take as much as the run does, bytes.
SMALL = 10_000_000
# Of time below this, starting takes as much, s.
SHORT = 0.2
FIELD = """
name = "field"
duration = "{duration}s"
[topology]
kind = "uniform"
nodes = {nodes}
width = "{side}m"
height = "{side}m"
[routing]
protocol = "{protocol}"
"""
APPS = (
    'app = "ftp"',
    'app = "cbr"\ninterval = "{interval}ms"\nsize = "{size}B"',
    'app = "web"\nevery = "1s"\nsizes = {{ kind = "pareto", least = "2kB", most = "1MB" }}',
)
CHILD = """
import gc, json, sys, time, tworay
from tworay.running.memory import Kept
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
source, series, record, out, *settings = sys.argv[1:]
kept = Kept(series == "1", record == "1")
world = tworay.load(source, set=settings)
if kept.series:
    # Libraries that write tables are imported.
    tworay.run("string-1", set={"duration": "2s"}, record=kept.record, out=f"{out}/first")
else:
    tworay.run("string-1", set={"duration": "2s"}, series=False, losses=False)
gc.collect()
open("/proc/self/clear_refs", "w").write("5")
before = peak()
began = time.process_time()
if kept.series:
    run = tworay.run(world, record=kept.record, out=f"{out}/run")
else:
    run = tworay.run(world, series=False, losses=False)
print(json.dumps({
    "taken": peak() - before,
    "cpu": run.summary["cpu_seconds"],
    "memory": world.memory(1) + kept.memory(world, 1),
    "seconds": world.estimate(1)[1],
}))
"""


def drawn(seed: int, number: int) -> dict[str, Any]:
    """Draw a scenario: its source, settings, and what is kept of the run."""
    dice = random.Random(f"{seed} {number}")
    protocol = dice.choice(["static", "aodv", "dsr", "olsr"])
    shape = dice.choice(["string", "grid", "walk", "field", "wires"])
    kept = dice.choice(["nothing", "nothing", "series", "record"])
    duration = dice.choice([20, 50, 100] if kept == "record" else [50, 100, 200])
    settings, text = [f"duration={duration}s"], None
    if shape == "wires":
        source = f"bottleneck-{dice.randint(1, 8)}"
        return {"source": source, "settings": settings, "kept": kept, "text": None}
    settings.append(f"routing.protocol={protocol}")
    if shape == "field":
        nodes = dice.choice([100, 300, 1000])
        # From everyone within reach to a dozen neighbours.
        side = round(dice.choice([200, 60, 130]) * nodes**0.5)
        if protocol == "olsr":
            nodes, duration = min(nodes, 300), min(duration, 50)
        text = FIELD.format(duration=duration, nodes=nodes, side=side, protocol=protocol)
        for flow in range(dice.randint(1, 5)):
            app = dice.choice(APPS).format(interval=dice.choice([5, 20, 100]), size=dice.choice([64, 512]))
            text += f"[[flow]]\nfrom = {flow}\nto = {nodes - 1 - flow}\n{app}\n"
        return {"source": "field.toml", "settings": [], "kept": kept, "text": text}
    if shape == "walk":
        source = dice.choice(["strip-50-{}", "square-50-{}"]).format(dice.randint(1, 10))
    else:
        length = dice.randint(2, 10)
        source = (
            f"string-{length}" if shape == "string" else f"grid-{dice.randint(2, 4)}x{dice.randint(3, 6)}"
        )
        radio = dice.choice([None, None, "g", "n", "ac"])
        if radio:
            settings += [f"radio.standard={radio}", "topology.spacing=60m"]
    return {"source": source, "settings": settings, "kept": kept, "text": text}


def measured(case: dict[str, Any]) -> dict[str, float]:
    """Run a case in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        source = case["source"]
        if case["text"]:
            source = str(Path(place) / source)
            Path(source).write_text(case["text"], encoding="utf-8")
        flags = ["1" if case["kept"] != "nothing" else "0", "1" if case["kept"] == "record" else "0"]
        done = subprocess.run(
            [sys.executable, "-c", CHILD, source, *flags, place, *case["settings"]],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{case}: {done.stderr[-1500:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Print a row per scenario, and how many are within a factor of two."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=33, help="of the scenarios")
    options.add_argument("--runs", type=int, default=50, help="number of scenarios")
    given = options.parse_args()
    within = {"memory": [0, 0], "time": [0, 0]}
    print("| scenario | kept | memory, MB: estimated | taken | ratio | time, s: estimated | taken | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    began = time.monotonic()
    for number in range(given.runs):
        case = drawn(given.seed, number)
        found = measured(case)
        ratios = []
        sizes = (
            ("memory", found["memory"], found["taken"], SMALL),
            ("time", found["seconds"], found["cpu"], SHORT),
        )
        for name, estimated, taken, least in sizes:
            ratio = estimated / max(taken, least / 1000)
            # Where both are small, neither is refused or waited for.
            small = max(estimated, taken) < least
            if not small:
                within[name][0] += 0.5 <= ratio <= 2
                within[name][1] += 1
            ratios.append("small" if small else f"{ratio:.2f}" + ("" if 0.5 <= ratio <= 2 else " !"))
        about = (
            case["text"].replace("\n", " ") if case["text"] else " ".join([case["source"], *case["settings"]])
        )
        cells = [
            about,
            case["kept"],
            f"{found['memory'] / 1e6:.1f}",
            f"{found['taken'] / 1e6:.1f}",
            ratios[0],
        ]
        cells += [f"{found['seconds']:.2f}", f"{found['cpu']:.2f}", ratios[1]]
        print("| " + " | ".join(cells) + " |", flush=True)
    for name, (good, all_) in within.items():
        print(f"{name}: {good} of {all_} within a factor of two")
    print(f"{time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
