"""``tworay energy``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tworay.cli.app import FAILED, app
from tworay.cli.options import JsonOption
from tworay.cli.output import check_csv, note, print_columns, print_json, write_text
from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay.costs.drawn import Drawn, Radio


@app.command()
def energy(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- CMD", help="The command and its arguments.")
    ] = None,
    idle: Annotated[
        str, typer.Option(metavar="TIME", help="How long to measure the idle computer first.")
    ] = "10s",
    radio: Annotated[
        str | None,
        typer.Option(
            metavar="POWER|ENERGY",
            help="What the wireless card draws above its idle power: 0.4W while the command runs, or 3.2J.",
        ),
    ] = None,
    meter: Annotated[
        Literal["rapl", "battery"] | None,
        typer.Option(help="The meter. Default: a battery that discharges, otherwise RAPL."),
    ] = None,
    readings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Write the readings into FILE.csv; without a command, evaluate those in FILE.csv.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.csv if it exists.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure what a command's computing draws: total - radio - idle.

    Reads RAPL or a battery's fuel gauge, first while the computer is idle, then while the command runs.
    """
    from tworay.costs import drawn, meters

    extra = _radio(radio)
    if not command:
        if readings is None:
            raise InputError(
                "write the command after `--`, or name readings to evaluate: --readings FILE.csv"
            )
        found = drawn.evaluate(drawn.read(readings), extra)
        _print(found, f"readings in {readings.name}", None, as_json=json)
        return
    seconds = _seconds(idle)
    if readings is not None:
        check_csv("--readings", readings, force=force)
    source = meters.find(meter, meters.SYS)
    if radio is not None and not source.covers_radio:
        raise InputError(
            f"--radio {radio}: {source.name} contains no wireless card, so nothing is to be "
            "subtracted; leave --radio out"
        )
    note(f"tworay: {source.name}; the computer should stay idle for {seconds:g} s")
    taken, code = drawn.measure(source, seconds, command)
    if readings is not None:
        write_text(readings, drawn.as_csv(taken))
    _print(drawn.evaluate(taken, extra), source.name, code, as_json=json)
    if code:
        note(f"tworay: the command ended with exit code {code}")
        raise typer.Exit(FAILED)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|min)\s*", text)
    value = float(match[1]) * {"ms": 1e-3, "s": 1.0, "min": 60.0}[match[2]] if match else 0.0
    if not 0.1 <= value <= 86_400:
        raise InputError(f"--idle {text}: write a time from 100ms to a day, such as 10s")
    return value


def _radio(text: str | None) -> Radio:
    from tworay.costs.drawn import Radio
    from tworay.running.spec import parse_energy, parse_power

    if text is None:
        return Radio()
    if text.rstrip().endswith("W"):
        return Radio(watts=parse_power(text))
    if text.rstrip().endswith("J"):
        return Radio(joules=parse_energy(text))
    raise InputError(f"--radio {text}: write a power, such as 0.4W, or an energy, such as 3.2J")


def _print(found: Drawn, source: str, code: int | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"meter": source, "exit_code": code} | found.document())
        return
    joules = {
        "total": found.command.joules,
        "radio": found.radio_joules,
        "idle": found.idle_joules,
        "computing": found.computing_joules,
    }
    seconds = found.command.seconds
    print_columns(
        [["", "J", "W"], *([name, f"{one:.4g}", f"{one / seconds:.4g}"] for name, one in joules.items())]
    )
    print(
        f"\n{source}. The command took {seconds:.3g} s, after {found.idle.seconds:.3g} s of idling.\n"
        f"Steps of the meter make the result uncertain by up to {found.uncertainty_joules:.2g} J."
    )
    if abs(found.computing_joules) < found.uncertainty_joules:
        note("tworay: the result is less than its uncertainty; let the command and --idle take longer")
