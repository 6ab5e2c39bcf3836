"""Measures the cost of TCP in a real kernel in the four situations of TCP-WELCOME's paper (figures 14 to 17).

Writes docs/studies/kernel-costs.md, and beside the data of TCP-WELCOME's paper a table of costs per
situation for ``tworay run --costs``.
``make kernel-costs`` runs it as root. As in the paper's figure 8, nothing is simulated while the kernels
communicate: each situation is simulated and traced, SEDLANE replays the trace between two kernels, and the
time of every ACK and timeout is measured. The simulated senders run over the same profiles.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import tworay
from studies.kernel_costs.page import PLACE, page, spread
from tworay import kernel, sedlane
from tworay.costs import counted
from tworay.live import Network, Options
from tworay.papers.markdown import write

STUDIES = Path(__file__).parents[2] / "docs" / "studies"
PORT = 5001
# Segment size in bytes, and window of the traced TCP in segments, which also limits the kernels.
SEGMENT, WINDOW = 512, 20
RECEIVE = f"""
import socket, threading
listener = socket.create_server(("0.0.0.0", {PORT}))
listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, {SEGMENT * WINDOW})
def take(connection):
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
while True:
    connection, _ = listener.accept()
    threading.Thread(target=take, args=(connection,), daemon=True).start()
"""
# Arguments: address, "sack" or "no-sack", seconds.
SEND = f"""
import os, socket, struct, sys, time
if sys.argv[2] == "no-sack":
    open("/proc/sys/net/ipv4/tcp_sack", "w").write("0")
end = time.monotonic() + float(sys.argv[3])
while True:
    try:
        connection = socket.create_connection((sys.argv[1], {PORT}))
        break
    except OSError:
        time.sleep(0.1)
# Discard unsent data at the end: a connection that lingers would keep its controller loaded.
connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
data = os.urandom(65536)
connection.settimeout(0.5)
while time.monotonic() < end:
    try:
        connection.send(data)
    except TimeoutError:
        pass
"""
SITUATIONS = ("congestion", "interference", "link-failure", "signal-loss")
# TCP and IPv4 headers with timestamps, bytes.
HEADERS = 52
# The variant whose trace all replay.
TRACED = "newreno"


class Arm(NamedTuple):
    """A TCP of the kernel, and the corresponding simulated variant."""

    label: str
    controller: str
    sack: bool
    variant: str


# WELCOME and Westwood run without selective acknowledgments, like their simulated variants.
ARMS = [
    Arm("newreno", "reno", False, "newreno"),
    Arm("sack", "reno", True, "sack"),
    Arm("westwood", "tworay_westwood", False, "westwood"),
    Arm("vegas", "tworay_vegas", False, "vegas"),
    Arm("welcome", "tworay_welcome", False, "welcome"),
]


class Measured(NamedTuple):
    """The cost of an arm in a situation: one number per repetition, and total counts."""

    micros: list[float]
    acks: int
    segments: int
    instructions: list[float]


def traced(name: str, seed: int, seconds: float, place: Path) -> Path:
    """Simulate a situation and fit a profile to its trace; return the profile."""
    directory = place / f"{name}-{seed}"
    tworay.run(name, tcp=TRACED, seed=seed, set={"duration": f"{seconds}s"}, series=True).save(directory)
    file = place / f"{name}-{seed}.toml"
    file.write_text(sedlane.fit(sedlane.read_trace(directory)).toml(), encoding="utf-8")
    return file


def replayed(profile: Path, seed: int, seconds: float) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Run all arms at once, each over its own network; return the kernel's rows, and segments acked.

    Running at the same time, all arms suffer equally from other work of the machine.
    """
    world = tworay.load(profile, set={"duration": "3600s"})
    networks: dict[str, Network] = {}
    with contextlib.ExitStack() as stack:
        measuring = stack.enter_context(kernel.Measuring(port=PORT))
        programs = []
        for arm in ARMS:
            options = Options(
                congestion=arm.controller, most_late=5.0, seed=seed, mtu=SEGMENT + HEADERS, nodes=(0, 1)
            )
            network = networks[arm.label] = stack.enter_context(Network(world, options))
            network.serve(1, f"exec {sys.executable} -c {shlex.quote(RECEIVE)}")
            sack = "sack" if arm.sack else "no-sack"
            programs.append(
                network.start(0, [sys.executable, "-c", SEND, "{peer}", sack, str(seconds)], peer=1)
            )
        for program in programs:
            while program.wait(1.0) is None:
                pass
        ended = {label: network.finish() for label, network in networks.items()}
    for label, (_, problem) in ended.items():
        if problem is not None:
            raise SystemExit(f"{profile.stem}, {label}: {problem}")
    segments = {
        label: sum(flow["acked_segments"] for flow in run.summary["flows"])
        for label, (run, _) in ended.items()
    }
    return measuring.result["costs"], segments


