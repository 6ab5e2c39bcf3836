"""What TCP costs a real kernel in the four situations of TCP-WELCOME's paper (figures 14 to 17).

Writes docs/studies/kernel-costs.md: run as root by ``make kernel-costs``. Kernels talk over the simulated air
while the time of every ACK and timeout is taken. The same scenario is simulated for the instruction counts.
"""

from __future__ import annotations

import argparse
import math
import os
import shlex
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

import tworay
from tworay import kernel
from tworay.live import Options
from tworay.live.network import Network
from tworay.papers.markdown import table, write

STUDY = Path(__file__).parents[1] / "docs" / "studies" / "kernel-costs.md"
PORT = 5001
RECEIVE = """
import socket, threading
listener = socket.create_server(("0.0.0.0", 5001))
def take(connection):
    while connection.recv(65536):
        pass
while True:
    connection, _ = listener.accept()
    threading.Thread(target=take, args=(connection,), daemon=True).start()
"""
# Writes as long as it is let; without selective acknowledgments if told so.
SEND = """
import os, socket, struct, sys, time
if sys.argv[2] == "no-sack":
    open("/proc/sys/net/ipv4/tcp_sack", "w").write("0")
end = time.monotonic() + float(sys.argv[3])
while True:
    try:
        connection = socket.create_connection((sys.argv[1], 5001))
        break
    except OSError:
        time.sleep(0.1)
# Nothing is left to be sent when the network is gone: such a connection would keep its controller.
connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
data = os.urandom(65536)
connection.settimeout(0.5)
while time.monotonic() < end:
    try:
        connection.send(data)
    except TimeoutError:
        pass
"""
# The ends of the transfers of each scenario, and how long they take, seconds: past the first failure.
SITUATIONS = {
    "congestion": ([(1, 2), (3, 4), (4, 1)], 12.0),
    "interference": ([(0, 2), (3, 6)], 12.0),
    "link-failure": ([(0, 4)], 30.0),
    "signal-loss": ([(0, 2)], 40.0),
}


class Arm(NamedTuple):
    """A TCP of the kernel's, and the simulated variant that it is."""

    label: str
    controller: str
    sack: bool
    variant: str


# WELCOME and Westwood repair with selective acknowledgments here as SACK does: the kernel's repair is one.
ARMS = [
    Arm("newreno", "reno", False, "newreno"),
    Arm("sack", "reno", True, "sack"),
    Arm("westwood", "tworay_westwood", False, "westwood"),
    Arm("vegas", "tworay_vegas", False, "vegas"),
    Arm("welcome", "tworay_welcome", False, "welcome"),
]


class Cost(NamedTuple):
    """Microseconds by acknowledged segment, half the 95 % interval, and what they are made of."""

    micros: float
    half: float
    acks: int
    segments: int


def live(name: str, arm: Arm, seed: int) -> Cost | None:
    """Run a situation with real kernels and take their time."""
    world = tworay.load(name, set={"duration": "600s"})
    pairs, seconds = SITUATIONS[name]
    nodes = tuple(sorted({node for pair in pairs for node in pair}))
    options = Options(nodes=nodes, congestion=arm.controller, most_late=5.0, seed=seed, mtu=552)
    sack = "sack" if arm.sack else "no-sack"
    with Network(world, options) as network, kernel.Measuring(port=PORT) as measuring:
        for node in {to for _, to in pairs}:
            network.serve(node, f"exec {sys.executable} -c {shlex.quote(RECEIVE)}")
        programs = [
            network.start(one, [sys.executable, "-c", SEND, "{peer}", sack, str(seconds)], peer=other)
            for one, other in pairs
        ]
        for program in programs:
            while program.wait(1.0) is None:
                pass
        run, problem = network.finish()
    if problem is not None:
        print(f"{name}, {arm.label}: {problem}", file=sys.stderr)
    rows = [
        row
        for row in measuring.result["costs"]
        if row["controller"] == arm.controller and row["sack"] == arm.sack
    ]
    segments = sum(flow["acked_segments"] for flow in run.summary["flows"])
    if not rows or not segments:
        return None
    total = sum(row["mean_ns"] * row["count"] for row in rows)
    # The variance of a sum of independent times, by kinds.
    spread = math.sqrt(sum(row["count"] * row["std_ns"] ** 2 for row in rows))
    acks = sum(row["count"] for row in rows)
    return Cost(total / segments / 1e3, 1.96 * spread / segments / 1e3, acks, segments)


def instructions(name: str, arm: Arm, seeds: range) -> tuple[float, float]:
    """Return the simulated sender's instructions by acknowledged segment, and half the 95 % interval."""
    found = []
    for seed in seeds:
        world = tworay.load(name, tcp=arm.variant, set={"duration": "60s", "energy.model": "states"})
        flows = tworay.run(world, seed=seed).summary["flows"]
        found.append(sum(f["instructions"] for f in flows) / sum(f["acked_segments"] for f in flows))
    half = 1.96 * statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else math.inf
    return statistics.mean(found), half


