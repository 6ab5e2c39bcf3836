"""Measures how the cost of a delivered packet-hop grows with the number of nodes.

    .venv/bin/python studies/scaling.py

Nodes stand 200 m apart on a square grid, so that each hears the same number of others. Each field of ten by
ten has one TCP flow over four hops, for ten seconds. The cost is the processor time of the run over the
segments delivered times four; small fields run with several seeds, so that each size takes about as long.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import tworay
from tworay.running.scenarios import load_text

GAP = 200
HOPS = 4
PROTOCOLS = ("static", "aodv")
# Nodes on a side, and the number of seeds.
SIDES = {10: 40, 30: 10, 100: 1}
# Largest ratio of the cost at 10,000 nodes to that at 100, by protocol.
BOUNDS = {"static": 1.5, "aodv": 4.0}


def field(side: int, protocol: str) -> str:
    """Return the scenario of a field."""
    places = [[GAP * (i % side), GAP * (i // side)] for i in range(side * side)]
    flows = []
    for y in range(side // 10):
        for x in range(side // 10):
            first = (10 * y + 5) * side + 10 * x + 3
            start = 0.5 + 0.01 * ((7 * y + 3 * x) % 37)
            flows.append(f'[[flow]]\nfrom = {first}\nto = {first + HOPS}\nstart = "{start:.2f}s"\n')
    head = f'duration = "10s"\ntopology = {{ kind = "explicit", positions = {places} }}\n'
    return f'{head}routing = {{ protocol = "{protocol}" }}\n' + "".join(flows)


def cost(side: int, protocol: str, seeds: int) -> tuple[float, float]:
    """Return microseconds of processor time per delivered packet-hop, and the seconds of a run."""
    scenario = load_text(field(side, protocol), Path("field.toml"), {})
    spent, delivered = 0.0, 0
    for seed in range(1, seeds + 1):
        before = time.process_time()
        run = tworay.run(scenario, seed=seed, series=False)
        spent += time.process_time() - before
        delivered += sum(flow["acked_segments"] for flow in run.summary["flows"])
    return 1e6 * spent / (HOPS * delivered), spent / seeds


def main() -> None:
    """Print a table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(
        f"{'routing':<8}{'nodes':>8}{'seeds':>7}{'s a run':>10}{'us a packet-hop':>17}{'ratio':>8}{'goal':>7}"
    )
    for protocol in PROTOCOLS:
        first = None
        for side, seeds in SIDES.items():
            each, seconds = cost(side, protocol, seeds)
            first = first or each
            goal = f"{BOUNDS[protocol]:.1f}" if side == max(SIDES) else ""
            row = f"{protocol:<8}{side * side:>8,}{seeds:>7}{seconds:>10.3f}{each:>17.1f}{each / first:>8.2f}"
            print(f"{row}{goal:>7}", flush=True)


if __name__ == "__main__":
    main()
