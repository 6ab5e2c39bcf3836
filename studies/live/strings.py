"""Compares the kernel controllers with the simulated variants over static strings: make kernel-strings.

As root. Transfers 600 kB over two and four hops with each controller and its variant, once per seed, in real
time (about six minutes), and prints the table of docs/guide/kernel.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import tworay
from tworay import kernel
from tworay.analysis import stats
from tworay.live import Options, require
from tworay.live.commanding import run_command

SIZE = 600_000
SCENARIOS = ("string-2", "string-4")
STATIC = {"routing.protocol": "static"}
# Number of networks at a time: in real time each needs a small part of a processor.
TOGETHER = 4
RECEIVE = """
import socket
listener = socket.create_server(("", 5001))
connection, _ = listener.accept()
while connection.recv(65536):
    pass
"""
SEND = f"""
import os, socket
connection = socket.create_connection((os.environ["TWORAY_PEER"], 5001))
connection.sendall(bytes({SIZE}))
connection.shutdown(socket.SHUT_WR)
connection.recv(1)
"""
# The receiver's kernel then acknowledges every segment at once.
QUICK = "ip route replace $(ip route show | head -n 1) quickack 1; "


class Pairing(NamedTuple):
    """A controller with its parameters, and the simulated variant to compare it with."""

    title: str
    controller: str
    variant: str
    settings: tuple[str, ...] = ()
    quick: bool = False


PAIRINGS = (
    *(Pairing(f"`tworay_{name}`", name, name) for name in ("welcome", "westwood", "vegas", "sca", "probing")),
    Pairing("`tworay_cwl`", "cwl", "adaptive-cwl"),
    Pairing("`tworay_cwl`, `least=1`", "cwl", "adaptive-cwl", ("least=1",)),
    Pairing("`tworay_cwl`, `least=1`, route with `quickack 1`", "cwl", "adaptive-cwl", ("least=1",), True),
)


def goodput(run: tworay.Run) -> float:
    """Return the goodput of the transfer, bit/s, over the time that the packets tell."""
    flow = max(run.summary["flows"], key=lambda one: one["sent_segments"])
    return float(8 * SIZE / flow["completion_seconds"])


def real(pairing: Pairing, scenario: str, seed: int) -> float:
    """Transfer with a kernel controller."""
    world = tworay.load(scenario, set=STATIC)
    options = Options(congestion=f"tworay_{pairing.controller}", seed=seed, most_late=0.5)
    serve = (QUICK if pairing.quick else "") + "exec " + shlex.join([sys.executable, "-c", RECEIVE])
    outcome = run_command(world, options, [sys.executable, "-c", SEND], serve, quietly=True)
    if outcome.code != 0 or outcome.problem is not None:
        raise SystemExit(f"{pairing.title}, {scenario}, seed {seed}: {outcome.problem or outcome.code}")
    return goodput(outcome.run)


def simulated(pairing: Pairing, scenario: str, seed: int) -> float:
    """Transfer with the simulated variant."""
    text = tworay.load(scenario, tcp=pairing.variant, set={"duration": "120s", **STATIC}).to_toml()
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "string.toml"
        file.write_text(text.replace("[[flow]]", f'[[flow]]\nbytes = "{SIZE}B"', 1), encoding="utf-8")
        return goodput(tworay.run(file, seed=seed))


def measure(seeds: int, only: str | None) -> list[dict[str, Any]]:
    """Measure all pairings; controllers are loaded one after the other, their runs go side by side."""
    rows = []
    for pairing in PAIRINGS:
        if only is not None and only != pairing.controller:
            continue
        kernel.load(pairing.controller, list(pairing.settings))
        try:
            with ThreadPoolExecutor(TOGETHER) as pool:
                for scenario in SCENARIOS:
                    each = range(1, seeds + 1)
                    a = list(pool.map(lambda seed, s=scenario, p=pairing: real(p, s, seed), each))
                    b = [simulated(pairing, scenario, seed) for seed in each]
                    rows.append({"title": pairing.title, "scenario": scenario, "kernel": a, "simulated": b})
                    print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        finally:
            kernel.unload(pairing.controller)
    return rows


def page(rows: list[dict[str, Any]]) -> str:
    """Return the table: means in kb/s, and the difference in percent with its 95 % interval."""
    lines = [
        "| | 2 hops | difference | 4 hops | difference |",
        "|---|---|---|---|---|",
    ]
    for title in dict.fromkeys(row["title"] for row in rows):
        cells = []
        for row in (row for row in rows if row["title"] == title):
            pairs = zip(row["kernel"], row["simulated"], strict=True)
            found = stats.describe([100 * (a / b - 1) for a, b in pairs])
            means = [f"{(stats.mean(row[key]) or 0) / 1000:.0f}" for key in ("kernel", "simulated")]
            low, high = found["ci95"] or (float("nan"), float("nan"))
            cells += [", ".join(means), f"{found['mean']:+.1f} % ({low:+.1f} to {high:+.1f})"]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", help="measure one controller only")
    chosen = parser.parse_args()
    require()
    print(page(measure(chosen.seeds, chosen.only)))
    print(f"\nLinux {os.uname().release}, {chosen.seeds} seeds")


if __name__ == "__main__":
    main()
