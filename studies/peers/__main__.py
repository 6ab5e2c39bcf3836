"""``python -m studies.peers validate|bench|windows``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from studies.peers.places import ROOT
from studies.peers.processes import ProgramError
from studies.peers.tools import MissingTool
from tworay.running.executing import cores

FAILED, INTERRUPTED = 1, 130


def main() -> int:
    """Run the command and return the exit code."""
    options = _parser().parse_args()
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if options.what == "bench":
            from studies.peers.bench import bench

            bench(repeats=options.repeats, quick=options.quick, only=options.only)
            return 0
        if options.what == "windows":
            from studies.peers.more_windows import Wanted, compare

            wanted = Wanted(
                options.cases, options.seed, tuple(options.variants.split(",")), options.rate, options.delay
            )
            within = compare(wanted, threads=options.jobs, table=options.table)
            return 0 if within or not options.strict else FAILED
        from studies.peers.plan import FULL, QUICK
        from studies.peers.validation import validate

        plan = QUICK if options.quick else FULL
        within = validate(plan, threads=options.jobs, only=options.only, reference=options.reference)
        return 0 if within or not options.strict else FAILED
    except KeyboardInterrupt:
        print("interrupted; finished runs are kept, and the same command resumes", file=sys.stderr)
        return INTERRUPTED
    except (MissingTool, ProgramError, OSError) as error:
        print(f"peers: {error}", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.peers", description="Compare tworay with ns-2, ns-3 and the Linux kernel."
    )
    verbs = parser.add_subparsers(dest="what", required=True)
    validate = verbs.add_parser(
        "validate", help="compare results; write docs/studies/validation.md and its chapters"
    )
    validate.add_argument(
        "--reference",
        type=Path,
        metavar="DIR",
        help="take ns-3's figures of the chapters air-… from ns3_air.csv and ns3_air_durations.csv there",
    )
    bench = verbs.add_parser("bench", help="compare CPU time and memory; write docs/studies/performance.md")
    bench.add_argument(
        "--repeats", type=_positive, default=5, metavar="N", help="runs per simulator and case (default 5)"
    )
    windows = verbs.add_parser(
        "windows", help="compare congestion windows of random transfers with those of ns-2"
    )
    windows.add_argument(
        "--cases", type=_positive, default=100, metavar="N", help="number of transfers (default 100)"
    )
    windows.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed that selects them (default 1)"
    )
    windows.add_argument(
        "--variants",
        default="westwood,reno",
        metavar="LIST",
        help="vegas, westwood, reno, or several (default westwood,reno)",
    )
    windows.add_argument("--rate", metavar="KBPS", help="rate of the bottleneck (default: random)")
    windows.add_argument("--delay", metavar="MS", help="delay of the bottleneck (default: random)")
    windows.add_argument("--table", type=Path, metavar="FILE", help="write ns-2's windows to this file")
    for verb in (validate, windows):
        verb.add_argument(
            "--jobs", type=_positive, default=cores(), metavar="N", help="parallel runs (default: all cores)"
        )
        verb.add_argument("--strict", action="store_true", help="exit with 1 if a bound does not hold")
    for verb, only in (
        (validate, "only this chapter; repeatable; air: all of today's radios"),
        (bench, "only this case, printed and not written"),
    ):
        verb.add_argument("--quick", action="store_true", help="a subset, printed and not written")
        verb.add_argument("--only", action="append", default=[], metavar="NAME", help=only)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