class Row(NamedTuple):
    """What an arm took in a situation: (mean, half the 95 % interval) of the kernel and of the simulation."""

    took: tuple[float, float] | None
    made: str
    counted: tuple[float, float]


Rows = dict[str, Row]
# How near means are that the paper calls equal.
LIKE = 0.1


def below(a: tuple[float, float], b: tuple[float, float]) -> str:
    """Say whether a is below b beyond both intervals."""
    if a[0] + a[1] < b[0] - b[1]:
        return "holds"
    return "the other way round" if a[0] - a[1] > b[0] + b[1] else "undecided"


def judged(values: dict[str, tuple[float, float] | None], claim: tuple[str, ...]) -> str:
    """Judge ("below", a, b), ("like", a, b) or ("highest", a)."""
    kind, one, *rest = claim
    mine = values[one]
    others = [values[name] for name in rest or values if name != one]
    if mine is None or any(other is None for other in others):
        return "not measured"
    known = [other for other in others if other is not None]
    if kind == "like":
        return "holds" if abs(mine[0] / known[0][0] - 1) <= LIKE else "no"
    found = {below(mine, other) if kind == "below" else below(other, mine) for other in known}
    if found == {"holds"}:
        return "holds"
    return "the other way round" if "the other way round" in found else "undecided"


# Ghaleb-Seddik et al. 2009, section V.C.b.
CLAIMS = [
    ("congestion", ("below", "welcome", "sack"), "WELCOME below SACK"),
    ("congestion", ("below", "welcome", "vegas"), "WELCOME below Vegas"),
    ("interference", ("like", "welcome", "westwood"), "WELCOME like Westwood (within 10 %)"),
    ("interference", ("highest", "vegas"), "Vegas highest"),
    ("link-failure", ("highest", "welcome"), "WELCOME highest"),
    ("signal-loss", ("highest", "welcome"), "WELCOME highest"),
]


def measure(seeds: range) -> dict[str, Rows]:
    """Measure everything, by situation and arm."""
    found: dict[str, Rows] = {}
    for name in SITUATIONS:
        for arm in ARMS:
            cost = live(name, arm, seeds[0])
            took = None if cost is None else (cost.micros, cost.half)
            made = "–" if cost is None else f"{cost.acks:,} for {cost.segments:,}"
            row = Row(took, made, instructions(name, arm, seeds))
            found.setdefault(name, {})[arm.label] = row
            print(name, arm.label, row, file=sys.stderr, flush=True)
    return found


def page(found: dict[str, Rows]) -> list[str]:
    """Return the page."""
    lines = [
        "# What does TCP compute in a real kernel?",
        "",
        f"Made by `make kernel-costs` with tworay {tworay.__version__} on Linux {os.uname().release}, "
        f"{os.uname().machine}; 512-byte segments.",
        "",
        "Figures 14 to 17 of TCP-WELCOME's paper are computing energies on a test bed. Here real kernels",
        "talk over the simulated air of its four situations, and the time of every ACK and timeout is taken",
        "([how](../guide/kernel.md#what-it-costs)), beside the instructions that the simulated sender needs",
        "in the same situation. Both are given by acknowledged segment, ± 95 %: of the kernel over the ACKs",
        "of one run, of the simulation over seeds. The kernel's interval doesn't cover what else the machine",
        "did. Selective acknowledgments are off but for `sack`.",
        "",
        "| situation | the paper | kernel | simulation |",
        "|---|---|---|---|",
    ]
    for name, claim, text in CLAIMS:
        kernels = judged({arm: row.took for arm, row in found[name].items()}, claim)
        simulated = judged({arm: row.counted for arm, row in found[name].items()}, claim)
        lines.append(f"| {name} | {text} | {kernels} | {simulated} |")
    lines.append("")
    for name, rows in found.items():
        head = ["", "kernel, µs a segment", "ACKs and timeouts for segments", "simulated, instructions"]
        cells = [
            [
                arm,
                "–" if row.took is None else f"{row.took[0]:.2f} ± {row.took[1]:.2f}",
                row.made,
                f"{row.counted[0]:,.0f} ± {row.counted[1]:,.0f}",
            ]
            for arm, row in rows.items()
        ]
        lines += [f"## {name}", "", *table(head, cells)]
    return lines


def main() -> None:
    """Load the controllers, measure, unload what was loaded here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    loaded = []
    try:
        ours = {arm.controller for arm in ARMS if arm.controller.startswith("tworay_")}
        loaded += [one for one in sorted(ours) if kernel.load(one)["fresh"]]
        write(STUDY, page(measure(range(1, asked.seeds + 1))))
    finally:
        for controller in loaded:
            kernel.unload(controller)


if __name__ == "__main__":
    main()
