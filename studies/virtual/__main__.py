"""Studies with kernels in virtual time: make virtual-study, make virtual-live, make mesh-routing.

Each runs its comparisons and writes its page in docs/studies. The first and the last keep every run's values
there, too: more seeds or cases continue later, also on another machine.
"""

from __future__ import annotations

import argparse
import datetime
import os

import tworay
from studies.virtual import against_simulation, mesh_routing, real_time
from studies.virtual.plan import CASES
from tworay.virtual import cache

# What explains the differences that the page shows, and what does not.
EXPLAINED = """
Nearly every kernel carries 0 to 3 % less than its counterpart. After losses its receiver acknowledges more
segments one by one: over four hops 0.73 ACKs for a segment instead of 0.61, over two hops 0.59 instead of
0.56, with errors 0.66 instead of 0.61 (Reno, three runs each), and every ACK takes the medium. The first
segments are acknowledged one by one here, too: up to 16, and those that open a receiver's window beyond 64
KiB.

In the moving field, and for segments sent again over four hops, 50 seeds decide little: one outage more or
less is a large part of a run.

Two hops, CUBIC: of 100 segments the kernel sends 0.7 fewer again. Why is not known.

What earlier runs of this study showed were faults of the simulated senders, and these are mended. Each has
a script that Linux passes (crates/tworay-tcp/tests/scripts), or unit tests. The timer takes an ACK's earliest
segment, and SACKed ones; BBR's pacing makes up for waits; Vegas and CUBIC have forms of Linux; a recovery
follows at once if something sent during the last one is missing; cwnd is halved, whether the receiver lets it
be used or not; timeouts in a recovery and after progress.
"""


def explained() -> list[str]:
    """Return the sentences below the tables."""
    return [" ".join(one.split()) for one in EXPLAINED.strip().split("\n\n")]


def about(command: str, seeds: int) -> str:
    """Say when, how and with what a page was made."""
    load = os.getloadavg()[1]
    return (
        f"Made by `{command} SEEDS={seeds}` on {datetime.datetime.now(datetime.UTC).date()} with tworay "
        f"{tworay.__version__} and the kernel {cache.kernel().name}, {os.cpu_count()} cores, load {load:.0f}."
    )


def main() -> None:
    """Run a study."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=("against-simulation", "real-time", "mesh-routing"))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--only", help="cases or fields, separated by commas")
    parser.add_argument("--jobs", type=int, help="machines at a time; default: one per core")
    asked = parser.parse_args()
    if asked.study == "against-simulation":
        names = asked.only.split(",") if asked.only else [case.name for case in CASES]
        runs = against_simulation.run(asked.seeds, [case for case in CASES if case.name in names], asked.jobs)
        against_simulation.write_page(runs, about("make virtual-study", asked.seeds), explained())
    elif asked.study == "real-time":
        real_time.study(asked.seeds, about("make virtual-live", asked.seeds))
    else:
        names = asked.only.split(",") if asked.only else list(mesh_routing.FIELDS)
        runs = mesh_routing.run(asked.seeds, names, asked.jobs)
        mesh_routing.write_page(runs, about("make mesh-routing", asked.seeds))


if __name__ == "__main__":
    main()
