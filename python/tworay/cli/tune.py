"""``tworay tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import app
from tworay.cli.options import JsonOption, SetOption
from tworay.cli.output import check_free, is_stdout, note, print_json, write_text
from tworay.errors import InputError


@app.command()
def tune(
    variant: Annotated[
        str, typer.Argument(metavar="VARIANT", help="The variant to tune, for example newreno+sca.")
    ],
    scenarios: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="Scenarios to train on.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LOW..HIGH",
            help="Search this parameter in this range (or NAME=WORD|WORD). Repeatable. Default: all "
            "parameters.",
        ),
    ] = None,
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="The metric to improve. See `tworay metrics`.")
    ] = ("goodput_bps"),
    less: Annotated[bool, typer.Option("--less", help="Minimize the metric instead.")] = False,
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="Number of parameter sets to try.")] = 40,
    grid: Annotated[
        bool,
        typer.Option("--grid", help="Try every whole number and word of the ranges instead of --trials."),
    ] = False,
    seeds: Annotated[str, typer.Option(help="Training seeds: N, 1-10, or 3,5,9.")] = "5",
    held_out_seeds: Annotated[
        str, typer.Option(help="Seeds that judge the result. They must differ from --seeds.")
    ] = "1001-1020",
    held_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCENARIO", help="Judge on this scenario instead of those of the training. Repeatable."
        ),
    ] = None,
    set_: SetOption = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Variants at a time. Default: all cores.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the best parameters as a preset (.toml)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
    json: JsonOption = False,
) -> None:
    """Search good parameters for a variant, and tell how flat the optimum is.

    The best are then judged on seeds and scenarios that the search did not use.
    """
    _search(
        variant,
        scenarios or [],
        param or [],
        grid=grid,
        metric=metric,
        less=less,
        trials=trials,
        seeds=seeds,
        held_out_seeds=held_out_seeds,
        held_out=held_out or [],
        settings=set_ or [],
        jobs=jobs,
        out=out,
        force=force,
        as_json=json,
    )


def _search(
    variant: str,
    scenarios: list[str],
    parameters: list[str],
    *,
    grid: bool,
    metric: str,
    less: bool,
    trials: int,
    seeds: str,
    held_out_seeds: str,
    held_out: list[str],
    settings: list[str],
    jobs: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """``tworay tune VARIANT SCENARIO...``."""
    from tworay.experiment import tuning
    from tworay.running.executing import check_jobs
    from tworay.running.spec import parse_seeds

    if not scenarios:
        raise InputError(
            f"tune {variant}: name scenarios to train on, such as `tworay tune {variant} string-4`"
        )
    if out is not None:
        check_free(out, force=force)

    def watch(done: int, total: int, best: float) -> None:
        if done % 10 == 0 or done == total:
            note(f"tune: {done} of {total} trials, best {best:+.1f} % over the defaults in training")

    found = tuning.tune(
        variant,
        scenarios,
        parameters=parameters,
        metric=metric,
        less=less,
        trials=trials,
        seeds=parse_seeds(seeds),
        held_out_seeds=parse_seeds(held_out_seeds),
        held_out_scenarios=held_out,
        settings=settings,
        grid=grid,
        jobs=check_jobs(jobs),
        watch=watch,
    )
    if out is not None:
        write_text(out, tuning.preset(found))
        if is_stdout(out):
            return
    if as_json:
        print_json(found.document())
        return
    print(f"{found.best}   ({found.trials} trials, {metric})")
    for title, rows in (("training", found.training), ("held out", found.held_out)):
        for row in rows:
            interval = "" if row["low"] is None else f" ({row['low']:+.1f} to {row['high']:+.1f})"
            gain = "–" if row["percent"] is None else f"{row['percent']:+.1f} %"
            verdict = f": {row['verdict']}" if title == "held out" else ""
            where = f"{row['scenario']}, {row['seeds']} seeds"
            print(f"  {title}: {where}: {gain}{interval} over {found.variant}{verdict}")
    print(f"  {found.flatness()}")