def together(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pool the rows of several repetitions: one row per controller, SACK and kind."""
    kinds: dict[tuple[str, bool, str], list[dict[str, Any]]] = {}
    for row in rows:
        kinds.setdefault((row["controller"], row["sack"], row["kind"]), []).append(row)
    found = []
    for (controller, sack, kind), parts in sorted(kinds.items()):
        count = sum(part["count"] for part in parts)
        mean = sum(part["count"] * part["mean_ns"] for part in parts) / count
        squares = sum(part["count"] * (part["std_ns"] ** 2 + part["mean_ns"] ** 2) for part in parts) / count
        found.append(
            {"controller": controller, "sack": sack, "kind": kind, "count": count, "mean_ns": mean}
            | {"std_ns": math.sqrt(max(squares - mean**2, 0.0))}
        )
    return found


def instructions(profile: Path, arm: Arm, seed: int) -> float:
    """Return the simulated sender's instructions per acknowledged segment over the profile.

    A profile has no radios, thus no energy model, so operations are multiplied with the shipped costs here.
    """
    flows = tworay.run(profile, tcp=arm.variant, seed=seed).summary["flows"]
    costs = next(cost.instructions for cost in counted.shipped() if cost.variant == arm.variant)
    total = sum(count * costs[name] for flow in flows for name, count in flow["operations"].items())
    return float(total / sum(flow["acked_segments"] for flow in flows))


def measure(name: str, seeds: range, seconds: float) -> tuple[dict[str, Measured], list[dict[str, Any]]]:
    """Measure a situation; return the cost of each arm, and the pooled rows of the kernel."""
    found = {arm.label: Measured([], 0, 0, []) for arm in ARMS}
    everything = []
    with tempfile.TemporaryDirectory() as place:
        for seed in seeds:
            profile = traced(name, seed, seconds, Path(place))
            rows, segments = replayed(profile, seed, seconds)
            everything += rows
            for arm in ARMS:
                mine = [r for r in rows if (r["controller"], r["sack"]) == (arm.controller, arm.sack)]
                took, acks = sum(r["count"] * r["mean_ns"] for r in mine), sum(r["count"] for r in mine)
                before = found[arm.label]
                found[arm.label] = before._replace(
                    micros=[*before.micros, took / segments[arm.label] / 1e3],
                    acks=before.acks + acks,
                    segments=before.segments + segments[arm.label],
                    instructions=[*before.instructions, instructions(profile, arm, seed)],
                )
            print(name, seed, {label: one.micros[-1] for label, one in found.items()}, file=sys.stderr)
    return found, together(everything)


def write_table(name: str, rows: list[dict[str, Any]], power: str) -> None:
    """Write a situation's table of costs with ``tworay costs --kernel``."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "stats.json"
        file.write_text(json.dumps({"costs": rows, "seconds": 0.0, "joules": None}), encoding="utf-8")
        out = STUDIES.parents[1] / PLACE / f"kernel-costs-{name}.csv"
        words = ["costs", "--kernel", str(file), "--power", power, "--out", str(out), "--force"]
        done = subprocess.run(
            [sys.executable, "-m", "tworay", *words], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip())


def main() -> None:
    """Load the controllers, measure, and unload those loaded here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="number of repetitions, each with its own trace")
    parser.add_argument("--seconds", type=float, default=30.0, help="length of a trace and its replay")
    parser.add_argument("--power", default="2.5W", help="power while computing, for the tables of costs")
    parser.add_argument("--only", choices=SITUATIONS, help="only measure and print this situation")
    asked = parser.parse_args()
    loaded, found = [], {}
    try:
        ours = {arm.controller for arm in ARMS if arm.controller.startswith("tworay_")}
        loaded += [one for one in sorted(ours) if kernel.load(one)["fresh"]]
        for name in [asked.only] if asked.only else SITUATIONS:
            found[name], rows = measure(name, range(1, asked.seeds + 1), asked.seconds)
            if not asked.only:
                write_table(name, rows, asked.power)
    finally:
        for controller in loaded:
            kernel.unload(controller)
    if asked.only:
        print(found)
    else:
        write(STUDIES / "kernel-costs.md", page(found, asked.seconds, asked.power))
        (STUDIES.parents[1] / PLACE / "kernel-costs-spread.csv").write_text(spread(found), encoding="utf-8")


if __name__ == "__main__":
    main()
