"""What the verbs of the command line do."""

from __future__ import annotations

import difflib
import textwrap
from typing import TYPE_CHECKING, Any

import tworay
from tworay.cli import streams
from tworay.cli.writing import check_apart, is_device, is_stdout, note, print_json
from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.scenarios import ParameterInfo, VariantInfo

# From so many nodes on a run is announced with what it takes.
MANY_NODES = 5000
# Columns of text.
LINE = 110


def run_once(
    scenario: str,
    *,
    seed: int,
    settings: list[str] | None,
    tcp: str | None,
    out: Path | None,
    record: bool,
    pcap: Path | None,
    animate: Path | None,
    force: bool,
    resources: bool,
    costs: Path | None,
    as_json: bool,
) -> None:
    """``tworay run``."""
    world = tworay.load(scenario, tcp=tcp, set=settings, costs=costs)
    if pcap is not None:
        pcap = _free_file("--pcap", pcap, f"{world.name}-{seed}.pcapng", force=force)
    if animate is not None:
        animate = _free_file("--animate", animate, f"{world.name}-{seed}.xml", force=force)
    if record and out is None:
        raise InputError("--record needs a directory for its tables; add --out DIR")
    check_apart({"--out": out, "--pcap": pcap, "--animate": animate})
    printed = streams.STDOUT in (pcap, animate)
    if printed and as_json:
        raise InputError("standard output can't take --json and a file as well; name a file for one of them")
    say_what_it_takes(world, seed)
    from tworay._native import RunControl
    from tworay.progress import RunProgress

    store = None
    if out is not None:
        from tworay.store import Store

        store = Store(out, "run", force=force, scenario=world, details={"seed": seed})
    control = RunControl()
    with RunProgress(world.name, world.nodes, control):
        result = tworay.run(
            world,
            seed=seed,
            series=store is not None,
            record=record,
            control=control,
            pcap=pcap,
            animation=animate,
            resources=resources,
        )
    if pcap is not None:
        note(f"the capture is in {pcap}")
    if animate is not None:
        note(f"the animation is in {animate}")
    if store is not None:
        store.write_single(result)
        from tworay.report.writing import write_report

        note(f"results are in {out}, to be looked at in {write_report(store.path)}")
    if costs is not None:
        say_if_idle(result.summary["energy"].get("costs"))
    if as_json:
        for warning in result.summary["warnings"]:
            note(f"tworay: {warning['text']}")
        print_json(result.summary)
        return
    from tworay.rendering import run_report, show

    show(run_report(result.summary), stderr=printed)


def say_what_it_takes(world: tworay.Scenario, seed: int, jobs: int = 1) -> None:
    """Announce memory and time of a run of very many nodes."""
    if world.nodes < MANY_NODES:
        return
    memory, seconds = world.estimate(seed)
    together = f"; {jobs} run at a time (--jobs)" if jobs > 1 else ""
    note(
        f"tworay: {world.nodes} nodes: a run takes very roughly {memory / 1e6:.0f} MB of memory, more with "
        f"traffic, and {seconds:.0f} s of processor time{together}"
    )


def _free_file(option: str, path: Path, name: str, *, force: bool) -> Path:
    """Check the place of a run's file before the run; a directory gets a file called ``name``."""
    if is_stdout(path):
        return streams.stdout_path(option)
    if is_device(path):
        return path
    if path.is_dir():
        path /= name.replace("/", "-")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{option} {path}: there is no directory {path.absolute().parent}; make it first")
    if path.exists() and not (force and path.is_file()):
        raise InputError(f"{option} {path} exists already; add --force to replace it, or name another file")
    return path


def say_if_idle(costs: dict[str, Any] | None) -> None:
    """Say so if a table was given and nothing is counted by it."""
    if costs is None:
        note(
            "tworay: this scenario counts no energy, so --costs changes nothing; "
            "add --set energy.model=states"
        )


def list_scenarios(show: str | None, *, as_json: bool) -> None:
    """``tworay scenarios``."""
    if show is not None:
        text = tworay.scenario_text(show)
        print(text, end="" if text.endswith("\n") else "\n")
    elif as_json:
        print_json([entry._asdict() for entry in tworay.scenarios()])
    else:
        _print_columns([[entry.name, entry.summary] for entry in tworay.scenarios()])


def list_variants(show: str | None, *, as_json: bool) -> None:
    """``tworay variants``."""
    entries = tworay.variants()
    if show is not None:
        names = [entry.name for entry in entries]
        entries = [entry for entry in entries if entry.name == show.lower()]
        if not entries:
            near = difflib.get_close_matches(show.lower(), names, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise InputError(f"there is no variant {show}; {hint}")
    if as_json:
        print_json(
            [
                entry._asdict() | {"parameters": [parameter._asdict() for parameter in entry.parameters]}
                for entry in entries
            ]
        )
    elif show is not None:
        _explain(entries[0])
    else:
        width = max(len(entry.name) for entry in entries) + 2
        for entry in entries:
            print(f"{entry.name:{width}}{entry.summary}")
            details = entry.source
            if entry.parameters:
                details += "; parameters " + ", ".join(map(_with_default, entry.parameters))
            indent = " " * width
            print(textwrap.fill(details, LINE, initial_indent=indent, subsequent_indent=indent))
        print("\nParts are joined by +, parameters given in order or by name: newreno+sca(10)+cwl(n=4).")
        print("tworay variants --show NAME explains them.")


def _explain(variant: VariantInfo) -> None:
    print(f"{variant.name}: {variant.summary}\nSource: {variant.source}")
    for parameter in variant.parameters:
        if parameter.choices:
            allowed = " or ".join(parameter.choices)
        else:
            allowed = f"{parameter.minimum:g} to {parameter.maximum:g}"
        print(f"\n  {_with_default(parameter)}   ({allowed})")
        print(textwrap.indent(textwrap.fill(parameter.about, LINE - 6), "      "))
    if not variant.parameters:
        print("It has no parameters.")


def _with_default(parameter: ParameterInfo) -> str:
    if parameter.default is None:
        return parameter.name
    if parameter.choices:
        return f"{parameter.name}={parameter.choices[int(parameter.default)]}"
    return f"{parameter.name}={parameter.default:g}"


def print_schema() -> None:
    """``tworay schema``."""
    print_json(tworay.schema())


def _print_columns(rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
