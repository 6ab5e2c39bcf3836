"""What the verbs of the command line do."""

from __future__ import annotations

import difflib
import textwrap
from typing import TYPE_CHECKING, Any

import typer

import tworay
from tworay.cli.writing import note, print_json
from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.scenarios import ParameterInfo, VariantInfo

FAILURES_SHOWN = 5
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
    say_what_it_takes(world, seed)
    store = None
    if out is not None:
        from tworay.store import Store

        store = Store(out, "run", force=force, scenario=world, details={"seed": seed})
    result = tworay.run(
        world, seed=seed, series=store is not None, pcap=pcap, animation=animate, resources=resources
    )
    if pcap is not None:
        note(f"the capture is in {pcap}")
    if animate is not None:
        note(f"the animation is in {animate}")
    if store is not None:
        store.write_single(result)
        note(f"results are in {out}")
    if costs is not None:
        _say_if_idle(result.summary["energy"].get("costs"))
    if as_json:
        for warning in result.summary["warnings"]:
            note(f"tworay: {warning['text']}")
        print_json(result.summary)
        return
    from tworay.rendering import run_report, show

    show(run_report(result.summary))


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
    if path.is_dir():
        path /= name.replace("/", "-")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{option} {path}: there is no directory {path.absolute().parent}; make it first")
    if path.exists() and not (force and path.is_file()):
        raise InputError(f"{option} {path} exists already; add --force to replace it, or name another file")
    return path


def compare_variants(
    scenario: str,
    *,
    tcp: str,
    seeds: str,
    settings: list[str] | None,
    jobs: int | None,
    until_ci: str | None,
    max_seeds: int,
    out: Path | None,
    force: bool,
    resources: bool,
    costs: Path | None,
    as_json: bool,
) -> None:
    """``tworay compare``."""
    from tworay.progress import Progress
    from tworay.spec import parse_percent

    precision = None if until_ci is None else parse_percent(until_ci)
    try:
        with Progress(scenario) as progress:
            result = tworay.compare(
                scenario,
                tcp=tcp,
                seeds=seeds,
                set=settings,
                jobs=jobs,
                until_ci=precision,
                max_seeds=max_seeds,
                out=out,
                force=force,
                resources=resources,
                costs=costs,
                watch=progress.watch,
                announce=say_what_it_takes,
            )
    except KeyboardInterrupt:
        kept = f"; the finished runs are in {out}" if out is not None and out.is_dir() else ""
        note(f"tworay: interrupted{kept}")
        raise
    if costs is not None and len(result):
        _say_if_idle(result.summary["costs"])
        _say_if_mixed(result.costed())
    if len(result) and as_json:
        for warning in result.warnings:
            note(f"tworay: {warning}")
        print_json(result.summary)
    elif len(result):
        from tworay.rendering import comparison_report, show

        show(comparison_report(result))
    if precision is not None:
        _say_precision(result, precision)
    if out is not None and len(result):
        note(f"results are in {out}")
    if result.failures:
        for failure in result.failures[:FAILURES_SHOWN]:
            note(f"tworay: {failure.task.variant}, seed {failure.task.seed} failed: {failure.message}")
        total = len(result) + len(result.failures)
        note(f"tworay: {len(result.failures)} of {total} runs failed; the figures are of the others")
        raise typer.Exit(1)


def _say_if_idle(costs: dict[str, Any] | None) -> None:
    """Say so if a table was given and nothing is counted by it."""
    if costs is None:
        note(
            "tworay: this scenario counts no energy, so --costs changes nothing; "
            "add --set energy.model=states"
        )


def _say_if_mixed(costed: dict[str, set[str]]) -> None:
    """Say so if computing energies were not all counted in the same unit."""
    if len({frozenset(kinds) for kinds in costed.values() if kinds}) > 1:
        ways = "; ".join(f"{name}: {' and '.join(sorted(kinds))}" for name, kinds in costed.items())
        note(
            f"tworay: computing energies can't be compared, they are counted differently ({ways}); "
            "measure all of the variants alike"
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
