"""``tworay tune``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tworay.cli.output import check_free, is_stdout, note, print_json, write_text
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

from tworay.cli.app import app
from tworay.cli.options import JsonOption, SetOption

NOTHING = "nothing to do; write `tworay tune VARIANT SCENARIO...`, or `tworay tune --costs`"


@app.command()
def tune(
    variant: Annotated[
        str | None, typer.Argument(metavar="[VARIANT]", help="Whose parameters to search: newreno+sca.")
    ] = None,
    scenarios: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="Scenarios to train on.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LOW..HIGH",
            help="Search this parameter, in this range (or NAME=WORD|WORD); may be repeated; default: all.",
        ),
    ] = None,
    metric: Annotated[str, typer.Option(metavar="NAME", help="What is searched for (`tworay metrics`).")] = (
        "goodput_bps"
    ),
    less: Annotated[bool, typer.Option("--less", help="Less of the metric is better.")] = False,
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="How many parameters are tried.")] = 40,
    seeds: Annotated[str, typer.Option(help="Training seeds: N, 1-10, or 3,5,9.")] = "5",
    held_out_seeds: Annotated[
        str, typer.Option(help="Seeds that judge the best; none of the training's.")
    ] = "1001-1020",
    held_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCENARIO", help="Judge on this scenario, not those of the training; may be repeated."
        ),
    ] = None,
    set_: SetOption = None,
    costs: Annotated[
        bool, typer.Option("--costs", help="Count what the sender's operations cost in instructions.")
    ] = False,
    tcp: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Only these variants; default: every one.")
    ] = None,
    instruction: Annotated[
        str, typer.Option(metavar="ENERGY", help="Energy of one instruction, such as 1nJ or 150pJ.")
    ] = "1nJ",
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Show the table that ships; measure nothing.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Variants at a time; default: all cores.")
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="Take run times of controllers in the kernel from what `bpftool -j prog show` printed; "
            "count nothing.",
        ),
    ] = None,
    power: Annotated[
        str | None,
        typer.Option(metavar="POWER", help="With --kernel: power of the computing processor, such as 2.5W."),
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="PREFIX=VARIANT",
            help="With --kernel: programs called PREFIX_... are this variant's; may be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the best as a preset (.toml); with --costs the table (.csv)."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --out.")] = False,
    json: JsonOption = False,
) -> None:
    """Search a variant's parameters; the best is judged on seeds and scenarios that the search never saw."""
    if variant is not None and not costs:
        _search(
            variant,
            scenarios or [],
            param or [],
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
        return
    if kernel is not None:
        _kernel_costs(
            kernel,
            wanted=costs,
            shipped=shipped,
            tcp=tcp,
            power=power,
            names=as_ or [],
            out=out,
            force=force,
            as_json=json,
        )
        return
    _measure_costs(
        wanted=costs,
        tcp=tcp,
        instruction=instruction,
        shipped=shipped,
        only_with_kernel={"--power": power, "--as": as_},
        jobs=jobs,
        out=out,
        force=force,
        as_json=json,
    )


def _names(tcp: str | None) -> list[str] | None:
    from tworay.running.spec import parse_variants

    return None if tcp is None else [str(name) for name in parse_variants(tcp)]


def _measure_costs(
    *,
    wanted: bool,
    tcp: str | None,
    instruction: str,
    shipped: bool,
    only_with_kernel: Mapping[str, object],
    jobs: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """``tworay tune --costs``."""
    from tworay.costs import counted as costs
    from tworay.running.executing import check_jobs
    from tworay.running.spec import parse_energy

    if not wanted:
        raise InputError(NOTHING)
    for option, value in only_with_kernel.items():
        if value is not None:
            raise InputError(f"{option} belongs to run times measured in the kernel; add --kernel FILE.json")
    joules = parse_energy(instruction)
    names = _names(tcp)
    threads = check_jobs(jobs)
    if out is not None:
        check_free(out, force=force)
    if shipped:
        found = [cost for cost in costs.shipped() if names is None or cost.variant in names]
    else:
        found = costs.measure(names, jobs=threads)
    if out is not None:
        write_text(out, costs.shipped_csv(names) if shipped else costs.as_csv(found))
        if is_stdout(out):
            return
    if as_json:
        print_json(costs.document(found, joules))
        return
    from tworay.showing.rendering import cost_report, show

    show(cost_report(found, joules, measured=not shipped))


def _kernel_costs(
    file: Path,
    *,
    wanted: bool,
    shipped: bool,
    tcp: str | None,
    power: str | None,
    names: list[str],
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """``tworay tune --costs --kernel FILE``."""
    from tworay.costs import kernel as kernelcosts
    from tworay.running.spec import parse_power

    if not wanted:
        raise InputError(NOTHING)
    if shipped:
        raise InputError("--shipped shows the table that ships, --kernel reads another; leave one out")
    if power is None:
        raise InputError("--kernel needs the power of the computing processor; add for example --power 2.5W")
    watts = parse_power(power)
    if out is not None:
        check_free(out, force=force)
    found = kernelcosts.read(file, dict(map(_mapping, names)))
    only = _names(tcp)
    if only is not None:
        found = found._replace(run_times=[one for one in found.run_times if one.variant in only])
        if not found.run_times:
            raise InputError(f"--kernel {file}: no program of {', '.join(only)}; leave --tcp out to see all")
    if found.others:
        note(f"tworay: left out, named after no variant: {', '.join(found.others)}")
    for one in found.run_times:
        if one.never_ran:
            note(
                f"tworay: {', '.join(one.never_ran)} of {one.variant} never ran; the operations that call "
                "for it keep the costs that ship"
            )
    if out is not None:
        write_text(out, kernelcosts.as_csv(found, watts, file.name))
        if is_stdout(out):
            return
    if as_json:
        print_json(kernelcosts.document(found.run_times, watts))
        return
    from tworay.showing.rendering import run_time_report, show

    show(run_time_report(found.run_times, watts))


def _mapping(text: str) -> tuple[str, str]:
    prefix, equals, variant = (part.strip() for part in text.partition("="))
    if not (prefix and equals and variant):
        raise InputError(f"--as {text}: write PREFIX=VARIANT, for example --as mine=newreno")
    return prefix, variant


def _search(
    variant: str,
    scenarios: list[str],
    parameters: list[str],
    *,
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
    from tworay.lab import tuning
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
