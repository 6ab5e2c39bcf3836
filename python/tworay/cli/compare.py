"""``tworay compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tworay.cli.notes import say_if_idle, say_what_it_takes
from tworay.cli.output import note, print_comparison

if TYPE_CHECKING:
    import tworay

from tworay.cli.app import app
from tworay.cli.exports import Exports
from tworay.cli.options import (
    CostsOption,
    CsvOption,
    ForceOption,
    JsonOption,
    LongOption,
    PairsOption,
    sharing,
    taken,
)

FAILURES_SHOWN = 5


@app.command()
@sharing()
def compare(
    scenario: Annotated[
        str | None,
        typer.Argument(
            help="A built-in scenario (see `tworay scenarios`) or a TOML file. Not needed with --resume."
        ),
    ] = None,
    *,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Continue the comparison in DIR after an interruption, or add seeds and arms to it.",
        ),
    ] = None,
    force: ForceOption = False,
    costs: CostsOption = None,
    pairs: PairsOption = False,
    csv: CsvOption = None,
    long: LongOption = None,
    json: JsonOption = False,
    shared: dict[str, Any],
) -> None:
    """Compare variants, settings or mixtures.

    Every arm runs in the same worlds, seed by seed, so differences are paired. Prints a verdict, means with
    95 % intervals, and causes of loss.
    """
    from tworay.experiment.comparing import Comparing
    from tworay.experiment.options import Options
    from tworay.running.progress import Progress
    from tworay.running.spec import written

    exports = Exports(csv, long)
    exports.check(force=force, as_json=json, out=shared["out"])
    options = Options(scenario, resume=resume, force=force, costs=costs, **taken(shared))
    precision = options.until_ci
    if shared["slurm"] or shared["dry_run"]:
        exports.refuse("--slurm" if shared["slurm"] else "--dry-run")
        from tworay.cli.estimates import say_comparison

        say_comparison(options, slurm=shared["slurm"], as_json=json)
        return
    work = Comparing(options)
    work.announce(say_what_it_takes)
    result, place = work.result, work.place
    for text in work.problems:
        note(f"tworay: {text}")
    if work.stored_runs:
        note(f"{place} has {work.stored_runs} finished runs")
    if work.left_out:
        note(
            f"tworay: --seeds {options.seeds}: left out {len(work.left_out)} seeds that were planned but not "
            f"started ({written(work.left_out)}); seeds with finished runs stay"
        )
    try:
        with Progress(result.scenario) as progress:
            work.run(progress.watch, progress.stage)
    except KeyboardInterrupt:
        if place is not None and place.is_dir():
            note(f"tworay: interrupted; finished runs are in {place}; continue with --resume {place}")
        else:
            note("tworay: interrupted")
        if not exports.printed:
            print_comparison(result, None, pairs=pairs, as_json=json)
        raise
    for text in result.missing:
        note(f"tworay: --metrics: {text}")
    if costs is not None and len(result):
        say_if_idle(result.summary["costs"])
        _say_if_mixed(result.costed())
    if len(result):
        exports.write(result, ",".join(result.chosen) or None if options.metrics else None)
    if not exports.printed:
        print_comparison(result, None, pairs=pairs, as_json=json)
    if precision is not None:
        _say_precision(result, precision)
    if place is not None and len(result):
        from tworay.report.writing import write_report

        note(f"results are in {place}; open {write_report(place)} in a browser")
    if options.shard is not None:
        part = options.shard
        note(f"tworay: these are the runs of part {part}; `tworay merge` joins the directories of all parts")
    if result.failures:
        for failure in result.failures[:FAILURES_SHOWN]:
            note(f"tworay: {failure.variant}, seed {failure.seed} failed: {failure.message}")
        total = len(result) + len(result.failures)
        note(f"tworay: {len(result.failures)} of {total} runs failed; the table is of the others")
        raise typer.Exit(1)


def _say_if_mixed(costed: dict[str, set[str]]) -> None:
    """Warn if computing energies were counted in different ways."""
    if len({frozenset(kinds) for kinds in costed.values() if kinds}) > 1:
        ways = "; ".join(f"{name}: {' and '.join(sorted(kinds))}" for name, kinds in costed.items())
        note(
            f"tworay: computing energies can't be compared: they were counted in different ways ({ways}); "
            "measure all variants in one way"
        )


def _say_precision(result: tworay.Comparison, wanted: float) -> None:
    reached = result.headline_precision()
    if reached is None or reached <= wanted:
        return
    needed = result.seeds_needed(wanted)
    advice = f"about {needed} seeds would do" if needed else "no number of seeds can be named"
    note(
        f"tworay: goodput's 95 % interval is ± {reached:.1%} after {len(result.seeds)} seeds, "
        f"not ± {wanted:.1%}; {advice} (--max-seeds)"
    )
