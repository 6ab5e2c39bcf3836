"""``tworay costs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tworay.cli.output import check_csv, is_stdout, note, print_json, write_text
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

from tworay.cli.app import app
from tworay.cli.options import JsonOption


@app.command()
def costs(
    tcp: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Variants to measure. Default: all.")
    ] = None,
    instruction: Annotated[
        str, typer.Option(metavar="ENERGY", help="Energy of one instruction, such as 1nJ or 150pJ.")
    ] = "1nJ",
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Print the built-in table; measure nothing.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Variants at a time. Default: all cores.")
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="Take times in the kernel from what `tworay kernel stats --json` printed (or `bpftool -j "
            "prog show`, of any controller's callbacks); count nothing.",
        ),
    ] = None,
    power: Annotated[
        str | None,
        typer.Option(
            metavar="POWER", help="With --kernel: power of the processor while it computes, such as 2.5W."
        ),
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="PREFIX=VARIANT",
            help="With --kernel: the controller PREFIX, or programs called PREFIX_..., are this variant's; "
            "may be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Write the table into FILE.csv, for `run --costs`."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.csv if it exists.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure what a variant computes.

    Counts instructions of this build (needs valgrind), or takes times from the kernel.
    """
    if kernel is not None:
        _kernel_costs(
            kernel,
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
    tcp: str | None,
    instruction: str,
    shipped: bool,
    only_with_kernel: Mapping[str, object],
    jobs: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """``tworay costs``."""
    from tworay.costs import counted
    from tworay.running.executing import check_jobs
    from tworay.running.spec import parse_energy

    for option, value in only_with_kernel.items():
        if value is not None:
            raise InputError(f"{option} belongs to run times measured in the kernel; add --kernel FILE.json")
    joules = parse_energy(instruction)
    names = _names(tcp)
    threads = check_jobs(jobs)
    if out is not None:
        check_csv("--out", out, force=force)
    if shipped:
        found = [cost for cost in counted.shipped() if names is None or cost.variant in names]
    else:
        found = counted.measure(names, jobs=threads)
    if out is not None:
        write_text(out, counted.shipped_csv(names) if shipped else counted.as_csv(found))
        if is_stdout(out):
            return
    if as_json:
        print_json(counted.document(found, joules))
        return
    from tworay.showing.rendering import cost_report, show

    show(cost_report(found, joules, measured=not shipped))


def _kernel_costs(
    file: Path,
    *,
    shipped: bool,
    tcp: str | None,
    power: str | None,
    names: list[str],
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """``tworay costs --kernel FILE``."""
    from tworay.costs import kernel as kernelcosts
    from tworay.running.spec import parse_power

    if shipped:
        raise InputError("--shipped prints the built-in table, --kernel reads another; leave one out")
    if power is None:
        raise InputError("--kernel needs the power of the processor; add for example --power 2.5W")
    watts = parse_power(power)
    if out is not None:
        check_csv("--out", out, force=force)
    found = kernelcosts.read(file, dict(map(_mapping, names)))
    only = _names(tcp)
    if only is not None:
        found = found._replace(run_times=[one for one in found.run_times if one.variant in only])
        if not found.run_times:
            raise InputError(f"--kernel {file}: no program of {', '.join(only)}; leave --tcp out to see all")
    if found.others:
        note(f"tworay: left out, because no variant has this name: {', '.join(found.others)}")
    for one in found.run_times:
        if one.never_ran:
            note(
                f"tworay: {', '.join(one.never_ran)} of {one.variant} never ran; operations that need it "
                "keep the built-in costs"
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
