"""Runs the networks of ``tworay live run`` and ``up``, and prints and writes their results."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from tworay.cli import streams
from tworay.cli.output import check_apart, is_stdout, note, print_json
from tworay.errors import InputError
from tworay.files import is_device

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import tworay
    from tworay.live import Options
    from tworay.live.commanding import Outcome

INTERRUPTED = 130


@dataclass(frozen=True)
class Virtual:
    """Options of a machine in virtual time: memory in MiB, the folder for the programs' files, the pace."""

    memory: int
    keep: Path | None
    pace: float | None = None


def how_of(
    *, virtual: bool, keep: Path | None = None, memory: int | None, pace: float | None = None
) -> Virtual | None:
    """Check the options of virtual time; ``None`` means real time."""
    from tworay.virtual.machine import MEMORY

    if pace is not None and not 0.01 <= pace <= 1000:
        raise InputError(f"--pace {pace:g}: allowed are 0.01 to 1000 (1 is real time)")
    if virtual:
        return Virtual(MEMORY if memory is None else memory, keep, pace)
    for option, value in (("--keep", keep), ("--memory", memory), ("--pace", pace)):
        if value is not None:
            raise InputError(f"{option} is for machines in virtual time: add --virtual, or leave it out")
    return None


def run_live(
    world: tworay.Scenario,
    options: Options,
    command: Sequence[str],
    serve: str | None,
    *,
    each: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    virtual: Virtual | None,
) -> None:
    """``tworay live run``."""
    from tworay.live import require
    from tworay.live.commanding import run_command
    from tworay.live.sending import refused
    from tworay.live.standing import registered, write_script

    options = replace(options, pcap=_free(options.pcap, force))
    _check_record(options, out)
    printed = options.pcap == streams.STDOUT
    if printed and as_json:
        raise InputError("standard output can't hold the JSON and the capture; name a file for one of them")
    check_apart(
        {"--out": out, "--pcap": options.pcap} | ({} if virtual is None else {"--keep": virtual.keep})
    )
    if virtual is None:
        require()
    else:
        _check_virtual(options, virtual)
    store = _store(out, world, options.seed, force)
    _note_not_sent(world, options)
    if virtual is None:
        outcome = run_command(
            world, options, command, serve, each=each, to_stderr=as_json or printed, beside=registered
        )
    else:
        outcome = _run_virtual(
            world, options, command, serve, virtual, each=each, to_stderr=as_json or printed
        )
    if store is not None:
        store.write_single(outcome.run)
        write_script(store.path, outcome.run)
        from tworay.report.writing import write_report

        note(f"results are in {out}; open {write_report(store.path)} in a browser")
    if options.pcap is not None and not printed:
        note(f"the capture is in {options.pcap}")
    if as_json:
        print_json(outcome.run.summary)
    else:
        print_report(outcome.run.summary, stderr=printed)
    if outcome.problem is not None:
        note(f"tworay: {outcome.problem}")
    if outcome.interrupted:
        raise typer.Exit(INTERRUPTED)
    if outcome.problem is not None or outcome.code != 0:
        if outcome.code:
            why = refused(outcome.run, command, serve)
            note(f"tworay: the command ended with exit code {outcome.code}{f': {why}' if why else ''}")
        raise typer.Exit(1)


def _note_not_sent(world: tworay.Scenario, options: Options) -> None:
    """Name the flows that nobody will send, before the network starts; its results name them, too."""
    from tworay.live.sending import not_sent

    if words := not_sent(world, options):
        note(f"tworay: {words}")


def _check_virtual(options: Options, virtual: Virtual) -> None:
    from tworay.virtual import cache
    from tworay.virtual.running import check

    check(options)
    cache.kernel()
    keep = virtual.keep
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise InputError(f"--keep {keep} exists already and is no empty directory; name another one")


