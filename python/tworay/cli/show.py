"""``tworay show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import tworay
from tworay.cli.app import app
from tworay.cli.exports import Exports
from tworay.cli.options import (
    CsvOption,
    EveryOption,
    IntervalsOption,
    JsonOption,
    JudgeOption,
    LongOption,
    MetricsOption,
    PairsOption,
    joined,
)
from tworay.cli.output import note, print_comparison, print_json
from tworay.errors import InputError
from tworay.showing.bins import refuse


@app.command()
def show(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A directory that `run --out` or `compare --out` wrote, also an unfinished one.",
        ),
    ],
    metrics: MetricsOption = None,
    pairs: PairsOption = False,
    judge: JudgeOption = None,
    csv: CsvOption = None,
    long: LongOption = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Print this table of the runs as CSV, or write it to --csv: goodput (acknowledged data over "
            "time), series (cwnd, RTT over time), transfers, ledger (each loss), guesses (each beside its "
            "true cause), phases, of recorded runs also segments, frames, queues, routes, moves.",
        ),
    ] = None,
    intervals: IntervalsOption = None,
    every: EveryOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    json: JsonOption = False,
) -> None:
    """Print stored results again."""
    from tworay.experiment.store.manifest import read_manifest
    from tworay.experiment.store.tables import is_merged

    exports = Exports(csv, long)
    exports.check(force=force, as_json=json)
    found = tworay.results(directory)
    if judge is not None and (table is not None or isinstance(found, tworay.Run)):
        why = (
            "a table has all flows; leave it out, each row names its flow"
            if table is not None
            else "one run has no verdict; leave it out, --metrics flow.N.goodput_bps has one flow's"
        )
        raise InputError(f"--judge {judge}: {why}")
    if table is not None:
        exports.write_table(found, table, intervals=intervals, every=every, as_json=json)
        return
    refuse(intervals, every, "add --table goodput, whose rows are intervals")
    if isinstance(found, tworay.Run):
        exports.write(found, joined(metrics))
        if exports.printed:
            return
        if json:
            print_json(found.summary)
        elif metrics is not None:
            _print_metrics(found, joined(metrics))
        else:
            from tworay.showing.rendering import run_report, show

            show(run_report(found.summary, found.warmup))
        return
    if judge is not None:
        found.judge = judge
    exports.write(found, joined(metrics))
    if not exports.printed:
        print_comparison(found, joined(metrics), pairs=pairs, as_json=json)
    planned = len(read_manifest(directory)["seeds"]) * len(found.variants)
    if not is_merged(directory) or len(found) < planned:
        note(
            f"tworay: {len(found)} of at least {planned} runs are finished; continue with "
            f"`tworay compare --resume {directory}`"
        )


def _print_metrics(run: tworay.Run, wanted: str | None) -> None:
    """Print chosen metrics of a run, a line each."""
    from tworay import metrics
    from tworay.experiment.exporting import long_flows
    from tworay.showing.layout import Column
    from tworay.showing.layout import table as lay_out
    from tworay.showing.rendering import show as print_parts
    from tworay.showing.text import Group

    chosen = metrics.of_run(run.summary, wanted)
    frame = long_flows(run, chosen)
    values = Column("value", [f"{value:,.6g}" for value in frame["value"]])
    units = Column("unit", [unit or "" for unit in frame["unit"]])
    print_parts(Group(*lay_out("metric", frame["metric"].to_list(), [values, units])))
