"""``tworay sweep``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tworay.cli.app import FAILED, app
from tworay.cli.options import JsonOption, sharing, taken

if TYPE_CHECKING:
    from tworay.experiment.sweeping import Sweep
    from tworay.running.executing import State


@app.command()
@sharing(
    out=Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where runs are kept. Default: NAME.sweep."),
    ],
    metrics=Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B,C",
            help="The metrics to show: the first is that of `tworay table` and the report. Repeatable.",
        ),
    ],
    seeds=Annotated[
        str | None, typer.Option(help="Use these seeds instead of the experiment's: N, 1-10 or 3,5,9.")
    ],
)
def sweep(
    experiment: Annotated[
        Path,
        typer.Argument(
            metavar="EXPERIMENT.toml",
            help='The experiment: lines scenario = "string-{2..6}", tcp = ["newreno", "vegas"], '
            'seeds = 10; tables [set] (for all cells) and [vary] ("tcp.window" = [4, 8] is an axis).',
        ),
    ],
    *,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Also repeat runs that failed.")
    ] = False,
    json: JsonOption = False,
    shared: dict[str, Any],
) -> None:
    """Run an experiment of many runs.

    Scenarios x settings x variants x seeds. Options replace what the experiment says. Start it again to
    resume, whatever ended it.
    """
    from tworay.cli.output import note, print_json
    from tworay.experiment.experimentfile import read
    from tworay.experiment.options import SweepOptions
    from tworay.experiment.sweeping import sweep_of
    from tworay.running.progress import Progress

    options = SweepOptions(retry_failed=retry_failed, **taken(shared))
    work, engine = sweep_of(read(experiment), options)
    plan, place = work.plan, work.path
    if shared["slurm"] or shared["dry_run"]:
        from tworay.cli.estimates import say_sweep

        say_sweep(work, experiment, options, slurm=shared["slurm"], as_json=json)
        return
    try:
        with Progress(plan.name, cells=True) as progress:
            state = work.run(engine=engine, watch=progress.watch)
    except KeyboardInterrupt:
        for text in work.notes:
            note(f"tworay: {text}")
        note(
            f"tworay: interrupted; {work.state.stored} of {work.state.total} runs are kept in {place}; "
            f"run the same command again to continue"
        )
        raise
    for text in work.notes:
        note(f"tworay: {text}")
    _report(work, state, as_json=json, emit=print_json)
    if state.stored:
        from tworay.report.writing import write_report

        note(f"open {write_report(place)} in a browser")
    failed = _failed(work)
    if failed:
        _say_failures(work, failed)
        sys.exit(FAILED)


def _report(work: Sweep, state: State, *, as_json: bool, emit: object) -> None:
    from tworay.running.progress import rate_of

    document = state.document() | {"directory": str(work.path), "failures": _failed(work)}
    document.pop("seconds_left")
    if as_json:
        emit(document)  # type: ignore[operator]
        return
    rate = f", {rate_of(state.runs_per_second)}" if state.done else ""
    print(
        f"{work.plan.name}: {state.cells_done} of {state.cells} cells, {state.stored} of {state.total} runs"
        f" ({state.done} new{rate}), {len(document['failures'])} failed; in {work.path}"
    )
    varying = [axis.name for axis in work.plan.axes if len(axis.labels) > 1]
    if varying and state.stored:
        print(_table_command(work, varying))


def _table_command(work: Sweep, varying: list[str]) -> str:
    """Return the command that tabulates the sweep: every axis that varies is a row's or the columns'."""
    cols = "tcp" if "tcp" in varying else varying[-1]
    rows = [axis for axis in varying if axis != cols] or [cols]
    words = ["tworay", "table", str(work.path), "--rows", ",".join(rows)]
    words += ["--cols", cols] if len(varying) > 1 else []
    return " ".join(map(shlex.quote, [*words, "--metric", work.plan.metrics[0]]))


def _failed(work: Sweep) -> list[dict[str, object]]:
    from tworay.experiment.store.sweeps import failures

    return failures(work.path).select("cell", "seed", "world", "message").to_dicts()


def _say_failures(work: Sweep, failed: list[dict[str, object]]) -> None:
    from tworay.cli.output import note
    from tworay.experiment.sweeping import replay

    for one in failed[:5]:
        note(
            f"tworay: cell {one['cell']} ({work.cells[int(str(one['cell']))].name}) seed {one['seed']} "
            f"failed: {one['message']}"
        )
        cell = work.cells[int(str(one["cell"]))]
        note(f"  tworay run {work.path / replay(cell, int(str(one['seed'])))} --seed {one['seed']}")
    if len(failed) > 5:
        note(f"tworay: and {len(failed) - 5} more, see --json")
    note("tworay: --retry-failed repeats them")