def _run_virtual(
    world: tworay.Scenario,
    options: Options,
    command: Sequence[str],
    serve: str | None,
    virtual: Virtual,
    *,
    each: str | None,
    to_stderr: bool,
) -> Outcome:
    from functools import partial

    from tworay.live.commanding import StatusLine
    from tworay.live.standing import registered_virtual
    from tworay.virtual.running import run_virtual

    line = StatusLine(quietly=False)
    try:
        outcome = run_virtual(
            world, options, command, serve,
            each=each, to_stderr=to_stderr, memory=virtual.memory, keep=virtual.keep, pace=virtual.pace,
            beside=partial(registered_virtual, world), show=line.show,
            warn=lambda text: note(f"tworay: {text}"),
        )  # fmt: skip
    finally:
        line.clear()
    if virtual.keep is not None:
        note(f"the files that programs wrote are in {virtual.keep}")
    return outcome


def stand(
    world: tworay.Scenario,
    options: Options,
    name: str | None,
    *,
    out: Path | None,
    force: bool,
    hold: Path | None,
    virtual: Virtual | None = None,
) -> None:
    """``tworay live up``: check the input and start the background process, which passes ``hold``."""
    from tworay.live import require, standing

    if options.pcap is not None and is_stdout(options.pcap):
        raise InputError(
            "--pcap - is for `live run`: a network in the background has no standard output; name a file"
        )
    options = replace(options, pcap=_free(options.pcap, force))
    _check_record(options, out)
    check_apart({"--out": out, "--pcap": options.pcap})
    if virtual is None:
        require()
    else:
        _check_virtual(options, virtual)
    store = _store(out, world, options.seed, force)
    if hold is not None:
        standing.hold(hold, world, options, store, _standing(world, options, virtual))
        return
    _note_not_sent(world, options)
    found = standing.up(name or world.name, sys.argv[3:], virtual=virtual is not None)
    stations = list(zip(standing.called(found), found["nodes"].values(), strict=True))
    nodes = ", ".join(f"{node} ({about['address']})" for node, about in stations)
    print(f"{found['name']} is up; nodes {nodes}")
    # With its name these also work while other networks are up.
    node = stations[0][0]
    print(f"tworay live shell --name {found['name']} {node}        opens a shell at a node")
    print(f"tworay live down {found['name']}        ends it")


def _standing(world: tworay.Scenario, options: Options, virtual: Virtual | None) -> Any:
    if virtual is None:
        return None
    from functools import partial

    from tworay.virtual.running import stand_virtual

    return partial(stand_virtual, world, options, memory=virtual.memory, pace=virtual.pace)


def _store(out: Path | None, world: tworay.Scenario, seed: int, force: bool) -> Any:
    if out is None:
        return None
    from tworay.experiment.store.results import Store

    return Store(out, "run", force=force, scenario=world, details={"seed": seed})


def _free(path: Path | None, force: bool) -> Path | None:
    if path is None or is_device(path):
        return path
    if is_stdout(path):
        return streams.stdout_path("--pcap")
    if not path.absolute().parent.is_dir():
        raise InputError(f"--pcap {path}: there is no directory {path.absolute().parent}; make it first")
    if path.exists() and not (force and path.is_file()):
        raise InputError(f"--pcap {path} exists already; add --force to replace it, or name another file")
    return path


def _check_record(options: Options, out: Path | None) -> None:
    if options.record and out is None:
        raise InputError("--record needs a directory for its tables; add --out DIR")


def print_report(document: dict[str, Any], *, stderr: bool = False) -> None:
    """Print the report of a live run: that of a simulated run, lateness, and packets not carried."""
    from tworay.showing.rendering import run_report, show

    sys.stdout.flush()
    show(run_report(document), stderr=stderr)
    stream = sys.stderr if stderr else sys.stdout
    live = document["live"]
    late = live["lateness"]
    print(
        f"engine: {late['wakeups']:,} wake-ups, late by {1e3 * late['p50_seconds']:.2f} ms (median), "
        f"{1e3 * late['p99_seconds']:.2f} ms (p99), {1e3 * late['max_seconds']:.2f} ms (maximum)",
        file=stream,
    )
    for what, count in live["refused"].items():
        print(f"not carried: {count} packets, {what}", file=stream)
    if live["kept_while_frozen"]:
        print(f"withheld while their sender was frozen: {live['kept_while_frozen']} packets", file=stream)
