"""``tworay run``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

import tworay
from tworay.cli import completing, streams
from tworay.cli.app import app
from tworay.cli.notes import say_if_idle, say_what_it_takes
from tworay.cli.options import (
    CostsOption,
    EntriesOption,
    ForceOption,
    JsonOption,
    OutOption,
    ProfileOption,
    ResourcesOption,
    ScenarioOrProfile,
    ScriptOption,
    SetOption,
    source_of,
)
from tworay.cli.output import check_apart, is_stdout, note, print_json
from tworay.errors import InputError
from tworay.files import is_device


@app.command()
def run(
    scenario: ScenarioOrProfile = None,
    seed: Annotated[int, typer.Option(help="Random seed. The same seed gives the same result.")] = 1,
    set_: SetOption = None,
    tcp: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VARIANT",
            help="TCP variant of all flows. See `tworay variants`.",
            autocompletion=completing.variants,
        ),
    ] = None,
    out: OutOption = None,
    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Also keep every segment, frame, queue length, route and position for the map in "
            "report.html. Needs --out.",
        ),
    ] = False,
    pcap: Annotated[
        Path | None,
        typer.Option(
            metavar="[FILE.pcapng]",
            help="Capture every frame for Wireshark. Default file: SCENARIO-SEED.pcapng; - is stdout.",
        ),
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(
            metavar="[FILE.xml]",
            help="Write an animation for NetAnim: positions and the first 100000 packets (30 MB). "
            "Default file: SCENARIO-SEED.xml.",
        ),
    ] = None,
    force: ForceOption = False,
    resources: ResourcesOption = False,
    costs: CostsOption = None,
    profile: ProfileOption = None,
    script: ScriptOption = None,
    entries: EntriesOption = None,
    json: JsonOption = False,
) -> None:
    """Simulate a scenario once.

    Prints goodput, and why each lost segment was lost.
    """
    from tworay._native import RunControl
    from tworay.running.entries import check_entries, entered
    from tworay.running.memory import Kept, check_memory
    from tworay.running.progress import RunProgress
    from tworay.running.radios import cut_links, draft_on_aggregates
    from tworay.running.run import check_seed
    from tworay.running.switching import numbers, renumbered

    check_seed(seed)
    source = source_of(scenario, profile)
    world = tworay.load(source, tcp=_single(tcp, source), set=set_, costs=costs)
    if script is not None:
        from tworay.live import scripts

        world = scripts.applied(world, script)
    left = numbers(set_ or [], world.flows)
    if entries is not None:
        world = entered(world, seed, check_entries(entries, "--entries"), left)
    if pcap is not None:
        pcap = _free_file("--pcap", pcap, f"{world.name}-{seed}.pcapng", force=force)
    if animate is not None:
        animate = _free_file("--animate", animate, f"{world.name}-{seed}.xml", force=force)
    if record and out is None:
        raise InputError("--record needs a directory for its tables; add --out DIR")
    check_apart({"--out": out, "--pcap": pcap, "--animate": animate})
    printed = streams.STDOUT in (pcap, animate)
    if printed and json:
        raise InputError("standard output can't hold the JSON and another file; name a file for one of them")
    kept = Kept(series=out is not None, record=record, page=record)
    say_what_it_takes(world, seed, kept=kept)
    for text in [*cut_links(world), *draft_on_aggregates(world)]:
        note(f"tworay: {text}")
    store = None
    if out is not None:
        from tworay.experiment.store.results import Store

        check_memory([world], seed, kept=kept)

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
    result = renumbered(result, left)
    if pcap is not None:
        note(f"the capture is in {pcap}")
    if animate is not None:
        note(f"the animation is in {animate}")
    if store is not None:
        store.write_single(result)
        from tworay.report.writing import write_report

        note(f"results are in {out}; open {write_report(store.path)} in a browser")
    if costs is not None:
        say_if_idle(result.summary["energy"].get("costs"))
    if json:
        for warning in result.summary["warnings"]:
            note(f"tworay: {warning['text']}")
        print_json(result.summary)
        return
    from tworay.showing.rendering import run_report, show

    show(run_report(result.summary, result.warmup), stderr=printed)


def _single(variants: list[str] | None, source: str) -> str | None:
    """Return the variant of all flows; refuse several, which `compare` is for."""
    from tworay.running.spec import parse_variants

    if not variants:
        return None
    found = parse_variants(",".join(variants))
    if len(found) > 1:
        names = ",".join(map(str, found))
        raise InputError(
            f"--tcp {names}: a run has one variant; compare them: `tworay compare {source} --tcp {names}`"
        )
    return variants[0]


def _free_file(option: str, path: Path, name: str, *, force: bool) -> Path:
    """Check the path of an output file before the run; in a directory the file is called ``name``."""
    if is_stdout(path):
        return streams.stdout_path(option)
    if is_device(path):
        return path
    if path.is_dir():
        path /= re.sub(r"[/\x00-\x1f\x7f]", "-", name)
    if not path.absolute().parent.is_dir():
        raise InputError(f"{option} {path}: there is no directory {path.absolute().parent}; make it first")
    if path.exists() and not (force and path.is_file()):
        raise InputError(f"{option} {path} exists already; add --force to replace it, or name another file")
    return path
